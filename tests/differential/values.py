"""Values of a generated program, and the properties of their numbers.

A tile or a buffer has a `Range`: a promise that holds wherever control flow goes, because nothing is ever
written there that could break it. From the promises follow that an index is inside its table, that a divisor
is not zero, and that sums are exact, so that their order does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, prod
from random import Random
from typing import Any

import ml_dtypes
import numpy as np

from ptoas.dialects.pto.element_types import BY_TEXT, ElementType

NUMBERS: dict[str, Any] = {
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
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "!pto.hif8": np.uint8,
    "!pto.f8E8M0": np.uint8,
}
EXACT = {"f16": 2**11, "bf16": 2**8, "f32": 2**24}
"""Whole numbers up to here are exact."""
LARGEST = {"f16": 30000.0, "bf16": 1e30, "f32": 1e30}


def element(text: str) -> ElementType:
    return BY_TEXT[text]


def limits(e: ElementType) -> tuple[float, float]:
    """The least and the greatest number that the generator lets a type hold."""
    if e.is_integer:
        info = np.iinfo(NUMBERS[e.text])
        return int(info.min), int(info.max)
    bound = LARGEST.get(e.text, 0.0)
    return -bound, bound


@dataclass(frozen=True)
class Range:
    """Every number lies in [low, high]; `whole`: and is a whole number, and no negative zero."""

    low: float
    high: float
    whole: bool = True
    nonzero: bool = False
    arbitrary: bool = False
    """Any bit pattern, NaN too: such values are moved and never calculated with."""

    def holds(self, other: Range) -> bool:
        if self.arbitrary:
            return True
        return (
            not other.arbitrary
            and self.low <= other.low
            and other.high <= self.high
            and (other.whole or not self.whole)
            and (other.nonzero or not self.nonzero)
        )

    def fits(self, e: ElementType) -> bool:
        low, high = limits(e)
        return low <= self.low and self.high <= high

    def join(self, other: Range) -> Range:
        return Range(
            min(self.low, other.low),
            max(self.high, other.high),
            self.whole and other.whole,
            self.nonzero and other.nonzero,
            self.arbitrary or other.arbitrary,
        )


def anything(e: ElementType) -> Range:
    """All bit patterns; for integers that is a range like any other."""
    if e.is_integer:
        low, high = limits(e)
        return Range(low, high)
    return Range(-inf, inf, whole=False, arbitrary=True)


def small(e: ElementType) -> Range:
    """Small whole numbers, none of them zero."""
    return Range(1 if e.kind == "uint" else -7, 7, nonzero=True)


def shape_text(shape: tuple[int | str, ...]) -> str:
    return "x".join(str(n) for n in shape)


@dataclass(frozen=True)
class TileKind:
    """A tile's type, and its valid extents while the program runs."""

    element: ElementType
    rows: int
    cols: int
    valid: tuple[int, int]
    open: tuple[bool, bool] = (False, False)
    """The valid extents that the type leaves open (`?`)."""
    blayout: str = "row_major"
    slayout: str = "none_box"
    loc: str = "vec"
    pad: str = "null"

    @property
    def bytes(self) -> int:
        return self.rows * self.cols * self.element.size

    @property
    def full(self) -> bool:
        return self.valid == (self.rows, self.cols)

    @property
    def plain(self) -> bool:
        return self.blayout == "row_major" and self.slayout == "none_box"

    @property
    def layout(self) -> str:
        if self.slayout != "none_box":
            return "nz"
        return "nd" if self.blayout == "row_major" else "dn"

    @property
    def fractal(self) -> int:
        """Bytes of a box: those of an accumulator are twice as wide."""
        return 1024 if self.loc == "acc" else 512


@dataclass
class Tile:
    """A tile value: its name in the text, its kind, the promise about its numbers."""

    name: str
    kind: TileKind
    range: Range
    buffer: bool = True
    """True if it may be written again: it was allocated, not made by an instruction in SSA form."""
    depth: int = 0


@dataclass
class View:
    """A view of global memory in the text, and the buffer behind it."""

    name: str
    type: str
    element: ElementType
    shape: tuple[int, ...]
    layout: str
    range: Range


@dataclass
class Argument:
    """An argument of the program: what it is called with."""

    name: str
    type: str
    value: Any
    range: Range | None = None
    written: bool = False
    notes: dict[str, Any] = field(default_factory=dict[str, Any])


def numbers(random: Random, e: ElementType, count: int, promise: Range) -> np.ndarray:
    """`count` numbers that keep the promise. Only whole random integers are drawn, so that every version of
    Python gives the same."""
    dtype = np.dtype(NUMBERS[e.text])
    whole_range = e.is_integer and (promise.low, promise.high) == limits(e) and not promise.nonzero
    if promise.arbitrary or whole_range:
        return np.frombuffer(random.randbytes(count * dtype.itemsize), np.uint8).view(dtype).copy()
    low, high = int(max(promise.low, -(2**62))), int(min(promise.high, 2**62))
    drawn = np.frombuffer(random.randbytes(count * 8), np.uint64) >> np.uint64(1)
    values = drawn.astype(np.int64) % (high - low + 1) + low
    if promise.nonzero:
        values[values == 0] = high
    if not e.is_integer and not promise.whole:
        values = values / 4.0 if max(-low, high) > 8 else values.astype(np.float64)
    return values.astype(dtype)


def packed(shape: tuple[int, ...], layout: str) -> tuple[int, ...]:
    """Strides of a packed view; in dn the last two dimensions change places."""
    order = list(range(len(shape)))
    if layout == "dn":
        order[-1], order[-2] = order[-2], order[-1]
    strides = [0] * len(shape)
    step = 1
    for dim in reversed(order):
        strides[dim] = step
        step *= shape[dim]
    return tuple(strides)


def extent(shape: tuple[int, ...], strides: tuple[int, ...]) -> int:
    return 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))


def count_of(shape: tuple[int, ...]) -> int:
    return prod(shape)
