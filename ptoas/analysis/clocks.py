"""Vector clocks over (actor, pipe): what each pipe of an actor knows of every other pipe.

Inside an actor flags, barriers and handshakes carry what one pipe knows to another. Between actors whoever
releases a key leaves there what it knows, and whoever acquires the key learns it. An access at time t of a
pipe is ordered before all that is done where that pipe is known up to t.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Protocol, TypeAlias

from ptoas.dialects.pto.enums import WORKING_PIPES, Pipe

PIPES = WORKING_PIPES
NUMBER = {pipe: n for n, pipe in enumerate(PIPES)}

Times: TypeAlias = tuple[int, ...]
"""Known progress of each pipe of one actor."""

Known: TypeAlias = Mapping[int, Times]
"""Known progress of other actors, by number. Never changed in place: accesses share it."""

NOTHING: Known = {}
NEVER: Times = (0,) * len(PIPES)


def joined(*parts: Known) -> Known:
    """Return the join of several clocks; the first object itself if the others add nothing."""
    whole = parts[0]
    for part in parts[1:]:
        if part is whole or not part:
            continue
        whole = _joined(whole, part) if whole else part
    return whole


def _joined(whole: Known, part: Known) -> Known:
    fresh: dict[int, Times] | None = None
    for actor, times in part.items():
        known = whole.get(actor)
        if known is times:
            continue
        latest = times if known is None else _latest(known, times)
        if latest != known:
            fresh = {**whole} if fresh is None else fresh
            fresh[actor] = latest
    return whole if fresh is None else fresh


def _latest(a: Iterable[int], b: Iterable[int]) -> Times:
    return tuple(map(max, a, b))


class Listener(Protocol):
    """Observer of releases and acquires between actors."""

    def released(self, key: Hashable, pipe: Pipe | None) -> None: ...

    def acquired(self, key: Hashable, pipe: Pipe | None) -> None: ...

    def fenced(self) -> None: ...


class Ledger:
    """Released clocks by key. In one process it is a table; MPI keeps it in windows."""

    def __init__(self) -> None:
        self._released: dict[Hashable, Known] = {}

    def put(self, key: Hashable, known: Known) -> None:
        self._released[key] = joined(self._released.get(key, NOTHING), known)

    def replace(self, key: Hashable, known: Known) -> None:
        """The same for a key that one actor releases, and others have acquired since it did so before."""
        self._released[key] = known

    def get(self, key: Hashable) -> Known:
        return self._released.get(key, NOTHING)


class Clocks:
    """The clocks of one actor's pipes."""

    __slots__ = ("actor", "epoch", "fence_epoch", "fenced", "ledger", "listener", "others", "own", "settled")

    def __init__(self, actor: int = 0, ledger: Ledger | None = None):
        self.actor = actor
        self.ledger = ledger
        self.listener: Listener | None = None
        self.own = [[0] * len(PIPES) for _ in PIPES]
        """`own[p][q]`: how far pipe p knows pipe q of this actor. Nobody knows time 1 from the start."""
        for pipe, clock in enumerate(self.own):
            clock[pipe] = 1
        self.settled = [0] * len(PIPES)
        """Progress of each pipe that is complete before its next instruction starts, by a barrier of the
        pipe or a flag that comes back to it (D26).
        """
        self.others: list[Known] = [NOTHING] * len(PIPES)
        """Each pipe's knowledge of the pipes of other actors."""
        self.epoch = 0
        """Changes whenever the order between this actor and others does."""
        self.fence_epoch = 0
        self.fenced: Times = NEVER
        """Writes of each pipe that a fence has made visible to other actors."""

    # --- inside the actor ---

    def snapshot(self, pipe: int) -> tuple[list[int], Known]:
        """The current clock of a pipe, to be carried by a flag."""
        return list(self.own[pipe]), self.others[pipe]

    def learn(self, pipe: int, times: Sequence[int], others: Known) -> None:
        """Let a pipe acquire the clock of another, or of one saved when a flag was set."""
        clock = self.own[pipe]
        if times[pipe] > self.settled[pipe]:
            self.settled[pipe] = times[pipe]
        for n, time in enumerate(times):
            if time > clock[n]:
                clock[n] = time
        if others is not self.others[pipe]:
            self._join_others(pipe, others)

    def join(self, source: int, target: int) -> None:
        """Order everything that `source` has done and seen before the next operation of `target`."""
        self.learn(target, self.own[source], self.others[source])

    def barrier(self) -> None:
        """Join the clocks of all pipes."""
        newest = [max(times) for times in zip(*self.own, strict=True)]
        self.own = [list(newest) for _ in PIPES]
        self.settled = list(newest)
        others = joined(*self.others)
        for pipe in range(len(PIPES)):
            self._join_others(pipe, others)

    def fence(self) -> None:
        """All that was written is visible to others before anything that comes after."""
        if self.listener is not None:
            self.listener.fenced()
        self.barrier()
        self.fenced = tuple(self.own[0])
        self.epoch += 1
        self.fence_epoch = self.epoch

    def _join_others(self, pipe: int, released: Known) -> None:
        """Join the known clocks of other actors into those of a pipe."""
        fresh = joined(self.others[pipe], released)
        if fresh is not self.others[pipe]:
            self.others[pipe] = fresh
            self.epoch += 1

    # --- between actors ---

    def release(self, key: Hashable, pipe: Pipe | None = None, *, again: bool = False) -> None:
        """Publish the clock of a pipe, or of all pipes, under a key; `again`: in place of an earlier release,
        which all have acquired."""
        if self.listener is not None:
            self.listener.released(key, pipe)
        if self.ledger is None:
            return
        if pipe is None:
            times = tuple(max(column) for column in zip(*self.own, strict=True))
            others = joined(*self.others)
        else:
            times, others = tuple(self.own[NUMBER[pipe]]), self.others[NUMBER[pipe]]
        self._put(key, times, others, again)

    def release_fenced(self, key: Hashable) -> None:
        """Release to a key what is visible: what pipes did before the last fence, and what the
        scalar pipe did, whose stores are written through one after the other."""
        if self.listener is not None:
            self.listener.released(key, Pipe.PIPE_S)
        if self.ledger is None:
            return
        scalar = NUMBER[Pipe.PIPE_S]
        times = tuple(self.own[n][n] if n == scalar else time for n, time in enumerate(self.fenced))
        self._put(key, times, joined(*self.others))

    def _put(self, key: Hashable, times: Times, others: Known, again: bool = False) -> None:
        assert self.ledger is not None
        put = self.ledger.replace if again else self.ledger.put
        put(key, {**others, self.actor: times})
        # What is done from now on is not part of it.
        for n in range(len(PIPES)):
            self.own[n][n] += 1
        self.epoch += 1

    def acquire(self, key: Hashable, pipe: Pipe | None = None) -> None:
        """The pipe, or every pipe, learns what had happened when the key was released.

        What the actor released itself is skipped: its own pipes are ordered by flags alone.
        """
        if self.listener is not None:
            self.listener.acquired(key, pipe)
        if self.ledger is None:
            return
        released = {actor: times for actor, times in self.ledger.get(key).items() if actor != self.actor}
        if not released:
            return
        for n in range(len(PIPES)) if pipe is None else (NUMBER[pipe],):
            self._join_others(n, released)
