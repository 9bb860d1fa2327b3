"""Operations on integers as Python expressions: results wrap to the width of their type."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import Operation

from ptoas.analysis.integers import (
    INTEGER_OPS,
    IntegerOp,
    Undefined,
    integer_op,
    is_reinterpretation,
    width_of,
)
from ptoas.machine.errors import failure
from ptoas.machine.expressions import ExpressionScope, emits, read_text, wrapped

_NO_RESULT = {
    Undefined.ZERO_DIVISOR: ("PTO-R502", "{0} divided by zero"),
    Undefined.SHIFT_TOO_FAR: ("PTO-R503", "a shift by {1} of {width} bits"),
}


@emits(*INTEGER_OPS, arith.CmpiOp)
def _integer(op: Operation, scope: ExpressionScope) -> list[str]:
    if isinstance(op, UnrealizedConversionCastOp) and not is_reinterpretation(op):
        raise failure("PTO-R505", f"{op.name} can only be run between integers of one width", op)
    entry = integer_op(op)
    assert entry is not None
    first, others = entry.readings()
    kept = [scope.ref(operand) for operand in op.operands]
    operands = [
        read_text(text, operand.type, others if at else first)
        for at, (text, operand) in enumerate(zip(kept, op.operands, strict=True))
    ]
    text = _text(entry, op, scope).format(*operands)
    if entry.stays and (operands == kept or isinstance(op, arith.CmpiOp)):
        return [text]
    low, *high = op.results
    return [
        wrapped(text, low.type),
        *(wrapped(f"{text} >> {width_of(low.type)}", each.type) for each in high),
    ]


def _text(entry: IntegerOp, op: Operation, scope: ExpressionScope) -> str:
    """The expression of an operation, or a call where it may have no result."""
    if entry.python is not None:
        return entry.python
    return f"{scope.add_global(_checked(entry, op))}({{0}}, {{1}})"


def _checked(entry: IntegerOp, op: Operation) -> Callable[[int, int], int]:
    width = width_of(op.results[0].type)
    code, message = _NO_RESULT[entry.undefined]

    def calculate(a: int, b: int) -> int:
        if not entry.is_defined((a, b), width):
            raise failure(code, f"{op.name}: {message.format(a, b, width=width)}", op)
        return entry.exact(a, b)

    return calculate
