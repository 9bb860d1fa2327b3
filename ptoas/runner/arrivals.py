"""Initial values of generated signals: a program that waits for another program runs as if that had
signalled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from xdsl.ir import Operation, SSAValue

from ptoas.analysis.knowledge import Knowledge
from ptoas.dialects.pto.enums import WaitCmp
from ptoas.dialects.pto.remote import CommTNotifyOp, CommTWaitOp
from ptoas.runner.parameters import Parameter

ENOUGH = 1 << 20
"""Initial value of a signal if only the run determines the awaited one."""


def mark_arrivals(
    operations: Sequence[Operation], of: Callable[[SSAValue], Iterable[int]], parameters: Sequence[Parameter]
) -> None:
    """Say of the signals that the program waits for and never tells what they hold; `of` gives the
    parameters that a value comes from."""
    told = {at for op in operations if isinstance(op, CommTNotifyOp) for at in of(op.signal)}
    knowledge = Knowledge()
    for op in operations:
        if not isinstance(op, CommTWaitOp):
            continue
        wanted = _arrived(op.cmp.data, knowledge.constant(op.cmp_value))
        for at in of(op.signal):
            if at not in told and not parameters[at].written:
                parameters[at].arrived = max(parameters[at].arrived, wanted)


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
