"""Preview of lowering: tile addresses, flags and barriers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Operation

from ptoas.diagnostics import PtoasError
from ptoas.dialects.pto.sync import BarrierOp, SetFlagOp, WaitFlagOp
from ptoas.dialects.pto.types import TileType
from ptoas.dialects.pto.views import AllocTileOp
from ptoas.ir.location import SourceLocation
from ptoas.lowering.pipeline import prepare
from ptoas.lowering.provenance import reason_of


class TileAddress(NamedTuple):
    """A tile's first byte in its memory, and why it is there; no reason: the author put it there."""

    loc: str
    first: int
    size: int
    why: str | None


class Added(NamedTuple):
    """A flag or a barrier that is added beside the statement at `anchor`."""

    anchor: int
    before: bool
    """True if it is inserted before the statement, False if after it."""
    text: str
    why: str


@dataclass(frozen=True)
class Planned:
    """Planned addresses by statement position and tile name, and added tiles."""

    addresses: dict[tuple[int, str], TileAddress]
    added: tuple[Added, ...]


def plan(module: ModuleOp, target: str) -> Planned | None:
    """Return what `lower` would insert for a target; None if the program cannot be lowered."""
    try:
        ready = prepare(module, target)
    except PtoasError:
        return None
    addresses: dict[tuple[int, str], TileAddress] = {}
    added: list[Added] = []
    for op in ready.walk():
        match op:
            case AllocTileOp() if op.addr is not None:
                _place(op, addresses)
            case SetFlagOp() | WaitFlagOp() | BarrierOp():
                why = reason_of(op)
                if why is not None and (hint := _added(op, why)) is not None:
                    added.append(hint)
            case _:
                pass
    return Planned(addresses, tuple(added))


def _place(op: AllocTileOp, addresses: dict[tuple[int, str], TileAddress]) -> None:
    tile, owner = op.result.type, op.addr.owner if op.addr is not None else None
    name = op.result.name_hint
    if not isinstance(tile, TileType) or not isinstance(owner, ConstantOp) or name is None:
        return
    value = owner.value
    if isinstance(value, IntegerAttr) and isinstance(op.location, SourceLocation):
        address = TileAddress(tile.loc.data.value, int(value.value.data), tile.size_bytes, reason_of(op))
        addresses[op.location.start, name] = address


def _added(op: SetFlagOp | WaitFlagOp | BarrierOp, why: str) -> Added | None:
    """The statement of the text beside it: a flag is set after one and waited for before one."""
    text = _text(op)
    first = not isinstance(op, SetFlagOp)
    for before in (first, not first):
        anchor = _neighbour(op, before)
        if anchor is not None:
            return Added(anchor, before, text, why)
    return None


def _neighbour(op: Operation, before: bool) -> int | None:
    """Return the author's statement that follows an operation (`before` it) or precedes it."""
    at = op.next_op if before else op.prev_op
    while at is not None:
        is_own = reason_of(at) is None and not isinstance(at, ConstantOp)
        if is_own and isinstance(at.location, SourceLocation):
            return at.location.start
        at = at.next_op if before else at.prev_op
    return None


def _text(op: SetFlagOp | WaitFlagOp | BarrierOp) -> str:
    if isinstance(op, BarrierOp):
        return f"barrier {_short(op.pipe.data.value)}"
    word = "set" if isinstance(op, SetFlagOp) else "wait"
    event = op.event_id.data.value.removeprefix("EVENT_ID")
    return f"{word} {_short(op.src_pipe.data.value)}→{_short(op.dst_pipe.data.value)} #{event}"


def _short(pipe: str) -> str:
    return pipe.removeprefix("PIPE_")
