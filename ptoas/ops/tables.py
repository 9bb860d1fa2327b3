"""The table of a gather or scatter: how a target finds row or element `i` of it (D15, D16)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from ptoas.analysis.knowledge import Knowledge
from ptoas.dialects.pto.enums import Coalesce, Layout
from ptoas.dialects.pto.gather import IndexedMemoryOp
from ptoas.dialects.pto.geometry import BOX_ROWS
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.machine.arrays import Array, np
from ptoas.machine.machine import Machine
from ptoas.machine.memory import View
from ptoas.machine.tiles import Tile
from ptoas.targets.shared.gather_tables import COUNTS_GAPS, RowIndex, RowStep, TableModel, first_misread


@dataclass
class Table:
    """Rows of `width` elements, or single elements, of a view, as one target counts them.

    `array` has them along its first axis where they lie at a regular distance; an NZ table has none, nor
    has an empty one.
    """

    view: View
    by_row: bool
    capacity: int
    width: int
    stride: int
    nz: bool

    @property
    def unit(self) -> str:
        return "rows" if self.by_row else "elements"

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
        """Return the number of rows or elements in the buffer from the start of the table."""
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
        return self if capacity == self.capacity else replace(self, capacity=capacity)

    def positions(self, indices: Array) -> Array:
        """Return the buffer offsets of the selected elements: (index, column), or shaped like the indices."""
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
        """Return the host addresses of the selected elements, flattened."""
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


def table_of(op: IndexedMemoryOp, m: Machine, view: View, tile: Tile, by_row: bool) -> Table:
    """The table as the target reads it, its rows as wide as the tile's valid columns; an NZ row is
    transferred as a whole (D32)."""
    model: TableModel = m.target.model(op)
    nz = view.layout is Layout.NZ and model.has_nz
    capacity = model.capacity(view.shape5, view.layout, Coalesce.Row if by_row else Coalesce.Elem)
    assert capacity is not None
    cols = tile.valid[1]
    if nz:
        table = Table(view, by_row, capacity, cols, 0, True)
        if by_row:
            check_nz_row(op, m, table, tile)
            table.width = table.logical_columns
        return table
    check_read_as_written(op, m, view, tile, by_row)
    warn_of_gaps(op, m, view, by_row)
    steps = {RowStep.STRIDE: view.strides5[3], RowStep.VALID: cols, RowStep.WIDTH: view.shape5[4]}
    stride = steps[model.row_step]
    table = Table(view, by_row, capacity, cols, stride, False)
    if table.reachable() < capacity:
        rows = f" of {cols} elements, {stride} apart" if by_row else ""
        message = (
            f"the table has a capacity of {capacity} {table.unit}{rows}, but %{view.buffer.name} holds only "
            f"{table.reachable()} from its first on ({view.buffer.size} elements in all)"
        )
        raise m.refuse("PTO-R102", message, op)
    return table


def warn_of_gaps(op: IndexedMemoryOp, m: Machine, view: View, by_row: bool) -> None:
    """Say so, where only the run knows that a table has strides that the target ignores; of others `verify`
    says it (PTO-A223)."""
    if m.target.model(op).packed or view.layout is not Layout.ND or COUNTS_GAPS in op.attributes:
        return
    difference = first_misread(view.shape5, view.strides5, by_row)
    if difference is None:
        return
    known = Knowledge().view(op.mem)
    if known.strides is not None and first_misread(known.shape5, known.strides5, by_row) is not None:
        return
    index, found, expected = difference
    m.warn(
        "PTO-R159",
        f"{op.mnemonic()}: strides {list(view.strides)} of %{view.buffer.name}: {m.target.name} ignores them "
        f"in {'Row' if by_row else 'Elem'} mode, index {index} reads the {'row' if by_row else 'element'} at "
        f"offset {found} and not the one at {expected}",
        op,
    )


def check_not_empty(op: PtoOp, m: Machine, tile: Tile) -> None:
    """Check that there is something to gather or scatter, as devices require (D34)."""
    if m.target.has_pipes and 0 in tile.valid:
        rows, cols = tile.valid
        message = f"the valid region of %{tile.name} is empty: [{rows}, {cols}]"
        raise m.refuse("PTO-R121", message, op, fix="guard the instruction with scf.if")


def check_index_extents(op: IndexedMemoryOp, m: Machine, tile: Tile, idx: Tile, by_row: bool) -> None:
    """The index tile has an index for each row or element, arranged as the target reads them."""
    rows, cols = tile.valid
    found = f"{idx.valid[0]}x{idx.valid[1]}"
    if by_row:
        forms: RowIndex = m.target.model(op).row_index
        fits, need = forms.takes(idx.valid, rows, idx.type.blayout), forms.text(rows)
        if forms is RowIndex.BY_LAYOUT:
            found += f" {idx.type.blayout.value}"
    else:
        fits, need = idx.valid == tile.valid, f"{rows}x{cols}"
    if not fits:
        mode = "row" if by_row else "elem"
        raise m.fail(
            "PTO-R105",
            f"{op.name.removeprefix('pto.')}.{mode}: valid shape of %{idx.name}: found {found}, expected "
            f"{need} for %{tile.name}",
            op,
        )


def check_nz_row(op: PtoOp, m: Machine, table: Table, tile: Tile) -> None:
    """A row of an NZ table and the tile have room for each other."""
    columns = table.logical_columns
    if tile.valid[1] > columns:
        message = f"%{tile.name} has {tile.valid[1]} valid columns, the NZ table {columns} logical ones"
        raise m.refuse("PTO-R105", message, op)
    if m.checks.mem and tile.cols < columns:
        message = (
            f"a row of the NZ table has {columns} columns, and all are transferred; {tile.describe()} has "
            f"room for {tile.cols}"
        )
        raise m.refuse("PTO-R120", message, op)


def check_read_as_written(op: IndexedMemoryOp, m: Machine, view: View, tile: Tile, by_row: bool) -> None:
    """Check at run time that the target can read the table as it is laid out (D16)."""
    model: TableModel = m.target.model(op)
    width, cols = view.shape5[4], tile.valid[1]
    what = None
    if model.two_dimensional and any(extent != 1 for extent in view.shape5[:3]) and m.checks.mem:
        shape = "x".join(map(str, view.shape5))
        message = f"table shape: found <{shape}>, expected <1x1x1xTableRowsxRowWidth>"
        raise m.refuse("PTO-R126", message, op, operand=op.operands.index(op.mem))
    if by_row and model.row_step is RowStep.VALID and width != cols:
        what = (
            f"rows of {width} elements, and %{tile.name} {cols} valid columns, which {m.target.name} takes "
            "for the distance between rows"
        )
    elif by_row and cols > width:
        what = f"rows of {width} elements, and %{tile.name} {cols} valid columns"
    elif model.packed and not _is_packed(view):
        what = f"strides {list(view.strides)} for {list(view.shape)}, which {m.target.name} ignores"
    if what is not None and m.checks.mem:
        raise m.refuse("PTO-R120", f"the table has {what}", op)


def _is_packed(view: View) -> bool:
    expected = 1
    for extent, stride in zip(reversed(view.shape), reversed(view.strides), strict=True):
        if extent != 1 and stride != expected:
            return False
        expected *= extent
    return True
