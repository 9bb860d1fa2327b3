"""Initial values of generated signals: a program that waits for another one runs as if notified."""

from __future__ import annotations

from ptoas.analysis.knowledge import Knowledge
from ptoas.dialects.pto.enums import WaitCmp
from ptoas.dialects.pto.remote import CommTNotifyOp, CommTWaitOp
from ptoas.runner.argument_slice import ArgumentSlice

ENOUGH = 1 << 20
"""Initial value where only the run knows what is waited for."""


def mark_arrivals(slices: ArgumentSlice) -> None:
    """Set the initial value of signals that the program waits for and never notifies."""
    notifies = (op for op in slices.operations if isinstance(op, CommTNotifyOp))
    notified = {parameter for op in notifies for parameter in slices.memory(op.signal)}
    knowledge = Knowledge()
    for op in slices.operations:
        if not isinstance(op, CommTWaitOp):
            continue
        arrived = _arrived(op.cmp.data, knowledge.constant(op.cmp_value))
        for parameter in slices.memory(op.signal):
            if parameter not in notified and not parameter.written:
                parameter.arrived = max(parameter.arrived, arrived)


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
