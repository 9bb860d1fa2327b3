"""State of `insert-sync`: the accesses so far, and the times since which each pipe knows that they are done.

All pipes run at the same time. What pipe `p` did is done for pipe `q` only after a flag from `p` to `q`,
directly or through others; and for `p` itself, where it begins an instruction before the one before it is
done (D26), only after a barrier, or a flag that comes back.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Mapping
from copy import copy

from ptoas.analysis.clocks import PIPES
from ptoas.analysis.order import Accesses, StaticAccess, in_program_order

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
        """Return the time from which on a flag that `pipe` sets orders the access."""
        return self.time if pipe == self.pipe else self.known[pipe]

    def is_news_to(self, pipe: int) -> bool:
        """Return True if `pipe` does not know it, or would not without some flag."""
        return self.without[pipe] != 0 or self.known[pipe] == NEVER

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
    """Accesses so far, by place, and the pipes that know that they are done.

    States share the accesses of a place until one of them changes it: a program has many loops, and a loop
    is at few places.
    """

    def __init__(self, accesses: Accesses):
        self.accesses = accesses
        self.records: dict[int, Mapping[StaticAccess, PipeRecord]] = {}
        self._own: dict[int, dict[StaticAccess, PipeRecord]] = {}
        """The places that no other state shares."""
        self._index: _Index | None = None
        # Nothing is asked of pipes that do nothing.
        self._nobody: Times = tuple([ALL if pipe in accesses.pipes else 0 for pipe in PIPES])

    def _with(self, records: dict[int, Mapping[StaticAccess, PipeRecord]], index: _Index | None) -> State:
        state = copy(self)
        state.records, state._own, state._index = records, {}, index
        return state

    def empty(self) -> State:
        """A state in which nothing was accessed."""
        return self._with({}, None)

    def copy(self) -> State:
        self._own = {}
        return self._with(self.records.copy(), self._index and self._index.copy())

    def _at(self, place: int) -> dict[StaticAccess, PipeRecord]:
        """The accesses of a place, to be changed."""
        here = self._own.get(place)
        if here is None:
            here = self._own[place] = dict(self.records.get(place, ()))
            self.records[place] = here
        return here

    def _put(self, touch: StaticAccess, record: PipeRecord) -> None:
        """Keep what is known of an access; forget it if every pipe knows it, whichever flag is left out."""
        here = self._at(touch.at)
        if any(record.without):
            here[touch] = record
        else:
            del here[touch]

    def conflicts(self, touch: StaticAccess) -> list[tuple[StaticAccess, PipeRecord]]:
        """Accesses that must be done before this one and of which its pipe does not certainly know it."""
        lane, target = touch.lane, self.accesses.machine
        return [
            each
            for each in self.accesses.conflicting(touch, self.records)
            if each[1].without[lane] and not in_program_order(target, each[0], touch)
        ]

    def add(self, touch: StaticAccess, time: int) -> None:
        """Record a new access, which subsumes the earlier ones here that its pipe comes after."""
        here, lane = self._at(touch.at), touch.lane
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
        for touch, record in self._released_by((source, destination), set_at, now):
            own = source == record.pipe
            if (record.time if own else record.known[source]) > set_at:
                continue
            unsure = record.without[destination]
            if not unsure and record.known[destination] <= now:
                continue
            unsure &= mark if own else mark | record.without[source]
            updated = record.learned(destination, now, unsure)
            self._put(touch, updated)
            if self._index is not None:
                self._index.learned(touch, updated, destination)

    def acquire(self, touch: StaticAccess, pipe: int, now: int) -> None:
        """`pipe` knows that an access is done."""
        record = self.records.get(touch.at, {}).get(touch)
        if record is not None and record.known[pipe] > now:
            updated = self._at(touch.at)[touch] = record.learned(pipe, now)
            if self._index is not None:
                self._index.learned(touch, updated, pipe)

    def _released_by(
        self, pipes: tuple[int, int], set_at: int, now: int
    ) -> list[tuple[StaticAccess, PipeRecord]]:
        """The accesses that a flag may tell of; where few places are busy, all of them."""
        if len(self.records) <= MANY_PLACES:
            return [each for here in self.records.values() if here for each in here.items()]
        self._index = self._index or _Index.of(self)
        return self._index.released(pipes, set_at, now, self.records)

    def barrier_all(self) -> None:
        """Order every pipe after all accesses."""
        self.records, self._own, self._index = {}, {}, None

    def just_now(self, now: int, in_order: bool) -> tuple[State, int]:
        """The same as if all had happened at one time, or in its order from then on; also return the last
        time."""
        records = [record for here in self.records.values() for record in here.values()]
        times = {since for record in records for since in (*record.known, record.time)} - {NEVER}
        ranks = {time: now + rank * in_order for rank, time in enumerate(sorted(times))} | {NEVER: NEVER}
        state = self.empty()
        for place, here in self.records.items():
            state.records[place] = {touch: record.at(ranks) for touch, record in here.items()}
        return state, now + len(times) * in_order

    def renamed(self, names: Mapping[StaticAccess, StaticAccess]) -> State:
        state = self.copy()
        state._index = None
        for place in {touch.at for touch in names} & self.records.keys():
            there: dict[StaticAccess, PipeRecord] = {}
            for touch, record in self.records[place].items():
                name = names.get(touch, touch)
                there[name] = there[name].joined(record) if name in there else record
            state.records[place] = there
        return state

    def join(self, other: State) -> State:
        """The join of two states: what holds on both paths.

        Of many accesses of a place, the later of two of a kind stands for both, or a row of branches would
        leave behind one more access each.
        """
        merged = self.copy()
        for place, there in other.records.items():
            if merged.records.get(place) is there:
                continue
            here = merged._at(place)
            for touch, record in there.items():
                like = touch
                if touch not in here and len(here) >= MOST_APART:
                    like = next((each for each in reversed(here) if each.kind == touch.kind), touch)
                known = here.pop(like, None)
                latest = touch if known is None or record.time >= known.time else like
                here[latest] = record if known is None else known.joined(record)
                if merged._index is not None:
                    merged._index.add(latest, here[latest])
        return merged


_Times = list[tuple[int, StaticAccess]]
"""Accesses, each after a time, in the order of times; some are out of date."""


def _time(each: tuple[int, StaticAccess]) -> int:
    return each[0]


class _Index:
    """The accesses by time: of thousands of places that are busy, a flag orders a few."""

    def __init__(self, news: dict[tuple[int, int], _Times], known: dict[int, _Times]):
        self._news = news
        """By two pipes, those that the first can tell the second of, by the time since which it can."""
        self._known = known
        """Those that each pipe knows of, by the time since which it does."""

    @staticmethod
    def of(state: State) -> _Index:
        # A handshake may go through a pipe that accesses nothing.
        lanes = range(len(PIPES))
        index = _Index({(a, b): [] for a in lanes for b in lanes}, {lane: [] for lane in lanes})
        found = [each for here in state.records.values() for each in here.items()]
        for touch, record in sorted(found, key=lambda each: each[1].time):
            index.add(touch, record)
        return index

    def copy(self) -> _Index:
        news = {pipes: each.copy() for pipes, each in self._news.items()}
        return _Index(news, {lane: each.copy() for lane, each in self._known.items()})

    def add(self, touch: StaticAccess, record: PipeRecord) -> None:
        self._tell(touch, record, record.pipe)
        for lane in self._known:
            self.learned(touch, record, lane)

    def learned(self, touch: StaticAccess, record: PipeRecord, lane: int) -> None:
        if record.known[lane] == NEVER:
            return
        insort(self._known[lane], (record.known[lane], touch), key=_time)
        if lane != record.pipe:
            self._tell(touch, record, lane)

    def _tell(self, touch: StaticAccess, record: PipeRecord, source: int) -> None:
        """Note that a pipe can tell others of an access; itself, by a barrier, of its own alone."""
        since = record.comes_before(source)
        for destination in self._known:
            if record.is_news_to(destination) and (source != destination or source == record.pipe):
                insort(self._news[source, destination], (since, touch), key=_time)

    def released(
        self,
        pipes: tuple[int, int],
        set_at: int,
        now: int,
        records: Mapping[int, Mapping[StaticAccess, PipeRecord]],
    ) -> list[tuple[StaticAccess, PipeRecord]]:
        """The accesses of which one pipe can tell another that does not know them, and those that the other
        knows of since later than `now`."""
        source, destination = pipes
        news, known = self._news[pipes], self._known[destination]
        end, first = bisect_right(news, set_at, key=_time), bisect_right(known, now, key=_time)
        found: dict[StaticAccess, PipeRecord] = {}
        for since, touch in news[:end]:
            record = records.get(touch.at, {}).get(touch)
            if record is None or record.comes_before(source) != since:
                continue
            if record.is_news_to(destination):
                found[touch] = record
        news[:end] = [(record.comes_before(source), touch) for touch, record in found.items()]
        for since, touch in known[first:]:
            record = records.get(touch.at, {}).get(touch)
            if record is not None and record.known[destination] == since:
                found[touch] = record
        return list(found.items())
