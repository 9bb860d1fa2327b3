"""Tiles at overlapping addresses: reads of bytes that another tile has overwritten (D47)."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from xdsl.ir import Operation

from ptoas.diagnostics import Note
from ptoas.grammar.spans import span_of
from ptoas.machine.arrays import Array, np
from ptoas.machine.machine import Machine, Step, label
from ptoas.machine.memory import LocalMemory
from ptoas.machine.tiles import Region, Tile, TileOrigin


class TrackedTile:
    """A tile and its views: the bytes that were written through them, and those that were lost since."""

    __slots__ = ("buffer", "lost", "writer", "written")

    def __init__(self, buffer: TrackedBuffer):
        self.buffer = buffer
        self.forget()

    def forget(self) -> None:
        """Make every byte unwritten: the tile is allocated again."""
        self.written: Array | None = None
        """Bytes that were written through the tile; `None`: none."""
        self.lost: Array | None = None
        """The bytes that another buffer has overwritten since; `None`: none."""
        self.writer: tuple[Operation, Tile] | None = None
        """The instruction that overwrote bytes last, and its tile."""

    def lose(self, part: slice, mask: Array, op: Operation, tile: Tile) -> None:
        """Record bytes that were overwritten through another buffer."""
        assert self.written is not None
        overwritten = self.written[part] & mask
        if overwritten.any():
            lost = self.lost = np.zeros_like(self.written) if self.lost is None else self.lost
            lost[part] |= overwritten
            self.writer = op, tile


@dataclass(eq=False)
class TrackedBuffer:
    """The bytes of all tiles with one address and size."""

    start: int
    end: int
    overlapping: list[TrackedBuffer] = field(default_factory=lambda: list[TrackedBuffer]())
    tiles: dict[Operation | None, TrackedTile] = field(default_factory=dict["Operation | None", TrackedTile])


class OverwriteTracker:
    """The tiles of one memory that the program has placed."""

    def __init__(self) -> None:
        self._buffers: dict[tuple[int, int], TrackedBuffer] = {}
        self._extents: list[tuple[int, int]] = []
        self._longest = 0
        self.dynamic = False
        """True if an address is only known while the program runs: any two tiles may overlap."""

    def find(self, origin: TileOrigin) -> TrackedTile:
        """The tile that was allocated there."""
        start, size, op = origin
        buffer = self._buffers.get((start, size))
        if buffer is None:
            buffer = self._buffers[start, size] = TrackedBuffer(start, start + size)
            for other in self._overlapping(buffer):
                other.overlapping.append(buffer)
                buffer.overlapping.append(other)
            insort(self._extents, (start, size))
            self._longest = max(self._longest, size)
        tile = buffer.tiles.get(op)
        if tile is None:
            tile = buffer.tiles[op] = TrackedTile(buffer)
        return tile

    def _overlapping(self, buffer: TrackedBuffer) -> Iterator[TrackedBuffer]:
        first = bisect_left(self._extents, (buffer.start - self._longest, 0))
        for start, size in self._extents[first:]:
            if start >= buffer.end:
                return
            if start + size > buffer.start:
                yield self._buffers[start, size]

    def forget(self) -> None:
        for buffer in self._buffers.values():
            for tile in buffer.tiles.values():
                tile.forget()


def tracker_of(memory: LocalMemory) -> OverwriteTracker:
    if memory.overwrites is None:
        memory.overwrites = OverwriteTracker()
    return memory.overwrites


class TrackedAccess:
    """The bytes of a region that an instruction reads or writes."""

    __slots__ = ("high", "low", "mask", "tile", "tracked")

    def __init__(self, region: Region):
        self.tile = region.tile
        self.tracked = tracker_of(region.memory).find(region.tile.origin)
        self.low, self.high = region.low, region.high
        self.mask = np.zeros(self.high - self.low, np.bool_)
        np.ndarray(region.view.shape, np.bool_, self.mask, 0, region.view.strides)[region.select] = True

    def _within(self, buffer: TrackedBuffer) -> tuple[slice, Array]:
        """The part of a buffer from the first byte to the last, and which bytes of it are meant."""
        start, end = max(self.low, buffer.start), min(self.high, buffer.end)
        end = max(start, end)
        return slice(start - buffer.start, end - buffer.start), self.mask[start - self.low : end - self.low]

    def count_lost(self) -> int:
        """The number of the bytes that another buffer has overwritten."""
        if self.tracked.lost is None:
            return 0
        part, mask = self._within(self.tracked.buffer)
        return int(np.count_nonzero(self.tracked.lost[part] & mask))

    def write(self, op: Operation) -> None:
        buffer = self.tracked.buffer
        part, mask = self._within(buffer)
        written = self.tracked.written
        if written is None:
            written = self.tracked.written = np.zeros(buffer.end - buffer.start, np.bool_)
        written[part] |= mask
        for tile in buffer.tiles.values():
            if tile.lost is not None:
                tile.lost[part] &= ~mask
        for other in buffer.overlapping:
            part, mask = self._within(other)
            for tile in other.tiles.values():
                if tile.written is not None:
                    tile.lose(part, mask, op, self.tile)


def tracked(op: Operation, m: Machine, step: Step) -> Callable[..., None]:
    """The step with its reads checked for overwritten bytes, where tiles overlap that the program placed."""
    run = step.run
    reads = _overlapping(step.reads)
    writes = _overlapping((*step.writes, *step.clobbers))
    if not reads and not writes:
        return run

    def checked(*scalars: Any) -> None:
        for read in reads:
            if read.tracked.lost is not None and (count := read.count_lost()):
                raise _overwritten(op, m, read, count)
        run(*scalars)
        for write in writes:
            write.write(op)

    return checked


def _overlapping(regions: Iterable[Region]) -> list[TrackedAccess]:
    """The regions of tiles that the program has placed and that another such tile may overlap."""
    placed = [TrackedAccess(region) for region in regions if region.bits is region.memory.bits]
    return [
        each for each in placed if each.tracked.buffer.overlapping or tracker_of(each.tile.memory).dynamic
    ]


def _overwritten(op: Operation, m: Machine, read: TrackedAccess, count: int) -> Exception:
    assert read.tracked.writer is not None
    writer, tile = read.tracked.writer
    return m.fail(
        "PTO-R111",
        f"{op.name.removeprefix('pto.')} reads {read.tile.describe()}, of which {count} bytes were "
        f"overwritten through {tile.describe()}",
        op,
        notes=(Note(f"overwritten by {label(writer)}", span_of(writer)),),
        fix=f"read %{read.tile.name} before that, or place %{tile.name} where they do not overlap",
    )
