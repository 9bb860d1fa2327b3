"""Offset of element (row, column) of a tile; defines boxes, fractals and strides.

A tile is made of boxes, and a step along a dimension is one of two: to the next element of a box, or to the
next box. All six layouts are that with other strides. For `R x C` elements in boxes of `r x c`, `N = r * c`:

| layout | blayout, slayout | next row | next box of rows | next column | next box of columns |
|---|---|---|---|---|---|
| ND | row_major, none_box | C | | 1 | |
| DN | col_major, none_box | 1 | | R | |
| Nz | col_major, row_major | c | N | 1 | R * c |
| Zn | row_major, col_major | 1 | C * r | r | N |
| Zz | row_major, row_major | c | C * r | 1 | N |
| Nn | col_major, col_major | 1 | N | r | R * c |

A tile that is compact in the way `normal` lies like one of fewer rows and columns: `packed` gives them. One
that is so in the way `row_plus_one` counts its further row among its rows, and lies like any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

from ptoas.dialects.pto.enums import BLayout, CompactMode, SLayout

LAYOUTS = {
    "ND": (BLayout.RowMajor, SLayout.NoneBox),
    "DN": (BLayout.ColMajor, SLayout.NoneBox),
    "Nz": (BLayout.ColMajor, SLayout.RowMajor),
    "Zn": (BLayout.RowMajor, SLayout.ColMajor),
    "Zz": (BLayout.RowMajor, SLayout.RowMajor),
    "Nn": (BLayout.ColMajor, SLayout.ColMajor),
}
"""The six layouts by the names that people use."""

BURST = 32
"""Bytes of one row of a box, and of one burst of the memory engines."""

BOX_ROWS = 16
"""Rows of a box of an operand of the matrix unit."""

FRACTALS = (32, 512, 1024)
"""Bytes of a box: of the scales of mx operands, of operands, of results."""

SCALE_BOX = (16, 2)
"""Rows and columns of a box of scales of mx operands in global memory; on the right, columns and rows."""

Dims: TypeAlias = tuple[tuple[int, int], ...]
"""Extents and strides in elements."""

SharedDims: TypeAlias = tuple[tuple[int, int, int], ...]
"""Extents, and strides of two in elements."""


@dataclass(frozen=True)
class Axis:
    """One dimension of a tile: `i` lies at `i // box * outer + i % box * inner` elements."""

    box: int
    inner: int
    outer: int

    def offset(self, i: int) -> int:
        return i // self.box * self.outer + i % self.box * self.inner

    @property
    def is_even(self) -> bool:
        """True if a step to the next box is as long as one within a box: there is one stride."""
        return self.outer == self.box * self.inner

    def dims(self, extent: int) -> Dims | None:
        """The first elements as dimensions of an array; `None`: the last box is cut, no strides say it."""
        if self.is_even or extent <= self.box:
            return ((extent, self.inner),)
        return None if extent % self.box else ((extent // self.box, self.outer), (self.box, self.inner))

    def shared(self, other: Axis, extent: int) -> SharedDims | None:
        """The first elements as dimensions of two arrays, split where either has boxes; `None`: no strides
        say it."""
        boxes = sorted({axis.box for axis in (self, other) if not axis.is_even and axis.box < extent})
        units = (1, *boxes, extent)
        if any(large % small for small, large in pairwise(units)):
            return None
        counts = reversed([(small, large // small) for small, large in pairwise(units)])
        return tuple((count, self.offset(unit), other.offset(unit)) for unit, count in counts)


@dataclass(frozen=True)
class Geometry:
    """Offsets of the elements of a tile, relative to its first."""

    rows: Axis
    cols: Axis

    def offset(self, row: int, col: int) -> int:
        return self.rows.offset(row) + self.cols.offset(col)

    def span(self, rows: int, cols: int) -> int:
        """Elements from the first to the last of so many rows and columns."""
        return self.offset(rows - 1, cols - 1) + 1

    @property
    def box(self) -> tuple[int, int]:
        return self.rows.box, self.cols.box

    def dims(self, valid: tuple[int, int]) -> Dims | None:
        """The first rows and columns as an array in the order (row, column), boxes split in two."""
        rows, cols = self.rows.dims(valid[0]), self.cols.dims(valid[1])
        return None if rows is None or cols is None else (*rows, *cols)

    def shared(self, other: Geometry, valid: tuple[int, int]) -> SharedDims | None:
        """The first rows and columns of two tiles as arrays of one shape in the order (row, column)."""
        rows, cols = self.rows.shared(other.rows, valid[0]), self.cols.shared(other.cols, valid[1])
        return None if rows is None or cols is None else (*rows, *cols)


def strided(row: int, col: int) -> Geometry:
    """A geometry with one stride from row to row, and one from column to column."""
    return Geometry(Axis(1, row, row), Axis(1, col, col))


def box_of(slayout: SLayout, fractal: int, size: int) -> tuple[int, int]:
    """Rows and columns of one box; `size` is that of an element in bytes."""
    if slayout is SLayout.NoneBox:
        return 1, 1
    width = {1024: BOX_ROWS, 32: 2}.get(fractal, BURST // size)
    return (BOX_ROWS, width) if slayout is SLayout.RowMajor else (width, BOX_ROWS)


def packed(extents: tuple[int, int], slayout: SLayout, fractal: int, size: int) -> tuple[int, int]:
    """Rows and columns that so many valid ones take where blocks follow each other without gaps: whole boxes
    of scales, and of all else squares of 16 at least, as what is transposed on its way is moved in them."""
    box = box_of(slayout, fractal, size)
    least = 1 if fractal == min(FRACTALS) else BOX_ROWS
    rows, cols = (
        -(-max(extent, 1) // (step := max(side, least))) * step
        for extent, side in zip(extents, box, strict=True)
    )
    return rows, cols


def steps_made(valid: int, compact: CompactMode) -> int:
    """Rows from one column of blocks to the next, or columns from row to row, where so many valid ones of
    plain rows are made into blocks."""
    return -(-valid // BOX_ROWS) * BOX_ROWS + (compact is CompactMode.RowPlusOne)


@lru_cache(maxsize=1024)
def geometry(
    shape: tuple[int, int],
    size: int,
    blayout: BLayout,
    slayout: SLayout = SLayout.NoneBox,
    fractal: int = 512,
) -> Geometry:
    """The geometry of a tile; a box that is cut takes the room of a whole one, but for the rows of Nz.

    A tile of fewer rows than a box has is made of boxes of its own rows: a vector is in one piece. So is a Zz
    tile of fewer columns: exponents of blocks, which are counted without their pitch.
    """
    rows, cols = shape
    if slayout is SLayout.NoneBox:
        return strided(cols, 1) if blayout is BLayout.RowMajor else strided(1, rows)
    r, c = box_of(slayout, fractal, size)
    r = min(r, rows)
    if blayout is BLayout.RowMajor and slayout is SLayout.RowMajor:
        c = min(c, cols)
    inner_row, inner_col = (c, 1) if slayout is SLayout.RowMajor else (1, r)
    outer_row, outer_col = r * c, r * c
    if blayout is BLayout.RowMajor:
        outer_row = -(-cols // c) * c * r
    elif slayout is SLayout.ColMajor:
        outer_col = -(-rows // r) * r * c
    else:
        outer_col = rows * c
    return Geometry(Axis(r, inner_row, outer_row), Axis(c, inner_col, outer_col))
