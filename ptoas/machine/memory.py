"""Global memory (the arguments, and views of them) and local memories (bytes at addresses)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING

from xdsl.ir import Operation

from ptoas.dialects.pto.enums import AccPhase, Layout, TileLoc
from ptoas.dialects.pto.types import MAX_RANK
from ptoas.machine.arrays import Array, np
from ptoas.machine.dtypes import DType

if TYPE_CHECKING:
    from ptoas.machine.overwritten import OverwriteTracker
    from ptoas.machine.tiles import Region, Tile

POISON = 0xCB
"""Initial contents of a device's local memory: nothing that looks like a result."""

CACHE_LINE = 64
"""Bytes: what the processor takes of memory at once. Rows of a tile that begin at one are read faster."""

HOST_BYTES = 64 << 20
"""Local memory of a target that sets no limit. Untouched pages cost nothing."""


def address_of(array: Array) -> int:
    """The host address of an array's first element: two arrays may share memory."""
    return int(array.__array_interface__["data"][0])


class GlobalBuffer:
    """One argument: elements in a row."""

    __slots__ = ("_whole", "address", "dtype", "name", "place", "raw", "size")

    def __init__(
        self,
        name: str,
        array: Array,
        dtype: DType,
        place: RankAddress | None = None,
        whole: GlobalBuffer | None = None,
    ):
        self.name = name
        self.dtype = dtype
        self._whole = whole
        # Bytes are moved as unsigned integers, so that every bit pattern survives.
        self.raw: Array = array.reshape(-1).view(dtype.raw)
        self.size = len(self.raw)
        self.address = address_of(self.raw)
        self.place = place
        """Its position for other ranks, if it is in a window."""

    @property
    def whole(self) -> GlobalBuffer:
        """The argument itself, where this is another look at its bytes."""
        return self._whole or self

    @property
    def end(self) -> int:
        """The address after the last byte."""
        return self.address + self.size * self.dtype.size

    def holds(self, first: int, last: int) -> bool:
        """Return True if these elements are inside the buffer."""
        return first >= 0 and last < self.size

    def viewed_as(self, dtype: DType) -> GlobalBuffer:
        """The same bytes as elements of another type; a rest that is no whole element is left out."""
        if dtype is self.dtype:
            return self
        size = self.size * self.dtype.size // dtype.size * dtype.size
        return GlobalBuffer(self.name, self.raw.view(np.uint8)[:size], dtype, self.place, self.whole)

    def window(self, offset: int, shape: Sequence[int], strides: Sequence[int]) -> Array:
        """Elements as an array; NumPy itself refuses what lies outside."""
        size = self.dtype.size
        return np.ndarray(shape, self.dtype.raw, self.raw, offset * size, [s * size for s in strides])


@dataclass(frozen=True)
class RankAddress:
    """Position of memory among that of all ranks: pointers reach other ranks by the distance to theirs."""

    space: Space
    rank: int
    base: int
    """The address of its first byte, the same for every rank that asks."""


class Space:
    """The windows of all ranks by their addresses, as one rank sees them."""

    def __init__(self) -> None:
        self._buffers: list[GlobalBuffer] = []
        self._as = lru_cache(maxsize=None)(GlobalBuffer.viewed_as)

    def add(self, name: str, array: Array, dtype: DType, rank: int, base: int) -> GlobalBuffer:
        buffer = GlobalBuffer(name, array, dtype, RankAddress(self, rank, base))
        self._buffers.append(buffer)
        return buffer

    def find(self, first: int, end: int, dtype: DType) -> tuple[GlobalBuffer, int] | None:
        """The memory that these bytes are all of, as elements of a type, and the number of the first one."""
        for buffer in self._buffers:
            assert buffer.place is not None
            start = first - buffer.place.base
            if start < 0 or end - buffer.place.base > buffer.raw.nbytes or start % dtype.size:
                continue
            return self._as(buffer, dtype), start // dtype.size
        return None

    def nearest(self, first: int, end: int) -> tuple[GlobalBuffer, int]:
        """The memory that bytes begin in or near, and by how many they miss it: negative in front of it."""

        def bounds(buffer: GlobalBuffer) -> tuple[int, int]:
            assert buffer.place is not None
            return buffer.place.base, buffer.place.base + buffer.raw.nbytes

        def away(buffer: GlobalBuffer) -> int:
            low, high = bounds(buffer)
            return max(low - first, first - high, 0)

        best = min(self._buffers, key=away)
        low, high = bounds(best)
        return best, first - low if first < low else end - high


class GrowingBuffer(GlobalBuffer):
    """A generated argument of unknown size: as large as the part reached so far.

    The whole is reserved at once, so that views of it stay; the host makes pages when they are touched.
    """

    __slots__ = ("_filled", "_make", "_take")

    STEP = 4096
    """Elements that are made together: what they are does not depend on the order of accesses."""

    def __init__(
        self,
        name: str,
        reserved: Array,
        dtype: DType,
        make: Callable[[int], Array],
        take: Callable[[int], None],
    ):
        super().__init__(name, reserved, dtype)
        self.size = 0
        self._filled = 0
        self._make = make
        self._take = take

    def holds(self, first: int, last: int) -> bool:
        return first >= 0 and (last < self.size or self._grow(last + 1))

    def _grow(self, size: int) -> bool:
        if size > len(self.raw):
            return False
        rounded = min(-(-size // self.STEP) * self.STEP, len(self.raw))
        if rounded > self._filled:
            self._take((rounded - self._filled) * self.dtype.size)
        while self._filled < rounded:
            count = min(self.STEP, rounded - self._filled)
            self.raw[self._filled : self._filled + count] = self._make(count).view(self.dtype.raw)
            self._filled += count
        self.size = size
        return True


@dataclass(eq=False, slots=True)
class Pointer:
    """A place in a buffer, in elements."""

    buffer: GlobalBuffer
    offset: int = 0


@dataclass(eq=False, slots=True)
class LocalPointer:
    """A place in a local memory, in elements; the memory is one long row."""

    tile: Tile
    offset: int = 0


class ViewForm:
    """Common part of views of one buffer that differ only in their offsets. Compared by identity."""

    def __init__(
        self, buffer: GlobalBuffer, shape: tuple[int, ...], strides: tuple[int, ...], layout: Layout
    ):
        self.buffer = buffer
        self.dtype = buffer.dtype
        self.shape = shape
        self.strides = strides
        self.layout = layout
        missing = MAX_RANK - len(shape)
        self.shape5 = (1,) * missing + shape
        """All five dimensions, ones in front (D11)."""
        self.strides5 = ((strides[0] * shape[0],) * missing + strides) if missing else strides
        """Five strides; a dimension of one that was not written steps over the whole."""
        ends = [(n - 1) * s for n, s in zip(shape, strides, strict=True)]
        self.reach = (0, -1) if 0 in shape else (sum(min(e, 0) for e in ends), sum(max(e, 0) for e in ends))
        """First and last element that a view touches, from its offset; `(0, -1)`: none."""
        first, last = self.reach
        self.first_byte = buffer.address + first * buffer.dtype.size
        """Host address of a view at offset 0."""
        self.length = (last - first + 1) * buffer.dtype.size
        """Bytes from the first to the last."""


class View:
    """A window of a buffer: shape and strides in elements, from an offset. Immutable."""

    __slots__ = ("_array", "form", "offset")

    def __init__(self, form: ViewForm, offset: int):
        self.form = form
        self.offset = offset

    @staticmethod
    def of(
        buffer: GlobalBuffer,
        offset: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        layout: Layout = Layout.ND,
    ) -> View:
        return View(ViewForm(buffer, shape, strides, layout), offset)

    @property
    def buffer(self) -> GlobalBuffer:
        return self.form.buffer

    @property
    def dtype(self) -> DType:
        return self.form.dtype

    @property
    def layout(self) -> Layout:
        return self.form.layout

    @property
    def shape(self) -> tuple[int, ...]:
        return self.form.shape

    @property
    def strides(self) -> tuple[int, ...]:
        return self.form.strides

    @property
    def shape5(self) -> tuple[int, ...]:
        return self.form.shape5

    @property
    def strides5(self) -> tuple[int, ...]:
        return self.form.strides5

    @property
    def array(self) -> Array:
        """All elements of the view, as the strides place them."""
        try:
            return self._array
        except AttributeError:  # a loop makes many views, and few of them are asked
            form = self.form
            self._array: Array = form.buffer.window(self.offset, form.shape5, form.strides5)
            return self._array

    def extent(self) -> tuple[int, int]:
        """First and last element of the buffer that the view touches; `(0, -1)` when it is empty."""
        first, last = self.form.reach
        return (0, -1) if last < first else (self.offset + first, self.offset + last)

    def inside(self) -> bool:
        return self.buffer.holds(*self.extent())


@dataclass(eq=False)
class RankGroup:
    """The same memory on every rank."""

    members: tuple[View, ...]


def element_count(shape: Sequence[int], strides: Sequence[int]) -> int:
    """Elements from the first to the last that a shape with strides touches."""
    if prod(shape) == 0:
        return 0
    return 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True) if s > 0)


class Bits:
    """Initialised bytes, and the number of resets."""

    __slots__ = ("base", "epoch", "origin", "padding", "top", "undef", "written")

    def __init__(self, size: int, base: int = 0):
        self.written: Array = np.zeros(size, dtype=np.bool_)
        self.base = base
        """The address of the first byte."""
        self.epoch = 1
        self.top = 0
        """End of the highest written byte: host memory is large, and hardly touched."""
        self.undef: Array | None = None
        """Bytes that came of what nothing has written; they count as unwritten. `None`: there were none."""
        self.origin: Operation | None = None
        """The instruction that last brought some in."""
        self.padding: Array | None = None
        """Bytes behind the bits of a mask's rows, as far as they are not written. `None`: there were none."""

    def forget(self) -> None:
        if self.top:  # Nothing was written to most scratch tiles, which a loop makes again in every turn.
            self.written[: self.top] = False
            self.top = 0
        self.epoch += 1
        self.undef = None
        self.padding = None


class LocalMemory:
    """The bytes of one memory of a core."""

    def __init__(self, loc: TileLoc, size: int | None, poisoned: bool = True):
        self.loc = loc
        self.limit = size
        self.size = HOST_BYTES if size is None else size
        # Zeros on demand: untouched pages are never made.
        buffer = np.zeros(self.size + CACHE_LINE, dtype=np.uint8)
        start = -address_of(buffer) % CACHE_LINE
        self.data = buffer[start : start + self.size]
        if poisoned:
            self.data[:] = POISON
        self.address = address_of(self.data)
        self.poisoned = poisoned
        self.bits = Bits(self.size)
        self.number: int | None = None
        """The number by which other cores address it."""
        self.undefined: Array | None = None
        """Bytes that an instruction has written with undefined data; `None`: none."""
        self.writers: dict[Region, Operation] = {}
        """The last writer of each region, the latest at the end."""
        self.phases: dict[int, AccPhase | None] = {}
        """The phase of the last product into an accumulator, by address."""
        self.walked: dict[int, int] = {}
        """The row counts between which the last product stepped to the next block of columns of an
        accumulator, by address.
        """
        self.overwrites: OverwriteTracker | None = None
        """The tiles that the program has placed here, where their overlaps are tracked."""

    def forget(self) -> None:
        """Make every byte uninitialised again."""
        if self.poisoned:
            self.data[:] = POISON
        self.bits.forget()
        self.writers.clear()
        self.phases.clear()
        self.walked.clear()
        self.undefined = None
        if self.overwrites is not None:
            self.overwrites.forget()

    def undefine_except(self, whole: Tile, out: Tile) -> None:
        """All of one tile's valid bytes are undefined but for another's."""
        if self.undefined is None:
            self.undefined = np.zeros(self.size, np.bool_)
        whole.over(self.undefined)[...] = True
        self.define(out)

    def define(self, out: Tile) -> None:
        """A tile's valid bytes have a meaning again."""
        if self.undefined is not None:
            out.over(self.undefined)[...] = False

    def has_undefined(self, tile: Tile) -> bool:
        """Return True if a valid byte of a tile is written with undefined data."""
        return self.undefined is not None and bool(tile.over(self.undefined).any())
