"""The bytes of an operand."""

from __future__ import annotations

from ptoas.machine.arrays import Array
from ptoas.machine.memory import LocalMemory, LocalPointer, Pointer, RankGroup, View
from ptoas.machine.tiles import Tile


class TouchedBytes:
    """Bytes of an operand: their bounds as addresses, a name, and an array over exactly them."""

    __slots__ = ("form", "high", "low", "name", "source", "space")

    def __init__(self, source: Tile | View | Array, form: object, low: int, high: int, name: str):
        self.source = source
        self.space: LocalMemory | None = source.memory if isinstance(source, Tile) else None
        """The local memory, if it is one: what lies in two never meets."""
        self.form = form
        """Distinguishes two accesses with equal bounds."""
        self.low, self.high = low, high
        self.name = name

    @property
    def array(self) -> Array:
        """Made on demand: bounds alone often show that two accesses are disjoint."""
        source = self.source
        if isinstance(source, Tile):
            return source.touched
        return source.array if isinstance(source, View) else source

    @property
    def is_empty(self) -> bool:
        return self.low == self.high


def touched_by(value: object) -> tuple[TouchedBytes, ...]:
    """The bytes of a tile's valid region, or of a view."""
    match value:
        case Tile():
            return (tile_touched(value),)
        case View():
            return (view_touched(value),)
        case RankGroup():
            return tuple(part for member in value.members for part in touched_by(member))
        case _:
            return ()


def tile_touched(tile: Tile) -> TouchedBytes:
    low, high = tile.memory.address, tile.memory.address
    if 0 not in tile.valid:
        low, high = low + tile.address, high + tile.address + tile.size_bytes
    return TouchedBytes(tile, tile, low, high, f"%{tile.name}")


def view_touched(view: View) -> TouchedBytes:
    form = view.form
    low = form.first_byte + view.offset * form.dtype.size
    return TouchedBytes(view, form, low, low + form.length, f"%{form.buffer.name}")


def element_touched(holder: Pointer | LocalPointer | Tile, offset: int) -> TouchedBytes:
    """One element at a pointer, or of a tile."""
    if isinstance(holder, LocalPointer):
        return element_touched(holder.tile, holder.offset + offset)
    if isinstance(holder, Tile):
        low = holder.memory.address + holder.address + offset * holder.dtype.size
        element = holder.flat[offset : offset + 1]
        touched = TouchedBytes(element, None, low, low + holder.dtype.size, f"%{holder.name}")
        touched.space = holder.memory
        return touched
    at = holder.offset + offset
    buffer = holder.buffer
    low = buffer.address + at * buffer.dtype.size
    return TouchedBytes(buffer.raw[at : at + 1], None, low, low + buffer.dtype.size, f"%{buffer.name}")
