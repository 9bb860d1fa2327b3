"""Event ids that the running program chooses."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation

from ptoas.dialects.pto.enums import Event
from ptoas.machine.machine import Machine

EVENTS = tuple(Event)


def chosen_event(op: Operation, m: Machine) -> Callable[[int], Event]:
    """The event of a number."""

    def event(number: int) -> Event:
        if not 0 <= number < len(EVENTS):
            name = op.name.removeprefix("pto.")
            message = f"{name}: event {number} does not exist; events are 0 to {len(EVENTS) - 1}"
            raise m.fail("PTO-R917", message, op)
        return EVENTS[number]

    return event
