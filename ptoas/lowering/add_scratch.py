"""Give instructions the scratch and staging tiles that the library wants and the text may leave out.

Before:

    pto.trowsum ins(%s : ...) outs(%d : ...)

After:

    %tmp = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32>
    pto.trowsum ins(%s, %tmp : ...) outs(%d : ...)

Document 003 says the same of collectives: lowering introduces the staging tiles. Conversions get the
saturation mode that a revision has by default (D55), because it decides which scratch tile they take.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.structure import of_kinds, walk
from ptoas.dialects.pto.clauses import first_clause
from ptoas.dialects.pto.comm import StagedOp
from ptoas.dialects.pto.enums import SaturationMode, SaturationModeAttr
from ptoas.dialects.pto.gather import TGatherOp
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.quant import TCvtOp
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.dialects.pto.views import AllocTileOp, SetValidShapeOp
from ptoas.lowering.options import chosen_target
from ptoas.lowering.provenance import add_reason, at_line
from ptoas.lowering.spread_thresholds import spread_threshold
from ptoas.lowering.stage_collectives import stage_collectives
from ptoas.targets.facts import Facts
from ptoas.targets.isa import get_isa
from ptoas.targets.row import Row
from ptoas.targets.target import needs_scratch


@dataclass(frozen=True)
class AddScratchPass(ModulePass):
    """Scratch for reductions and tile gathers, staging for collectives."""

    name = "add-scratch"
    target: str | None = None
    isa: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = chosen_target(op, self.target)
        left_out = get_isa(self.isa).without_scratch
        knowledge = Knowledge()
        ops = walk(op)
        if get_isa(self.isa).saturates_by_default:
            _set_saturation(of_kinds(ops, TCvtOp))
        kinds = {kind for kind in set(map(type, ops)) if kind is TGatherOp or needs_scratch(kind, target)}
        for inner in cast("list[PtoOp]", [each for each in ops if each.__class__ in kinds] if kinds else []):
            row = target.row(inner)
            if not isinstance(row, Row) or inner.mnemonic() in left_out:
                continue
            facts = Facts(inner, target, knowledge, False, (target,), row)
            if isinstance(inner, TGatherOp):
                spread_threshold(inner, facts, _allocate)
            for slot, scratch in row.scratch.items():
                if scratch.instead is not None and not inner.operands_of(slot):
                    inner.fill(slot, [*inner.operands_of(scratch.instead)])
                    inner.properties.pop(f"no_{slot}", None)
                needed = None if inner.operands_of(slot) else scratch.needs(facts)
                if needed is not None:
                    shared = inner.values_of(scratch.valid_of) if scratch.valid_of else ()
                    extents = [extent for value in shared for extent in _extents(value)]
                    inner.fill(slot, [_allocate(inner, needed, slot, extents)])
                    inner.properties.pop(f"no_{slot}", None)
        stage_collectives(op, of_kinds(ops, StagedOp), target, _allocate)


def _set_saturation(conversions: Sequence[TCvtOp]) -> None:
    for op in conversions:
        op.satmode = op.satmode or SaturationModeAttr(SaturationMode.ON)


def _extents(tile: SSAValue) -> list[SSAValue]:
    """The values of a tile's open valid extents, where one place says what they are."""
    if not isinstance(tile.owner, AllocTileOp):
        return []
    if any(isinstance(use.operation, SetValidShapeOp) for use in tile.uses):
        return []
    return [extent for extent in (tile.owner.valid_row, tile.owner.valid_col) if extent is not None]


def _allocate(before: Operation, type: TileType, name: str, extents: Sequence[SSAValue] = ()) -> SSAValue:
    words = zip(("valid_row", "valid_col"), type.valid, strict=True)
    opened = [word for word, extent in words if extent == DYNAMIC]
    if len(opened) != len(extents):
        # Without the values of the open extents the scratch is valid as a whole.
        type, opened, extents = TileType.of(type.element_type, *type.shape), [], ()
    extents_by_slot: dict[str, Any] = dict(zip(opened, extents, strict=True))
    tile = AllocTileOp(type, **extents_by_slot, location=before.location)
    tile.result.name_hint = name
    add_reason(tile, lambda: f"{at_line(before)} works in it, and the text leaves it out")
    Rewriter.insert_op(tile, InsertPoint.before(first_clause(before)))
    return tile.result
