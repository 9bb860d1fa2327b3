"""C++ types: elements, scalars, tiles, views of global memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute

from ptoas.analysis.integers import integer_width
from ptoas.dialects.pto.element_types import BY_TYPE
from ptoas.dialects.pto.enums import AddressSpace, BLayout, Layout, SLayout
from ptoas.dialects.pto.geometry import SCALE_BOX
from ptoas.dialects.pto.types import DYNAMIC, PtrType, TileType
from ptoas.ir.caches import memoize

_FLOATS = {
    "f16": "half",
    "bf16": "bfloat16_t",
    "f32": "float",
    "f64": "double",
    "f8E4M3FN": "float8_e4m3_t",
    "f8E5M2": "float8_e5m2_t",
    "!pto.hif8": "hifloat8_t",
    "!pto.f8E8M0": "float8_e8m0_t",
    "!pto.f4E1M2x2": "float4_e1m2x2_t",
    "!pto.f4E2M1x2": "float4_e2m1x2_t",
    "!pto.hif8x2": "hifloat8x2_t",
    "!pto.bf16x2": "bfloat16x2_t",
}


_COUNTED_SINGLY = ("!pto.f4E1M2x2", "!pto.f4E2M1x2")
"""Pair types for which the library counts values, and the text pairs (D56)."""


def numbers_of(element: Attribute) -> int:
    """The number of values of the C++ type in one element."""
    return 2 if BY_TYPE[element].text in _COUNTED_SINGLY else 1


def along(tile: TileType) -> tuple[int, int]:
    """The number of rows and columns that the library counts for one: pairs are neighbours in memory."""
    by_columns = tile.slayout is SLayout.RowMajor or (
        tile.slayout is SLayout.NoneBox and tile.blayout is BLayout.RowMajor
    )
    count = numbers_of(tile.element_type)
    return (1, count) if by_columns else (count, 1)


@memoize
def element_cpp(type: Attribute) -> str:
    """The C++ name of an element type."""
    element = BY_TYPE[type]
    if not element.is_integer:
        return _FLOATS[element.text]
    prefix = "uint" if element.kind == "uint" else "int"
    return f"{prefix}{element.size * 8}_t"


def pointer_cpp(type: Attribute) -> str:
    """A pointer to an element, with the memory that it points into."""
    assert isinstance(type, PtrType)
    space = "__ubuf__" if type.space is AddressSpace.Vec else "__gm__"
    return f"{space} {element_cpp(type.element_type)} *"


@memoize
def scalar_cpp(type: Attribute) -> str:
    """The C++ type of a scalar value."""
    if isinstance(type, IndexType):
        return "int64_t"
    return "bool" if integer_width(type) == 1 else element_cpp(type)


def tile_cpp(tile: TileType, shape: tuple[int, int] | None = None) -> str:
    """`Tile<...>`; trailing parameters that have their default are left out.

    `shape`: the physical extents in C++, where a window has those of the tile it looks into.
    """
    (by_row, by_col), (rows, cols) = along(tile), shape or tile.shape
    rows, cols = rows * by_row, cols * by_col
    valid_rows, valid_cols = (
        extent if extent == DYNAMIC else extent * count
        for extent, count in zip(tile.valid, (by_row, by_col), strict=True)
    )
    required = [f"TileType::{tile.loc.data.name}", element_cpp(tile.element_type), str(rows), str(cols)]
    with_defaults = [
        (f"BLayout::{tile.blayout.name}", "BLayout::RowMajor"),
        (str(valid_rows), str(rows)),
        (str(valid_cols), str(cols)),
        (f"SLayout::{tile.slayout.name}", "SLayout::NoneBox"),
        (str(tile.fractal), "512"),
        (f"PadValue::{tile.pad.name}", "PadValue::Null"),
        (f"CompactMode::{tile.compact.name}", "CompactMode::Null"),
    ]
    while with_defaults and with_defaults[-1][0] == with_defaults[-1][1]:
        with_defaults.pop()
    return f"Tile<{', '.join([*required, *(text for text, _ in with_defaults)])}>"


COUNTS_CPP = "MrgSortExecutedNumList"
"""C++ type of the numbers of pairs that a merge took from each list."""

Extent = int | str
"""A constant, or a C++ expression."""


@dataclass(frozen=True)
class CppView:
    """A view of global memory as C++ sees it: a pointer expression, extents, strides."""

    element: str
    pointer: str
    shape: tuple[Extent, ...]
    strides: tuple[Extent, ...]
    layout: Layout
    count: int = 1
    """The number of values of the C++ type in one element."""

    @property
    def _boxes(self) -> tuple[tuple[Extent, ...], tuple[Extent, ...]] | None:
        """Extents and strides of the scales of mx operands, for which the program counts rows and
        columns.
        """
        if self.layout not in (Layout.MX_A_ZZ, Layout.MX_B_NN) or len(self.shape) != 2:
            return None
        rows, cols = self.shape
        long, short = SCALE_BOX
        outer, inner = (rows, cols) if self.layout is Layout.MX_A_ZZ else (cols, rows)
        outer, inner = divided(outer, long), divided(inner, short)
        step = times(inner, short * long)
        stride = self.strides[0]
        if isinstance(step, int) and isinstance(stride, int) and self.layout is Layout.MX_A_ZZ:
            step = max(step, stride * long)
        whole = outer * step if isinstance(outer, int) and isinstance(step, int) else 1
        return (1, outer, inner, long, short), (whole, step, long * short, short, 1)

    @cached_property
    def shape5(self) -> tuple[Extent, ...]:
        if (boxes := self._boxes) is not None:
            return boxes[0]
        extents = (*(1,) * (5 - len(self.shape)), *self.shape)
        return tuple(times(e, self.count) if n == self._contiguous else e for n, e in enumerate(extents))

    @property
    def _contiguous(self) -> int:
        """The dimension along which the numbers of an element lie."""
        return 3 if self.layout is Layout.DN else 4

    @cached_property
    def strides5(self) -> tuple[Extent, ...]:
        """Dimensions in front of the written ones are steps over the whole; unknown wholes are one step."""
        if (boxes := self._boxes) is not None:
            return boxes[1]
        whole = 1
        for extent, stride in zip(self.shape, self.strides, strict=True):
            if isinstance(extent, str) or isinstance(stride, str):
                whole = 1
                break
            whole = max(whole, extent * stride)
        steps = (*(whole,) * (5 - len(self.strides)), *self.strides)
        return tuple(s if n == self._contiguous else times(s, self.count) for n, s in enumerate(steps))


def times(extent: Extent, count: int) -> Extent:
    """An extent in a smaller unit."""
    if isinstance(extent, int):
        return extent * count
    if count == 1:
        return extent
    return f"{extent} * {count}" if extent.isidentifier() else f"({extent}) * {count}"


def divided(extent: Extent, count: int) -> Extent:
    """An extent in a larger unit, rounded up."""
    return -(-extent // count) if isinstance(extent, int) else f"({extent} + {count - 1}) / {count}"


def dimensions(kind: str, extents: Sequence[Extent]) -> str:
    """`Shape<1, 1, 1, -1, 32>`."""
    return f"{kind}<{', '.join(str(DYNAMIC) if isinstance(e, str) else str(e) for e in extents)}>"


def dynamic(extents: Sequence[Extent]) -> list[str]:
    """The expressions that a constructor needs, in order."""
    return [extent for extent in extents if isinstance(extent, str)]
