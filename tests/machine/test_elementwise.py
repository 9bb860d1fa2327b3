# ruff: noqa: E501 - programs are text
"""Arithmetic on tiles, element by element, against exact arithmetic rounded once."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptoas.machine.dtypes import by_text
from tests.machine.support import bits_array, execute, failing, raw, seeds

INTEGERS = ("i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64")
FLOATS = ("f16", "bf16", "f32")

BINARY = {
    "tadd": lambda a, b: a + b,
    "tsub": lambda a, b: a - b,
    "tmul": lambda a, b: a * b,
    "tmax": max,
    "tmin": min,
}


def wrapped(value: int, text: str) -> int:
    bits = 8 * by_text(text).size
    value &= (1 << bits) - 1
    return value - (1 << bits) if text.startswith("i") and value >> (bits - 1) else value


def program(op: str, type_: str, operands: str = "%a, %b", types: int = 2) -> str:
    tile = f"!pto.tile<4x32x{type_}>"
    kinds = ", ".join([tile] * types)
    return f"""
func.func @main(%a: {tile}, %b: {tile}) {{
  %d = pto.alloc_tile : {tile}
  pto.{op} ins({operands} : {kinds}) outs(%d : {tile})
  return
}}
"""


@settings(max_examples=60)
@given(st.sampled_from(sorted(BINARY)), st.sampled_from(INTEGERS), seeds)
def test_integers_wrap(op: str, type_: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = bits_array(rng, (4, 32), type_), bits_array(rng, (4, 32), type_)
    out = execute(program(op, type_), {"a": a, "b": b}).outputs["d"]
    expected = [
        [wrapped(BINARY[op](int(x), int(y)), type_) for x, y in zip(r, s, strict=True)]
        for r, s in zip(a, b, strict=True)
    ]
    assert out.tolist() == expected


@settings(max_examples=60)
@given(st.sampled_from(["tadd", "tsub", "tmul", "tdiv"]), st.sampled_from(FLOATS), seeds)
def test_floats_are_rounded_once(op: str, type_: str, seed: int) -> None:
    """Calculated in double, which is exact enough for these types, and rounded once."""
    rng = np.random.default_rng(seed)
    a, b = bits_array(rng, (4, 32), type_), bits_array(rng, (4, 32), type_)
    number = by_text(type_).number
    with np.errstate(all="ignore"):
        x, y = a.astype(np.float64), b.astype(np.float64)
        exact = {"tadd": x + y, "tsub": x - y, "tmul": x * y, "tdiv": x / y}[op]
        expected = exact.astype(number)
    out = execute(program(op, type_), {"a": a, "b": b}).outputs["d"]
    with np.errstate(all="ignore"):
        both_nan = np.isnan(out.astype(np.float64)) & np.isnan(expected.astype(np.float64))
    assert ((raw(out) == raw(expected)) | both_nan).all()


@settings(max_examples=30)
@given(st.sampled_from(INTEGERS), seeds)
def test_integers_divide_towards_zero(type_: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = bits_array(rng, (4, 32), type_), bits_array(rng, (4, 32), type_)
    b[b == 0] = 3
    out = execute(program("tdiv", type_), {"a": a, "b": b}).outputs["d"]
    for x, y, z in zip(a.reshape(-1).tolist(), b.reshape(-1).tolist(), out.reshape(-1).tolist(), strict=True):
        quotient = abs(x) // abs(y)
        assert z == wrapped(quotient if (x < 0) == (y < 0) else -quotient, type_)


@settings(max_examples=20)
@given(st.sampled_from(["tdiv", "trem"]), st.sampled_from(["i64", "ui64"]), seeds)
def test_quotients_of_64_bits_on_a5(op: str, type_: str, seed: int) -> None:
    """Towards zero, what is left has the sign of the dividend, and a divisor of zero gives zero."""
    rng = np.random.default_rng(seed)
    a, b = bits_array(rng, (4, 32), type_), bits_array(rng, (4, 32), type_) % 7
    a[0, 0], b[0, 0], b[1, 1] = np.iinfo(a.dtype).min, np.iinfo(a.dtype).max, 0
    out = execute(program(op, type_), {"a": a, "b": b}, "a5").outputs["d"]
    for x, y, z in zip(a.reshape(-1).tolist(), b.reshape(-1).tolist(), out.reshape(-1).tolist(), strict=True):
        quotient = 0 if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        assert z == (0 if y == 0 else wrapped(quotient if op == "tdiv" else x - quotient * y, type_))


@pytest.mark.parametrize(("type_", "element"), [("i64", np.int64), ("ui64", np.uint64)])
@pytest.mark.parametrize("op", ["tshl", "tshr"])
def test_a5_shifts_64_bits_by_six_bits_of_the_count(op: str, type_: str, element: type) -> None:
    a = bits_array(np.random.default_rng(3), (4, 32), type_)
    counts = [0, 1, 63, 64, 65, 127]
    b = np.resize(np.array(counts, element), (4, 32))
    out = execute(program(op, type_), {"a": a, "b": b}, "a5").outputs["d"]
    for x, n, z in zip(a.reshape(-1).tolist(), b.reshape(-1).tolist(), out.reshape(-1).tolist(), strict=True):
        assert z == wrapped(x << n % 64 if op == "tshl" else x >> n % 64, type_)
    failing("PTO-R503", program(op, type_), {"a": a, "b": b}, "cpu")


def test_more_than_a_vector_of_64_bits_is_not_divided() -> None:
    tile = "!pto.tile_buf<vec, 4x128xi64, valid=4x?>"
    text = f"""
func.func @main(%n: index, %one: i64) {{
  %a = pto.alloc_tile valid_col = %n : {tile}
  %d = pto.alloc_tile valid_col = %n : {tile}
  pto.texpands ins(%one : i64) outs(%a : {tile})
  pto.trems ins(%a, %one : {tile}, i64) outs(%d : {tile})
  return
}}
"""
    execute(text, {"n": 64, "one": 3}, "a5")
    assert "65 columns" in failing("PTO-R947", text, {"n": 65, "one": 3}, "a5").message


def test_an_integer_divided_by_zero() -> None:
    b = np.ones((4, 32), np.int32)
    execute(program("tdiv", "i32"), {"b": b})
    b[1, 2] = 0
    assert "[1, 2]" in failing("PTO-R502", program("tdiv", "i32"), {"b": b}).message


@pytest.mark.parametrize("type_", [*INTEGERS, *FLOATS])
@pytest.mark.parametrize(("op", "step"), [("tadds", 1), ("tsubs", -1), ("tmuls", 0)])
def test_with_a_scalar(type_: str, op: str, step: int) -> None:
    a = bits_array(np.random.default_rng(1), (4, 32), type_)
    if by_text(type_).kind == "float":
        a = by_text(type_).encode(np.linspace(-4, 4, 128).reshape(4, 32))
    tile = f"!pto.tile<4x32x{type_}>"
    text = f"""
func.func @main(%a: {tile}, %s: {type_}) {{
  %d = pto.alloc_tile : {tile}
  pto.{op} ins(%a, %s : {tile}, {type_}) outs(%d : {tile})
  return
}}
"""
    out = execute(text, {"a": a, "s": 3}).outputs["d"]
    if by_text(type_).is_integer:
        expected = [[wrapped(int(x) + 3 * step if step else int(x) * 3, type_) for x in row] for row in a]
        assert out.tolist() == expected
    else:
        x = a.astype(np.float64)
        expected_floats = (x + 3 * step if step else x * 3).astype(a.dtype)
        assert np.array_equal(raw(out), raw(expected_floats))


def test_one_operand() -> None:
    a = np.array([[-128, -1, 0, 5] * 8] * 4, np.int8)
    for op, expected in (("tabs", [-128, 1, 0, 5]), ("tneg", [-128, 1, 0, -5]), ("tmov", [-128, -1, 0, 5])):
        out = execute(program(op, "i8", "%a", 1), {"a": a}).outputs["d"]
        assert out[0, :4].tolist() == expected, op


@pytest.mark.parametrize("type_", FLOATS)
def test_the_exponential_is_rounded_once(type_: str) -> None:
    number = by_text(type_).number
    a = np.linspace(-5, 5, 128).reshape(4, 32).astype(number)
    out = execute(program("texp", type_, "%a", 1), {"a": a}).outputs["d"]
    expected = np.array([[math.exp(float(x)) for x in row] for row in a]).astype(number)
    assert np.array_equal(raw(out), raw(expected))


EXPAND = """
func.func @main(%r: !pto.tile<4x1xf32>, %c: !pto.tile<1x8xf32>, %s: f32, %n: i32) {
  %a = pto.alloc_tile : !pto.tile_buf<vec, 4x8xf32>
  %b = pto.alloc_tile : !pto.tile_buf<vec, 4x8xf32>
  %d = pto.alloc_tile : !pto.tile_buf<vec, 4x8xf32, valid=3x5>
  %e = pto.alloc_tile : !pto.tile_buf<vec, 1x8xi32>
  %f = pto.alloc_tile : !pto.tile_buf<vec, 1x8xi32>
  pto.trowexpand ins(%r : !pto.tile<4x1xf32>) outs(%a : !pto.tile_buf<vec, 4x8xf32>)
  pto.tcolexpand ins(%c : !pto.tile<1x8xf32>) outs(%b : !pto.tile_buf<vec, 4x8xf32>)
  pto.texpands ins(%s : f32) outs(%d : !pto.tile_buf<vec, 4x8xf32, valid=3x5>)
  pto.tci ins(%n : i32) outs(%e : !pto.tile_buf<vec, 1x8xi32>)
  pto.tci ins(%n {descending = true} : i32) outs(%f : !pto.tile_buf<vec, 1x8xi32>)
  return
}
"""


def test_expanding_and_counting() -> None:
    r, c = np.arange(4, dtype=np.float32).reshape(4, 1), np.arange(8, dtype=np.float32).reshape(1, 8)
    out = execute(EXPAND, {"r": r, "c": c, "s": 0.1, "n": 2**31 - 3}).outputs
    assert np.array_equal(out["a"], np.repeat(r, 8, 1)) and np.array_equal(out["b"], np.repeat(c, 4, 0))
    assert out["d"].shape == (3, 5) and (out["d"] == np.float32(0.1)).all()
    assert out["e"].reshape(-1).tolist() == [wrapped(2**31 - 3 + k, "i32") for k in range(8)]
    assert out["f"].reshape(-1).tolist() == [2**31 - 3 - k for k in range(8)]


@pytest.mark.parametrize(
    ("type_", "number"),
    [("i16", np.int16), ("f32", np.float32), ("f16", np.float16), ("bf16", ml_dtypes.bfloat16)],
)
def test_along_rows(type_: str, number) -> None:
    text = f"""
func.func @main(%a: !pto.tile_buf<vec, 4x32x{type_}, valid=4x21>) {{
  %s = pto.alloc_tile : !pto.tile_buf<vec, 4x32x{type_}, valid=4x1>
  %m = pto.alloc_tile : !pto.tile_buf<vec, 4x32x{type_}, valid=4x1>
  pto.trowsum ins(%a : !pto.tile_buf<vec, 4x32x{type_}, valid=4x21>) outs(%s : !pto.tile_buf<vec, 4x32x{type_}, valid=4x1>)
  pto.trowmax ins(%a : !pto.tile_buf<vec, 4x32x{type_}, valid=4x21>) outs(%m : !pto.tile_buf<vec, 4x32x{type_}, valid=4x1>)
  return
}}
"""
    a = (np.random.default_rng(5).integers(-3000, 3000, (4, 21)) * 8).astype(number)
    out = execute(text, {"a": a}).outputs
    sums = [sum(row) for row in a.astype(np.float64).tolist()]
    with np.errstate(over="ignore"):
        rounded = raw(np.array(sums).astype(np.float32).astype(number)).tolist() if type_ != "i16" else []
    if type_ == "i16":
        assert out["s"].reshape(-1).tolist() == [wrapped(int(s), "i16") for s in sums]
    else:
        # Whole numbers of this size are exact in f32: only the last rounding shows.
        assert raw(out["s"]).reshape(-1).tolist() == rounded
    assert out["m"].reshape(-1).astype(float).tolist() == [max(row) for row in a.astype(float).tolist()]


# --- quotients, remainders, powers, bits -----------------------------------------------------------


def integer_power(base: int, exponent: int, type_: str) -> int:
    if exponent >= 0:
        return wrapped(pow(base, exponent, 1 << 64), type_)
    return {1: 1, -1: 1 if exponent % 2 == 0 else -1}.get(base, 0)


INTEGER_FORMULAS = {
    "tand": lambda a, b, t: a & b,
    "tor": lambda a, b, t: a | b,
    "txor": lambda a, b, t: a ^ b,
    "trem": lambda a, b, t: a % b,
    "tfmod": lambda a, b, t: wrapped(abs(a) % abs(b) * (-1 if a < 0 else 1), t),
    "tpow": integer_power,
}


@settings(max_examples=60)
@given(st.sampled_from(sorted(INTEGER_FORMULAS)), st.sampled_from(INTEGERS), seeds)
def test_integers_by_their_formula(op: str, type_: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = bits_array(rng, (4, 32), type_), bits_array(rng, (4, 32), type_)
    b[b == 0] = 3
    if by_text(type_).kind == "int":
        b[b == -1] = -2  # The least number by -1 has no quotient.
        a[0, :4], b[0, :4] = (1, -1, -1, 0), (-5, -5, -4, -2)
    # A5 divides 64 bits in a way of its own, which has its own test.
    target = "cpu" if by_text(type_).size == 8 else "a5"
    out = execute(program(op, type_), {"a": a, "b": b}, target).outputs["d"]
    pairs = zip(a.reshape(-1).tolist(), b.reshape(-1).tolist(), strict=True)
    assert out.reshape(-1).tolist() == [INTEGER_FORMULAS[op](x, y, type_) for x, y in pairs]


@settings(max_examples=30)
@given(st.sampled_from(["tshl", "tshr"]), st.sampled_from(INTEGERS), seeds)
def test_shifts(op: str, type_: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a = bits_array(rng, (4, 32), type_)
    count = rng.integers(0, 8 * by_text(type_).size, (4, 32)).astype(a.dtype)
    out = execute(program(op, type_), {"a": a, "b": count}).outputs["d"]
    for x, n, z in zip(*(v.reshape(-1).tolist() for v in (a, count, out)), strict=True):
        assert z == wrapped(x << n if op == "tshl" else x >> n, type_)


ROUNDED_ONCE = {
    "tsqrt": np.sqrt,
    "trsqrt": lambda x: 1 / np.sqrt(x),
    "tlog": np.log,
    "trecip": lambda x: 1 / x,
    "trelu": lambda x: np.where(np.isnan(x), x, np.maximum(x, 0)),
}


@settings(max_examples=40)
@given(st.sampled_from(sorted(ROUNDED_ONCE)), st.sampled_from(["f16", "f32"]), seeds)
def test_functions_are_rounded_once(op: str, type_: str, seed: int) -> None:
    """Bit patterns at random: infinities, zeros of both signs and what is no number come along."""
    a = bits_array(np.random.default_rng(seed), (4, 32), type_)
    out = execute(program(op, type_, "%a", 1), {"a": a}).outputs["d"]
    with np.errstate(all="ignore"):
        expected = ROUNDED_ONCE[op](a.astype(np.float64)).astype(a.dtype)
    assert np.array_equal(out, expected, equal_nan=True)


@settings(max_examples=20)
@given(st.sampled_from(["trem", "tfmod"]), seeds)
def test_float_remainders_on_the_simulator_are_exact(op: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = ((rng.standard_normal((4, 32)) * 1000).astype(np.float32) for _ in range(2))
    out = execute(program(op, "f32"), {"a": a, "b": b}, target="cpu").outputs["d"]
    for x, y, z in zip(*(v.reshape(-1).tolist() for v in (a, b, out)), strict=True):
        exact = math.fmod(x, y) if op == "tfmod" else x % y
        assert z == np.float32(exact)
