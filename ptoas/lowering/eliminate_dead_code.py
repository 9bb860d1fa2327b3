"""Drop what nothing uses: scalars, views, windows, tiles that no instruction touches, loops that do nothing.

Before:

    %v = pto.make_tensor_view %p, shape = [%c64, %c32], strides = [%c32, %c1] : !pto.tensor_view<64x32xf32>
    return

After:

    return
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.traits import is_side_effect_free

from ptoas.analysis.structure import is_of, walk
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.slots import accesses
from ptoas.dialects.pto.sync import RecordOp, TSyncOp
from ptoas.dialects.pto.views import AllocTileOp, SetValidShapeOp, TAssignOp


@dataclass(frozen=True)
class EliminateDeadCodePass(ModulePass):
    """Operations without effect and without uses, removed."""

    name = "eliminate-dead-code"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        # Users come after what they use, so one walk backwards finds whole chains.
        for inner in reversed(walk(op)):
            if inner is not op and is_dead(inner):
                for user in _bindings(inner):
                    Rewriter.erase_op(user)
                Rewriter.erase_op(inner)


def is_dead(op: Operation) -> bool:
    if op.__class__ is AllocTileOp:
        # An address or a valid region alone is no use of a tile.
        return all(_is_binding(use.operation) for use in op.results[0].uses)
    for result in op.results:
        if result.first_use is not None:
            return False
    if not op.results and not op.regions:
        return False
    if isinstance(op.next_op, RecordOp) or isinstance(op.prev_op, TSyncOp):
        return False  # its events order others
    if op.regions and (not isinstance(op, scf.IfOp | scf.ForOp) or _accesses_memory(op)):
        return False
    return is_side_effect_free(op)


def _accesses_memory(op: Operation) -> bool:
    """Return True if a body has an instruction that accesses memory: a quick test for most of them."""
    return any(is_of(inner.__class__, (PtoOp,)) and accesses(cast(PtoOp, inner)) for inner in op.walk())


def _is_binding(op: Operation) -> bool:
    if not is_of(op.__class__, (SetValidShapeOp, TAssignOp)):
        return False
    return isinstance(op, SetValidShapeOp) or (isinstance(op, TAssignOp) and op.result is None)


def _bindings(op: Operation) -> list[Operation]:
    return (
        [use.operation for result in op.results for use in result.uses] if isinstance(op, AllocTileOp) else []
    )
