"""Global memory (the arguments, and views of them) and local memories (bytes at addresses)."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from xdsl.ir import Operation

from ptoas.dialects.pto.enums import Layout, TileLoc
from ptoas.dialects.pto.types import MAX_RANK
from ptoas.machine.arrays import Array, np
from ptoas.machine.dtypes import DType

if TYPE_CHECKING:
    from ptoas.machine.tiles import Region, Tile

POISON = 0xCB
"""What a device's local memory holds before anything is written: nothing that looks like a result."""

HOST_BYTES = 64 << 20
"""Local memory of a target that sets no limit. Untouched pages cost nothing."""


def address_of(array: Array) -> int:
    """Where an array's first element lies in the host's memory: two arrays may share theirs."""
    return int(array.__array_interface__["data"][0])


class GlobalBuffer:
    """One argument: elements in a row."""

    __slots__ = ("address", "dtype", "name", "raw", "size", "whole")

    def __init__(self, name: str, array: Array, dtype: DType, whole: GlobalBuffer | None = None):
        self.name = name
        self.dtype = dtype
        self.whole: GlobalBuffer = whole or self
        """The argument itself, where this is another look at its bytes."""
        # Bytes are moved as unsigned integers, so that every bit pattern survives.
        self.raw: Array = array.reshape(-1).view(dtype.raw)
        self.size = len(self.raw)
        self.address = address_of(self.raw)

    @property
    def end(self) -> int:
        """The address behind the last byte."""
        return self.address + self.size * self.dtype.size

    def window(self, offset: int, shape: Sequence[int], strides: Sequence[int]) -> Array:
        """Elements as an array; NumPy itself refuses what lies outside."""
        size = self.dtype.size
        return np.ndarray(shape, self.dtype.raw, self.raw, offset * size, [s * size for s in strides])


class Pointer:
    """A place in a buffer, in elements."""

    __slots__ = ("buffer", "offset")

    def __init__(self, buffer: GlobalBuffer, offset: int = 0):
        self.buffer = buffer
        self.offset = offset


class LocalPointer:
    """A place in a local memory, in elements; the memory is one long row."""

    __slots__ = ("offset", "tile")

    def __init__(self, tile: Tile, offset: int = 0):
        self.tile = tile
        self.offset = offset


class Form:
    """What views of one buffer have in common when only their offsets differ. Compared by identity."""

    __slots__ = ("buffer", "dtype", "layout", "reach", "shape", "shape5", "strides", "strides5")

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


class View:
    """A window of a buffer: shape and strides in elements, from an offset. Immutable."""

    __slots__ = ("_array", "form", "offset")

    def __init__(self, form: Form, offset: int):
        self.form = form
        self.offset = offset
        self._array: Array | None = None

    @staticmethod
    def of(
        buffer: GlobalBuffer,
        offset: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        layout: Layout = Layout.ND,
    ) -> View:
        return View(Form(buffer, shape, strides, layout), offset)

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
        array = self._array
        if array is None:
            form = self.form
            array = self._array = form.buffer.window(self.offset, form.shape5, form.strides5)
        return array

    def extent(self) -> tuple[int, int]:
        """First and last element of the buffer that the view touches; `(0, -1)` when it is empty."""
        first, last = self.form.reach
        return (0, -1) if last < first else (self.offset + first, self.offset + last)

    def inside(self) -> bool:
        first, last = self.extent()
        return first >= 0 and last < self.buffer.size


class Group:
    """The same memory on every rank."""

    __slots__ = ("members",)

    def __init__(self, members: tuple[View, ...]):
        self.members = members


def packed_strides(shape: Sequence[int], layout: Layout) -> tuple[int, ...]:
    """Strides of a tensor without gaps, in the order of its layout."""
    order = list(range(len(shape)))
    if layout is Layout.DN and len(shape) >= 2:
        order[-1], order[-2] = order[-2], order[-1]
    strides = [0] * len(shape)
    step = 1
    for dim in reversed(order):
        strides[dim] = step
        step *= max(shape[dim], 1)
    return tuple(strides)


def element_count(shape: Sequence[int], strides: Sequence[int]) -> int:
    """Elements from the first to the last that a shape with strides touches."""
    if prod(shape) == 0:
        return 0
    return 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True) if s > 0)


class Bits:
    """Which bytes have been written, and how often they were all forgotten again."""

    __slots__ = ("base", "epoch", "top", "written")

    def __init__(self, size: int, base: int = 0):
        self.written: Array = np.zeros(size, dtype=np.bool_)
        self.base = base
        """The address of the first byte."""
        self.epoch = 1
        self.top = 0
        """Where the highest byte that was written ends: host memory is large, and hardly touched."""

    def forget(self) -> None:
        self.written[: self.top] = False
        self.top = 0
        self.epoch += 1


class LocalMemory:
    """The bytes of one memory of a core."""

    def __init__(self, loc: TileLoc, size: int | None, poisoned: bool = True):
        self.loc = loc
        self.limit = size
        self.size = HOST_BYTES if size is None else size
        if poisoned:
            self.data = np.full(self.size, POISON, dtype=np.uint8)
        else:
            # Zeros on demand: untouched pages are never made.
            self.data = np.zeros(self.size, dtype=np.uint8)
        self.address = address_of(self.data)
        self.poisoned = poisoned
        self.bits = Bits(self.size)
        self.writers: dict[Region, Operation] = {}
        """Who last wrote each region, the latest at the end."""

    def forget(self) -> None:
        """Make every byte uninitialised again."""
        if self.poisoned:
            self.data[:] = POISON
        self.bits.forget()
        self.writers.clear()
