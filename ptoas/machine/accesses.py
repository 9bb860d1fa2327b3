"""Compressed log of the accesses of actors to shared memory.

A loop that walks over memory in equal steps is kept as one walk. `AccessLog.records` turns what was kept
into pieces of memory, for `conflicts.py` to compare.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation

from ptoas.analysis.clocks import NEVER, Known
from ptoas.diagnostics import Span
from ptoas.dialects.pto.remote import SignalOp
from ptoas.grammar.spans import span_of
from ptoas.machine.actors import Actor
from ptoas.machine.arrays import Array, np
from ptoas.machine.machine import label

MOST_PIECES = 1 << 16
"""Pieces of indexed accesses that are kept before those that touch each other are joined."""


@dataclass(frozen=True, eq=False)
class AccessSite:
    """Static data of one operand of a statement."""

    op: Operation
    name: str
    pipe: int
    write: bool
    scalar: bool = False
    atomic: Hashable = None
    """The atomic operation; the order of accesses of one kind does not matter."""
    cached: bool = False
    """True if it stores through the scalar data cache."""


@dataclass(frozen=True)
class StridedShape:
    """The bytes of a window from its first: extents, and strides in bytes."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @staticmethod
    def of(array: Array) -> StridedShape:
        return StridedShape((*array.shape, array.itemsize), (*array.strides, 1))


@dataclass(frozen=True, eq=False)
class AccessRecord:
    """Accesses of one actor by one statement, in words that mean the same in every process."""

    actor: int
    pipe: int
    time: int
    """Time of the last of them."""
    known: Known
    """The actor's knowledge of the others."""
    memory: int
    pieces: Array
    """First byte and end of each piece, from the beginning of the memory, in order and apart from each
    other.
    """
    write: bool
    scalar: bool
    atomic: Hashable
    name: str
    what: str
    """`tstore at line 9`."""
    span: Span
    signal: bool = False
    """True if it notifies or awaits a signal."""
    cached: bool = False
    """True if it stores through the scalar data cache."""
    signal_op: tuple[str, Span] | None = None
    """A notification that followed before the writes were visible, if there was one."""

    def before(self, other: AccessRecord) -> bool:
        return self.time <= other.known.get(self.actor, NEVER)[self.pipe]


class Series:
    """Accesses of one actor through one operand, while its order to other actors is the same."""

    __slots__ = ("access", "actor", "count", "epoch", "first", "indexed", "kept", "known", "last", "memory",
                 "signal_op", "step", "time", "walks")  # fmt: skip

    def __init__(self, access: AccessSite, memory: int, actor: Actor):
        clocks = actor.clocks
        self.access, self.memory, self.actor = access, memory, actor
        self.epoch = clocks.epoch
        self.known = clocks.others[access.pipe]
        self.time = 0
        self.signal_op: Operation | None = None
        """The first notification that was sent before a fence had made these writes visible."""
        self.first: int = 0
        self.last: int = 0
        self.step: int = 0
        self.count: int = 0
        self.walks: dict[tuple[int, int, int], None] = {}
        """First byte, distance and number of windows that follow each other at equal distances."""
        self.indexed: list[Array] = []
        self.kept = 0

    def add(self, start: int) -> None:
        """One window more."""
        step = start - self.last
        if self.count > 1 and step == self.step:
            self.last = start
            self.count += 1
        elif self.count == 1:
            if step:
                self.last, self.step, self.count = start, step, 2
        else:
            self._close()
            self.first = self.last = start
            self.count = 1

    def _close(self) -> None:
        if self.count:
            self.walks[self.first, self.step if self.count > 1 else 0, self.count] = None

    def add_indexed(self, pieces: Array) -> None:
        self.indexed.append(pieces)
        self.kept += len(pieces)
        if self.kept > MOST_PIECES:
            self.indexed = [united(np.concatenate(self.indexed))]
            self.kept = len(self.indexed[0]) // 2

    def pieces(self, form: StridedShape) -> Array:
        self._close()
        found = [
            pieces_of(first, (count, *form.shape), (step, *form.strides)) for first, step, count in self.walks
        ]
        return united(np.concatenate([*found, *self.indexed]))


class AccessLog:
    """The accesses of the actors that ran on one machine, one after the other."""

    def __init__(self) -> None:
        self._series: dict[tuple[AccessSite, int, StridedShape, int, int], Series] = {}

    def clear(self) -> None:
        self._series.clear()

    def series(self, access: AccessSite, memory: int, form: StridedShape, actor: Actor) -> Series:
        """The list to which accesses of this actor are appended now."""
        key = (access, memory, form, actor.clocks.actor, actor.clocks.epoch)
        found = self._series.get(key)
        if found is None:
            found = self._series[key] = Series(access, memory, actor)
        return found

    def since(self, epoch: int, actor: Actor) -> Iterator[Series]:
        """The accesses of an actor since an epoch, the latest first."""
        for series in reversed(self._series.values()):
            if series.actor is not actor or series.epoch < epoch:
                return
            yield series

    def records(self) -> list[AccessRecord]:
        found: list[AccessRecord] = []
        for (access, memory, form, actor, _), series in self._series.items():
            pieces = series.pieces(form)
            if len(pieces):
                found.append(
                    AccessRecord(
                        actor,
                        access.pipe,
                        series.time,
                        series.known,
                        memory,
                        pieces,
                        access.write,
                        access.scalar,
                        access.atomic,
                        access.name,
                        label(access.op),
                        span_of(access.op),
                        isinstance(access.op, SignalOp),
                        access.cached,
                        None
                        if series.signal_op is None
                        else (label(series.signal_op), span_of(series.signal_op)),
                    )
                )
        return found


def pieces_of(start: int, shape: Sequence[int], strides: Sequence[int]) -> Array:
    """The bytes of a strided window as pieces without gaps: first byte and end of each."""
    if 0 in shape:
        return np.empty((0, 2), np.int64)
    start += sum((n - 1) * s for n, s in zip(shape, strides, strict=True) if s < 0)
    rest = sorted((abs(s), n) for s, n in zip(strides, shape, strict=True) if n > 1 and s)
    length = 1
    while rest and rest[0][0] <= length:
        step, count = rest.pop(0)
        length += (count - 1) * step
    starts = np.array([start], np.int64)
    for step, count in reversed(rest):
        starts = (starts[:, None] + np.arange(count, dtype=np.int64) * step).reshape(-1)
    return np.stack([starts, starts + length], axis=1)


def pieces_at(starts: Array, size: int) -> Array:
    """Elements of `size` bytes at these places, as pieces."""
    starts = np.unique(starts)
    return united(np.stack([starts, starts + size], axis=1))


def united(pieces: Array) -> Array:
    """The same bytes, in order, as few pieces as possible."""
    if len(pieces) < 2:
        return pieces
    pieces = pieces[np.argsort(pieces[:, 0], kind="stable")]
    ends = np.maximum.accumulate(pieces[:, 1])
    begins = np.concatenate([[True], pieces[1:, 0] > ends[:-1]])
    last = np.concatenate([begins[1:], [True]])
    return np.stack([pieces[begins, 0], ends[last]], axis=1)
