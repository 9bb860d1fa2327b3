"""Whether an operation is of a chapter that few programs have.

What looks at every program, such as a rule of placement, asks this of its operations. To import a chapter for
the question would cost a small program more than the rule does: where nobody has imported it there is no
operation of it.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    from ptoas.dialects.pto.channel import FreeOp, InitializePipeOp, NumberedChannelOp, PopOp, ReserveBufferOp
    from ptoas.dialects.pto.comm import CollectiveOp, StagedOp
    from ptoas.dialects.pto.core_sync import CounterOp, SectionOp
    from ptoas.dialects.pto.matmul import TGetScaleAddrOp
    from ptoas.dialects.pto.multi_tile import AllocMultiTileOp, MultiTileGetOp


@cache
def is_made_of(kind: type[object], chapter: str, *names: str) -> bool:
    """Whether a class is one of these of a chapter, or made from one: which was imported before it then, so
    that the answer stays."""
    module = sys.modules.get(f"{__package__}.{chapter}")
    return module is not None and issubclass(kind, tuple(getattr(module, name) for name in names))


def is_pop(op: object) -> TypeGuard[PopOp]:
    return is_made_of(op.__class__, "channel", "PopOp")


def is_free(op: object) -> TypeGuard[FreeOp]:
    return is_made_of(op.__class__, "channel", "FreeOp")


def is_ring(op: object) -> TypeGuard[ReserveBufferOp]:
    return is_made_of(op.__class__, "channel", "ReserveBufferOp")


def is_channel_side(op: object) -> TypeGuard[NumberedChannelOp | InitializePipeOp]:
    """Whether it is for one of the two kinds of cores that a channel joins."""
    return is_made_of(op.__class__, "channel", "NumberedChannelOp", "InitializePipeOp")


def is_collective(op: object) -> TypeGuard[CollectiveOp]:
    return is_made_of(op.__class__, "comm", "CollectiveOp")


def is_staged(op: object) -> TypeGuard[StagedOp]:
    return is_made_of(op.__class__, "comm", "StagedOp")


def is_transfer(kind: type[object]) -> bool:
    """Whether its operations go between ranks, through tiles that a program need not name."""
    return is_made_of(kind, "comm", "CollectiveOp", "StagedOp") or is_made_of(kind, "remote", "TransferOp")


def is_counter(op: object) -> TypeGuard[CounterOp]:
    return is_made_of(op.__class__, "core_sync", "CounterOp")


def is_section(op: object) -> TypeGuard[SectionOp]:
    return is_made_of(op.__class__, "core_sync", "SectionOp")


def is_scale_address(op: object) -> TypeGuard[TGetScaleAddrOp]:
    return is_made_of(op.__class__, "matmul", "TGetScaleAddrOp")


def is_multi_tile(op: object) -> TypeGuard[AllocMultiTileOp]:
    return is_made_of(op.__class__, "multi_tile", "AllocMultiTileOp")


def is_one_of_many(op: object) -> TypeGuard[MultiTileGetOp]:
    return is_made_of(op.__class__, "multi_tile", "MultiTileGetOp")
