"""The two 4-bit floats: a sign and one of eight magnitudes, in the order of their codes."""

from __future__ import annotations

from ptoas.dialects.pto.enums import RoundMode
from ptoas.machine.arrays import Array, np
from ptoas.machine.coded_floats import round_to_code

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
    code = round_to_code(x, MAGNITUDES[kind], np.arange(SIGN), mode)
    return np.where(np.signbit(x), code | SIGN, code).astype(np.uint8)


def packed(codes: Array) -> Array:
    """Neighbours along the last dimension as pairs; the first is the lower half."""
    return codes[..., 0::2] | codes[..., 1::2] << 4
