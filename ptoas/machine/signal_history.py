"""Notifications of signals and waits for them, and what of it another order of the actors could change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field

from ptoas.dialects.pto.enums import WaitCmp
from ptoas.dialects.pto.remote import CommTWaitOp


@dataclass(frozen=True)
class Notification:
    """A write of another value to a word."""

    actor: int
    before: int
    after: int
    adds: bool


@dataclass(frozen=True)
class SatisfiedWait:
    """A wait that the value of a word has satisfied."""

    op: CommTWaitOp
    value: int
    holds: Callable[[int], bool]


@dataclass
class SignalHistory:
    """Accesses to each word of the signals of a run, in the order of that run."""

    words: dict[Hashable, list[Notification | SatisfiedWait]] = field(
        default_factory=lambda: defaultdict[Hashable, list[Notification | SatisfiedWait]](list)
    )

    def order_dependent(self) -> Iterator[tuple[CommTWaitOp, str]]:
        """The waits that could go on elsewhere, or knowing less, in another order of the actors."""
        for events in self.words.values():
            waits = [event for event in events if isinstance(event, SatisfiedWait)]
            if not waits:
                continue
            values = _values(events)
            for wait in waits:
                reason = "the signal is not written by notifications alone"
                if values is not None:
                    reason = _order_dependent(events, values, wait)
                if reason is not None:
                    yield wait.op, reason


def _values(events: Sequence[Notification | SatisfiedWait]) -> list[int] | None:
    """The values of a word one after the other; `None` if something else writes it."""
    first = events[0]
    values = [first.before if isinstance(first, Notification) else first.value]
    for event in events:
        if (event.before if isinstance(event, Notification) else event.value) != values[-1]:
            return None
        if isinstance(event, Notification):
            values.append(event.after)
    return values


def _order_dependent(
    events: Sequence[Notification | SatisfiedWait], values: Sequence[int], wait: SatisfiedWait
) -> str | None:
    holds = [wait.holds(value) for value in values]
    first = holds.index(True)
    if not all(holds[first:]):
        return "a later notification ends what it waits for"
    notifications = [event for event in events if isinstance(event, Notification)]
    seen = sum(isinstance(event, Notification) for event in events[: events.index(wait)])
    if len({each.actor for each in notifications}) > 1:
        return (
            None if seen == first and _awaits_all(notifications, values, wait) else "several actors notify it"
        )
    return None if seen == first else "it is notified again before the wait has seen it"


def _awaits_all(notifications: Sequence[Notification], values: Sequence[int], wait: SatisfiedWait) -> bool:
    """Return True if a wait needs every one of the notifications, so that their order does not matter."""
    if wait.op.cmp.data not in (WaitCmp.GE, WaitCmp.GT) or not all(each.adds for each in notifications):
        return False
    steps = [each.after - each.before for each in notifications]
    return min(steps) > 0 and wait.holds(values[-1]) and not wait.holds(values[-1] - min(steps))
