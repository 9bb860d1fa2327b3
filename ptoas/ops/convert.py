"""TCVT: from one element type to another, rounded as asked.

Out of range with saturation: the nearest number of the new type. Without it: of an integer the low bits, of
a float an infinity, or what is no number where there is none; fp4 has neither, and always saturates. What is
no number becomes 0 in an integer. How far a target does as it is told is its row's model.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ptoas.dialects.pto.enums import RoundMode, SaturationMode
from ptoas.dialects.pto.quant import TCvtOp
from ptoas.machine import float4, hifloat8
from ptoas.machine.arrays import Array, np
from ptoas.machine.dtypes import DType
from ptoas.machine.machine import Machine, Step, instruction
from ptoas.machine.tiles import Tile
from ptoas.ops.family import lanes, same_region
from ptoas.targets.shared.conversion import Conversion


@instruction(TCvtOp)
def tcvt(op: TCvtOp, m: Machine, dst: Tile, src: Tile, tmp: Tile | None = None) -> Step:
    mode = RoundMode.CAST_RINT if op.rmode is None else op.rmode.data
    saturates = op.satmode is not None and op.satmode.data is SaturationMode.ON
    model: Conversion = m.target.model(op)
    part = _source(op, m, dst, src)
    function = conversion(src.dtype, dst.dtype, mode, saturates, model)
    other = None if op.satmode is not None else conversion(src.dtype, dst.dtype, mode, True, model)

    def run() -> None:
        read = numbers(src.dtype, np.ascontiguousarray(part.load_raw()))
        converted = function(read).view(dst.dtype.raw)
        if other is not None and read.size and exceeds(read, dst.dtype):
            _warn_of_overflow(op, m, read, converted, other(read).view(dst.dtype.raw), dst)
        dst.store_raw(converted)

    follows = lanes(src) if part.valid == dst.valid else None
    return Step(run, (part.region,), (dst.region,), lanes=follows)


def exceeds(read: Array, target: DType) -> bool:
    """Return True if a number may be too large for a type."""
    if target.is_integer:
        limits = np.iinfo(target.number)
        return bool(float(read.max()) > limits.max or float(read.min()) < limits.min)
    return target.short in LARGEST and bool(np.abs(read).max() > LARGEST[target.short])


def _warn_of_overflow(
    op: TCvtOp, m: Machine, read: Array, converted: Array, saturated: Array, dst: Tile
) -> None:
    """Warn of the first number that becomes another one with the saturation mode ON."""
    places = np.argwhere(converted != saturated)
    if places.size:
        row, col = (int(n) for n in places[0])
        m.warn(
            "PTO-R127",
            f"tcvt: {read[row, col]} at [{row}, {col}] is too large for {dst.describe()}, and no saturation "
            "mode says what becomes of it; add `satmode = #pto<saturation_mode ON>`, or OFF",
            op,
        )


def _source(op: TCvtOp, m: Machine, dst: Tile, src: Tile) -> Tile:
    """The part of the source that is converted; a pair is two numbers of the other tile."""
    if (src.dtype.kind == "pairs") == (dst.dtype.kind == "pairs"):
        (part,) = same_region(op, m, dst, src)
        return part
    rows, cols = dst.valid
    expected = (rows, 2 * cols) if dst.dtype.kind == "pairs" else (rows, cols // 2)
    if src.valid[0] < rows or src.valid[1] < expected[1] or (src.dtype.kind == "pairs" and cols % 2):
        message = (
            f"valid shapes of {src.describe()} and {dst.describe()} do not match; a pair counts as two "
            "columns"
        )
        raise m.refuse("PTO-R142", message, op)
    return src.with_valid(*expected)


def numbers(dtype: DType, bits: Array) -> Array:
    """Return the source elements with the two numbers of each pair side by side."""
    return dtype.halves(bits) if dtype.kind == "pairs" else dtype.numbers(bits)


def conversion(
    source: DType, target: DType, mode: RoundMode, saturates: bool, model: Conversion
) -> Callable[[Array], Array]:
    """The conversion of an array of numbers of one type into an array of another."""
    mode = _meant(source, target, mode, model)
    saturates = model.saturates(source.short, target.short, target.is_integer, saturates)
    if target.is_integer:
        if source.is_integer:
            return lambda a: integer_to_integer(a, target, saturates)
        return lambda a: float_to_integer(a, target, mode, saturates, model.through)
    # Devices round f32 to a whole number here, the simulator leaves it as it is.
    if source.text == target.text == "f32" and not model.casts:
        return lambda a: round_whole(a.astype(np.float64), mode).astype(np.float32)
    return lambda a: to_float(a, target, mode, saturates)


def _meant(source: DType, target: DType, mode: RoundMode, model: Conversion) -> RoundMode:
    """Return the rounding of a pair of types. By default a float is truncated when it becomes an integer,
    and all else takes the nearest; so does ODD on devices, but for f32 to f16."""
    fixed = model.rounding(target.short)
    if fixed is not None and not target.is_integer:
        return fixed
    if mode is RoundMode.CAST_RINT:
        return RoundMode.RINT
    no_mode = mode is RoundMode.NONE
    if mode is RoundMode.ODD and not model.casts:
        no_mode = (source.text, target.text) != ("f32", "f16")
    if not no_mode:
        return mode
    return RoundMode.TRUNC if target.is_integer and not source.is_integer else RoundMode.RINT


def round_whole(a: Array, mode: RoundMode) -> Array:
    """Round to a whole number, in double."""
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


def float_to_integer(a: Array, target: DType, mode: RoundMode, saturates: bool, through: int) -> Array:
    """Without saturation the number goes through an integer of `through` bits, which does saturate."""
    whole = round_whole(a.astype(np.float64), mode)
    whole = np.where(np.isnan(whole), 0.0, whole)
    if not saturates:
        wide = np.dtype(f"i{max(through // 8, target.size)}")
        return _within(whole, wide).astype(target.number)
    return _within(whole, target.number)


def _within(whole: Array, integer: Any) -> Array:
    limits = np.iinfo(integer)
    low, high = float(limits.min), float(limits.max)
    result = np.clip(whole, low, np.nextafter(high, 0) if limits.bits == 64 else high)
    return np.where(whole >= high, limits.max, result.astype(integer)).astype(integer)


def integer_to_integer(a: Array, target: DType, saturates: bool) -> Array:
    if not saturates:
        return a.astype(target.number)
    limits, own = np.iinfo(target.number), np.iinfo(a.dtype)
    low, high = max(limits.min, own.min), min(limits.max, own.max)
    return np.clip(a, low, high).astype(target.number)


LARGEST = {
    "f16": 65504.0,
    "bf16": 3.3895313892515355e38,
    "f8E4M3FN": 448.0,
    "f8E5M2": 57344.0,
    "hif8": 32768.0,
}
"""The greatest numbers of the floats that a conversion may overflow."""


def to_float(a: Array, target: DType, mode: RoundMode, saturates: bool) -> Array:
    """Convert to a float type: the two neighbours of the exact value, and the choice between them."""
    exact = a.astype(np.longdouble if a.dtype.kind in "iu" and a.dtype.itemsize == 8 else np.float64)
    if saturates and target.short in LARGEST:
        exact = np.clip(exact, -LARGEST[target.short], LARGEST[target.short])
    if target.kind == "pairs":
        return float4.packed(float4.encode(exact, target.short, mode))
    if target.text == "!pto.hif8":
        return hifloat8.encode(exact.astype(np.float64), ties_away=mode is not RoundMode.RINT)
    nearest = exact.astype(target.number)
    return nearest if mode is RoundMode.RINT else _directed(exact, nearest, target, mode)


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
