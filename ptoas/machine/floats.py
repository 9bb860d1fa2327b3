"""Operations on floats as Python expressions: a result is rounded once."""

from __future__ import annotations

import math
from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Attribute, Operation

from ptoas.analysis.integers import SIGNED, UNSIGNED, width_of, wrap
from ptoas.machine.arrays import np
from ptoas.machine.dtypes import dtype_of, rounder
from ptoas.machine.errors import failure
from ptoas.machine.expressions import ExpressionScope, emits, pair, read_text, wrapped

_COMPARE_FLOATS = (
    "False",
    "{a} == {b}",
    "{a} > {b}",
    "{a} >= {b}",
    "{a} < {b}",
    "{a} <= {b}",
    "({a} < {b} or {a} > {b})",
    "({a} == {a} and {b} == {b})",
    "not ({a} < {b} or {a} > {b})",
    "not {a} <= {b}",
    "not {a} < {b}",
    "not {a} >= {b}",
    "not {a} > {b}",
    "{a} != {b}",
    "({a} != {a} or {b} != {b})",
    "True",
)

_FLOAT: dict[type[Operation], str] = {
    arith.AddfOp: "{a} + {b}",
    arith.SubfOp: "{a} - {b}",
    arith.MulfOp: "{a} * {b}",
}


def _divide_floats(a: float, b: float) -> float:
    if b != 0:
        return a / b
    if a == 0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _minimum(a: float, b: float) -> float:
    """NaN if one is; minus zero is less than zero."""
    if a != a or b != b:
        return math.nan
    if a == b:
        return a if math.copysign(1.0, a) < 0 else b
    return a if a < b else b


def _maximum(a: float, b: float) -> float:
    return -_minimum(-a, -b) if a == a and b == b else math.nan


def _min_number(a: float, b: float) -> float:
    """The other one if one is NaN."""
    return b if a != a else a if b != b else _minimum(a, b)


def _max_number(a: float, b: float) -> float:
    return b if a != a else a if b != b else _maximum(a, b)


_FLOAT_FUNCTIONS: dict[type[Operation], Callable[[float, float], float]] = {
    arith.MinimumfOp: _minimum,
    arith.MaximumfOp: _maximum,
    arith.MinnumfOp: _min_number,
    arith.MaxnumfOp: _max_number,
}


@emits(arith.CmpfOp)
def _compare_floats(op: arith.CmpfOp, scope: ExpressionScope) -> str:
    return _COMPARE_FLOATS[op.predicate.value.data].format(**pair(op, scope))


def _rounded(expression: str, type: Attribute, scope: ExpressionScope) -> str:
    round_once = rounder(type)
    return f"({expression})" if round_once is None else f"{scope.add_global(round_once)}({expression})"


@emits(*_FLOAT)
def _float(op: Operation, scope: ExpressionScope) -> str:
    return _rounded(_FLOAT[type(op)].format(**pair(op, scope)), op.results[0].type, scope)


@emits(arith.DivfOp)
def _float_division(op: Operation, scope: ExpressionScope) -> str:
    a, b = pair(op, scope).values()
    return _rounded(f"{scope.add_global(_divide_floats)}({a}, {b})", op.results[0].type, scope)


@emits(*_FLOAT_FUNCTIONS)
def _float_function(op: Operation, scope: ExpressionScope) -> str:
    a, b = pair(op, scope).values()
    return f"{scope.add_global(_FLOAT_FUNCTIONS[type(op)])}({a}, {b})"


@emits(arith.NegfOp)
def _negate(op: Operation, scope: ExpressionScope) -> str:
    return f"-{scope.ref(op.operands[0])}"


@emits(arith.ExtFOp, arith.TruncFOp)
def _float_cast(op: Operation, scope: ExpressionScope) -> str:
    return _rounded(scope.ref(op.operands[0]), op.results[0].type, scope)


@emits(arith.SIToFPOp, arith.UIToFPOp)
def _to_float(op: Operation, scope: ExpressionScope) -> str:
    source = op.operands[0]
    plain = scope.ref(source)
    without_sign = isinstance(op, arith.UIToFPOp)
    text = read_text(plain, source.type, UNSIGNED if without_sign else SIGNED)
    # An integer of 64 bits may need more digits than a double has: it is rounded once, from the integer.
    return f"{scope.add_global(_exact_rounder(op.results[0].type))}({text})"


def _exact_rounder(type: Attribute) -> Callable[[int], float]:
    """An integer to a float, without rounding twice."""
    round_once = rounder(type)
    if round_once is None:
        return float

    def convert(value: int) -> float:
        if -(1 << 53) <= value <= 1 << 53:
            return round_once(float(value))
        # Keep a sticky bit below the double's digits: the second rounding then sees that something was cut.
        shift = abs(value).bit_length() - 53
        kept = abs(value) >> shift
        kept |= 1 if abs(value) & ((1 << shift) - 1) else 0
        return math.copysign(round_once(float(kept << shift)), value)

    return convert


@emits(arith.FPToSIOp, arith.FPToUIOp)
def _to_integer(op: Operation, scope: ExpressionScope) -> str:
    type_ = op.results[0].type
    width = width_of(type_)
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1)
    if isinstance(op, arith.FPToUIOp):
        low, high = 0, (1 << width) - 1

    def convert(value: float) -> int:
        if not math.isfinite(value) or not low <= int(value) <= high:
            raise failure("PTO-R504", f"{op.name}: {value} has no value in {type_}", op)
        return wrap(int(value), type_)

    return f"{scope.add_global(convert)}({scope.ref(op.operands[0])})"


@emits(arith.BitcastOp)
def _bitcast(op: Operation, scope: ExpressionScope) -> str:
    source, target = op.operands[0].type, op.results[0].type
    if not isinstance(source, AnyFloat) and not isinstance(target, AnyFloat):
        return wrapped(scope.ref(op.operands[0]), target)
    a, b = dtype_of(source), dtype_of(target)

    def convert(value: float) -> float:
        bits = np.asarray(a.scalar(value)).reshape(1).view(a.raw)
        return b.numbers(bits)[0].item()

    return f"{scope.add_global(convert)}({scope.ref(op.operands[0])})"
