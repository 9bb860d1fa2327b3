"""Making the operations that a plan needs before its own: constants, new tiles, windows of views."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IndexType, IntegerAttr, LocationAttr
from xdsl.ir import Attribute, Operation, SSAValue

from ptoas.dialects.pto.types import DYNAMIC, PartitionTensorViewType
from ptoas.dialects.pto.views import AllocTileOp, PartitionViewOp
from ptoas.grammar.plan import Alloc, Constant, Window


def make_prelude(
    step: Constant | Window,
    operands: list[SSAValue | None],
    made: list[SSAValue],
    location: LocationAttr,
    ops: list[Operation],
) -> SSAValue:
    """Add what a step asks for to `ops`; `made` are the values of the steps before it."""
    if isinstance(step, Window):
        return _window(step, operands, made, location, ops)
    constant = ConstantOp(cast(IntegerAttr, step.value))
    constant.location = location
    ops.append(constant)
    return constant.result


def new_tile(step: Alloc, location: LocationAttr, ops: list[Operation]) -> SSAValue:
    """The tile that a destination nothing has defined stands for (D23)."""
    op = AllocTileOp(step.type, location=location)
    ops.append(op)
    return op.result


def _window(
    step: Window,
    operands: list[SSAValue | None],
    made: list[SSAValue],
    location: LocationAttr,
    ops: list[Operation],
) -> SSAValue:
    def index(value: int) -> SSAValue:
        constant = ConstantOp(IntegerAttr(value, IndexType()))
        constant.location = location
        ops.append(constant)
        return constant.result

    offsets = [cast(SSAValue, operands[ref]) if ref >= 0 else made[-1 - ref] for ref in step.offsets]
    sizes = [index(size) for size in step.sizes]
    op = PartitionViewOp(step.type, operands[step.base], offsets, sizes, location=location)
    ops.append(op)
    return op.result


def sized(type: Attribute, operands: list[SSAValue]) -> Attribute:
    """A part's type with the extents that its size operands, the last ones, are known to have."""
    assert isinstance(type, PartitionTensorViewType)
    sizes = [_constant(value) for value in operands[-len(type.shape) :]]
    return PartitionTensorViewType.of(sizes, type.element_type, type.layout)


def _constant(value: SSAValue) -> int:
    owner = value.owner
    if isinstance(owner, ConstantOp) and isinstance(owner.value, IntegerAttr):
        return cast("IntegerAttr[IndexType]", owner.value).value.data
    return DYNAMIC
