"""Operations on integers as Python expressions: results wrap to the width of their type."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from xdsl.dialects import arith
from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import Operation

from ptoas.machine.dtypes import integer_width
from ptoas.machine.errors import failure
from ptoas.machine.expressions import Scope, emits, pair, signed, unsigned, wrap, wrapped


def _divide(op: Operation, function: Callable[[int, int], int]) -> Callable[[int, int], int]:
    def divide(a: int, b: int) -> int:
        if b == 0:
            raise failure("PTO-R502", f"{op.name}: {a} divided by zero", op)
        return function(a, b)

    return divide


def _truncated(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _remainder(a: int, b: int) -> int:
    return a - b * _truncated(a, b)


_DIVISIONS: dict[type[Operation], tuple[Callable[[int, int], int], bool]] = {
    arith.DivSIOp: (_truncated, False),
    arith.DivUIOp: (lambda a, b: a // b, True),
    arith.FloorDivSIOp: (lambda a, b: a // b, False),
    arith.CeilDivSIOp: (lambda a, b: -(-a // b), False),
    arith.CeilDivUIOp: (lambda a, b: -(-a // b), True),
    arith.RemSIOp: (_remainder, False),
    arith.RemUIOp: (lambda a, b: a % b, True),
}

_INTEGER: dict[type[Operation], str] = {
    arith.AddiOp: "{a} + {b}",
    arith.SubiOp: "{a} - {b}",
    arith.MuliOp: "{a} * {b}",
}

_BITWISE: dict[type[Operation], str] = {
    arith.AndIOp: "{a} & {b}",
    arith.OrIOp: "{a} | {b}",
    arith.XOrIOp: "{a} ^ {b}",
}

_EXTREMES: dict[type[Operation], tuple[str, bool]] = {
    arith.MinSIOp: ("<", False),
    arith.MaxSIOp: (">", False),
    arith.MinUIOp: ("<", True),
    arith.MaxUIOp: (">", True),
}

_COMPARE_INTEGERS = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")
"""By the number of the predicate; the last four compare unsigned."""


@emits(*_INTEGER)
def _integer(op: Operation, scope: Scope) -> str:
    return wrapped(_INTEGER[type(op)].format(**pair(op, scope)), op.results[0].type)


@emits(*_BITWISE)
def _bitwise(op: Operation, scope: Scope) -> str:
    # Two numbers kept the same way give one that is kept the same way.
    return _BITWISE[type(op)].format(**pair(op, scope))


@emits(*_DIVISIONS)
def _division(op: Operation, scope: Scope) -> str:
    function, without_sign = _DIVISIONS[type(op)]
    a, b = pair(op, scope).values()
    type_ = op.results[0].type
    if without_sign:
        a, b = unsigned(a, type_), unsigned(b, type_)
    return wrapped(f"{scope.keep(_divide(op, function))}({a}, {b})", type_)


@emits(*_EXTREMES)
def _extreme(op: Operation, scope: Scope) -> str:
    sign, without_sign = _EXTREMES[type(op)]
    a, b = pair(op, scope).values()
    read = unsigned if without_sign else partial(signed, scope=scope)
    x, y = (read(v, op.results[0].type) for v in (a, b))
    return f"({a} if {x} {sign} {y} else {b})"


@emits(arith.ShLIOp, arith.ShRSIOp, arith.ShRUIOp)
def _shift(op: Operation, scope: Scope) -> str:
    type_ = op.results[0].type
    width = integer_width(type_)
    assert width is not None

    def shift(a: int, b: int) -> int:
        if not 0 <= b < width:
            raise failure("PTO-R503", f"{op.name}: a shift by {b} of {width} bits", op)
        if isinstance(op, arith.ShLIOp):
            return wrap(a << b, type_)
        if isinstance(op, arith.ShRUIOp):
            return wrap((a & ((1 << width) - 1)) >> b, type_)
        negative = a >> (width - 1) > 0
        return wrap((a - (1 << width) if negative else a) >> b, type_)

    return f"{scope.keep(shift)}({', '.join(pair(op, scope).values())})"


@emits(arith.CmpiOp)
def _compare_integers(op: arith.CmpiOp, scope: Scope) -> str:
    predicate = op.predicate.value.data
    a, b = pair(op, scope).values()
    if predicate >= 6:
        a, b = unsigned(a, op.lhs.type), unsigned(b, op.lhs.type)
    elif predicate >= 2:
        a, b = signed(a, op.lhs.type, scope), signed(b, op.lhs.type, scope)
    return f"{a} {_COMPARE_INTEGERS[predicate]} {b}"


@emits(arith.TruncIOp, arith.ExtSIOp, arith.IndexCastOp)
def _signed_cast(op: Operation, scope: Scope) -> str:
    source = op.operands[0]
    text = scope.ref(source)
    if not isinstance(op, arith.TruncIOp):
        text = signed(text, source.type, scope)
    return wrapped(text, op.results[0].type)


@emits(arith.ExtUIOp)
def _unsigned_cast(op: Operation, scope: Scope) -> str:
    source = op.operands[0]
    return wrapped(unsigned(scope.ref(source), source.type), op.results[0].type)


@emits(UnrealizedConversionCastOp)
def _reinterpretation(op: Operation, scope: Scope) -> str:
    """The same bits under another integer type of the same width."""
    widths = {integer_width(type) for type in (*op.operand_types, *op.result_types)}
    if len(op.operands) != 1 or len(op.results) != 1 or len(widths) != 1 or None in widths:
        raise failure("PTO-R505", f"{op.name} can be run between integers of one width alone", op)
    return wrapped(scope.ref(op.operands[0]), op.results[0].type)


@emits(arith.AddUIExtendedOp)
def _add_extended(op: Operation, scope: Scope) -> list[str]:
    type_ = op.results[0].type
    width = integer_width(type_)
    a, b = (unsigned(v, type_) for v in pair(op, scope).values())
    return [wrapped(f"{a} + {b}", type_), f"({a} + {b}) >> {width}"]


@emits(arith.MulUIExtendedOp, arith.MulSIExtendedOp)
def _multiply_extended(op: Operation, scope: Scope) -> list[str]:
    type_ = op.results[0].type
    width = integer_width(type_)
    a, b = pair(op, scope).values()
    if isinstance(op, arith.MulUIExtendedOp):
        a, b = unsigned(a, type_), unsigned(b, type_)
    return [wrapped(f"{a} * {b}", type_), wrapped(f"({a} * {b}) >> {width}", type_)]
