"""Give instructions the scratch and staging tiles that the library wants and the text may leave out.

Before:

    pto.trowsum ins(%s : ...) outs(%d : ...)

After:

    %tmp = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32>
    pto.trowsum ins(%s, %tmp : ...) outs(%d : ...)

Document 003 says the same of collectives: lowering introduces the staging tiles.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerAttr, ModuleOp, i32
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from ptoas.dialects.pto.comm import CollectiveOp, CommTReduceOp
from ptoas.dialects.pto.element_types import element_size
from ptoas.dialects.pto.gather import TGatherOp
from ptoas.dialects.pto.instruction import PtoOp, ReductionOp
from ptoas.dialects.pto.types import DYNAMIC, TileType, ViewType
from ptoas.dialects.pto.views import AllocTileOp
from ptoas.lowering.isa import DEFAULT_ISA, get_isa
from ptoas.lowering.options import chosen_target
from ptoas.targets import Target
from ptoas.targets.facts import Knowledge

BLOCK = 32
"""Bytes of the smallest tile row."""

STAGING_BYTES = 32 * 1024
"""A staging tile is at most this large; what does not fit is moved in chunks (document 003)."""


@dataclass(frozen=True)
class AddScratchPass(ModulePass):
    """Scratch for reductions and tile gathers, staging for collectives."""

    name = "add-scratch"
    target: str | None = None
    isa: str = DEFAULT_ISA

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = chosen_target(op, self.target)
        with_scratch = get_isa(self.isa).gather_takes_scratch
        knowledge = Knowledge()
        for inner in list(op.walk()):
            match inner:
                case ReductionOp() if inner.tmp is None:
                    _fill(inner, "tmp", [_allocate(inner, _reduction_scratch(inner, target), "tmp")])
                case TGatherOp() if with_scratch and inner.form == "index" and inner.tmp is None:
                    _fill(inner, "tmp", [_allocate(inner, _gather_scratch(inner, target), "tmp")])
                case CollectiveOp() if len(inner.staging) < _staging_count(inner):
                    _stage(inner, knowledge)
                case _:
                    pass


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


def _writes(op: PtoOp, slots: str, target: Target) -> bool:
    """Whether the target's pipes touch the scratch of this instruction at all."""
    row = target.pipe_model(op, None)
    return row is not None and any("tmp" in written.split() for written in row.writes.values())


def _staging_count(op: CollectiveOp) -> int:
    """A reduction needs an accumulator and a buffer to receive into, the others one, or two to overlap."""
    return 2 if isinstance(op, CommTReduceOp) or op.pingpong is not None else 1


def _stage(op: CollectiveOp, knowledge: Knowledge) -> None:
    member = op.member_types[0]
    assert isinstance(member, ViewType)
    rows_total, cols_total = prod(member.shape5[:4]), member.shape5[4]
    unit = element_size(member.element_type)
    if DYNAMIC in member.shape5:
        rows_total, cols_total = 64, BLOCK * 4 // unit
    per_block = BLOCK // unit
    most = STAGING_BYTES // unit
    cols = min(-(-cols_total // per_block) * per_block, most // per_block * per_block)
    rows = max(1, min(rows_total, most // cols))
    tile = TileType.of(member.element_type, rows, cols, valid=(DYNAMIC, DYNAMIC))
    extents = [_constant(op, rows), _constant(op, min(cols, cols_total))]
    missing = _staging_count(op) - len(op.staging)
    names = ("stage", "recv") if isinstance(op, CommTReduceOp) else ("ping", "pong")
    new = [_allocate(op, tile, name, extents) for name in names[:missing]]
    _fill(op, "staging", [*op.staging, *new])


def _constant(before: Operation, value: int) -> SSAValue:
    op = arith.ConstantOp.create(
        result_types=[IndexType()],
        properties={"value": IntegerAttr(value, IndexType())},
        location=before.location,
    )
    assert before.parent is not None
    before.parent.insert_op_before(op, before)
    return op.results[0]


def _allocate(
    before: Operation, type: TileType, name: str, extents: list[SSAValue] | None = None
) -> SSAValue:
    given: list[SSAValue] = list(extents or ())
    if extents is None and DYNAMIC in type.valid:
        # The scratch of a tile with open extents may be valid as a whole.
        type = TileType.of(type.element_type, type.rows, type.cols)
    tile = AllocTileOp.create(
        operands=given,
        result_types=[type],
        properties={
            "operandSegmentSizes": DenseArrayBase.from_list(i32, [0, *([1, 1] if given else [0, 0])])
        },
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
