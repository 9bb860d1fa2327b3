"""State of `insert-sync`: the accesses so far, and the times since which each pipe knows that they are done.

All pipes run at the same time. What pipe `p` did is done for pipe `q` only after a flag from `p` to `q`,
directly or through others; and for `p` itself, where it begins an instruction before the one before it is
done (D26), only after a barrier, or a flag that comes back.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy

from ptoas.analysis.clocks import NUMBER, PIPES
from ptoas.analysis.order import Accesses, StaticAccess

NEVER = 1 << 60
ALL = -1
"""All marks: as a set of bits it has every one."""

MOST_APART = 8
"""Number of accesses of a place that are kept separate; joining them may cost an extra pair."""

MANY_PLACES = 64
"""Up to so many busy places, looking at all of them is quicker than keeping a list."""

Times = tuple[int, ...]
"""A number for each pipe."""

NOBODY: Times = (NEVER,) * len(PIPES)
"""Knowledge of an access that no pipe knows to be done."""


class PipeRecord:
    """The last time pipe `pipe` was given an access; `known[q]`: the time since which `q` knows that it
    is done.

    `without[q]` is a set of marks: of the flags without any one of which `q` would not know it. Of what a
    pipe does not know, that is all of them; pipes that do nothing have none. A record is never changed:
    states of several paths share it.
    """

    __slots__ = ("known", "pipe", "time", "without")

    def __init__(self, pipe: int, time: int, known: Times, without: Times):
        self.pipe = pipe
        self.time = time
        self.known = known
        self.without = without

    def at(self, times: Mapping[int, int]) -> PipeRecord:
        """The same access, done and known at other times."""
        known = tuple([times[since] for since in self.known])
        return PipeRecord(self.pipe, times[self.time], known, self.without)

    def comes_before(self, pipe: int) -> int:
        """Since when a flag that `pipe` raises tells of the access: its own, from when it was given it."""
        return self.time if pipe == self.pipe else self.known[pipe]

    def learned(self, pipe: int, now: int, without: int = 0) -> PipeRecord:
        """Return the record with `pipe` knowing it, too, as of `now`, by flags with these marks."""
        known, marks, behind = self.known, self.without, pipe + 1
        if known[pipe] > now:
            known = (*known[:pipe], now, *known[behind:])
        if marks[pipe] != without:
            marks = (*marks[:pipe], without, *marks[behind:])
        return PipeRecord(self.pipe, self.time, known, marks)

    def joined(self, other: PipeRecord) -> PipeRecord:
        """The join of two records: what holds on both paths."""
        if self is other:
            return self
        known = tuple([a if a > b else b for a, b in zip(self.known, other.known, strict=True)])
        without = tuple([a | b for a, b in zip(self.without, other.without, strict=True)])
        return PipeRecord(self.pipe, max(self.time, other.time), known, without)


class State:
    """Accesses so far, by place, and the pipes that know that they are done."""

    def __init__(self, accesses: Accesses):
        self.accesses = accesses
        self.records: dict[int, dict[StaticAccess, PipeRecord]] = {}
        self._index: _Index | None = None
        # Nothing is asked of pipes that do nothing.
        self._nobody: Times = tuple([ALL if pipe in accesses.pipes else 0 for pipe in PIPES])

    def _with(self, records: dict[int, dict[StaticAccess, PipeRecord]]) -> State:
        state = copy(self)
        state.records, state._index = records, None
        return state

    def empty(self) -> State:
        """A state in which nothing was accessed."""
        return self._with({})

    def copy(self) -> State:
        return self._with({place: here.copy() for place, here in self.records.items() if here})

    def conflicts(self, touch: StaticAccess) -> list[tuple[StaticAccess, PipeRecord]]:
        """Accesses that must be done before this one and of which its pipe does not certainly know it."""
        lane, keeps_order = touch.lane, self.accesses.keeps_order
        return [
            each
            for each in self.accesses.conflicting(touch, self.records)
            if each[1].without[lane] and not keeps_order(each[0], touch)
        ]

    def add(self, touch: StaticAccess, time: int) -> None:
        """Record a new access, which subsumes the earlier ones here that its pipe comes after."""
        here = self.records.setdefault(touch.at, {})
        lane = touch.lane
        for other, record in list(here.items()) if here else ():
            if record.comes_before(lane) != NEVER and self.accesses.subsumes(touch, other):
                del here[other]
        record = PipeRecord(lane, time, NOBODY, self._nobody)
        here[touch] = record if self.accesses.overlaps(touch.pipe) else record.learned(lane, time)
        if self._index is not None:
            self._index.add(touch, here[touch])

    def signal(self, source: int, destination: int, set_at: int, now: int, mark: int = 0) -> None:
        """`destination` waits for what `source` knew to be done at time `set_at`; of one pipe, a barrier.

        An access of which every pipe knows, whichever flag is left out, is forgotten. `mark` is for those who
        ask which flags are relied on; a flag that is there in any case has none.
        """
        for touch, record in self._released_by(destination, set_at, now):
            own = source == record.pipe
            if (record.time if own else record.known[source]) > set_at:
                continue
            unsure = record.without[destination]
            if not unsure and record.known[destination] <= now:
                continue
            unsure &= mark if own else mark | record.without[source]
            self._put(touch, record.learned(destination, now, unsure))
        if self._index is not None:
            self._index.learned(destination, now)

    def acquire(self, touch: StaticAccess, pipe: int, now: int) -> None:
        """`pipe` knows that an access is done."""
        record = self.records.get(touch.at, {}).get(touch)
        if record is not None and record.known[pipe] > now:
            self.records[touch.at][touch] = record.learned(pipe, now)
            self._index = None

    def _put(self, touch: StaticAccess, record: PipeRecord) -> None:
        if any(record.without):
            self.records[touch.at][touch] = record
        else:
            del self.records[touch.at][touch]

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

    def just_now(self, now: int, in_order: bool) -> tuple[State, int]:
        """The same as if all had happened at one time, or in its order from then on; also return the last
        time."""
        records = [record for here in self.records.values() for record in here.values()]
        times = {since for record in records for since in (*record.known, record.time)} - {NEVER}
        ranks = {time: now + rank * in_order for rank, time in enumerate(sorted(times))} | {NEVER: NEVER}
        retimed = {
            place: {touch: record.at(ranks) for touch, record in here.items()}
            for place, here in self.records.items()
        }
        return self._with(retimed), now + len(times) * in_order

    def renamed(self, names: Mapping[StaticAccess, StaticAccess]) -> State:
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
            if record.without[pipe]:
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
            record = records.get(touch.at, {}).get(touch)
            if record is not None and record.time == time and record.without[pipe]:
                found.append((touch, record))
            else:
                gone.append(touch)
        for touch in gone:
            del here[touch]
        return found
