"""`arith` as Python expressions: integers wrap to their width, floats are rounded once an operation.

An integer is kept as the number that its type reads its bits as: signed for `i32` and `index` (64 bits),
unsigned for `ui32` and `i1`. Every literal that reaches the text is an integer that was printed here;
floats and everything else are passed by name.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    UnrealizedConversionCastOp,
)
from xdsl.ir import Attribute, Operation, SSAValue

from ptoas.machine.arrays import np
from ptoas.machine.dtypes import dtype_of, integer_width, is_unsigned, rounder
from ptoas.machine.errors import failure


class Scope(Protocol):
    """What an expression needs of the function that it stands in."""

    def ref(self, value: SSAValue) -> str:
        """The text that stands for a value."""
        ...

    def keep(self, thing: object) -> str:
        """A name for a Python object."""
        ...


def limits(type: Attribute) -> tuple[int, int]:
    """The least and greatest number of an integer type, as it is kept."""
    width = integer_width(type)
    assert width is not None
    return (0, (1 << width) - 1) if is_unsigned(type) else (-(1 << (width - 1)), (1 << (width - 1)) - 1)


def wrap(value: int, type: Attribute) -> int:
    """Any integer, as the type keeps its low bits."""
    width = integer_width(type)
    assert width is not None
    low = value & ((1 << width) - 1)
    return low if is_unsigned(type) or not low >> (width - 1) else low - (1 << width)


def wrapped(expression: str, type: Attribute, scope: Scope) -> str:
    """The expression, wrapped only when it left the type's range, which is rare."""
    low, high = limits(type)
    fix = scope.keep(_wrapper(type))
    return f"(_t if {low} <= (_t := {expression}) <= {high} else {fix}(_t))"


_WRAPPERS: dict[tuple[int, bool], Callable[[int], int]] = {}


def _wrapper(type: Attribute) -> Callable[[int], int]:
    width = integer_width(type)
    assert width is not None
    key = (width, is_unsigned(type))
    if key not in _WRAPPERS:
        _WRAPPERS[key] = lambda value: wrap(value, type)
    return _WRAPPERS[key]


def unsigned(text: str, type: Attribute) -> str:
    """The bits of a value as an unsigned number."""
    width = integer_width(type)
    assert width is not None
    return text if is_unsigned(type) else f"({text} & {(1 << width) - 1})"


def _signed(text: str, type: Attribute, scope: Scope) -> str:
    """The bits of a value as a signed number: a true `i1` is -1."""
    width = integer_width(type)
    assert width is not None

    def read(value: int) -> int:
        return value - (1 << width) if value >> (width - 1) else value

    return f"{scope.keep(read)}({text})" if is_unsigned(type) else text


def constant_of(op: arith.ConstantOp) -> int | float:
    """The value of a constant."""
    match op.value:
        case IntegerAttr():
            return wrap(op.value.value.data, op.result.type)
        case FloatAttr():
            round_once = rounder(op.result.type)
            number = op.value.value.data
            return number if round_once is None else round_once(number)
        case DenseIntOrFPElementsAttr():
            raise failure("PTO-R505", "a constant of several elements can't be run", op)
        case _:
            raise failure("PTO-R505", f"a constant of type {op.result.type} can't be run", op)


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


def expressions(op: Operation, scope: Scope) -> list[str] | None:
    """One expression for each result; `None` if the operation is not one of `arith`."""
    emit = _EMITTERS.get(type(op))
    if emit is None:
        return None
    found = emit(op, scope)
    return [found] if isinstance(found, str) else found


Emitter = Callable[[Any, Scope], "str | list[str]"]
_EMITTERS: dict[type[Operation], Emitter] = {}


def _emits(*classes: type[Operation]) -> Callable[[Emitter], Emitter]:
    def register(function: Emitter) -> Emitter:
        for cls in classes:
            _EMITTERS[cls] = function
        return function

    return register


def _pair(op: Operation, scope: Scope) -> dict[str, str]:
    return {"a": scope.ref(op.operands[0]), "b": scope.ref(op.operands[1])}


@_emits(*_INTEGER)
def _integer(op: Operation, scope: Scope) -> str:
    return wrapped(_INTEGER[type(op)].format(**_pair(op, scope)), op.results[0].type, scope)


@_emits(*_BITWISE)
def _bitwise(op: Operation, scope: Scope) -> str:
    # Two numbers kept the same way give one that is kept the same way.
    return _BITWISE[type(op)].format(**_pair(op, scope))


@_emits(*_DIVISIONS)
def _division(op: Operation, scope: Scope) -> str:
    function, without_sign = _DIVISIONS[type(op)]
    a, b = _pair(op, scope).values()
    type_ = op.results[0].type
    if without_sign:
        a, b = unsigned(a, type_), unsigned(b, type_)
    return wrapped(f"{scope.keep(_divide(op, function))}({a}, {b})", type_, scope)


@_emits(*_EXTREMES)
def _extreme(op: Operation, scope: Scope) -> str:
    sign, without_sign = _EXTREMES[type(op)]
    a, b = _pair(op, scope).values()
    read = unsigned if without_sign else partial(_signed, scope=scope)
    x, y = (read(v, op.results[0].type) for v in (a, b))
    return f"({a} if {x} {sign} {y} else {b})"


@_emits(arith.ShLIOp, arith.ShRSIOp, arith.ShRUIOp)
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
        signed = a - (1 << width) if a >> (width - 1) > 0 else a
        return wrap(signed >> b, type_)

    return f"{scope.keep(shift)}({', '.join(_pair(op, scope).values())})"


@_emits(arith.CmpiOp)
def _compare_integers(op: arith.CmpiOp, scope: Scope) -> str:
    predicate = op.predicate.value.data
    a, b = _pair(op, scope).values()
    if predicate >= 6:
        a, b = unsigned(a, op.lhs.type), unsigned(b, op.lhs.type)
    elif predicate >= 2:
        a, b = _signed(a, op.lhs.type, scope), _signed(b, op.lhs.type, scope)
    return f"{a} {_COMPARE_INTEGERS[predicate]} {b}"


@_emits(arith.CmpfOp)
def _compare_floats(op: arith.CmpfOp, scope: Scope) -> str:
    return _COMPARE_FLOATS[op.predicate.value.data].format(**_pair(op, scope))


@_emits(arith.SelectOp)
def _select(op: arith.SelectOp, scope: Scope) -> str:
    return f"({scope.ref(op.lhs)} if {scope.ref(op.cond)} else {scope.ref(op.rhs)})"


def _rounded(expression: str, type: Attribute, scope: Scope) -> str:
    round_once = rounder(type)
    return f"({expression})" if round_once is None else f"{scope.keep(round_once)}({expression})"


@_emits(*_FLOAT)
def _float(op: Operation, scope: Scope) -> str:
    return _rounded(_FLOAT[type(op)].format(**_pair(op, scope)), op.results[0].type, scope)


@_emits(arith.DivfOp)
def _float_division(op: Operation, scope: Scope) -> str:
    a, b = _pair(op, scope).values()
    return _rounded(f"{scope.keep(_divide_floats)}({a}, {b})", op.results[0].type, scope)


@_emits(*_FLOAT_FUNCTIONS)
def _float_function(op: Operation, scope: Scope) -> str:
    a, b = _pair(op, scope).values()
    return f"{scope.keep(_FLOAT_FUNCTIONS[type(op)])}({a}, {b})"


@_emits(arith.NegfOp)
def _negate(op: Operation, scope: Scope) -> str:
    return f"-{scope.ref(op.operands[0])}"


@_emits(arith.ExtFOp, arith.TruncFOp)
def _float_cast(op: Operation, scope: Scope) -> str:
    return _rounded(scope.ref(op.operands[0]), op.results[0].type, scope)


@_emits(arith.SIToFPOp, arith.UIToFPOp)
def _to_float(op: Operation, scope: Scope) -> str:
    source = op.operands[0]
    text = scope.ref(source)
    if isinstance(op, arith.UIToFPOp):
        text = unsigned(text, source.type)
    else:
        text = _signed(text, source.type, scope)
    # An integer of 64 bits may need more digits than a double has: it is rounded once, from the integer.
    dtype = dtype_of(op.results[0].type)
    if dtype.text == "f64":
        return f"{scope.keep(float)}({text})"
    return f"{scope.keep(_exact_rounder(op.results[0].type))}({text})"


def _exact_rounder(type: Attribute) -> Callable[[int], float]:
    """An integer to a short float, without rounding twice."""
    round_once = rounder(type)
    assert round_once is not None

    def convert(value: int) -> float:
        if -(1 << 53) <= value <= 1 << 53:
            return round_once(float(value))
        # Keep a sticky bit below the double's digits: the second rounding then sees that something was cut.
        shift = abs(value).bit_length() - 53
        kept = abs(value) >> shift
        kept |= 1 if abs(value) & ((1 << shift) - 1) else 0
        return math.copysign(round_once(float(kept << shift)), value)

    return convert


@_emits(arith.FPToSIOp, arith.FPToUIOp)
def _to_integer(op: Operation, scope: Scope) -> str:
    type_ = op.results[0].type
    width = integer_width(type_)
    assert width is not None
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1)
    if isinstance(op, arith.FPToUIOp):
        low, high = 0, (1 << width) - 1

    def convert(value: float) -> int:
        if not math.isfinite(value) or not low <= int(value) <= high:
            raise failure("PTO-R504", f"{op.name}: {value} has no value in {type_}", op)
        return wrap(int(value), type_)

    return f"{scope.keep(convert)}({scope.ref(op.operands[0])})"


@_emits(arith.TruncIOp, arith.ExtSIOp, arith.IndexCastOp)
def _signed_cast(op: Operation, scope: Scope) -> str:
    source = op.operands[0]
    text = scope.ref(source)
    if not isinstance(op, arith.TruncIOp):
        text = _signed(text, source.type, scope)
    return wrapped(text, op.results[0].type, scope)


@_emits(arith.ExtUIOp)
def _unsigned_cast(op: Operation, scope: Scope) -> str:
    source = op.operands[0]
    return wrapped(unsigned(scope.ref(source), source.type), op.results[0].type, scope)


@_emits(UnrealizedConversionCastOp)
def _reinterpretation(op: Operation, scope: Scope) -> str:
    """The same bits under another integer type of the same width."""
    widths = {integer_width(type) for type in (*op.operand_types, *op.result_types)}
    if len(op.operands) != 1 or len(op.results) != 1 or len(widths) != 1 or None in widths:
        raise failure("PTO-R505", f"{op.name} can be run between integers of one width alone", op)
    return wrapped(scope.ref(op.operands[0]), op.results[0].type, scope)


@_emits(arith.BitcastOp)
def _bitcast(op: Operation, scope: Scope) -> str:
    source, target = op.operands[0].type, op.results[0].type
    if not isinstance(source, AnyFloat) and not isinstance(target, AnyFloat):
        return wrapped(scope.ref(op.operands[0]), target, scope)
    a, b = dtype_of(source), dtype_of(target)

    def convert(value: float) -> float:
        bits = np.asarray(a.scalar(value)).reshape(1).view(a.raw)
        return b.numbers(bits)[0].item()

    return f"{scope.keep(convert)}({scope.ref(op.operands[0])})"


@_emits(arith.AddUIExtendedOp)
def _add_extended(op: Operation, scope: Scope) -> list[str]:
    type_ = op.results[0].type
    width = integer_width(type_)
    a, b = (unsigned(v, type_) for v in _pair(op, scope).values())
    return [wrapped(f"{a} + {b}", type_, scope), f"({a} + {b}) >> {width}"]


@_emits(arith.MulUIExtendedOp, arith.MulSIExtendedOp)
def _multiply_extended(op: Operation, scope: Scope) -> list[str]:
    type_ = op.results[0].type
    width = integer_width(type_)
    a, b = _pair(op, scope).values()
    if isinstance(op, arith.MulUIExtendedOp):
        a, b = unsigned(a, type_), unsigned(b, type_)
    return [wrapped(f"{a} * {b}", type_, scope), wrapped(f"({a} * {b}) >> {width}", type_, scope)]
