"""Give tiles the block layout of the target, and views of scales the layout of their tiles, where the text
does not decide it (D30, D31).

Before, for a5:

    %l = pto.alloc_tile : !pto.tile_buf<left, 16x32xf16, slayout=row_major>

After:

    %l = pto.alloc_tile : !pto.tile_buf<left, 16x32xf16, blayout=col_major, slayout=row_major>
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ptoas.analysis.layouts import named_layout
from ptoas.analysis.structure import walk
from ptoas.dialects.pto.enums import BLayout, CompactMode, Layout, LayoutAttr, SLayout, TileLoc
from ptoas.dialects.pto.types import TileType
from ptoas.dialects.pto.views import MakeTensorViewOp
from ptoas.ir.names import defined, set_name
from ptoas.lowering.options import chosen_target

ACCUMULATOR_BLOCK = 1024
"""Bytes of a block of 16 x 16 sums."""


@dataclass(frozen=True)
class InferViewLayoutsPass(ModulePass):
    """Boxed tiles in `left` have their blocks in the order of the target's matrix unit, accumulators
    blocks of its size."""

    name = "infer-view-layouts"
    target: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = chosen_target(op, self.target)
        blocks, packs = target.left, target.has_pipes
        for each in walk(op):
            if each.__class__ is MakeTensorViewOp:
                _infer_scale_layout(cast(MakeTensorViewOp, each))
            for value in defined(each) if each.regions else each.results:
                if value.type.__class__ is TileType:
                    type = with_target_layout(value.type, blocks, packs)
                    if type is not value.type:
                        set_name(Rewriter.replace_value_with_new_type(value, type), value.name_hint)
            if each.regions and isinstance(each, func.FuncOp):
                ends = each.function_type
                inputs, outputs = (
                    [with_target_layout(type, blocks, packs) for type in types]
                    for types in (ends.inputs, ends.outputs)
                )
                if [*inputs, *outputs] != [*ends.inputs, *ends.outputs]:
                    each.function_type = FunctionType.from_lists(inputs, outputs)


def _infer_scale_layout(view: MakeTensorViewOp) -> None:
    layout = named_layout(view.result) if view.layout is None else None
    if layout is Layout.MX_A_ZZ or layout is Layout.MX_B_NN:
        view.layout = LayoutAttr(layout)


def with_target_layout(type: Attribute, blocks: BLayout, packs: bool = True) -> Attribute:
    """The type with its blocks in this order, and those of an accumulator in their size, if it is one that
    the target decides; the simulator packs none."""
    if type.__class__ is not TileType:
        return type
    assert isinstance(type, TileType)
    if type.packs and not packs:
        type = type.override(compact=CompactMode.Null)
    if type.loc.data is TileLoc.Acc and type.is_nz and type.fractal != ACCUMULATOR_BLOCK:
        return type.override(fractal=ACCUMULATOR_BLOCK)
    if type.loc.data is not TileLoc.Left:
        return type
    if type.slayout is SLayout.NoneBox or type.blayout is blocks:
        return type
    return type.override(blayout=blocks)
