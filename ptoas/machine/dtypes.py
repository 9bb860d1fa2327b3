"""Element types in NumPy: storage type and arithmetic type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import ml_dtypes
from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import Attribute

from ptoas.dialects.pto.element_types import BY_TYPE, element_text
from ptoas.machine import float4, hifloat8
from ptoas.machine.arrays import Array, np

_NUMPY: dict[str, Any] = {
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "ui8": np.uint8,
    "ui16": np.uint16,
    "ui32": np.uint32,
    "ui64": np.uint64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    # No library has this one: its bytes are kept as they are, see `hifloat8`.
    "!pto.hif8": np.uint8,
    "!pto.f8E8M0": ml_dtypes.float8_e8m0fnu,
    # Two numbers in one element: moved as they are, see `halves` and `paired`.
    "!pto.f4E1M2x2": np.uint8,
    "!pto.f4E2M1x2": np.uint8,
    "!pto.hif8x2": np.uint16,
    "!pto.bf16x2": np.uint32,
}

_RAW: dict[int, Any] = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


@dataclass(frozen=True, eq=False)
class DType:
    """One element type. `raw` moves bytes (NaN payloads included), `number` calculates."""

    text: str
    number: Any
    raw: Any
    size: int
    kind: str

    @property
    def is_integer(self) -> bool:
        return self.kind in ("int", "uint")

    @property
    def coded(self) -> bool:
        """True if the bytes are an encoding that NumPy can't calculate with."""
        return self.text == "!pto.hif8" or self.kind == "pairs"

    @property
    def short(self) -> str:
        return self.text.removeprefix("!pto.")

    def halves(self, bits: Array) -> Array:
        """The two numbers of each pair, side by side: the last dimension is twice as long."""
        split = np.ascontiguousarray(bits).view(self.raw)
        if self.size == 1:
            nibbles = np.stack((split & 0xF, split >> 4), axis=-1)
            return float4.decode(nibbles, self.short).reshape(*split.shape[:-1], -1)
        half = by_text(self.short.removesuffix("x2"))
        return half.numbers(split.view(half.raw))

    def paired(self, numbers: Array) -> Array:
        """Neighbours along the last dimension as pairs: it is half as long. The first is the lower half."""
        if self.size > 1:
            half = by_text(self.short.removesuffix("x2"))
            return np.ascontiguousarray(half.encode(numbers)).view(self.raw)
        return float4.packed(float4.encode(numbers, self.short))

    def numbers(self, bits: Array) -> Array:
        """An array of this type as numbers to look at; pairs as their codes."""
        return hifloat8.decode(bits.view(np.uint8)) if self.text == "!pto.hif8" else bits.view(self.number)

    def encode(self, numbers: Array) -> Array:
        """Numbers as an array of this type; a pair is made of one number twice."""
        if self.text == "!pto.hif8":
            return hifloat8.encode(numbers)
        if self.kind == "pairs":
            return self.paired(np.repeat(np.atleast_1d(numbers), 2, axis=-1)).reshape(np.shape(numbers))
        return numbers.astype(self.number)

    def scalar(self, value: float) -> Any:
        """A scalar of the program in this type, integers wrapped to their width."""
        if self.is_integer:
            bits = 8 * self.size
            wrapped = int(value) & ((1 << bits) - 1)
            if self.kind == "int" and wrapped >> (bits - 1):
                wrapped -= 1 << bits
            return self.number.type(wrapped)
        if self.coded:
            return self.encode(np.array(value))[()]
        with np.errstate(over="ignore"):
            return self.number.type(value)


def _make(text: str) -> DType:
    entry = next(e for e in BY_TYPE.values() if e.text == text)
    return DType(text, np.dtype(_NUMPY[text]), np.dtype(_RAW[entry.size]), entry.size, entry.kind)


DTYPES: dict[Attribute, DType] = {type: _make(entry.text) for type, entry in BY_TYPE.items()}


Integer: TypeAlias = "IntegerType[int, Signedness]"


def as_integer(type: Attribute) -> Integer | None:
    return cast("Integer", type) if isinstance(type, IntegerType) else None


def dtype_of(type: Attribute) -> DType:
    """The element type `type`; a signed spelling is the signless one."""
    found = DTYPES.get(type)
    if found is None and (integer := as_integer(type)) and integer.signedness.data is Signedness.SIGNED:
        found = DTYPES.get(IntegerType(integer.width.data))
    if found is None:
        raise KeyError(f"{element_text(type)} is not an element type")
    return found


def by_text(text: str) -> DType:
    return next(d for d in DTYPES.values() if text in (d.text, d.short))


Rounder: TypeAlias = Callable[[float], float]


def rounder(type: Attribute) -> Rounder | None:
    """Rounds a double to a float type, once; `None` for a double itself.

    Adding, multiplying or dividing in double and rounding then gives the correctly rounded result: a double
    has more than twice the bits of every shorter type.
    """
    dtype = dtype_of(type)
    if dtype.text == "f64":
        return None
    if dtype.coded:
        return lambda x: float(hifloat8.decode(hifloat8.encode(np.array(x)))[()])
    kind = dtype.number.type
    return lambda x: float(kind(x))
