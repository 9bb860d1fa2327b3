"""Comparison of two arrays of numbers within a tolerance."""

from __future__ import annotations

from dataclasses import dataclass

from ptoas.machine.arrays import Array, np
from ptoas.machine.dtypes import DType


@dataclass(frozen=True)
class Tolerance:
    """Largest difference at which two numbers count as equal; by default they must be the same number.

    A difference is tolerated if it is at most `atol + rtol * abs(second)`, or at most `ulp` steps of the
    element type. NaN equals NaN only, and an infinity only itself.

    >>> import numpy as np, ptoas
    >>> bits = np.array([1.0, np.inf, np.nan], np.float32).view(np.uint32)
    >>> f32 = ptoas.machine.dtypes.by_text("f32")
    >>> ptoas.Tolerance(ulp=1).differing(bits, bits + np.array([1, 0, 1], np.uint32), f32)
    array([False, False, False])
    >>> ptoas.Tolerance().differing(bits, bits + np.array([1, 0, 1], np.uint32), f32)
    array([ True, False, False])
    """

    atol: float = 0.0
    rtol: float = 0.0
    ulp: int = 0

    def differing(self, first: Array, second: Array, dtype: DType) -> Array:
        """Return a mask of the elements that differ; both arrays are bit patterns of `dtype`."""
        if dtype.kind == "pairs":
            return first != second
        one, other = dtype.numbers(first), dtype.numbers(second)
        if dtype.is_integer and not (self.atol or self.rtol):
            return one != other
        one, other = one.astype(np.float64), other.astype(np.float64)
        same = (one == other) | (np.isnan(one) & np.isnan(other))
        finite = np.isfinite(one) & np.isfinite(other)
        with np.errstate(all="ignore"):
            same |= finite & (np.abs(one - other) <= self.atol + self.rtol * np.abs(other))
        if self.ulp and not dtype.is_integer and not dtype.coded:
            same |= finite & (np.abs(_steps(first, dtype) - _steps(second, dtype)) <= self.ulp)
        return ~same


def _steps(bits: Array, dtype: DType) -> Array:
    """Number the values of a floating-point type in ascending order; both zeros are 0."""
    signed = bits.view(np.dtype(f"i{dtype.size}")).astype(np.int64)
    magnitude = signed & ((1 << (8 * dtype.size - 1)) - 1)
    return np.where(signed < 0, -magnitude, magnitude)
