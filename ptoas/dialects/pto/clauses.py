"""The clauses `wait(...)` and `record` of an instruction: operations that the text writes after it.

    %b, %f = pto.tabs %a : ... wait(%e) record

stands for

    "pto.tsync"(%e) : (!pto.event) -> ()
    %b = "pto.tabs"(%a) : ...
    %f = "pto.record"() : () -> !pto.event
"""

from __future__ import annotations

from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from ptoas.dialects.pto.sync import EventClauseOp, RecordOp, TSyncOp, takes_events


class Clauses(NamedTuple):
    """The events of an instruction that the text writes as its clauses."""

    waits: tuple[TSyncOp, ...] = ()
    record: RecordOp | None = None


def clauses_of(op: Operation) -> Clauses:
    """The clauses of an instruction: the waits right before it, and the record right after it."""
    if not takes_events(op):
        return Clauses()
    waits: list[TSyncOp] = []
    at = op.prev_op
    while isinstance(at, TSyncOp):
        waits.insert(0, at)
        at = at.prev_op
    return Clauses(tuple(waits), op.next_op if isinstance(op.next_op, RecordOp) else None)


def first_clause(op: Operation) -> Operation:
    """The first wait of an instruction, or itself: passes insert in front of this."""
    return next(iter(clauses_of(op).waits), op)


def last_clause(op: Operation) -> Operation:
    """The record of an instruction, or itself: passes insert after this."""
    return clauses_of(op).record or op


def wait_for(event: SSAValue) -> TSyncOp:
    """The wait for an event, to be put in front of an instruction."""
    return TSyncOp(event)


def record_after(op: Operation) -> RecordOp:
    """The record of an instruction's event, to be inserted after it."""
    return RecordOp(location=op.location)


def is_clause(op: Operation) -> bool:
    """Return True if an operation is among the clauses of an instruction."""
    if not isinstance(op, EventClauseOp) or op.instruction is None:
        return False
    waits, record = clauses_of(op.instruction)
    return op in waits or op is record
