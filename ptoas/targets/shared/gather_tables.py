"""Tables of gathers and scatters as targets read them: capacity, row stride, layouts (D8, D15, D16)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from math import prod

from ptoas.dialects.pto.enums import BLayout, Coalesce, Layout
from ptoas.dialects.pto.gather import IndexedMemoryOp
from ptoas.dialects.pto.geometry import BOX_ROWS
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.targets.specs import tile_type

COUNTS_GAPS = "pto.counts_gaps"
"""Attribute of a gather or scatter that `legalize-cpu` made, with indices computed from strides."""


class RowStep(Enum):
    """The distance that a target assumes between two rows of a table."""

    STRIDE = "the table's stride of DIM_3"
    VALID = "the tile's valid columns"
    WIDTH = "the table's width, Shape[4]"


class RowIndex(Enum):
    """Valid shapes of the index tile in Row mode; R is the number of valid rows of the data."""

    ROW = "1xR"
    COLUMN = "Rx1"
    BY_LAYOUT = "1xR row_major or Rx1 col_major"
    EITHER = "1xR or Rx1"

    def takes(self, valid: Sequence[int], rows: int, blayout: BLayout) -> bool:
        """Return True if an index tile has an index for each of `rows` rows; a dynamic extent agrees with
        any.
        """
        return any(
            all(DYNAMIC in pair or pair[0] == pair[1] for pair in zip(valid, shape, strict=True))
            for shape in self._shapes(rows, blayout)
        )

    def _shapes(self, rows: int, blayout: BLayout) -> list[tuple[int, int]]:
        match self:
            case RowIndex.ROW:
                return [(1, rows)]
            case RowIndex.COLUMN:
                return [(rows, 1)]
            case RowIndex.BY_LAYOUT:
                return [(1, rows) if blayout is BLayout.RowMajor else (rows, 1)]
            case RowIndex.EITHER:
                return [(1, rows), (rows, 1)]

    def text(self, rows: int) -> str:
        """The shapes in words."""
        return self.value.replace("R", "?" if rows == DYNAMIC else str(rows))


@dataclass(frozen=True)
class TableModel:
    """A target's addressing of row or element `i` of a table."""

    row_capacity_dims: tuple[int, ...]
    """Dimensions whose product is the number of rows of an ND table (D15)."""
    elem_capacity_dims: tuple[int, ...] = (0, 1, 2, 3, 4)
    """Dimensions whose product is the number of elements of a table (D15)."""
    row_step: RowStep = RowStep.STRIDE
    """Distance between the starts of rows (D16)."""
    row_index: RowIndex = RowIndex.ROW
    """Arrangement of the indices of a Row gather or scatter."""
    has_row_mode: bool = True
    """True if gathers of whole rows exist (D17)."""
    checks_bounds: bool = True
    """True if an out-of-bounds mode exists at all."""
    packed: bool = False
    """True if a table with gaps between its rows is refused (D16)."""
    launches_all: bool = False
    """True if a SIMT launch always has all 1,024 threads (document 002)."""
    two_dimensional: bool = False
    """True if a table is rows and columns only: its first three dimensions are 1 (000, CPU)."""
    compares_width: bool = False
    """True if a Row gather or scatter compares Shape[4] with the valid columns as C++ writes them, so
    that a dynamic extent equals only a dynamic one.
    """
    has_nz: bool = False
    """True if the fractal layout of tables and tiles is supported."""

    def capacity(self, shape5: Sequence[int], layout: Layout, coalesce: Coalesce) -> int | None:
        """The number of rows or elements that an index may select (D15); `None` if a dimension is
        unknown.
        """
        dims = self.row_capacity_dims if coalesce is Coalesce.Row else self.elem_capacity_dims
        if layout is Layout.NZ and self.has_nz:
            if coalesce is Coalesce.Row:
                return None if shape5[2] == DYNAMIC else shape5[2] * BOX_ROWS
            dims = (0, 1, 2, 3, 4)
        extents = [shape5[dim] for dim in dims]
        return None if DYNAMIC in extents else prod(extents)


def by_index_columns(op: IndexedMemoryOp) -> Coalesce:
    """Document 002: an index tile of one column chooses rows, one as wide as the destination elements."""
    return Coalesce.Row if tile_type(op.idx).cols == 1 else Coalesce.Elem


def first_misread(shape: Sequence[int], strides: Sequence[int], is_row: bool) -> tuple[int, int, int] | None:
    """The first index at which the target's offset differs from the one of the strides, with both
    offsets.

    Rows are counted by the stride of DIM_3, elements one after the other; the inside of a row is covered by
    other rules (PTO-V130, PTO-A213).
    """
    index, offset = 1, strides[3] if is_row else 1
    for dim in (3, 2, 1, 0) if is_row else (4, 3, 2, 1, 0):
        if shape[dim] == 1:
            continue
        if DYNAMIC in (shape[dim], strides[dim], offset):
            return None
        if strides[dim] != offset:
            return index, offset, strides[dim]
        index, offset = index * shape[dim], offset * shape[dim]
    return None
