"""`arith` as Python expressions: integers wrap to their width, floats are rounded once an operation."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr
from xdsl.ir import Operation

from ptoas.analysis.integers import wrap
from ptoas.dialects.pto.constraints import COUNTS, counts
from ptoas.machine import floats, integers
from ptoas.machine.arrays import np
from ptoas.machine.counts import Counts
from ptoas.machine.dtypes import rounder
from ptoas.machine.errors import failure
from ptoas.machine.expressions import EMITTERS, ExpressionScope

__all__ = ["constant_of", "expressions", "floats", "integers"]


def constant_of(op: arith.ConstantOp) -> int | float | Counts:
    """The value of a constant."""
    match op.value:
        case IntegerAttr():
            return wrap(op.value.value.data, op.result.type)
        case FloatAttr():
            round_once = rounder(op.result.type)
            number = op.value.value.data
            return number if round_once is None else round_once(number)
        case DenseIntOrFPElementsAttr() if op.result.type == COUNTS:
            return Counts(np.array(counts(op.value)).astype(np.int16))
        case DenseIntOrFPElementsAttr():
            raise failure("PTO-R505", "a constant of several elements can't be run", op)
        case _:
            raise failure("PTO-R505", f"a constant of type {op.result.type} can't be run", op)


def expressions(op: Operation, scope: ExpressionScope) -> list[str] | None:
    """One expression for each result; `None` if the operation is not one of `arith`."""
    emit = EMITTERS.get(type(op))
    if emit is None:
        return None
    found = emit(op, scope)
    return [found] if isinstance(found, str) else found
