"""Rounding to floats that NumPy does not have: the nearest of a table of magnitudes."""

from __future__ import annotations

from ptoas.dialects.pto.enums import RoundMode
from ptoas.machine.arrays import Array, np


def round_to_code(numbers: Array, magnitudes: Array, codes: Array, mode: RoundMode) -> Array:
    """The code of the neighbour of each number that the mode names, by default of the nearest; a tie goes to
    the even code. Numbers beyond the greatest become the greatest, NaN the first."""
    size = np.minimum(np.where(np.isnan(numbers), 0, np.abs(numbers)), magnitudes[-1])
    above = np.searchsorted(magnitudes, size)
    below = np.where(magnitudes[above] == size, above, np.maximum(above - 1, 0))
    up, down, negative = magnitudes[above] - size, size - magnitudes[below], np.signbit(numbers)
    match mode:
        case RoundMode.TRUNC:
            takes_above = np.zeros(size.shape, np.bool_)
        case RoundMode.FLOOR:
            takes_above = negative
        case RoundMode.CEIL:
            takes_above = ~negative
        case RoundMode.ROUND:
            takes_above = up <= down
        case _:
            takes_above = (up < down) | ((up == down) & (codes[above] % 2 == 0))
    return np.where(takes_above, codes[above], codes[below])
