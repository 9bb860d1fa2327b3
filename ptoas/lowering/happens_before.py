"""Which accesses are known to be done when a pipe goes on: the bookkeeping behind `insert-sync`.

Every pipe runs its own instructions in order, and all pipes run at the same time. What pipe `p` did is done
for pipe `q` only after a flag from `p` to `q`, directly or through others. `State` remembers, for each region
of memory, the last accesses of each pipe and since when every other pipe knows that they are done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.ir import Operation

from ptoas.dialects.pto.enums import Pipe
from ptoas.lowering.memory_map import Region

NEVER = 1 << 60
PIPES = tuple(pipe for pipe in Pipe if pipe is not Pipe.PIPE_ALL)
NUMBER = {pipe: number for number, pipe in enumerate(PIPES)}


class Record:
    """The last access of one kind by one pipe to one region; `known[q]`: since when `q` knows it is done."""

    __slots__ = ("known", "op", "pipe", "time", "write")

    def __init__(self, op: Operation, pipe: int, write: bool, time: int, known: list[int]):
        self.op = op
        self.pipe = pipe
        self.write = write
        self.time = time
        self.known = known

    def copy(self) -> Record:
        return Record(self.op, self.pipe, self.write, self.time, self.known.copy())

    def at(self, now: int) -> Record:
        """The same access, done and known as of `now`."""
        known = [NEVER if since == NEVER else now for since in self.known]
        return Record(self.op, self.pipe, self.write, now, known)

    def joined(self, other: Record) -> Record:
        """What holds whichever of two ways the program took."""
        later = self if self.time >= other.time else other
        known = [max(a, b) for a, b in zip(self.known, other.known, strict=True)]
        return Record(later.op, self.pipe, self.write, later.time, known)


class Regions:
    """Regions by number, and which of them overlap, found once."""

    def __init__(self) -> None:
        self.pipes: set[int] = set()
        """The pipes that access any of them."""
        self.all: list[Region] = []
        self._numbers: dict[Region, int] = {}
        self._overlapping: list[list[int]] = []

    def number(self, region: Region) -> int:
        known = self._numbers.get(region)
        if known is not None:
            return known
        number = len(self.all)
        self.all.append(region)
        self._numbers[region] = number
        self._overlapping.append([number])
        for other_number, other in enumerate(self.all[:-1]):
            if region.overlaps(other):
                self._overlapping[number].append(other_number)
                self._overlapping[other_number].append(number)
        return number

    def overlapping(self, number: int) -> list[int]:
        return self._overlapping[number]


Key = tuple[int, bool, Operation]


class State:
    """What was accessed so far and who knows that it is done."""

    def __init__(self, regions: Regions, records: dict[int, dict[Key, Record]] | None = None):
        self.regions = regions
        self.records: dict[int, dict[Key, Record]] = {} if records is None else records

    def copy(self) -> State:
        copied = {
            number: {key: record.copy() for key, record in by_key.items()}
            for number, by_key in self.records.items()
        }
        return State(self.regions, copied)

    def conflicts(self, number: int, pipe: int, write: bool) -> Iterator[Record]:
        """Accesses that must be done before this one and of which `pipe` does not know it."""
        for other in self.regions.overlapping(number):
            for record in self.records.get(other, {}).values():
                if (write or record.write) and record.known[pipe] == NEVER:
                    yield record

    def add(self, number: int, record: Record) -> None:
        """A new access. It stands for those here that its pipe comes after: whoever must wait for them must
        wait for it too. A read stands for reads only."""
        here = self.records.setdefault(number, {})
        for key, old in list(here.items()):
            comes_after = old.known[record.pipe] != NEVER
            if comes_after and (record.write or not old.write):
                del here[key]
        here[record.pipe, record.write, record.op] = record

    def signal(self, source: int, destination: int, set_at: int, now: int) -> None:
        """`destination` waits for what `source` knew to be done at time `set_at`.

        An access of which every pipe knows is forgotten: nothing has to wait for it any more.
        """
        pipes = self.regions.pipes
        for by_key in self.records.values():
            done: list[Key] = []
            for key, record in by_key.items():
                known = record.known
                if known[source] <= set_at and known[destination] > now:
                    known[destination] = now
                    if all(known[pipe] != NEVER for pipe in pipes):
                        done.append(key)
            for key in done:
                del by_key[key]

    def barrier(self) -> None:
        """Every pipe waits for all."""
        self.records.clear()

    def at(self, now: int) -> State:
        """The same accesses and the same knowledge, all as of `now`."""
        retimed = {
            number: {key: record.at(now) for key, record in by_key.items()}
            for number, by_key in self.records.items()
        }
        return State(self.regions, retimed)

    def join(self, other: State) -> State:
        """What holds whichever of two ways the program took."""
        merged = self.copy()
        for number, by_key in other.records.items():
            mine = merged.records.setdefault(number, {})
            for key, record in by_key.items():
                known = mine.get(key)
                mine[key] = record.copy() if known is None else known.joined(record)
        return merged


def new_known(pipe: int, time: int) -> list[int]:
    known = [NEVER] * len(PIPES)
    known[pipe] = time
    return known


def latest(records: Iterable[Record]) -> Record:
    return max(records, key=lambda record: record.time)
