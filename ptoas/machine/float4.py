"""The two 4-bit floats: a sign and one of eight magnitudes, in the order of their codes."""

from __future__ import annotations

from ptoas.dialects.pto.enums import RoundMode
from ptoas.machine.arrays import Array, np

MAGNITUDES: dict[str, Array] = {
    # Two bits of exponent and one of mantissa; one of exponent and two of mantissa.
    "f4E2M1x2": np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6]),
    "f4E1M2x2": np.array([0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75]),
}
SIGN = 8


def decode(codes: Array, kind: str) -> Array:
    """The numbers of codes from 0 to 15."""
    known = MAGNITUDES[kind]
    return np.concatenate((known, -known)).astype(np.float32)[codes]


def encode(numbers: Array, kind: str, mode: RoundMode = RoundMode.RINT) -> Array:
    """The code of the nearest number, of two that are as near the even one, or of that which the mode names;
    beyond the greatest is the greatest. There is no code for what is no number: it becomes a zero."""
    x = np.asarray(numbers, np.float64)
    known = MAGNITUDES[kind]
    size = np.minimum(np.where(np.isnan(x), 0, np.abs(x)), known[-1])
    above = np.searchsorted(known, size)
    below = np.where(known[above] == size, above, np.maximum(above - 1, 0))
    up, down, negative = known[above] - size, size - known[below], np.signbit(x)
    match mode:
        case RoundMode.TRUNC:
            takes_above = np.zeros(x.shape, np.bool_)
        case RoundMode.FLOOR:
            takes_above = negative
        case RoundMode.CEIL:
            takes_above = ~negative
        case RoundMode.ROUND:
            takes_above = up <= down
        case _:
            takes_above = (up < down) | ((up == down) & (above % 2 == 0))
    code = np.where(takes_above, above, below)
    return np.where(negative, code | SIGN, code).astype(np.uint8)
