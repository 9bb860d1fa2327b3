"""Tiles as windows of local memory: where element (r, c) lies, and which bytes of it are valid."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import EllipsisType
from typing import Any, NamedTuple

from xdsl.ir import Operation

from ptoas.dialects.pto.enums import SLayout
from ptoas.dialects.pto.geometry import Geometry
from ptoas.dialects.pto.types import TileType
from ptoas.machine.arrays import Array, np, share_bytes
from ptoas.machine.dtypes import DType, dtype_of
from ptoas.machine.memory import POISON, Bits, LocalMemory

MOST_REGIONS = 4096
"""Number of regions whose writers a memory remembers; a gather by mask makes a new one each time."""

MOST_PARTS = 1024
"""Number of rectangles that a tile caches."""

Indices = Array


@lru_cache(maxsize=256)
def element_offsets(shape: tuple[int, int], geometry: Geometry) -> Indices:
    """The offset of the element at each (row, column) from the tile's first."""
    rows, cols = (
        np.arange(extent, dtype=np.intp) // axis.box * axis.outer
        + np.arange(extent, dtype=np.intp) % axis.box * axis.inner
        for extent, axis in zip(shape, (geometry.rows, geometry.cols), strict=True)
    )
    return rows[:, None] + cols


LONGEST_RUN = 64
"""Bytes that are moved as one element where they follow each other on both sides."""


def in_runs(one: Array, other: Array) -> tuple[Array, Array]:
    """Two arrays of one shape and of elements of one size, for copying from one to the other: short rows, as
    those of boxes, become elements."""
    size = one.itemsize
    if one.ndim < 2 or size != other.itemsize or one.strides[-1] != size or other.strides[-1] != size:
        return one, other
    run = one.shape[-1] * size
    if not size < run <= LONGEST_RUN:
        return one, other
    return one.view(f"V{run}")[..., 0], other.view(f"V{run}")[..., 0]


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
        """Return True if all bytes are written; cached once they are."""
        complete = bool(self.view[self.select].all())
        if complete:
            self.ready = self.bits.epoch
        return complete

    def mark(self, op: Operation) -> None:
        """All bytes are written now, by `op`."""
        bits = self.bits
        if self.ready != bits.epoch:
            self.view[self.select] = True
            bits.top = max(bits.top, self.high - bits.base)
            self.ready = bits.epoch
            self._note_writer(op)
            return
        writers = self.memory.writers
        writers.pop(self, None)
        writers[self] = op

    def clobber(self, op: Operation) -> None:
        """The bytes hold nothing any more: `op` has used them as scratch."""
        if self.view[self.select].any():
            self.view[self.select] = False
            # Regions that were found written look again.
            self.bits.epoch += 1
        for shadow in (self.bits.undef, self.bits.padding):
            if shadow is not None:
                self._within(shadow)[self.select] = False
        if self.memory.poisoned:
            view = self.view
            np.ndarray(view.shape, np.uint8, self.memory.data, self.low, view.strides)[self.select] = POISON
        self._note_writer(op)

    def _within(self, shadow: Array) -> Array:
        """The part of another array, with an element for each byte, that corresponds to `view`."""
        start = self.low - self.bits.base
        return np.ndarray(self.view.shape, shadow.dtype, shadow, start, self.view.strides)

    def undef(self) -> Array:
        """The bytes that derive from uninitialised data and were not written since."""
        written = self.view[self.select]
        shadow = self.bits.undef
        return np.zeros_like(written) if shadow is None else self._within(shadow)[self.select] & ~written

    def mark_undefined(self, elements: Array) -> None:
        """Some elements, by row and column, came of what nothing has written; the others are written."""
        bits = self.bits
        if bits.undef is None:
            bits.undef = np.zeros_like(bits.written)
        unknown = elements.reshape((*self.view.shape[:-1], 1) if self.select is ... else (-1, 1))
        self._within(bits.undef)[self.select] = unknown
        self.view[self.select] = ~unknown
        bits.epoch += 1

    def pad(self) -> None:
        """The bytes are the padding of a mask."""
        if self.bits.padding is None:
            self.bits.padding = np.zeros_like(self.bits.written)
        self._within(self.bits.padding)[self.select] = True

    def padding(self) -> Array:
        """The bytes that are the padding of a mask."""
        shadow = self.bits.padding
        return np.zeros_like(self.view[self.select]) if shadow is None else self._within(shadow)[self.select]

    def _note_writer(self, op: Operation) -> None:
        writers = self.memory.writers
        is_new = writers.pop(self, None) is None
        writers[self] = op
        if is_new and len(writers) > MOST_REGIONS:
            for region in list(writers)[: MOST_REGIONS // 2]:
                del writers[region]

    def last_writer(self) -> Operation | None:
        """The operation that last wrote a byte of this region, through whichever tile."""
        for region, op in reversed(self.memory.writers.items()):
            if region.low < self.high and self.low < region.high:
                return op
        return None


class TileOrigin(NamedTuple):
    """Address and size of a tile that is no view of another, and the operation that allocated it."""

    address: int
    size: int
    op: Operation | None = None


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
        geometry: Geometry | None = None,
        held: tuple[int, int] | None = None,
        origin: TileOrigin | None = None,
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
        self.geometry = geometry or type.geometry_of(valid)
        """A window lies as the tile that it looks into."""
        self.held = held or type.held(valid)
        """Rows and columns that have a place."""
        self.origin = origin or TileOrigin(address, type.size_bytes)
        """The tile that this is a view of."""
        size = self.dtype.size
        self.row_stride, self.col_stride = self.geometry.rows.inner * size, self.geometry.cols.inner * size
        """Row stride in bytes; within a box, if there are boxes."""
        self._variants: dict[tuple[int, int], Tile] = {valid: self}
        self._parts: dict[tuple[int, int, int, int], Tile] = {}

    # --- shape ---

    @property
    def size_bytes(self) -> int:
        """Bytes from the first to the last that have a place."""
        return self.geometry.span(*self.held) * self.dtype.size

    def _window(self, address: int, valid: tuple[int, int]) -> Tile:
        """Bytes of this tile under its name."""
        shared = self.name, self.bits, self.geometry, self.held, self.origin
        return Tile(self.type, self.memory, address, valid, *shared)

    def with_valid(self, rows: int, cols: int) -> Tile:
        """The same bytes with other valid extents."""
        found = self._variants.get((rows, cols))
        if found is None:
            found = self._window(self.address, (rows, cols))
            found._variants = self._variants
            self._variants[rows, cols] = found
        return found

    def part(self, row: int, col: int, shape: tuple[int, int]) -> Tile | None:
        """The bytes of a rectangle; `None` if it starts inside a box and ends outside."""
        found = self._parts.get((row, col, *shape))
        if found is not None:
            return found
        axes = zip((row, col), shape, (self.geometry.rows, self.geometry.cols), strict=True)
        if any(at % axis.box and not axis.is_even and at % axis.box + n > axis.box for at, n, axis in axes):
            return None
        start = self.address + self.geometry.offset(row, col) * self.dtype.size
        found = self._window(start, shape)
        if len(self._parts) >= MOST_PARTS:
            self._parts.clear()
        self._parts[row, col, *shape] = found
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
    def boxes(self) -> Array | None:
        """The valid region in the order (row, column), each split where there are boxes; `None` if no strides
        can say it, because a box is cut."""
        dims = self.geometry.dims(self.valid)
        if dims is None:
            return None
        shape, strides = zip(*dims, strict=True)
        return self.window(shape, tuple(stride * self.dtype.size for stride in strides), self.dtype.raw)

    @cached_property
    def flat(self) -> Array:
        """The physical tile's elements in the order of their addresses."""
        return self.window((self.size_bytes // self.dtype.size,), (self.dtype.size,), self.dtype.raw)

    @cached_property
    def offsets(self) -> Indices:
        """The position in `flat` of the element at each (row, column)."""
        return element_offsets(self.held, self.geometry)

    @cached_property
    def valid_offsets(self) -> Indices:
        return np.ascontiguousarray(self.offsets[: self.valid[0], : self.valid[1]])

    def load_raw(self) -> Array:
        """The valid region by (row, column): a view, or a copy for a boxed layout."""
        if not self.boxed:
            return self.raw
        boxes = self.boxes
        return self.flat.take(self.valid_offsets) if boxes is None else boxes.reshape(self.valid)

    def load(self) -> Array:
        return self.load_raw().view(self.dtype.number) if self.boxed else self.number

    def store_raw(self, bits: Array) -> None:
        """Write the valid region."""
        if not self.boxed:
            self.raw[...] = bits
        elif (boxes := self.boxes) is None:
            self.flat[self.valid_offsets] = bits
        else:
            # One value may be broadcast.
            boxes[...] = bits.reshape(boxes.shape) if bits.ndim else bits

    def paired_with(self, other: Tile) -> tuple[Array, Array] | None:
        """The valid region of this tile, and as much of another, as bit patterns in two arrays of one shape;
        `None` if no strides can say it."""
        return self.against(other.geometry, other.memory.data, other.address, other.dtype)

    def against(
        self, geometry: Geometry, data: Array, start: int, dtype: DType
    ) -> tuple[Array, Array] | None:
        """The same for elements that lie in `data`, from byte `start` on, as a geometry says."""
        dims = self.geometry.shared(geometry, self.valid)
        if dims is None:
            return None
        shape, mine, theirs = zip(*dims, strict=True)
        ours = self.window(shape, tuple(stride * self.dtype.size for stride in mine), self.dtype.raw)
        strides = tuple(stride * dtype.size for stride in theirs)
        return ours, np.ndarray(shape, dtype.raw, data, start, strides)

    @cached_property
    def in_order(self) -> bool:
        """True if row-major order is the order of addresses, without gaps."""
        return not self.boxed and self.full.raw.flags.c_contiguous

    @cached_property
    def counted(self) -> tuple[Array, Indices | None]:
        """The units of a linear index (D19): elements in a row, and the position of the n-th, unless n.

        The rows of a window are as far apart as those of the tile that it looks into.
        """
        plain = not self.boxed and self.geometry.cols.inner == 1
        return self.flat, None if plain else self.offsets.reshape(-1)

    # --- bytes ---

    @cached_property
    def touched(self) -> Array:
        """An array over the valid bytes, for asking whether two accesses meet; over all of a tile with a box
        that is cut, where strides can't say more."""
        boxes = self.boxes
        return self.flat if boxes is None else boxes

    @cached_property
    def region(self) -> Region:
        """The valid region's bytes."""
        if self.boxes is None:
            return self.elements(self.valid_offsets)
        view = self.over(self.bits.written, self.bits.base)
        return Region(self, view, ..., self.address, self.address + self.size_bytes)

    def over(self, bytes_: Array, base: int = 0) -> Array:
        """The valid bytes of the tile in an array with an element for each byte of its memory from `base` on.
        Where a box is cut and strides can't say it, all of its bytes."""
        boxes, start = self.boxes, self.address - base
        if boxes is None:
            return bytes_[start : start + self.size_bytes]
        shape, strides = (*boxes.shape, self.dtype.size), (*boxes.strides, 1)
        return np.ndarray(shape, bytes_.dtype, bytes_, start, strides)

    def elements(self, offsets: Indices) -> Region:
        """The bytes of the elements at these offsets of `flat`."""
        size = self.dtype.size
        start = self.address - self.bits.base
        view = self.bits.written[start : start + self.size_bytes]
        places = np.asarray(offsets, np.intp).reshape(-1, 1) * size + np.arange(size)
        return Region(self, view, places, self.address, self.address + self.size_bytes)

    def store_at(self, row: int, col: int, bits: Array) -> Region:
        """Write a rectangle; return its bytes."""
        part = self.part(row, col, bits.shape)
        if part is not None:
            part.store_raw(bits)
            return part.region
        places = self.offsets[row : row + bits.shape[0], col : col + bits.shape[1]]
        self.flat[places] = bits
        return self.elements(places)

    def overlaps(self, other: Tile) -> bool:
        """Return True if the two share a valid byte."""
        return share_bytes(self.touched, other.touched)

    def coincides(self, other: Tile) -> bool:
        """Return True if each element of one is in the same bytes as that of the other."""
        where = (self.memory, self.address, self.dtype.size, self.geometry)
        return where == (other.memory, other.address, other.dtype.size, other.geometry)

    def describe(self) -> str:
        """`%idx (1x16xi32, valid 1x9, vec at 0x1000)`."""
        valid = "" if self.valid == (self.rows, self.cols) else f", valid {self.valid[0]}x{self.valid[1]}"
        place = f"{self.memory.loc.value} at {self.address:#x}"
        return f"%{self.name} ({self.rows}x{self.cols}x{self.dtype.short}{valid}, {place})"


@dataclass(eq=False)
class Unplaced:
    """A tile that has no address yet."""

    type: TileType
    valid: tuple[int, int]
    name: str
