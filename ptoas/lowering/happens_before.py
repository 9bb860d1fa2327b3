"""Happens-before state of `insert-sync`: accesses that are known to be complete when a pipe continues.

All pipes run at the same time. What pipe `p` did is done for pipe `q` only after a flag from `p` to `q`,
directly or through others; and for `p` itself, where it begins an instruction before the one before it is
done (D26), only after a barrier, or a flag that comes back. `State` remembers, for each place, the last
accesses of each pipe and since when every pipe knows that they are done.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import cast

from ptoas.analysis.clocks import NUMBER, PIPES
from ptoas.analysis.order import Accesses, StaticAccess

NEVER = 1 << 60
ALL = -1
"""All marks: as a set of bits it has every one."""

MOST_APART = 8
"""Number of accesses of a place that are kept separate; joining them may cost an extra pair."""

MANY_PLACES = 64
"""Up to so many busy places, looking at all of them is quicker than keeping a list."""

NOBODY = (NEVER,) * len(PIPES)
"""Knowledge of an access that no pipe knows to be done."""


Times = tuple[int, ...]
"""A time for each pipe."""


class PipeRecord:
    """The last time pipe `pipe` was given an access; `known[q]`: the time since which `q` knows that it
    is done.

    `unknown` has a bit for each pipe that does not know it, of those that do anything. A record is never
    changed: states of several paths share it.
    """

    __slots__ = ("known", "pipe", "time", "unknown")

    def __init__(self, pipe: int, time: int, known: Times, unknown: int):
        self.pipe = pipe
        self.time = time
        self.known = known
        self.unknown = unknown

    def at(self, times: Mapping[int, int]) -> PipeRecord:
        """The same access, done and known at other times."""
        known = tuple([times[since] for since in self.known])
        return PipeRecord(self.pipe, times[self.time], known, self.unknown)

    def comes_before(self, pipe: int) -> int:
        """Since when a flag that `pipe` raises tells of the access: its own, from when it was given it."""
        return self.time if pipe == self.pipe else self.known[pipe]

    def acquire(self, pipe: int, now: int) -> PipeRecord:
        """Return the record with `pipe` knowing it, too, as of `now`."""
        known = self.known
        return PipeRecord(
            self.pipe, self.time, (*known[:pipe], now, *known[pipe + 1 :]), self.unknown & ~(1 << pipe)
        )

    def is_unsure(self, pipe: int) -> int:
        """Return a non-zero mask if the pipe does not know that the access is done."""
        return self.unknown & 1 << pipe

    def is_equal(self, other: PipeRecord) -> bool:
        return self is other or (self.time, self.known) == (other.time, other.known)

    def joined(self, other: PipeRecord) -> PipeRecord:
        """The join of two records: what holds on both paths."""
        if self is other:
            return self
        known = _latest(self.known, other.known)
        return PipeRecord(self.pipe, max(self.time, other.time), known, self.unknown | other.unknown)


def _latest(known: Times, other: Times) -> Times:
    return tuple([a if a > b else b for a, b in zip(known, other, strict=True)])


class Marked(PipeRecord):
    """A record that minds by which flags it is known.

    `without[q]` is a set of marks: of the flags without any one of which `q` would not know it. Of what a
    pipe does not know, that is all of them.
    """

    __slots__ = ("without",)

    def __init__(self, pipe: int, time: int, known: Times, unknown: int, without: Times):
        self.pipe = pipe
        self.time = time
        self.known = known
        self.unknown = unknown
        self.without = without

    def at(self, times: Mapping[int, int]) -> Marked:
        known = tuple([times[since] for since in self.known])
        return Marked(self.pipe, times[self.time], known, self.unknown, self.without)

    def depends_on(self, pipe: int, now: int, without: int) -> Marked:
        """`pipe` knows it, too, as of `now`, by these flags."""
        known, marks, behind = self.known, self.without, pipe + 1
        if known[pipe] > now:
            known = (*known[:pipe], now, *known[behind:])
        marks = (*marks[:pipe], without, *marks[behind:])
        return Marked(self.pipe, self.time, known, self.unknown & ~(1 << pipe), marks)

    def is_unsure(self, pipe: int) -> int:
        return self.without[pipe]

    def joined(self, other: PipeRecord) -> PipeRecord:
        if self is other:
            return self
        assert isinstance(other, Marked)
        known = _latest(self.known, other.known)
        without = tuple([a | b for a, b in zip(self.without, other.without, strict=True)])
        return Marked(self.pipe, max(self.time, other.time), known, self.unknown | other.unknown, without)


class State:
    """Accesses so far, by place, and the pipes that know that they are done."""

    def __init__(self, accesses: Accesses):
        self.accesses = accesses
        self.records: dict[int, dict[StaticAccess, PipeRecord]] = {}
        self._index: _Index | None = None
        # Nothing is asked of pipes that do nothing.
        self._all = sum(1 << number for number, pipe in enumerate(PIPES) if pipe in accesses.pipes)

    def empty(self) -> State:
        """One of the same kind in which nothing was accessed."""
        return self._with({})

    def copy(self) -> State:
        return self._with({place: here.copy() for place, here in self.records.items() if here})

    def _with(self, records: dict[int, dict[StaticAccess, PipeRecord]]) -> State:
        state = self.__class__.__new__(self.__class__)
        state.accesses, state.records, state._index = self.accesses, records, None
        state._all = self._all
        return state

    def is_equal(self, other: State) -> bool:
        """Return True if both states have the same knowledge."""
        mine = {touch: record for here in self.records.values() for touch, record in here.items()}
        theirs = {touch: record for here in other.records.values() for touch, record in here.items()}
        return mine.keys() == theirs.keys() and all(mine[t].is_equal(theirs[t]) for t in mine)

    def conflicts(self, touch: StaticAccess) -> list[tuple[StaticAccess, PipeRecord]]:
        """Accesses that must be done before this one and of which its pipe does not know it."""
        lane = 1 << touch.lane
        keeps_order = self.accesses.keeps_order
        return [
            each
            for each in self.accesses.conflicting(touch, self.records)
            if each[1].unknown & lane and not keeps_order(each[0], touch)
        ]

    def add(self, touch: StaticAccess, time: int) -> None:
        """Record a new access, which subsumes the earlier ones here that its pipe comes after."""
        here = self.records.get(touch.at)
        if here is None:
            here = self.records[touch.at] = {}
        lane = touch.lane
        for other, record in list(here.items()) if here else ():
            if record.comes_before(lane) != NEVER and self.accesses.subsumes(touch, other):
                del here[other]
        here[touch] = self._first(lane, time, self.accesses.overlaps(touch.pipe))
        if self._index is not None:
            self._index.add(touch, here[touch])

    def _first(self, lane: int, time: int, overlaps: bool) -> PipeRecord:
        """The knowledge of an access that has just started."""
        record = PipeRecord(lane, time, NOBODY, self._all)
        return record if overlaps else record.acquire(lane, time)

    def signal(self, source: int, destination: int, set_at: int, now: int, mark: int = 0) -> None:
        """`destination` waits for what `source` knew to be done at time `set_at`; of one pipe, a barrier.

        An access of which every pipe knows is forgotten: nothing has to wait for it any more. `mark` is for
        those who ask which flags are relied on.
        """
        records = self.records
        for touch, record in self._released_by(destination, set_at, now):
            known = record.known
            if (record.time if source == record.pipe else known[source]) > set_at:
                continue
            if known[destination] <= now:
                continue
            updated = record.acquire(destination, now)
            if updated.unknown:
                records[touch.at][touch] = updated
            else:
                del records[touch.at][touch]
        if self._index is not None:
            self._index.learned(destination, now)

    def acquire(self, touch: StaticAccess, pipe: int, now: int) -> None:
        """`pipe` knows that an access is done."""
        here = self.records.get(touch.at, {})
        record = here.get(touch)
        if record is not None and record.known[pipe] > now:
            here[touch] = record.acquire(pipe, now)
            self._index = None

    def _released_by(self, destination: int, set_at: int, now: int) -> list[tuple[StaticAccess, PipeRecord]]:
        """The accesses that a flag may tell of; where few places are busy, all of them."""
        if len(self.records) > MANY_PLACES:
            self._index = self._index or _Index(self)
            if self._index.covers(destination, now):
                return self._index.unknown(destination, set_at, self.records)
        return [each for here in self.records.values() if here for each in here.items()]

    def barrier_all(self) -> None:
        """Order every pipe after all accesses."""
        self.records.clear()
        self._index = None

    def at(self, times: Mapping[int, int]) -> State:
        """The same accesses and the same knowledge at other times."""
        retimed = {
            place: {touch: record.at(times) for touch, record in here.items()}
            for place, here in self.records.items()
        }
        return self._with(retimed)

    def times(self) -> set[int]:
        """All times at which anything was accessed or known."""
        records = [record for here in self.records.values() for record in here.values()]
        known = {since for record in records for since in record.known}
        return (known | {record.time for record in records}) - {NEVER}

    def renamed(self, names: Mapping[StaticAccess, StaticAccess]) -> State:
        """The same under other names; of two that get one name, what holds for both."""
        renamed: dict[int, dict[StaticAccess, PipeRecord]] = {}
        for place, here in self.records.items():
            there = renamed[place] = {}
            for touch, record in here.items():
                name = names.get(touch, touch)
                there[name] = there[name].joined(record) if name in there else record
        return self._with(renamed)

    def join(self, other: State) -> State:
        """The join of two states: what holds on both paths.

        Of many accesses of a place, the later of two of a kind stands for both, or a row of branches would
        leave behind one more access each.
        """
        merged = self.copy()
        for place, here in other.records.items():
            mine = merged.records.get(place)
            if not mine:
                merged.records[place] = here.copy()
                continue
            for touch, record in here.items():
                like = touch
                if touch not in mine and len(mine) >= MOST_APART:
                    like = next((each for each in reversed(mine) if each.kind == touch.kind), touch)
                known = mine.pop(like, None)
                latest = touch if known is None or record.time >= known.time else like
                mine[latest] = record if known is None else known.joined(record)
        return merged


@cache
def _all_of(pipes: int) -> Times:
    """All marks for each of some pipes."""
    return tuple([ALL if pipes & 1 << pipe else 0 for pipe in range(len(PIPES))])


class MarkedState(State):
    """The same, minding by which flags it is known."""

    def _first(self, lane: int, time: int, overlaps: bool) -> PipeRecord:
        record = Marked(lane, time, NOBODY, self._all, _all_of(self._all))
        return record if overlaps else record.depends_on(lane, time, 0)

    def relied_on(self, touch: StaticAccess) -> int:
        """The marks of the flags without any one of which this access would come too early; `ALL` where it
        does so in any case."""
        lane, marks = touch.lane, 0
        for other, record in self.accesses.conflicting(touch, self.records):
            without = cast(Marked, record).without[lane]
            if without and not self.accesses.keeps_order(other, touch):
                marks |= without
        return marks

    def signal(self, source: int, destination: int, set_at: int, now: int, mark: int = 0) -> None:
        """An access is forgotten of which every pipe knows, whichever flag is left out. A flag that is there
        in any case has no mark."""
        for touch, record in cast(
            "list[tuple[StaticAccess, Marked]]", self._released_by(destination, set_at, now)
        ):
            own = source == record.pipe
            if (record.time if own else record.known[source]) > set_at:
                continue
            unsure = record.without[destination]
            if not unsure and record.known[destination] <= now:
                continue
            updated = record.depends_on(
                destination, now, unsure & (mark if own else mark | record.without[source])
            )
            if any(updated.without):
                self.records[touch.at][touch] = updated
            else:
                del self.records[touch.at][touch]
        if self._index is not None:
            self._index.learned(destination, now)


class _Index:
    """The accesses that each pipe does not know of, or would not without some flag, in the order of time: of
    thousands of places that are busy, a flag tells of a few. It may hold more than is unknown, never less.
    """

    def __init__(self, state: State):
        self._unknown: dict[int, dict[StaticAccess, int]] = {
            NUMBER[pipe]: {} for pipe in state.accesses.pipes
        }
        self._latest = [-1] * len(PIPES)
        """The last time at which a pipe learned something."""
        found = [each for here in state.records.values() for each in here.items()]
        for touch, record in sorted(found, key=lambda each: each[1].time):
            self.add(touch, record)

    def add(self, touch: StaticAccess, record: PipeRecord) -> None:
        for pipe, unknown in self._unknown.items():
            unknown.pop(touch, None)  # what is met again is the latest
            if record.is_unsure(pipe):
                unknown[touch] = record.time
            if record.known[pipe] != NEVER:
                self.learned(pipe, record.known[pipe])

    def learned(self, pipe: int, now: int) -> None:
        self._latest[pipe] = max(self._latest[pipe], now)

    def covers(self, pipe: int, now: int) -> bool:
        """Return True if the index contains everything that the pipe can learn as of now."""
        return now >= self._latest[pipe]

    def unknown(
        self, pipe: int, set_at: int, records: Mapping[int, Mapping[StaticAccess, PipeRecord]]
    ) -> list[tuple[StaticAccess, PipeRecord]]:
        """The accesses up to a time that the pipe does not know; later ones are unknown to all."""
        here = self._unknown[pipe]
        found: list[tuple[StaticAccess, PipeRecord]] = []
        gone: list[StaticAccess] = []
        for touch, time in here.items():
            if time > set_at:
                break
            record = records[touch.at].get(touch)
            if record is not None and record.time == time and record.is_unsure(pipe):
                found.append((touch, record))
            else:
                gone.append(touch)
        for touch in gone:
            del here[touch]
        return found
