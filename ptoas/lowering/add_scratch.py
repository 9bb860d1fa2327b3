"""Give instructions the scratch and staging tiles that the library wants and the text may leave out.

Before:

    pto.trowsum ins(%s : ...) outs(%d : ...)

After:

    %tmp = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32>
    pto.trowsum ins(%s, %tmp : ...) outs(%d : ...)

Document 003 says the same of collectives: lowering introduces the staging tiles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, i32
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from ptoas.dialects.pto.element_types import element_size
from ptoas.dialects.pto.gather import TGatherOp
from ptoas.dialects.pto.instruction import PtoOp, ReductionOp
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.dialects.pto.views import AllocTileOp, SetValidShapeOp
from ptoas.lowering.isa import DEFAULT_ISA, get_isa
from ptoas.lowering.options import chosen_target
from ptoas.lowering.stage_collectives import stage_collectives
from ptoas.targets import Target

BLOCK = 32
"""Bytes of the smallest tile row."""


@dataclass(frozen=True)
class AddScratchPass(ModulePass):
    """Scratch for reductions and tile gathers, staging for collectives."""

    name = "add-scratch"
    target: str | None = None
    isa: str = DEFAULT_ISA

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = chosen_target(op, self.target)
        with_scratch = get_isa(self.isa).gather_takes_scratch
        for inner in list(op.walk()):
            match inner:
                case ReductionOp() if inner.tmp is None:
                    _fill(inner, "tmp", [_allocate(inner, _reduction_scratch(inner, target), "tmp")])
                case TGatherOp() if with_scratch and inner.form == "index" and inner.tmp is None:
                    extents = _extents(inner.indices)
                    _fill(inner, "tmp", [_allocate(inner, _gather_scratch(inner, target), "tmp", extents)])
                case _:
                    pass
        stage_collectives(op, target, _allocate, _fill)


def _reduction_scratch(op: ReductionOp, target: Target) -> TileType:
    """As large as the source where the target uses it; one block where it only takes it."""
    source = op.src.type
    assert isinstance(source, TileType)
    if _writes(op, "dst tmp", target):
        return TileType.of(source.element_type, source.rows, source.cols)
    return TileType.of(source.element_type, 1, BLOCK // element_size(source.element_type))


def _gather_scratch(op: TGatherOp, target: Target) -> TileType:
    assert op.indices is not None
    indices = op.indices.type
    assert isinstance(indices, TileType)
    if _writes(op, "dst tmp", target):
        return TileType.of(indices.element_type, indices.rows, indices.cols, valid=indices.valid)
    return TileType.of(indices.element_type, 1, BLOCK // element_size(indices.element_type))


def _extents(tile: SSAValue | None) -> list[SSAValue]:
    """The values of a tile's open valid extents, where one place says what they are."""
    assert tile is not None
    if not isinstance(tile.owner, AllocTileOp):
        return []
    if any(isinstance(use.operation, SetValidShapeOp) for use in tile.uses):
        return []
    return [extent for extent in (tile.owner.valid_row, tile.owner.valid_col) if extent is not None]


def _writes(op: PtoOp, slots: str, target: Target) -> bool:
    """Whether the target's pipes touch the scratch of this instruction at all."""
    row = target.pipe_model(op, None)
    return row is not None and any("tmp" in written.split() for written in row.writes.values())


def _allocate(before: Operation, type: TileType, name: str, extents: Sequence[SSAValue] = ()) -> SSAValue:
    opened = [extent == DYNAMIC for extent in type.valid]
    if sum(opened) != len(extents):
        # Without the values of the open extents the scratch is valid as a whole.
        type, opened, extents = TileType.of(type.element_type, type.rows, type.cols), [False, False], ()
    tile = AllocTileOp.create(
        operands=extents,
        result_types=[type],
        properties={"operandSegmentSizes": DenseArrayBase.from_list(i32, [0, *map(int, opened)])},
        location=before.location,
    )
    tile.result.name_hint = name
    assert before.parent is not None
    before.parent.insert_op_before(tile, before)
    return tile.result


def _fill(op: PtoOp, slot: str, values: list[SSAValue]) -> None:
    """Put `values` into a slot, in place."""
    operands: list[SSAValue] = []
    sizes: list[int] = []
    for declared, given in op.segments():
        now = values if declared.name == slot else list(given)
        operands += now
        sizes.append(len(now))
    op.operands = operands
    if op.signature().segmented:
        op.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, sizes)
