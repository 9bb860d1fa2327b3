"""Create the operations that a template needs before its own: constants, tiles, windows of views."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IndexType, IntegerAttr, LocationAttr
from xdsl.ir import Operation, SSAValue

from ptoas.dialects.pto.views import new_tile, part_of
from ptoas.grammar.op_template import Alloc, Constant, Prelude, WindowOperand


def make_prelude(
    step: Prelude,
    operands: list[SSAValue | None],
    made: list[SSAValue],
    location: LocationAttr,
    ops: list[Operation],
) -> SSAValue:
    """Add what a step asks for to `ops`; `made` are the values of the steps before it."""

    def add(op: Operation) -> SSAValue:
        op.location = location
        ops.append(op)
        return op.results[0]

    def value(ref: int) -> SSAValue:
        return cast(SSAValue, operands[ref]) if ref >= 0 else made[-1 - ref]

    match step:
        case Constant(value=number):
            return add(ConstantOp(cast(IntegerAttr, number)))
        case Alloc(type=type):
            return add(new_tile(type))
        case WindowOperand(base=base, offsets=offsets, sizes=sizes, type=type):
            extents = [add(ConstantOp(IntegerAttr(size, IndexType()))) for size in sizes]
            return add(part_of(value(base), [value(ref) for ref in offsets], extents, type))
