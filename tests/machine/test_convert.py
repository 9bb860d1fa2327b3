# ruff: noqa: E501 - programs are text
"""TCVT and the element types: every rounding against exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoas
from ptoas.dialects.pto.enums import RoundMode
from ptoas.dialects.pto.quant import TCvtOp
from ptoas.machine import hifloat8
from ptoas.machine.dtypes import by_text
from ptoas.ops.convert import conversion
from ptoas.targets import get_target
from ptoas.targets.row import Forms, Row
from ptoas.targets.shared.conversion import Conversion
from tests.machine.support import bits_array, execute, raw, seeds


def model_of(name: str) -> Conversion:
    """The conversion model of a target's row."""
    entry = get_target(name).entry(TCvtOp)
    assert isinstance(entry, Forms)
    row = entry.rows[False]
    assert isinstance(row, Row)
    return row.model


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
"""Rounding of a fraction to an integer by the devices' modes."""


DEVICES = {name: model_of(name) for name in ("a2a3", "a5")}


def wrapped(whole: int, target: str) -> int:
    """The low bits of a whole number."""
    limits = np.iinfo(by_text(target).number)
    return (whole - limits.min) % (limits.max - limits.min + 1) + limits.min


@settings(max_examples=100)
@given(
    st.sampled_from(sorted(MODES)),
    st.sampled_from(["i32", "i8", "ui8", "i16", "i64"]),
    st.sampled_from(["f32", "f16", "bf16"]),
    st.sampled_from(sorted(DEVICES)),
    st.booleans(),
    seeds,
)
def test_float_to_integer(
    mode: RoundMode, target: str, source: str, device: str, saturates: bool, seed: int
) -> None:
    """Without saturation the low bits, of an integer of 32 (a2a3) or 64 bits; a2a3 knows that of six pairs."""
    rng = np.random.default_rng(seed)
    numbers = by_text(source).encode(np.round(rng.normal(0, 200, 64) * 4) / 4)
    numbers = np.concatenate([numbers, bits_array(rng, (64,), source)])
    limits = np.iinfo(by_text(target).number)
    with np.errstate(all="ignore"):
        found = conversion(by_text(source), by_text(target), mode, saturates, DEVICES[device])(numbers)
        plain = numbers.astype(float).tolist()
    short = (source, target) in {("f16", "ui8"), ("f16", "i8"), ("f32", "i16"), ("f16", "i16")}
    clips = saturates or (device == "a2a3" and not short)
    bits = max(32 if device == "a2a3" else 64, limits.bits)
    for x, y in zip(plain, found.tolist(), strict=True):
        if math.isnan(x):
            assert y == 0
            continue
        whole = MODES[mode](Fraction(x)) if math.isfinite(x) else int(math.copysign(2**200, x))
        if clips:
            assert y == min(max(whole, limits.min), limits.max)
        else:
            assert y == wrapped(min(max(whole, -(2 ** (bits - 1))), 2 ** (bits - 1) - 1), target)


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
    found = conversion(by_text("f32"), by_text("i32"), mode, False, model_of("cpu"))(numbers)
    assert found.tolist() == expected


@pytest.mark.parametrize("mode", sorted(MODES))
@pytest.mark.parametrize("target", ["f16", "bf16", "f8E4M3FN", "f8E5M2"])
def test_float_to_shorter_float(mode: RoundMode, target: str) -> None:
    """Of the two neighbours the one that the mode names; beyond the finite ones see the next test. To fp8 a5
    always takes the nearest."""
    dtype = by_text(target)
    if dtype.size == 1:
        mode = RoundMode.RINT
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
        found = conversion(by_text("f32"), dtype, mode, False, DEVICES["a5"])(numbers)
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


@pytest.mark.parametrize(
    ("target", "largest", "beyond"),
    [
        ("f16", 65504.0, math.inf),
        ("bf16", 3.3895313892515355e38, math.inf),
        ("f8E4M3FN", 448.0, math.nan),
        ("f8E5M2", 57344.0, math.inf),
        ("hif8", 32768.0, math.inf),
        ("f4E2M1x2", 6.0, 6.0),
        ("f4E1M2x2", 1.75, 1.75),
    ],
)
def test_past_the_largest_float(target: str, largest: float, beyond: float) -> None:
    """With saturation the greatest number; without it what lies beyond. On a2a3 floats never saturate."""
    dtype = by_text(target)
    big = np.array(
        [[3e38, -3e38, np.inf, -np.inf] if target != "bf16" else [np.inf, -np.inf] * 2], np.float32
    )
    signs = np.sign(big).tolist()[0]

    def converted(saturates: bool, device: str) -> list[float]:
        with np.errstate(all="ignore"):
            codes = conversion(by_text("f32"), dtype, RoundMode.RINT, saturates, DEVICES[device])(big)
            return (dtype.halves if dtype.kind == "pairs" else dtype.numbers)(codes).astype(float).tolist()[0]

    assert converted(True, "a5") == [sign * largest for sign in signs]
    for device, saturates in (("a5", False), ("a2a3", True), ("a2a3", False)):
        if device == "a5" or target in ("f16", "bf16"):
            found = converted(saturates, device)
            assert np.array_equal(found, [sign * beyond for sign in signs], equal_nan=True)
    with np.errstate(all="ignore"):
        nothing = conversion(by_text("f32"), dtype, RoundMode.RINT, True, DEVICES["a5"])(big * np.nan)
    numbers = (dtype.halves if dtype.kind == "pairs" else dtype.numbers)(nothing).astype(float)
    assert (numbers == 0).all() if dtype.kind == "pairs" else np.isnan(numbers).all()


def test_integers_to_integers() -> None:
    a = np.array([-(2**31), -70000, -1, 0, 255, 256, 70000, 2**31 - 1], np.int32)
    for device, target, asked in product(DEVICES, ("ui8", "i16", "ui16", "i64"), (True, False)):
        limits = np.iinfo(by_text(target).number)
        found = conversion(by_text("i32"), by_text(target), RoundMode.RINT, asked, DEVICES[device])(a)
        clips = asked or (device == "a2a3" and target != "i16")
        expected = [min(max(x, limits.min), limits.max) if clips else wrapped(x, target) for x in map(int, a)]
        assert found.tolist() == expected


@settings(max_examples=60)
@given(st.sampled_from(["i32", "i64"]), st.sampled_from(sorted(MODES)), seeds)
def test_integers_to_f32(source: str, mode: RoundMode, seed: int) -> None:
    """Of the two neighbours the one that the mode names."""
    a = bits_array(np.random.default_rng(seed), (32,), source)
    found = conversion(by_text(source), by_text("f32"), mode, False, DEVICES["a5"])(a)
    for x, y in zip(a.tolist(), found, strict=True):
        near = np.float32(y)
        below = near if int(near) <= x else np.nextafter(near, np.float32(-np.inf))
        above = below if int(below) == x else np.nextafter(below, np.float32(np.inf))
        low, high = int(below), int(above)
        assert low <= x <= high
        to_low, to_high = x - low, high - x
        even = low if below.view(np.uint32) % 2 == 0 else high
        nearest = low if to_low < to_high else high if to_high < to_low else even
        tie_away = high if x > 0 else low
        wanted = {
            RoundMode.FLOOR: low,
            RoundMode.CEIL: high,
            RoundMode.TRUNC: low if x > 0 else high,
            RoundMode.ROUND: tie_away if to_low == to_high else nearest,
        }.get(mode, nearest)
        assert int(y) == wanted, (x, y, mode)


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


@settings(max_examples=200)
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


@pytest.mark.parametrize("mode", ["RINT", "ROUND", "FLOOR", "CEIL", "TRUNC"])
@pytest.mark.parametrize("kind", ["f4E2M1x2", "f4E1M2x2"])
def test_bf16_to_pairs_and_back(kind: str, mode: str) -> None:
    """Each number by the rounding that is asked for, the even column in the lower half."""
    values = {"f4E2M1x2": [0, 0.5, 1, 1.5, 2, 3, 4, 6], "f4E1M2x2": [n / 4 for n in range(8)]}[kind]
    known = sorted({*values, *(-v for v in values)})
    a = np.linspace(-7, 7, 113)[:112].reshape(1, 112).astype(ml_dtypes.bfloat16)
    text = f"""
func.func @main(%a: !pto.tile<1x112xbf16>) {{
  %d = pto.alloc_tile : !pto.tile_buf<vec, 1x64x{kind}, valid=1x56>
  %b = pto.alloc_tile : !pto.tile_buf<vec, 1x128xbf16, valid=1x112>
  pto.tcvt ins(%a {{rmode = #pto<round_mode {mode}>}} : !pto.tile<1x112xbf16>) outs(%d : !pto.tile_buf<vec, 1x64x{kind}, valid=1x56>)
  pto.tcvt ins(%d : !pto.tile_buf<vec, 1x64x{kind}, valid=1x56>) outs(%b : !pto.tile_buf<vec, 1x128xbf16, valid=1x112>)
  return
}}
"""
    back = execute(text, {"a": a}).outputs["b"].astype(float)[0]
    for x, y in zip(a[0].astype(float).tolist(), back.tolist(), strict=True):
        x = min(max(x, known[0]), known[-1])
        below = max(v for v in known if v <= x)
        above = min(v for v in known if v >= x)
        near = sorted((below, above), key=lambda v: abs(v - x))
        tie = abs(near[0] - x) == abs(near[1] - x)
        even = next((v for v in near if values.index(abs(v)) % 2 == 0), near[0])
        wanted = {
            "RINT": even if tie else near[0],
            "ROUND": max(near, key=abs) if tie else near[0],
            "FLOOR": below,
            "CEIL": above,
            "TRUNC": min(below, above, key=abs),
        }[mode]
        assert y == wanted, (x, y, wanted)


@pytest.mark.parametrize(
    ("types", "mode", "number", "isa", "warned"),
    [
        (("f32", "i16"), "", 40000, None, True),
        (("f32", "f16"), "", 70000, None, True),
        (("i32", "i16"), "", -40000, None, True),
        (("bf16", "i32"), "", 2**32, None, True),
        # The least and the greatest number of a type fit.
        (("f32", "i16"), "", 32767, None, False),
        (("i32", "i16"), "", -32768, None, False),
        (("f32", "i16"), "", 40000, "2026.09", False),
        (("f32", "i16"), " {satmode = #pto<saturation_mode OFF>}", 40000, None, False),
        (("f32", "i16"), " {satmode = #pto<saturation_mode ON>}", 40000, None, False),
    ],
)
def test_overflow_without_a_saturation_mode_is_a_warning(
    types: tuple[str, str], mode: str, number: int, isa: str | None, warned: bool
) -> None:
    source, target = (f"!pto.tile<16x32x{each}>" for each in types)
    text = f".arg %x : {source}\n%y = tcvt %x{mode} : ({source}) -> {target}"
    x = np.full((16, 32), number, np.dtype(types[0].replace("f", "float").replace("i", "int")))
    result = ptoas.run(ptoas.parse(text), {"x": x}, target="a5", isa=isa)
    assert [each.code for each in result.warnings] == ["PTO-R127"] * warned
    assert all(f"{number}" in each.message for each in result.warnings)
