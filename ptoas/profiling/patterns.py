"""Accesses of a run to each argument: bytes, frequency, sizes of the pieces."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ptoas.dialects.pto.enums import Coalesce
from ptoas.dialects.pto.gather import IndexedMemoryOp
from ptoas.dialects.pto.slots import slot_places
from ptoas.machine.accesses import StridedShape, pieces_of
from ptoas.machine.arrays import Array, np
from ptoas.machine.machine import Step
from ptoas.machine.memory import GlobalBuffer, View
from ptoas.machine.tiles import Tile
from ptoas.profiling.work import BURST
from ptoas.runner.stats import LANES
from ptoas.targets import Target

MOST_BINS = 256
"""Stretches that an argument is shown in."""

MOST_LOOKS = 256
"""Maximum number of analysed executions of one gather."""

MOST_WINDOWS = 1 << 16
"""Maximum number of analysed windows of one argument."""


@dataclass
class Argument:
    """One argument in global memory: how often the bytes of each stretch were read and written."""

    name: str
    dtype: str
    bytes: int
    row: int
    """Bytes of a row, as the instructions see it; 0 where they do not agree."""
    reads: Array
    writes: Array
    accesses: list[str] = field(default_factory=list[str])
    """Descriptions of its accesses."""

    @property
    def step(self) -> float:
        """Bytes of a stretch."""
        return self.bytes / len(self.reads)

    def touched(self) -> float:
        """The share of it that was accessed, at the granularity of stretches."""
        return float(np.count_nonzero(self.reads + self.writes) / len(self.reads))

    def add(self, pieces: Array, write: bool, times: int = 1) -> None:
        """Pieces of bytes, first and end; what a stretch gets is the share of it that they cover."""
        counts = self.writes if write else self.reads
        edges = np.arange(len(counts) + 1) * self.step
        if not len(pieces):
            return
        # Bytes below each edge, for starts and for ends: the difference is what lies between.
        low, high = np.sort(pieces[:, 0]), np.sort(pieces[:, 1])
        below = _covered(high, edges) - _covered(low, edges)
        counts += -np.diff(below) / self.step * times


def _covered(starts: Array, edges: Array) -> Array:
    """The sum of max(0, start - edge) over all starts, for each edge."""
    sums = np.concatenate([[0.0], np.cumsum(starts[::-1], dtype=float)])[::-1]
    at = np.searchsorted(starts, edges)
    return sums[at] - (len(starts) - at) * edges


@dataclass
class Indices:
    """Statistics of the indices of one gather or scatter, over the recorded executions."""

    op: IndexedMemoryOp
    by_row: bool
    row_bytes: int
    capacity: int
    looks: int = 0
    count: int = 0
    outside: int = 0
    whole_rows: bool = True
    """Elem: every row of indices chooses a whole row of the table."""
    bursts: int = 0
    """Pieces of 128 bytes that warps of 32 lanes touch, in the order of the indices."""
    sorted_bursts: int = 0
    """The same if the indices were sorted."""

    def sample(self, idx: Array, size: int, width: int) -> None:
        self.looks += 1
        self.count += idx.size
        flat = idx.reshape(-1).astype(np.int64)
        self.outside += int(np.count_nonzero(flat >= self.capacity))
        if self.by_row or not flat.size:
            return
        rows = idx.astype(np.int64)
        starts = rows[:, 0]
        ascending = bool((np.diff(rows, axis=1) == 1).all()) and rows.shape[1] == width > 1
        self.whole_rows = self.whole_rows and ascending and bool((starts % width == 0).all())
        lines = np.minimum(flat, self.capacity) * size // BURST
        self.bursts += _distinct(lines)
        self.sorted_bursts += _distinct(np.sort(lines))


def _distinct(lines: Array) -> int:
    """The number of distinct values in each group of 32, summed over the groups."""
    padded = np.resize(lines, -(-lines.size // LANES) * LANES).reshape(-1, LANES)
    if lines.size % LANES:
        padded[-1, lines.size % LANES :] = lines[-1]
    ordered = np.sort(padded, axis=1)
    return int(np.count_nonzero(np.diff(ordered, axis=1)) + len(ordered))


class Patterns:
    """Accesses of a run to global memory."""

    def __init__(self, target: Target):
        self.target = target
        self.windows: dict[tuple[View | None, int, bool, str], int] = {}
        self.indices: dict[IndexedMemoryOp, Indices] = {}
        self._arguments: dict[str, Argument] = {}
        self._seen: dict[tuple[GlobalBuffer, Any, int, bool], list[Any]] = {}

    def window(self, view: View, offset: int, write: bool, times: int = 1) -> None:
        """A load or store of a window."""
        key = (view.buffer, view.form, offset, write)
        found = self._seen.get(key)
        if found is not None:
            found[1] += times
        elif len(self._seen) < MOST_WINDOWS:
            self._seen[key] = [view, times]

    def indexed(self, op: IndexedMemoryOp, values: list[object], step: Step) -> None:
        """Analyse the indices of an executed gather or scatter."""
        places = slot_places(op)
        table, idx, data = (values[places[slot].start] for slot in ("mem", "idx", op.DATA))
        assert isinstance(table, View) and isinstance(idx, Tile) and isinstance(data, Tile)
        found = self.indices.get(op)
        if found is None:
            mode = self.target.value(op, "coalesce")
            capacity = self.target.model(op).capacity(table.shape5, table.layout, mode) or table.buffer.size
            by_row = mode is Coalesce.Row
            found = Indices(op, by_row, data.valid[1] * data.dtype.size, capacity)
            self.indices[op] = found
        if found.looks >= MOST_LOOKS:
            return
        found.sample(idx.load_raw(), data.dtype.size, table.shape5[4])
        if step.places is not None:
            starts = step.places().reshape(-1) - table.buffer.address
            pieces = np.stack([starts, starts + data.dtype.size], axis=1)
            self.argument(table).add(pieces, write=op.DATA == "src")

    def argument(self, view: View) -> Argument:
        buffer: GlobalBuffer = view.buffer
        found = self._arguments.get(buffer.name)
        row = view.strides5[3] * view.dtype.size
        if found is None:
            size = max(1, buffer.size * buffer.dtype.size)
            bins = max(1, min(MOST_BINS, size // (row or size), size))
            if bins < 16:
                bins = min(MOST_BINS, size)
            found = Argument(buffer.name, buffer.dtype.short, size, row, np.zeros(bins), np.zeros(bins))
            self._arguments[buffer.name] = found
        elif found.row != row:
            found.row = 0
        return found

    def arguments(self) -> list[Argument]:
        """All arguments that were touched, the windows of loads and stores counted in."""
        for (_, _, offset, write), (view, times) in self._seen.items():
            size = view.dtype.size
            form = StridedShape((*view.shape5, size), (*(stride * size for stride in view.strides5), 1))
            self.argument(view).add(pieces_of(offset * size, form.shape, form.strides), write, times)
        self._seen.clear()
        return list(self._arguments.values())
