"""HiFloat8 as the public description defines it: a sign, a prefix-coded dot, an exponent, a mantissa.

The dot tells how many exponent bits follow (4, 3, 2, 1 or 0) or that the byte is a denormal. The exponent
is a sign and a magnitude whose leading one is not stored. What is left of the byte is the mantissa:

    S 11 eeee m     E = +-(8..15)     S 01 ee mmm      E = +-(2..3)     S 0001 mmm    E = 0
    S 10 eee  mm    E = +-(4..7)      S 001 e mmm      E = +-1          S 0000 mmm    2^(m - 23), m > 0

`0x00` is zero, `0x80` NaN, `0x6F` and `0xEF` are the infinities; there is no negative zero.
"""

from __future__ import annotations

import math
from functools import lru_cache

from ptoas.dialects.pto.enums import RoundMode
from ptoas.machine.arrays import Array, np
from ptoas.machine.coded_floats import round_to_code

NAN, POSITIVE_INFINITY, SIGN = 0x80, 0x6F, 0x80

_DOTS = ((2, 0b11, 4), (2, 0b10, 3), (2, 0b01, 2), (3, 0b001, 1), (4, 0b0001, 0))
"""Width of the dot's code, the code, and how many exponent bits it announces."""


def decode_byte(byte: int) -> float:
    """The value of one byte."""
    sign = -1.0 if byte & SIGN else 1.0
    payload = byte & 0x7F
    if payload == POSITIVE_INFINITY:
        return sign * math.inf
    if payload == 0:
        return math.nan if byte & SIGN else 0.0
    if payload < 8:
        return sign * 2.0 ** (payload - 23)
    width, exponent_bits = next((w, bits) for w, code, bits in _DOTS if payload >> (7 - w) == code)
    mantissa_bits = 7 - width - exponent_bits
    mantissa = payload & ((1 << mantissa_bits) - 1)
    exponent = 0
    if exponent_bits:
        stored = (payload >> mantissa_bits) & ((1 << exponent_bits) - 1)
        magnitude_bits = exponent_bits - 1
        magnitude = (1 << magnitude_bits) | (stored & ((1 << magnitude_bits) - 1))
        exponent = -magnitude if stored >> magnitude_bits else magnitude
    return sign * (1 + mantissa / (1 << mantissa_bits)) * 2.0**exponent


@lru_cache(maxsize=1)
def values() -> Array:
    """The value of each of the 256 bytes; all are exact in f32."""
    return np.array([decode_byte(byte) for byte in range(256)], dtype=np.float32)


@lru_cache(maxsize=1)
def magnitudes() -> tuple[Array, Array]:
    """The finite magnitudes in rising order, and the byte of each."""
    finite = [byte for byte in range(0x80) if math.isfinite(decode_byte(byte))]
    finite.sort(key=decode_byte)
    return np.array([decode_byte(b) for b in finite]), np.array(finite, dtype=np.uint8)


def decode(bits: Array) -> Array:
    return values()[bits]


def encode(numbers: Array, ties_away: bool = True) -> Array:
    """The nearest byte. A tie goes away from zero, as the format's own rounding has it, or to the even byte.

    Past the midpoint between the largest value and the next power of two there is infinity.
    """
    x = np.asarray(numbers, dtype=np.float64)
    known, codes = magnitudes()
    code = round_to_code(x, known, codes, RoundMode.ROUND if ties_away else RoundMode.RINT)
    code = np.where(np.abs(x) >= known[-1] * 1.25, POSITIVE_INFINITY, code)
    signed = np.where((x < 0) & (code != 0), code | SIGN, code)
    return np.where(np.isnan(x), NAN, signed).astype(np.uint8)
