"""The meaning of integer operations, one entry of a table each: on numbers, on intervals, as text.

An integer is kept as the number that its type reads its bits as: signed for `i32` and `index` (64 bits),
unsigned for `ui32` and `i1`. An operation reads its operands with or without a sign, calculates without a
limit, and wraps the result to the width of its type. Constants, bounds of generated arguments, the machine
and the C++ text all follow this table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import product
from typing import TypeAlias, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    IntegerType,
    Signedness,
    UnrealizedConversionCastOp,
)
from xdsl.ir import Attribute, Operation

Interval: TypeAlias = tuple[int, int]
"""The least and the greatest number."""

# --- types -----------------------------------------------------------------------------------------


def integer_width(type: Attribute) -> int | None:
    """Bits of an integer or index type."""
    if isinstance(type, IndexType):
        return 64
    return cast("IntegerType", type).width.data if isinstance(type, IntegerType) else None


def is_unsigned(type: Attribute) -> bool:
    """Return True if the type's numbers are stored without a sign; an `i1` is 0 or 1."""
    if not isinstance(type, IntegerType):
        return False
    integer = cast("IntegerType[int, Signedness]", type)
    return integer.signedness.data is Signedness.UNSIGNED or integer.width.data == 1


def limits(type: Attribute) -> Interval:
    """Return the least and the greatest value of an integer type."""
    return _limits(width_of(type), signed=not is_unsigned(type))


def wrap(value: int, type: Attribute) -> int:
    """Any integer, as the type keeps its low bits."""
    return _wrap(value, width_of(type), signed=not is_unsigned(type))


def width_of(type: Attribute) -> int:
    """Bits of a type that is known to be an integer or index."""
    width = integer_width(type)
    assert width is not None
    return width


def _limits(width: int, signed: bool) -> Interval:
    return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)


def _wrap(value: int, width: int, signed: bool) -> int:
    low = value & ((1 << width) - 1)
    return low - (1 << width) if signed and low >> (width - 1) else low


# --- the table -------------------------------------------------------------------------------------


class Reading(Enum):
    """Interpretation of the bits of an operation's operands."""

    KEPT = "as they are kept, since the low bits of the result are the same"
    SIGNED = "signed, a true `i1` as -1; what is declared as unsigned has no sign"
    UNSIGNED = "unsigned"


KEPT, SIGNED, UNSIGNED = Reading


class Undefined(Enum):
    """Condition under which an operation has no result."""

    NEVER = "never"
    ZERO_DIVISOR = "the second operand is zero"
    SHIFT_TOO_FAR = "the second operand is not a number of bits below the width"


Binary: TypeAlias = Callable[[int, int], int]
Bounds: TypeAlias = Callable[..., "Interval | None"]


@dataclass(frozen=True)
class IntegerOp:
    """One operation. Texts name operands `{0}`, `{1}` and, of `select`, `{2}`."""

    exact: Callable[..., int]
    """The result before it is wrapped, of operands that were read."""
    cpp: str | None = None
    """C++ expression; None if there is none or the emitter handles the operation (casts)."""
    bit: str | None = None
    """The C++ expression on `bool`, where it differs: as a signed number `true` is -1."""
    python: str | None = None
    """The Python expression that the machine inlines; None: it calls `exact`."""
    reads: Reading = KEPT
    undefined: Undefined = Undefined.NEVER
    stays: bool = False
    """True if the result is always in the range of the interpreted operands."""
    interval: Bounds | None = None
    """Bounds of `exact`, or None for those of the type. It is not given where `exact` rises or falls in each
    operand, so that its values at the ends of the intervals are bounds."""

    def readings(self) -> tuple[Reading, Reading]:
        """The interpretations of the first operand and of the others; a shift uses its distance as
        stored.
        """
        return self.reads, KEPT if self.undefined is Undefined.SHIFT_TOO_FAR else self.reads

    def is_defined(self, values: Sequence[int], width: int) -> bool:
        """Return True if interpreted operands have a result of this many bits."""
        match self.undefined:
            case Undefined.NEVER:
                return True
            case Undefined.ZERO_DIVISOR:
                return values[1] != 0
            case Undefined.SHIFT_TOO_FAR:
                return 0 <= values[1] < width


def _quotient(a: int, b: int) -> int:
    """Division that rounds towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> int:
    return a - b * _quotient(a, b)


def _ceiling(a: int, b: int) -> int:
    return -(-a // b)


def _select(condition: int, a: int, b: int) -> int:
    return a if condition else b


def _remainders(a: Interval, b: Interval) -> Interval:
    """The interval of a remainder: it has the sign of the dividend and is smaller than the divisor."""
    most = max(abs(b[0]), abs(b[1]), 1) - 1
    return max(min(a[0], 0), -most), min(max(a[1], 0), most)


def _conjunctions(a: Interval, b: Interval) -> Interval | None:
    tops = [high for low, high in (a, b) if low >= 0]
    return (0, min(tops)) if tops else None


def _disjunctions(a: Interval, b: Interval) -> Interval | None:
    return (0, (1 << max(a[1], b[1]).bit_length()) - 1) if min(a[0], b[0]) >= 0 else None


def _selections(condition: Interval, a: Interval, b: Interval) -> Interval:
    if condition[0] == condition[1]:
        return a if condition[0] else b
    return min(a[0], b[0]), max(a[1], b[1])


def _unknown(*_: Interval) -> None:
    return None


def _operator(exact: Binary, symbol: str, bit: str | None, stays: bool = False) -> IntegerOp:
    """An operator that C++ and Python write alike."""
    text = f"{{0}} {symbol} {{1}}"
    return IntegerOp(exact, cpp=text, bit=bit, python=text, stays=stays)


def _division(exact: Binary, cpp: str, reads: Reading) -> IntegerOp:
    # Of one bit, the only divisor is `true`.
    return IntegerOp(exact, cpp=cpp, bit="{0}", reads=reads, undefined=Undefined.ZERO_DIVISOR)


def _modulo(exact: Binary, reads: Reading) -> IntegerOp:
    return replace(_division(exact, "{0} % {1}", reads), bit="false", interval=_remainders)


def _shift(exact: Binary, symbol: str, reads: Reading) -> IntegerOp:
    # Of one bit, the only shift is by `false`.
    text = f"{{0}} {symbol} {{1}}"
    return IntegerOp(exact, cpp=text, bit="{0}", reads=reads, undefined=Undefined.SHIFT_TOO_FAR)


def _extreme(exact: Binary, symbol: str, reads: Reading, bit: str) -> IntegerOp:
    python = f"({{0}} if {{0}} {symbol} {{1}} else {{1}})"
    cpp = "{0} < {1} ? {0} : {1}" if symbol == "<" else "{0} < {1} ? {1} : {0}"
    return IntegerOp(exact, cpp=cpp, bit=bit, python=python, reads=reads, stays=True)


def _bitwise(exact: Binary, symbol: str, bit: str, interval: Bounds) -> IntegerOp:
    # Two numbers kept the same way give one that is kept the same way.
    return replace(_operator(exact, symbol, bit, stays=True), interval=interval)


def _extended(exact: Binary, symbol: str, reads: Reading) -> IntegerOp:
    """An operation with two results: the low bits and those above them."""
    return IntegerOp(exact, python=f"({{0}} {symbol} {{1}})", reads=reads)


def _cast(reads: Reading) -> IntegerOp:
    return IntegerOp(int, python="{0}", reads=reads)


def _comparison(exact: Binary, symbol: str, reads: Reading) -> IntegerOp:
    # As a signed number `true` is less than `false`.
    turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(symbol, symbol)
    entry = _operator(exact, symbol, f"{{0}} {turned} {{1}}" if reads is SIGNED else None, stays=True)
    return replace(entry, reads=reads, interval=_unknown if reads is KEPT else None)


_FLOOR = "{0} / {1} - ({0} % {1} != 0 && ({0} < 0) != ({1} < 0) ? 1 : 0)"
_CEILING = "{0} / {1} + ({0} % {1} != 0 && ({0} < 0) == ({1} < 0) ? 1 : 0)"
_UNSIGNED_CEILING = "{0} / {1} + ({0} % {1} != 0 ? 1 : 0)"

INTEGER_OPS: dict[type[Operation], IntegerOp] = {
    arith.AddiOp: _operator(lambda a, b: a + b, "+", bit="{0} != {1}"),
    arith.SubiOp: _operator(lambda a, b: a - b, "-", bit="{0} != {1}"),
    arith.MuliOp: _operator(lambda a, b: a * b, "*", bit="{0} && {1}"),
    arith.DivSIOp: _division(_quotient, "{0} / {1}", SIGNED),
    arith.DivUIOp: _division(lambda a, b: a // b, "{0} / {1}", UNSIGNED),
    arith.FloorDivSIOp: _division(lambda a, b: a // b, _FLOOR, SIGNED),
    arith.CeilDivSIOp: _division(_ceiling, _CEILING, SIGNED),
    arith.CeilDivUIOp: _division(_ceiling, _UNSIGNED_CEILING, UNSIGNED),
    arith.RemSIOp: _modulo(_remainder, SIGNED),
    arith.RemUIOp: _modulo(lambda a, b: a % b, UNSIGNED),
    arith.MinSIOp: _extreme(min, "<", SIGNED, bit="{0} || {1}"),
    arith.MaxSIOp: _extreme(max, ">", SIGNED, bit="{0} && {1}"),
    arith.MinUIOp: _extreme(min, "<", UNSIGNED, bit="{0} && {1}"),
    arith.MaxUIOp: _extreme(max, ">", UNSIGNED, bit="{0} || {1}"),
    arith.AndIOp: _bitwise(lambda a, b: a & b, "&", "{0} && {1}", _conjunctions),
    arith.OrIOp: _bitwise(lambda a, b: a | b, "|", "{0} || {1}", _disjunctions),
    arith.XOrIOp: _bitwise(lambda a, b: a ^ b, "^", "{0} != {1}", _disjunctions),
    arith.ShLIOp: _shift(lambda a, b: a << b, "<<", KEPT),
    arith.ShRSIOp: _shift(lambda a, b: a >> b, ">>", SIGNED),
    arith.ShRUIOp: _shift(lambda a, b: a >> b, ">>", UNSIGNED),
    arith.AddUIExtendedOp: _extended(lambda a, b: a + b, "+", UNSIGNED),
    arith.MulUIExtendedOp: _extended(lambda a, b: a * b, "*", UNSIGNED),
    arith.MulSIExtendedOp: _extended(lambda a, b: a * b, "*", SIGNED),
    arith.SelectOp: IntegerOp(
        _select, cpp="{0} ? {1} : {2}", python="({1} if {0} else {2})", stays=True, interval=_selections
    ),
    arith.IndexCastOp: _cast(SIGNED),
    arith.ExtSIOp: _cast(SIGNED),
    arith.ExtUIOp: _cast(UNSIGNED),
    arith.TruncIOp: _cast(KEPT),
    UnrealizedConversionCastOp: _cast(KEPT),
}
"""All but `arith.cmpi`, which has an entry for each predicate."""

CASTS = (arith.IndexCastOp, arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp)

_ORDERS: tuple[tuple[Binary, str], ...] = (
    (lambda a, b: a < b, "<"),
    (lambda a, b: a <= b, "<="),
    (lambda a, b: a > b, ">"),
    (lambda a, b: a >= b, ">="),
)

COMPARISONS = (
    _comparison(lambda a, b: a == b, "==", KEPT),
    _comparison(lambda a, b: a != b, "!=", KEPT),
    *(_comparison(exact, symbol, SIGNED) for exact, symbol in _ORDERS),
    *(_comparison(exact, symbol, UNSIGNED) for exact, symbol in _ORDERS),
)
"""Comparisons by the number of the predicate of `arith.cmpi`."""


def integer_op(op: Operation) -> IntegerOp | None:
    """The entry of an operation; None if it is not one on integers."""
    found = INTEGER_OPS.get(op.__class__)
    if found is None and isinstance(op, arith.CmpiOp):
        return COMPARISONS[op.predicate.value.data]
    return found


# --- values ----------------------------------------------------------------------------------------


def read(value: int, type: Attribute, reading: Reading) -> int:
    """The number that an operation reads."""
    return value if reading is KEPT else _wrap(value, width_of(type), has_sign(type, reading))


def has_sign(type: Attribute, reading: Reading) -> bool:
    """Return True if numbers of a type are signed in this interpretation."""
    return reading is SIGNED and (width_of(type) == 1 or not is_unsigned(type))


def constant_of(op: arith.ConstantOp) -> int | None:
    """The number of an integer constant, as its type keeps it."""
    value = op.value
    return wrap(value.value.data, op.result.type) if isinstance(value, IntegerAttr) else None


def is_reinterpretation(op: Operation) -> bool:
    """Return True if the operation gives the same bits another integer type of the same width."""
    widths = {integer_width(type) for type in (*op.operand_types, *op.result_types)}
    return len(op.operands) == len(op.results) == 1 == len(widths) and None not in widths


def _shared(op: Operation, at: int) -> tuple[IntegerOp, int, int] | None:
    """Return the table entry of an operation, its bit width, and the bits below a result."""
    entry, width = integer_op(op), integer_width(op.results[at].type)
    if entry is None or width is None:
        return None
    if isinstance(op, UnrealizedConversionCastOp) and not is_reinterpretation(op):
        return None
    return entry, width, at * width_of(op.results[0].type)


def evaluate(op: Operation, values: Sequence[int | None], at: int = 0) -> int | None:
    """The number of result `at`; None if it or an operand is not known, or there is none."""
    if None in values:
        return None
    shared = _shared(op, at)
    if shared is None:
        return None
    entry, width, below = shared
    first, others = entry.readings()
    operands = [
        read(cast(int, value), operand.type, others if number else first)
        for number, (value, operand) in enumerate(zip(values, op.operands, strict=True))
    ]
    if not entry.is_defined(operands, width):
        return None
    return wrap(entry.exact(*operands) >> below, op.results[at].type)


def evaluate_interval(op: Operation, intervals: Sequence[Interval], at: int = 0) -> Interval | None:
    """An interval that result `at` is in, if operands are in these; None for other operations."""
    shared = _shared(op, at)
    if shared is None:
        return None
    entry, width, below = shared
    type = op.results[at].type
    first, others = entry.readings()
    ranges = [
        _read_interval(each, operand.type, others if number else first)
        for number, (each, operand) in enumerate(zip(intervals, op.operands, strict=True))
    ]
    points = all(low == high for low, high in ranges)
    found = entry.interval(*ranges) if entry.interval and not points else _corners(entry, ranges, width)
    if found is None:
        return limits(type)
    return _mapped((found[0] >> below, found[1] >> below), lambda value: wrap(value, type), limits(type))


def _read_interval(interval: Interval, type: Attribute, reading: Reading) -> Interval:
    if reading is KEPT:
        return interval
    whole = _limits(width_of(type), has_sign(type, reading))
    return _mapped(interval, lambda value: read(value, type, reading), whole)


def _mapped(interval: Interval, function: Callable[[int], int], whole: Interval) -> Interval:
    """An interval in other limits; all that is in them if it is cut in two."""
    low, high = map(function, interval)
    return (low, high) if high - low == interval[1] - interval[0] else whole


def _corners(entry: IntegerOp, operands: Sequence[Interval], width: int) -> Interval | None:
    """Bounds of an operation that rises or falls in each operand: its values where intervals end."""
    ends: list[Iterable[int]] = [set(interval) for interval in operands]
    if entry.undefined is not Undefined.NEVER:
        low, high = operands[1]
        # A quotient leaps where the divisor changes its sign; a distance that is too far has no result.
        inner = (-1, 1) if entry.undefined is Undefined.ZERO_DIVISOR else (0, width - 1)
        ends[1] = {low, high, *(end for end in inner if low <= end <= high)}
    values = [int(entry.exact(*each)) for each in product(*ends) if entry.is_defined(each, width)]
    return (min(values), max(values)) if values else None
