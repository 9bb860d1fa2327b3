"""Remainders that rounding gives the wrong sign, however small they are."""

from __future__ import annotations

import numpy as np
import pytest

from .support import execute

TEXT = """
.arg %a : !pto.tile<1x64xf32>
.arg %b : !pto.tile<1x64xf32>
.arg %s : !pto.tile<1x64xf32>
%d = trem %a, %b, %s : (!pto.tile<1x64xf32>, !pto.tile<1x64xf32>, !pto.tile<1x64xf32>) -> !pto.tile<1x64xf32>
"""


def just_below_multiples(sign: int) -> tuple[np.ndarray, np.ndarray]:
    """Dividends whose quotient rounds up to an integer, so that a little less than nothing is left."""
    rng = np.random.default_rng(3)
    divisors = (rng.random(200_000, np.float32) + np.float32(0.001)) * np.float32(0.25)
    times = rng.integers(1, 1000, divisors.size).astype(np.float32)
    dividends = np.nextafter(times * divisors, np.float32(0))
    left = dividends - np.floor(dividends / divisors) * divisors
    at = np.flatnonzero(left < 0)[:64]
    assert len(at) == 64 and (np.abs(left[at] * divisors[at]) < 1e-3).all()
    return sign * dividends[at].reshape(1, 64), sign * divisors[at].reshape(1, 64)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_small_remainder_of_opposite_sign_becomes_one_of_the_divisors_sign(sign: int) -> None:
    a, b = just_below_multiples(sign)
    left = a - np.floor(a / b) * b
    found = execute(TEXT, {"a": a, "b": b}, "a2a3").outputs["d"]
    assert np.array_equal(found, left + b)
    assert (np.sign(found) == sign).all()
