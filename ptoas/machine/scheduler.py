"""Cooperative scheduler: one actor at a time, in an order that follows from a seed.

Every actor actors in a greenlet of its own, which lets another go on where it says so: before it touches what
others touch, and when it has to wait. (Threads that hand a baton on would do the same, and cost more.) An
actor that waits says for what, and goes on when that has come. When all that have not come to their end wait,
nothing can come any more: each of them is told so at the place where it waits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from functools import partial

from greenlet import getcurrent, greenlet
from xdsl.ir import Operation

from ptoas.diagnostics import PtoasError
from ptoas.machine.arrays import np
from ptoas.machine.errors import failure

Condition = Callable[[], bool]

What = str | Callable[[], str]
"""A description of the awaited event that starts with a verb; a function is evaluated when the deadlock
is reported.
"""

MOST_ACTORS = 1024
"""Maximum number of actors of one process."""


class Cancelled(Exception):
    """Another actor has failed."""


class Deadlock(PtoasError):
    """The actor waits for what is never going to come."""

    def __init__(self, op: Operation, what: What, on: Sequence[int] = ()):
        self.reason = what if isinstance(what, str) else what()
        self.op = op
        self.on = tuple(on)
        """The actors that could end it."""
        super().__init__(failure("PTO-R803", self.reason, op).diagnostics)


class Scheduler(ABC):
    """The scheduler's interface for actors, which are identified by numbers."""

    GRACE = 10_000
    """Turns that the others have to come to their own end when one actor has failed."""

    explores: bool = False
    """True if it wants to know what each step touches, and an actor that looks in vain to wait at once."""

    randomised: bool = True
    """True if actors yield wherever another order could make a difference; otherwise only where they
    must.
    """

    @abstractmethod
    def yield_(self, actor: int) -> None:
        """Yield to the other actors."""

    @abstractmethod
    def wait_until(
        self, actor: int, condition: Condition, what: What, op: Operation, on: Sequence[int] = ()
    ) -> None:
        """Yield until the condition holds, which actors `on` can cause; raise `Deadlock` if it never will."""

    def point(self, actor: int) -> None:  # noqa: ARG002 - one of several schedulers
        """Note a point at which the order of the actors can matter."""
        return None

    def touched(self, memory: Hashable, low: int, high: int, write: bool) -> None:  # noqa: ARG002 - see above
        """Note that the running actor accesses these bytes of shared memory."""
        return None

    @abstractmethod
    def changed(self) -> None:
        """Note that shared state was written."""

    @abstractmethod
    def changes(self) -> int:
        """The number of such notifications."""


class CooperativeScheduler(Scheduler):
    """Actors as greenlets of this thread, in rounds, each round in an order of its own."""

    def __init__(self, size: int, seed: int, *, randomised: bool = True):
        self.randomised = randomised
        self._live = set(range(size))
        self._changes = 0
        self._random = np.random.default_rng([seed, size])
        self._round: list[int] = []
        self._actors: list[greenlet] = []
        self._hub: greenlet | None = None
        self._conditions: dict[int, Condition] = {}
        self._stuck = False
        self._grace: int | None = None

    def run(self, actors: Sequence[Callable[[], bool]]) -> None:
        """Run every actor to its end; each returns True if it succeeded."""
        crashes: list[BaseException] = []

        def live(actor: int) -> None:
            good = False
            try:
                good = actors[actor]()
            except BaseException as error:
                crashes.append(error)
            finally:
                self._leave(actor, good)

        self._hub = getcurrent()
        self._actors = [greenlet(partial(live, actor)) for actor in range(len(actors))]
        while self._live:
            # An actor that gives way, or has come to its end, comes back here. A greenlet begins at the depth
            # of the stack that started it: actors that started each other would run out of it.
            self._actors[self._next()].switch()
            if crashes and isinstance(crashes[-1], KeyboardInterrupt):
                break
        if crashes:
            raise crashes[-1] if isinstance(crashes[-1], KeyboardInterrupt) else crashes[0]

    def yield_(self, actor: int) -> None:  # noqa: ARG002 - one of several schedulers
        if self._grace is not None:
            self._grace -= 1
            if self._grace < 0:
                raise Cancelled
        self._switch_to_hub()

    def point(self, actor: int) -> None:
        if self.randomised and self._random.random() < 0.5:
            self.yield_(actor)

    def wait_until(
        self, actor: int, condition: Condition, what: What, op: Operation, on: Sequence[int] = ()
    ) -> None:
        if condition():
            return
        self._conditions[actor] = condition
        self._switch_to_hub()
        del self._conditions[actor]
        if not condition():
            raise Deadlock(op, what, on)

    def changed(self) -> None:
        self._changes += 1

    def changes(self) -> int:
        return self._changes

    def _switch_to_hub(self) -> None:
        """Return to the loop of `run`, which resumes the next actor."""
        assert self._hub is not None
        self._hub.switch()

    def _leave(self, actor: int, good: bool) -> None:
        """The actor has come to its end; its memory stays."""
        self._live.discard(actor)
        if not good and self._grace is None:
            # The others have only so many turns now: they have to take some.
            self._grace, self.randomised = self.GRACE, True

    def _next(self) -> int:
        """The next runnable actor; if there is none, the next one that gets the deadlock."""
        passed: set[int] = set()
        while True:
            if not self._round and self.randomised:
                self._round = [int(n) for n in self._random.permutation(sorted(self._live))]
            elif not self._round:
                self._round = sorted(self._live, reverse=True)
            actor = self._round.pop()
            if actor not in self._live:
                continue
            condition = self._conditions.get(actor)
            if self._stuck or condition is None or condition():
                return actor
            passed.add(actor)
            self._stuck = passed == self._live
