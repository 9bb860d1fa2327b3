"""Tiles as windows of local memory: where element (r, c) lies, and which bytes of it are valid."""

from __future__ import annotations

from functools import cached_property, lru_cache
from types import EllipsisType
from typing import Any

from xdsl.ir import Operation

from ptoas.dialects.pto.enums import BLayout, SLayout
from ptoas.dialects.pto.types import TileType
from ptoas.machine.arrays import Array, np, share_bytes
from ptoas.machine.dtypes import DType, dtype_of
from ptoas.machine.memory import POISON, Bits, LocalMemory

MOST_REGIONS = 4096
"""How many regions a memory remembers the writers of; a gather by mask makes a new one each time."""

Indices = Array


def inner_box(type: TileType, size: int) -> tuple[int, int]:
    """Rows and columns of one block of a boxed layout."""
    if type.fractal == 1024:
        return 16, 16
    if type.fractal == 32:
        return 16, 2
    c0 = 32 // size
    return (16, c0) if type.slayout is SLayout.RowMajor else (c0, 16)


@lru_cache(maxsize=256)
def element_offsets(type: TileType) -> Indices:
    """For each (row, column) of a boxed tile, its element's offset from the tile's first."""
    size = dtype_of(type.element_type).size
    box_rows, box_cols = inner_box(type, size)
    r = np.arange(type.rows)[:, None]
    c = np.arange(type.cols)[None, :]
    # A last block may be cut off: its rows and columns follow each other all the same.
    first_row, first_col = r - r % box_rows, c - c % box_cols
    height = np.minimum(box_rows, type.rows - first_row)
    width = np.minimum(box_cols, type.cols - first_col)
    if type.blayout is BLayout.ColMajor:
        outer = first_col * type.rows + first_row * width
    else:
        outer = first_row * type.cols + first_col * height
    if type.slayout is SLayout.RowMajor:
        inner = (r % box_rows) * width + c % box_cols
    else:
        inner = (c % box_cols) * height + r % box_rows
    return (outer + inner).astype(np.intp)


class Region:
    """Some bytes of a tile, and whether all of them are known to be written.

    Bytes only ever become written, until the memory is reset as a whole or some are clobbered; so what was
    once found written needs no second look before that.
    """

    __slots__ = ("bits", "high", "low", "memory", "ready", "select", "tile", "view")

    def __init__(self, tile: Tile, view: Array, select: Indices | EllipsisType, low: int, high: int):
        self.tile = tile
        self.memory = tile.memory
        self.bits = tile.bits
        self.view = view
        self.select = select
        """Positions in `view`, where the bytes are not a regular pattern; else all of it."""
        self.low, self.high = low, high
        self.ready = 0

    def complete(self) -> bool:
        """Whether all bytes are written; remembered when they are."""
        complete = bool(self.view[self.select].all())
        if complete:
            self.ready = self.bits.epoch
        return complete

    def mark(self, op: Operation) -> None:
        """All bytes are written now, by `op`."""
        if self.ready != self.bits.epoch:
            self.view[self.select] = True
            bits = self.bits
            bits.top = max(bits.top, self.high - bits.base)
            self.ready = bits.epoch
        self._note_writer(op)

    def clobber(self, op: Operation) -> None:
        """The bytes hold nothing any more: `op` has used them as scratch."""
        if self.view[self.select].any():
            self.view[self.select] = False
            # Regions that were found written look again.
            self.bits.epoch += 1
        if self.memory.poisoned:
            self._poison()
        self._note_writer(op)

    def _poison(self) -> None:
        if self.select is ...:
            shape, strides = self.view.shape, self.view.strides
            np.ndarray(shape, np.uint8, self.memory.data, self.low, strides)[...] = POISON
        else:
            self.memory.data[self.low : self.high][self.select] = POISON

    def _note_writer(self, op: Operation) -> None:
        writers = self.memory.writers
        writers.pop(self, None)
        writers[self] = op
        if len(writers) > MOST_REGIONS:
            for region in list(writers)[: MOST_REGIONS // 2]:
                del writers[region]

    def last_writer(self) -> Operation | None:
        """The operation that last wrote a byte of this region, through whichever tile."""
        for region, op in reversed(self.memory.writers.items()):
            if region.low < self.high and self.low < region.high:
                return op
        return None


class Tile:
    """A tile with an address and valid extents. Views of its bytes are made once."""

    def __init__(
        self,
        type: TileType,
        memory: LocalMemory,
        address: int,
        valid: tuple[int, int],
        name: str = "tile",
        bits: Bits | None = None,
        strides: tuple[int, int] | None = None,
    ):
        self.type = type
        self.memory = memory
        self.address = address
        self.valid = valid
        self.name = name
        self.bits = bits or memory.bits
        self.dtype: DType = dtype_of(type.element_type)
        self.rows, self.cols = type.rows, type.cols
        self.boxed = type.slayout is not SLayout.NoneBox
        size = self.dtype.size
        if strides is not None:
            self.row_stride, self.col_stride = strides
        elif type.blayout is BLayout.RowMajor:
            self.row_stride, self.col_stride = self.cols * size, size
        else:
            self.row_stride, self.col_stride = size, self.rows * size
        self._variants: dict[tuple[int, int], Tile] = {valid: self}

    # --- shape ---

    @property
    def size_bytes(self) -> int:
        """Bytes from the first to the last of the physical tile."""
        return (self.rows - 1) * self.row_stride + (self.cols - 1) * self.col_stride + self.dtype.size

    def with_valid(self, rows: int, cols: int) -> Tile:
        """The same bytes with other valid extents."""
        found = self._variants.get((rows, cols))
        if found is None:
            strides = (self.row_stride, self.col_stride)
            found = Tile(self.type, self.memory, self.address, (rows, cols), self.name, self.bits, strides)
            found._variants = self._variants
            self._variants[rows, cols] = found
        return found

    @cached_property
    def full(self) -> Tile:
        """The same bytes, all of them valid."""
        return self.with_valid(self.rows, self.cols)

    # --- elements ---

    def window(self, shape: tuple[int, ...], strides: tuple[int, ...], dtype: Any) -> Array:
        return np.ndarray(shape, dtype, self.memory.data, self.address, strides)

    @cached_property
    def raw(self) -> Array:
        """The valid region as bit patterns. Not for boxed layouts."""
        assert not self.boxed
        return self.window(self.valid, (self.row_stride, self.col_stride), self.dtype.raw)

    @cached_property
    def number(self) -> Array:
        """The valid region as numbers. Not for boxed layouts."""
        return self.raw.view(self.dtype.number)

    @cached_property
    def blocks(self) -> Array | None:
        """An NZ tile as (block column, row, column in block), whole; `None` for another layout, or if its
        last blocks are narrower."""
        if not self.type.is_nz:
            return None
        _, c0 = inner_box(self.type, self.dtype.size)
        if self.cols % c0:
            return None
        size = self.dtype.size
        return self.window(
            (self.cols // c0, self.rows, c0), (self.rows * c0 * size, c0 * size, size), self.dtype.raw
        )

    @cached_property
    def flat(self) -> Array:
        """The physical tile's elements in the order of their addresses."""
        return self.window((self.size_bytes // self.dtype.size,), (self.dtype.size,), self.dtype.raw)

    @cached_property
    def offsets(self) -> Indices:
        """For each (row, column) of the physical tile, where its element is in `flat`."""
        if self.boxed:
            return element_offsets(self.type)
        size = self.dtype.size
        r = np.arange(self.rows, dtype=np.intp)[:, None] * (self.row_stride // size)
        return r + np.arange(self.cols, dtype=np.intp)[None, :] * (self.col_stride // size)

    @cached_property
    def valid_offsets(self) -> Indices:
        return np.ascontiguousarray(self.offsets[: self.valid[0], : self.valid[1]])

    def load_raw(self) -> Array:
        """The valid region by (row, column): a view, or a copy for a boxed layout."""
        return self.flat.take(self.valid_offsets) if self.boxed else self.raw

    def load(self) -> Array:
        return self.load_raw().view(self.dtype.number) if self.boxed else self.number

    def store_raw(self, bits: Array) -> None:
        """Write the valid region."""
        if self.boxed:
            self.flat[self.valid_offsets] = bits
        else:
            self.raw[...] = bits

    @cached_property
    def in_order(self) -> bool:
        """Whether (row, column) in row-major order is the order of addresses, without gaps."""
        return not self.boxed and self.full.raw.flags.c_contiguous

    # --- bytes ---

    @cached_property
    def touched(self) -> Array:
        """An array over the valid bytes, for asking whether two accesses meet; over whole blocks of an NZ
        tile, and over all of another boxed one, where strides can't say more."""
        if not self.boxed:
            return self.raw
        blocks = self.blocks
        if blocks is None:
            return self.flat
        c0 = blocks.shape[2]
        return blocks[: -(-self.valid[1] // c0), : self.valid[0]]

    @cached_property
    def region(self) -> Region:
        """The valid region's bytes."""
        if self.boxed:
            return self._scattered(self.valid_offsets)
        shape, strides = (*self.valid, self.dtype.size), (self.row_stride, self.col_stride, 1)
        view = np.ndarray(shape, np.bool_, self.bits.written, self.address - self.bits.base, strides)
        return Region(self, view, ..., self.address, self.address + self.size_bytes)

    def _scattered(self, offsets: Indices) -> Region:
        """The bytes of some elements, given by their offsets."""
        size = self.dtype.size
        start = self.address - self.bits.base
        length = self.size_bytes
        view = self.bits.written[start : start + length]
        places = (offsets.reshape(-1, 1) * size + np.arange(size)).astype(np.intp)
        return Region(self, view, places, self.address, self.address + length)

    def elements(self, offsets: Indices) -> Region:
        """The bytes of the elements at these offsets of `flat`."""
        return self._scattered(np.asarray(offsets, dtype=np.intp))

    def overlaps(self, other: Tile) -> bool:
        """Whether the two share a valid byte."""
        return share_bytes(self.touched, other.touched)

    def describe(self) -> str:
        """`%idx (1x16xi32, valid 1x9, vec at 0x1000)`."""
        valid = "" if self.valid == (self.rows, self.cols) else f", valid {self.valid[0]}x{self.valid[1]}"
        place = f"{self.memory.loc.value} at {self.address:#x}"
        return f"%{self.name} ({self.rows}x{self.cols}x{self.dtype.short}{valid}, {place})"


class Unplaced:
    """A tile that has no address yet."""

    __slots__ = ("name", "type", "valid")

    def __init__(self, type: TileType, valid: tuple[int, int], name: str):
        self.type = type
        self.valid = valid
        self.name = name
