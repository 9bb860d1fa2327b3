"""Systematic exploration of schedules: depth first, with sleep sets.

A step of an actor lasts until it lets others go on. Two steps commute unless they touch a common byte of
shared memory and one of them writes it: what else actors do to each other (flags, channels, counters and
barriers) has one outcome in any order. A schedule is run only if no other one that was run differs from it by
steps that commute.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from ptoas.machine.scheduler import CooperativeScheduler

Footprint = list[tuple[Hashable, int, int, bool]]
"""Memory, first byte, end, and whether it is written."""


def commute(a: Footprint, b: Footprint) -> bool:
    return not any(
        memory == other and low < end and first < high and (writes or does)
        for memory, low, high, writes in a
        for other, first, end, does in b
    )


@dataclass
class Choice:
    """A position in a schedule at which several actors can run."""

    enabled: tuple[int, ...]
    sleeping: dict[int, Footprint]
    """Actors whose next step was explored before, and only steps that commute with it came after that."""
    chosen: int
    redundant: bool = False
    """True if only sleeping actors can run: an earlier schedule has the same outcome."""
    footprint: Footprint = field(default_factory=list[tuple[Hashable, int, int, bool]])
    """Objects that the step of the chosen actor touched."""
    done: dict[int, Footprint] = field(default_factory=dict[int, Footprint])
    """The actors that were chosen here in schedules before."""


class Exploration:
    """The schedules of a program, one after the other: run it with `scheduler`, then `advance`."""

    def __init__(self) -> None:
        self.choices: list[Choice] = []
        self._depth = 0
        self._sleeping: dict[int, Footprint] = {}
        self._redundant = False

    def scheduler(self, size: int) -> CooperativeScheduler:
        """The scheduler of the next run."""
        self._depth, self._sleeping, self._redundant = 0, {}, False
        return ExploringScheduler(size, self)

    def choose(self, enabled: Sequence[int]) -> int:
        if self._depth == len(self.choices):
            awake = [actor for actor in enabled if actor not in self._sleeping]
            self._redundant = self._redundant or not awake
            chosen = (awake or enabled)[0]
            self.choices.append(Choice(tuple(enabled), self._sleeping, chosen, self._redundant))
        choice = self.choices[self._depth]
        assert choice.enabled == tuple(enabled), "a schedule has another course than before"
        self._depth += 1
        return choice.chosen

    def end_step(self, footprint: Footprint) -> None:
        """Record that the chosen actor has yielded."""
        choice = self.choices[self._depth - 1]
        choice.footprint = footprint
        before = {**choice.sleeping, **choice.done}
        self._sleeping = {
            actor: touched
            for actor, touched in before.items()
            if actor != choice.chosen and commute(touched, footprint)
        }

    def advance(self) -> bool:
        """Go to the next schedule; `False`: all were run."""
        while self.choices:
            choice = self.choices[-1]
            # A step that touches nothing shared commutes with all others: it may as well come first.
            if not choice.redundant and choice.footprint:
                choice.done[choice.chosen] = choice.footprint
                known = choice.done.keys() | choice.sleeping.keys()
                others = [actor for actor in choice.enabled if actor not in known]
                if others:
                    choice.chosen = others[0]
                    return True
            self.choices.pop()
        return False


class ExploringScheduler(CooperativeScheduler):
    """Scheduler that runs the actors that an exploration chooses."""

    explores = True

    def __init__(self, size: int, exploration: Exploration):
        super().__init__(size, 0)
        self._exploration = exploration
        self._footprint: Footprint | None = None

    def point(self, actor: int) -> None:
        """Channels, counters and barriers have one outcome in any order."""

    def touched(self, memory: Hashable, low: int, high: int, write: bool) -> None:
        if self._footprint is not None:
            self._footprint.append((memory, low, high, write))

    def _next(self) -> int:
        if self._footprint is not None:
            self._exploration.end_step(self._footprint)
            self._footprint = None
        enabled = [actor for actor in sorted(self._live) if self._can_go_on(actor)]
        if not enabled or self._grace is not None:
            return super()._next()
        self._footprint = []
        return self._exploration.choose(enabled)

    def _can_go_on(self, actor: int) -> bool:
        condition = self._conditions.get(actor)
        return condition is None or condition()
