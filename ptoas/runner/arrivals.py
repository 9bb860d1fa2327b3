"""Initial values of generated signals: a program that waits for another one runs as if notified."""

from __future__ import annotations

from collections.abc import Sequence

from ptoas.analysis.knowledge import Knowledge
from ptoas.dialects.pto.enums import WaitCmp
from ptoas.dialects.pto.remote import CommTNotifyOp, CommTWaitOp
from ptoas.runner.argument_slice import ArgumentSlice
from ptoas.runner.parameters import Parameter

ENOUGH = 1 << 20
"""Initial value where only the run knows what is waited for."""


def mark_arrivals(slices: ArgumentSlice, parameters: Sequence[Parameter]) -> None:
    """Set the initial value of signals that the program waits for and never notifies."""
    notified = {
        at for op in slices.operations if isinstance(op, CommTNotifyOp) for at in slices.memory(op.signal)
    }
    knowledge = Knowledge()
    for op in slices.operations:
        if not isinstance(op, CommTWaitOp):
            continue
        arrived = _arrived(op.cmp.data, knowledge.constant(op.cmp_value))
        for at in slices.memory(op.signal):
            if at not in notified and not parameters[at].written:
                parameters[at].arrived = max(parameters[at].arrived, arrived)


def _arrived(compared: WaitCmp, value: int | None) -> int:
    match compared:
        case WaitCmp.GE:
            return ENOUGH if value is None else value
        case WaitCmp.GT | WaitCmp.NE:
            return ENOUGH if value is None else value + 1
        case WaitCmp.EQ:
            return value or 0
        case _:
            return 0
