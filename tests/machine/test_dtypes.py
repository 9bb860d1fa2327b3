"""Element types that NumPy does not have: floats of four bits, in pairs, and pairs of others."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

from ptoas.machine import float4
from ptoas.machine.dtypes import by_text


def of_bits(code: int, exponent_bits: int, mantissa_bits: int) -> float:
    """A float of four bits by its definition; the bias is one for both."""
    sign = -1.0 if code & 8 else 1.0
    exponent, mantissa = (code & 7) >> mantissa_bits, code & ((1 << mantissa_bits) - 1)
    fraction = mantissa / (1 << mantissa_bits)
    return sign * (fraction if exponent == 0 else (1 + fraction) * 2.0 ** (exponent - 1))


@pytest.mark.parametrize(("kind", "bits"), [("f4E2M1x2", (2, 1)), ("f4E1M2x2", (1, 2))])
def test_fp4(kind: str, bits: tuple[int, int]) -> None:
    """Each code by its definition, and for each number the nearest of the fifteen, of two the even one."""
    values = [of_bits(code, *bits) for code in range(16)]
    assert float4.decode(np.arange(16), kind).tolist() == values
    numbers = np.arange(-8, 8, 1 / 64)
    for number, code in zip(numbers, float4.encode(numbers, kind), strict=True):
        distance = abs(values[code] - number)
        least = min(abs(value - number) for value in values)
        nearest = [c for c in range(16) if abs(values[c] - number) == least and c >> 3 == (number < 0)]
        assert distance == least and (len(nearest) == 1 or code % 2 == 0), (number, code)
    assert values[float4.encode(np.array(math.inf), kind)] == max(values)
    assert float4.encode(np.array([0.0, -0.0, math.nan]), kind).tolist() == [0, 8, 0]


def test_e2m1_is_that_of_ml_dtypes() -> None:
    numbers = np.random.default_rng(0).normal(0, 4, 1000).astype(np.float32)
    other = numbers.astype(ml_dtypes.float4_e2m1fn).astype(np.float32)
    assert (float4.decode(float4.encode(numbers, "f4E2M1x2"), "f4E2M1x2") == other).all()


@pytest.mark.parametrize("text", ["f4E2M1x2", "f4E1M2x2", "hif8x2", "bf16x2"])
def test_the_first_of_a_pair_is_its_lower_half(text: str) -> None:
    dtype = by_text(text)
    numbers = np.array([[0.5, -1.0, 1.5, 0.25 if text != "f4E2M1x2" else 1.0]])
    codes = dtype.paired(numbers)
    assert codes.shape == (1, 2) and (dtype.halves(codes) == numbers).all()
    half = 8 * dtype.size // 2
    low, high = (dtype.paired(np.array([[x, y]]))[0, 0] for x, y in ((-1.0, 0.0), (0.0, -1.0)))
    assert int(high) == int(low) << half
    assert dtype.encode(np.array([1.0])) == dtype.paired(np.array([1.0, 1.0])) == dtype.scalar(1.0)


def test_scales_are_powers_of_two() -> None:
    dtype = by_text("f8E8M0")
    powers = dtype.numbers(np.arange(255, dtype=np.uint8)).astype(np.float64)
    assert (powers == 2.0 ** (np.arange(255) - 127)).all()
    assert np.isnan(dtype.numbers(np.array([255], np.uint8)).astype(np.float64)).all()
