"""TCVT: from one element type to another, rounded as asked.

Integers out of range: most pairs saturate, the pairs of `_WRAPPING` keep the low bits. A float too large for
f16 or bf16 becomes infinite; f8 saturates at its greatest number; NaN becomes 0 in an integer.
The simulator converts as C++ casts do: it never saturates, and to a float it always takes the nearest.
"""

from __future__ import annotations

from collections.abc import Callable

from ptoas.dialects.pto.elementwise import TCvtOp
from ptoas.dialects.pto.enums import RoundMode
from ptoas.machine import hifloat8
from ptoas.machine.arrays import Array, np
from ptoas.machine.dtypes import DType
from ptoas.machine.machine import Binder, Machine, Step, instruction
from ptoas.machine.tiles import Tile
from ptoas.ops.family import same_region

_WRAPPING = {
    ("f16", "ui8"),
    ("f16", "i8"),
    ("f32", "i16"),
    ("f16", "i16"),
    ("i64", "i32"),
    ("i32", "i16"),
}
"""Pairs whose default is not to saturate."""


@instruction(TCvtOp)
def tcvt(op: TCvtOp, m: Machine) -> Binder:
    mode = RoundMode.CAST_RINT if op.rmode is None else op.rmode.data
    simulated = not m.target.has_pipes

    def bind(dst: Tile, src: Tile) -> Step:
        (part,) = same_region(op, m, dst, src)
        function = conversion(src.dtype, dst.dtype, mode, simulated)

        def run() -> None:
            bits = np.ascontiguousarray(part.load_raw())
            dst.store_raw(function(src.dtype.numbers(bits)).view(dst.dtype.raw))

        return Step(run, (part.region,), (dst.region,))

    return bind


def conversion(
    source: DType, target: DType, mode: RoundMode, simulated: bool = False
) -> Callable[[Array], Array]:
    """The conversion of an array of numbers of one type into an array of another."""
    mode = _meant(source, target, mode, simulated)
    if target.is_integer:
        wraps = simulated or (source.text, target.text) in _WRAPPING
        if source.is_integer:
            return lambda a: integer_to_integer(a, target, wraps)
        return lambda a: float_to_integer(a, target, mode, wraps)
    # Devices round f32 to a whole number here, the simulator leaves it as it is.
    if source.text == target.text == "f32" and not simulated:
        return lambda a: round_whole(a.astype(np.float64), mode).astype(np.float32)
    return lambda a: to_float(a, target, RoundMode.RINT if simulated else mode)


def _meant(source: DType, target: DType, mode: RoundMode, simulated: bool) -> RoundMode:
    """What a mode does to this pair: ODD is for f32 to f16 on devices; where none is said, a float loses its
    fraction on its way to an integer, and all else takes the nearest."""
    if mode is RoundMode.CAST_RINT:
        return RoundMode.RINT
    unsaid = mode is RoundMode.NONE
    if mode is RoundMode.ODD and not simulated:
        unsaid = (source.text, target.text) != ("f32", "f16")
    if not unsaid:
        return mode
    return RoundMode.TRUNC if target.is_integer and not source.is_integer else RoundMode.RINT


def round_whole(a: Array, mode: RoundMode) -> Array:
    """To a whole number, in double."""
    match mode:
        case RoundMode.FLOOR:
            return np.floor(a)
        case RoundMode.CEIL:
            return np.ceil(a)
        case RoundMode.TRUNC:
            return np.trunc(a)
        case RoundMode.ROUND:
            low = np.trunc(a)
            return np.where(np.abs(a - low) >= 0.5, low + np.copysign(1.0, a), low)
        case RoundMode.ODD:
            # As the simulator has it: to the nearest, of two that are as near to the odd one.
            low = np.floor(a)
            return np.where(a - low == 0.5, np.where(low % 2 == 0, low + 1, low), np.rint(a))
        case _:
            return np.rint(a)


def float_to_integer(a: Array, target: DType, mode: RoundMode, wraps: bool) -> Array:
    limits = np.iinfo(target.number)
    whole = round_whole(a.astype(np.float64), mode)
    if wraps:
        # Keeping low bits needs a number that fits 64 of them; past that nothing is left of the value.
        whole = np.where(np.isfinite(whole) & (np.abs(whole) < 2.0**63), whole, 0.0)
        return whole.astype(np.int64).astype(target.number)
    whole = np.where(np.isnan(whole), 0.0, whole)
    low, high = float(limits.min), float(limits.max)
    result = np.clip(whole, low, np.nextafter(high + 1, 0) if limits.bits == 64 else high)
    return np.where(whole >= high, limits.max, result.astype(target.number)).astype(target.number)


def integer_to_integer(a: Array, target: DType, wraps: bool) -> Array:
    if wraps:
        return a.astype(target.number)
    limits, own = np.iinfo(target.number), np.iinfo(a.dtype)
    low, high = max(limits.min, own.min), min(limits.max, own.max)
    return np.clip(a, low, high).astype(target.number)


def to_float(a: Array, target: DType, mode: RoundMode) -> Array:
    """To a float type: the two neighbours of the exact value, and the choice between them."""
    exact = a.astype(np.float64) if a.dtype.itemsize < 8 or a.dtype.kind not in "iu" else a
    if target.coded:
        return hifloat8.encode(exact.astype(np.float64), ties_away=mode is not RoundMode.RINT)
    if target.text == "f8E4M3FN":
        exact = np.where(np.isnan(exact), exact, np.clip(exact, -448.0, 448.0))
    elif target.text == "f8E5M2":
        exact = np.where(np.isfinite(exact), np.clip(exact, -57344.0, 57344.0), exact)
    nearest = exact.astype(target.number)
    if mode is RoundMode.RINT:
        return nearest
    return _directed(exact.astype(np.float64), nearest, target, mode)


def _directed(exact: Array, nearest: Array, target: DType, mode: RoundMode) -> Array:
    """Another rounding than to nearest even, by stepping to the neighbouring bit pattern."""
    bits = np.ascontiguousarray(nearest).view(target.raw)
    sign = target.raw.type(1 << (8 * target.size - 1))
    one = target.raw.type(1)
    magnitude = bits & ~sign
    back = nearest.astype(np.float64)
    special = ~np.isfinite(exact) | (back == exact)
    too_large = np.abs(back) > np.abs(exact)
    inner = np.where(too_large, magnitude - one, magnitude)
    outer = inner + one
    negative = np.signbit(exact)
    match mode:
        case RoundMode.TRUNC:
            chosen = inner
        case RoundMode.FLOOR:
            chosen = np.where(negative, outer, inner)
        case RoundMode.CEIL:
            chosen = np.where(negative, inner, outer)
        case RoundMode.ODD:
            chosen = np.where(inner & one, inner, outer)
        case _:
            # To nearest, a tie away from zero.
            low = np.abs(inner.astype(target.raw).view(target.number).astype(np.float64))
            high = np.abs(outer.astype(target.raw).view(target.number).astype(np.float64))
            away = np.isfinite(high) & (np.abs(exact) - low >= high - np.abs(exact))
            chosen = np.where(away, outer, np.where(np.isfinite(high), inner, magnitude))
    signed = np.where(negative, chosen | sign, chosen).astype(target.raw)
    return np.where(special, bits, signed).astype(target.raw).view(target.number)
