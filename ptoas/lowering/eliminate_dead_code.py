"""Drop what nothing uses: scalars, views, windows, tiles that no instruction touches, loops that do nothing.

Before:

    %v = pto.make_tensor_view %p, shape = [%c64, %c32], strides = [%c32, %c1] : !pto.tensor_view<64x32xf32>
    return

After:

    return
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.traits import is_side_effect_free

from ptoas.analysis.structure import walk
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
                    user.detach()
                    user.erase()
                inner.detach()
                inner.erase()


def is_dead(op: Operation) -> bool:
    if isinstance(op, AllocTileOp):
        # An address or a valid region alone is no use of a tile.
        return all(_is_binding(use.operation) for use in op.result.uses)
    if not op.results and not op.regions:
        return False
    if op.regions and not isinstance(op, scf.IfOp | scf.ForOp):
        return False
    return not any(result.first_use for result in op.results) and is_side_effect_free(op)


def _is_binding(op: Operation) -> bool:
    return isinstance(op, SetValidShapeOp) or (isinstance(op, TAssignOp) and op.result is None)


def _bindings(op: Operation) -> list[Operation]:
    return (
        [use.operation for result in op.results for use in result.uses] if isinstance(op, AllocTileOp) else []
    )
