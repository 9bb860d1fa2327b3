"""The table of a gather or scatter: how a target finds row or element `i` of it (D15, D16)."""

from __future__ import annotations

from functools import cached_property

from ptoas.dialects.pto.enums import Coalesce, Layout
from ptoas.dialects.pto.geometry import BOX_ROWS
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.machine.arrays import Array, np
from ptoas.machine.machine import Machine
from ptoas.machine.memory import View
from ptoas.machine.tiles import Tile
from ptoas.targets.gathers import TableModel


class Table:
    """Rows of `width` elements, or single elements, of a view, as one target counts them.

    `array` has them along its first axis where they lie at a regular distance; an NZ table has none, nor
    has an empty one.
    """

    def __init__(self, view: View, by_row: bool, capacity: int, width: int, stride: int, nz: bool):
        self.view = view
        self.by_row = by_row
        self.capacity = capacity
        self.width = width
        self.stride = stride
        self.nz = nz
        self.unit = "rows" if by_row else "elements"

    @cached_property
    def array(self) -> Array | None:
        # A table of nothing may lie behind the end of its buffer.
        if self.nz or not self.capacity:
            return None
        if not self.by_row:
            return self.view.buffer.window(self.view.offset, (self.capacity,), (1,))
        # One row is one row, however far the next would be: this keeps it contiguous.
        stride = self.width if self.capacity == 1 else self.stride
        return self.view.buffer.window(self.view.offset, (self.capacity, self.width), (stride, 1))

    def reachable(self) -> int:
        """How many rows or elements the buffer holds from the table's first on."""
        if self.nz:
            return self.capacity
        left = self.view.buffer.size - self.view.offset
        if not self.by_row:
            return max(0, left)
        if left < self.width or self.stride <= 0:
            return 0
        return (left - self.width) // self.stride + 1

    def span(self) -> int:
        """Elements from the first of the view to its last."""
        return 1 + sum((n - 1) * s for n, s in zip(self.view.shape5, self.view.strides5, strict=True))

    def stretched(self, capacity: int) -> Table:
        """The same table with another capacity."""
        if capacity == self.capacity:
            return self
        return Table(self.view, self.by_row, capacity, self.width, self.stride, self.nz)

    def positions(self, indices: Array) -> Array:
        """Where the chosen elements are in the buffer: (index, column), or like the indices."""
        chosen = indices.astype(np.intp)
        if not self.nz:
            if not self.by_row:
                return chosen + self.view.offset
            return chosen[:, None] * self.stride + (np.arange(self.width) + self.view.offset)
        if self.by_row:
            return self._nz(chosen[:, None], np.arange(self.width)[None, :])
        columns = self.logical_columns
        return self._nz(chosen // columns, chosen % columns)

    def addresses(self, indices: Array) -> Array:
        """Where the chosen elements begin in the host's memory, in a row."""
        buffer = self.view.buffer
        return self.positions(indices).reshape(-1) * buffer.dtype.size + buffer.address

    @property
    def logical_columns(self) -> int:
        """Columns of an NZ table: batches times block columns times columns in a block."""
        shape = self.view.shape5
        return shape[0] * shape[1] * shape[4]

    def _nz(self, row: Array, column: Array) -> Array:
        """Document 000, NZ Layout: (block row, row in block) and (batch, block column, column in block)."""
        shape, strides = self.view.shape5, self.view.strides5
        c0 = shape[4]
        block = column // c0
        return (
            self.view.offset
            + (block // shape[1]) * strides[0]
            + (block % shape[1]) * strides[1]
            + (row // BOX_ROWS) * strides[2]
            + (row % BOX_ROWS) * strides[3]
            + (column % c0) * strides[4]
        )

    def fetch(self, indices: Array) -> Array:
        """The chosen rows or elements, as bit patterns."""
        array = self.array
        if array is not None:
            return array[indices]
        return self.view.buffer.raw[self.positions(indices)]


def table_of(op: PtoOp, m: Machine, view: View, tile: Tile, by_row: bool) -> Table:
    """The table as the target reads it, its rows as wide as the tile's valid columns."""
    model: TableModel = m.target.model(op)
    nz = view.layout is Layout.NZ and model.has_nz
    capacity = model.capacity(view.shape5, view.layout, Coalesce.Row if by_row else Coalesce.Elem)
    assert capacity is not None
    cols = tile.valid[1]
    if nz:
        table = Table(view, by_row, capacity, cols, 0, True)
        if by_row and cols > table.logical_columns:
            raise m.fail(
                "PTO-R105",
                f"{op.name.removeprefix('pto.')}: %{tile.name} has {cols} valid columns, the NZ table "
                f"{table.logical_columns} logical ones",
                op,
            )
        return table
    stride = view.strides5[3] if model.row_stride_is_dim3 else cols
    table = Table(view, by_row, capacity, cols, stride, False)
    if table.reachable() < capacity:
        raise m.fail(
            "PTO-R102",
            f"{op.name.removeprefix('pto.')}: the table has a capacity of {capacity} {table.unit}"
            + (f" of {cols} elements, {stride} apart" if by_row else "")
            + f", but %{view.buffer.name} holds only {table.reachable()} from its first on "
            f"({view.buffer.size} elements in all)",
            op,
        )
    return table
