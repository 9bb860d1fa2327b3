# ruff: noqa: E501 - programs are text
"""TCVT and the element types: every rounding against exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptoas.dialects.pto.enums import RoundMode
from ptoas.machine import hifloat8
from ptoas.machine.dtypes import by_text
from ptoas.ops.convert import conversion
from tests.machine.support import bits_array, execute, raw, seeds

MODES = {
    RoundMode.FLOOR: math.floor,
    RoundMode.CEIL: math.ceil,
    RoundMode.TRUNC: math.trunc,
    RoundMode.RINT: round,
    RoundMode.ROUND: lambda x: math.floor(x + Fraction(1, 2)) if x >= 0 else math.ceil(x - Fraction(1, 2)),
    # Neither is a mode of this pair: the header then drops the fraction.
    RoundMode.ODD: math.trunc,
    RoundMode.NONE: math.trunc,
}
"""What the devices' modes make of a fraction, on its way to an integer."""


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(MODES)),
    st.sampled_from(["i32", "i8", "ui8", "i16", "i64"]),
    st.sampled_from(["f32", "bf16"]),
    seeds,
)
def test_float_to_integer(mode: RoundMode, target: str, source: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    numbers = by_text(source).encode(np.round(rng.normal(0, 200, 64) * 4) / 4)
    numbers = np.concatenate([numbers, bits_array(rng, (64,), source)])
    limits = np.iinfo(by_text(target).number)
    wraps = (source, target) == ("f32", "i16")
    with np.errstate(all="ignore"):
        found = conversion(by_text(source), by_text(target), mode)(numbers)
        plain = numbers.astype(float).tolist()
    for x, y in zip(plain, found.tolist(), strict=True):
        if math.isnan(x):
            assert y == 0
        elif math.isinf(x):
            assert y == (0 if wraps else limits.max if x > 0 else limits.min)
        elif wraps:
            whole = MODES[mode](Fraction(x))
            assert y == (((whole + 2**15) % 2**16) - 2**15 if abs(whole) < 2**63 else 0)
        else:
            assert y == min(max(MODES[mode](Fraction(x)), limits.min), limits.max)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (RoundMode.NONE, [-2, -1, -1, 0, 0, 1, 1, 2, 3]),
        (RoundMode.ODD, [-3, -1, -1, -1, 1, 1, 1, 3, 4]),
        (RoundMode.RINT, [-2, -2, -1, 0, 0, 1, 2, 2, 4]),
        (RoundMode.CAST_RINT, [-2, -2, -1, 0, 0, 1, 2, 2, 4]),
    ],
)
def test_the_simulators_whole_numbers(mode: RoundMode, expected: list[int]) -> None:
    """No mode: a cast, which drops the fraction; odd: the nearest, of two as near the odd one."""
    numbers = np.array([-2.5, -1.5, -1.25, -0.5, 0.5, 1.25, 1.5, 2.5, 3.75], np.float32)
    found = conversion(by_text("f32"), by_text("i32"), mode, simulated=True)(numbers)
    assert found.tolist() == expected


@pytest.mark.parametrize("mode", sorted(MODES))
@pytest.mark.parametrize("target", ["f16", "bf16", "f8E4M3FN", "f8E5M2"])
def test_float_to_shorter_float(mode: RoundMode, target: str) -> None:
    """Of the two neighbours the one that the mode names; beyond the finite ones see the next test."""
    dtype = by_text(target)
    count = 1 << (8 * dtype.size)
    patterns = np.arange(count, dtype=np.uint32).astype(dtype.raw)
    with np.errstate(invalid="ignore"):
        values = patterns.view(dtype.number).astype(np.float64)
    rng = np.random.default_rng(11)
    some = rng.choice(values[np.isfinite(values)], 40)
    numbers = np.concatenate([some, some * 1.0625, some * (1 + 2**-12), [0.0, -0.0, 1.0, -1.0]]).astype(
        np.float32
    )
    largest = np.nanmax(np.where(np.isfinite(values), values, np.nan))
    numbers = numbers[np.abs(numbers) <= largest]
    order = np.sort(np.unique(values[np.isfinite(values)]))
    with np.errstate(all="ignore"):
        found = conversion(by_text("f32"), dtype, mode)(numbers)
    for x, y in zip(numbers.tolist(), found.astype(np.float64).tolist(), strict=True):
        at = np.searchsorted(order, x)
        above = float(order[at])
        below = above if above == x else float(order[at - 1])
        if below == above:
            assert y == x
            continue
        low, high = sorted((below, above), key=abs)
        match mode:
            case RoundMode.FLOOR:
                want = below
            case RoundMode.CEIL:
                want = above
            case RoundMode.TRUNC:
                want = low
            case RoundMode.ODD if target == "f16":
                odd = int(np.array(low).astype(dtype.number).view(dtype.raw)) & 1
                want = low if odd else high
            case _:
                to_low, to_high = abs(Fraction(x) - Fraction(low)), abs(Fraction(high) - Fraction(x))
                tie = high
                if mode is not RoundMode.ROUND:
                    tie = high if not int(np.array(high).astype(dtype.number).view(dtype.raw)) & 1 else low
                want = low if to_low < to_high else high if to_high < to_low else tie
        assert y == want, (x, y, want)


def test_past_the_largest_float() -> None:
    big = np.array([1e30, -1e30, np.inf, np.nan], np.float32)
    with np.errstate(all="ignore"):
        half = conversion(by_text("f32"), by_text("f16"), RoundMode.RINT)(big)
        small = conversion(by_text("f32"), by_text("f8E4M3FN"), RoundMode.RINT)(big).astype(float)
    assert half[0] == np.inf and half[1] == -np.inf and np.isnan(half[3])
    assert small[:3].tolist() == [448.0, -448.0, 448.0] and np.isnan(small[3])


def test_integers_to_integers() -> None:
    a = np.array([-(2**31), -70000, -1, 0, 255, 256, 70000, 2**31 - 1], np.int32)
    assert conversion(by_text("i32"), by_text("ui8"), RoundMode.RINT)(a).tolist() == [
        0,
        0,
        0,
        0,
        255,
        255,
        255,
        255,
    ]
    wrapped = conversion(by_text("i32"), by_text("i16"), RoundMode.RINT)(a)
    assert wrapped.tolist() == [((int(x) + 2**15) % 2**16) - 2**15 for x in a]


CVT = """
func.func @main(%a: !pto.tile<1x8xf32>) {
  %d = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
  pto.tcvt ins(%a {rmode = #pto<round_mode FLOOR>} : !pto.tile<1x8xf32>) outs(%d : !pto.tile_buf<vec, 1x8xf32>)
  return
}
"""


def test_f32_to_f32_is_whole_on_devices_only() -> None:
    a = np.array([[-1.5, -0.5, 0.5, 1.5, 2.5, 1e30, 3, -3]], np.float32)
    assert np.array_equal(execute(CVT, {"a": a}, "a5").outputs["d"], np.floor(a))
    assert np.array_equal(execute(CVT, {"a": a}, "cpu").outputs["d"], a)


# --- hifloat8 ------------------------------------------------------------------------------------


def test_hifloat8_values_from_the_description() -> None:
    """Examples for each dot, and the special bytes."""
    for bits, value in {
        "0 0000 000": 0.0,
        "0 0000 001": 2.0**-22,
        "0 0000 111": 2.0**-16,
        "0 0001 000": 1.0,
        "0 0001 111": 1.875,
        "0 001 0 000": 2.0,
        "0 001 1 100": 0.75,
        "0 01 00 001": 4.5,
        "0 01 11 000": 0.125,
        "0 10 000 00": 16.0,
        "0 10 111 11": 1.75 * 2.0**-7,
        "0 11 0000 1": 384.0,
        "0 11 0111 0": 32768.0,
        "0 11 1111 0": 2.0**-15,
        "1 0001 100": -1.5,
        "0 11 0111 1": math.inf,
        "1 11 0111 1": -math.inf,
    }.items():
        assert hifloat8.decode_byte(int(bits.replace(" ", ""), 2)) == value, bits
    assert math.isnan(hifloat8.decode_byte(0x80))


def test_hifloat8_every_byte_comes_back() -> None:
    every = np.arange(256, dtype=np.uint8)
    assert np.array_equal(hifloat8.encode(hifloat8.decode(every)), every)


@settings(max_examples=200, deadline=None)
@given(st.floats(width=32))
def test_hifloat8_is_nearest(x: float) -> None:
    code = int(hifloat8.encode(np.array([x]))[0])
    value = hifloat8.decode_byte(code)
    if math.isnan(x):
        assert code == 0x80
        return
    finite = [hifloat8.decode_byte(b) for b in range(256) if math.isfinite(hifloat8.decode_byte(b))]
    if abs(x) >= 32768 * 1.25:
        assert value == math.copysign(math.inf, x)
        return
    least = min(abs(Fraction(v) - Fraction(x)) for v in finite)
    assert abs(Fraction(value) - Fraction(x)) == least
    tied = [v for v in finite if abs(Fraction(v) - Fraction(x)) == least]
    assert abs(value) == max(map(abs, tied))


def test_hifloat8_moves_and_converts() -> None:
    text = """
func.func @main(%a: !pto.tile<1x32xhif8>) {
  %d = pto.alloc_tile : !pto.tile_buf<vec, 1x32xf32>
  pto.tcvt ins(%a : !pto.tile<1x32xhif8>) outs(%d : !pto.tile_buf<vec, 1x32xf32>)
  return
}
"""
    a = np.arange(64, 96, dtype=np.uint8).reshape(1, 32)
    out = execute(text, {"a": a}).outputs["d"]
    assert raw(out).tolist() == raw(hifloat8.decode(a)).tolist()
