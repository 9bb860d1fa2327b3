"""Flags whose event id the running program chooses."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation

from ptoas.analysis.sync_actions import FlagKey
from ptoas.dialects.pto.enums import Event, Pipe
from ptoas.machine.machine import Machine

EVENTS = tuple(Event)


def chosen_flag(op: Operation, source: Pipe, sink: Pipe, m: Machine) -> Callable[[int], FlagKey]:
    """Return the function that makes a flag of the number of its event."""

    def flag(number: int) -> FlagKey:
        if not 0 <= number < len(EVENTS):
            message = f"event {number} does not exist; events are 0 to {len(EVENTS) - 1}"
            raise m.refuse("PTO-R917", message, op)
        return FlagKey(source, sink, EVENTS[number])

    return flag
