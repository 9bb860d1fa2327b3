"""Events of instructions: what a call returns, and the last arguments of the call that waits for it.

Event<Op::TLOAD, Op::VECTOR, false, EVENT_ID0> e = TLOAD(a, xGM);
TADDS(a, a, s, e);

The operations in the type only name two pipes, so one of each pipe is enough. The simulator has no events.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.ir import Operation

from ptoas.analysis.sync_actions import event_pipes
from ptoas.dialects.pto.clauses import is_clause
from ptoas.dialects.pto.enums import Pipe
from ptoas.dialects.pto.sync import RecordOp, TSyncOp
from ptoas.lowering.cpp.handlers import emits
from ptoas.targets import Target

if TYPE_CHECKING:
    from ptoas.lowering.cpp.function import FunctionEmitter

_OPERATIONS = {
    Pipe.PIPE_S: "SCALAR",
    Pipe.PIPE_V: "VECTOR",
    Pipe.PIPE_M: "TMATMUL",
    Pipe.PIPE_MTE1: "TMOV_M2L",
    Pipe.PIPE_MTE2: "TLOAD",
    Pipe.PIPE_MTE3: "TSTORE_VEC",
    Pipe.PIPE_FIX: "TSTORE_ACC",
}
"""An operation of each pipe (pto/common/event.hpp)."""


def event_type(record: RecordOp, target: Target) -> str | None:
    """The C++ type of an event; None if nothing waits for it, or the target has no pipes."""
    pipes = event_pipes(record, target.effects) if target.has_pipes else None
    if pipes is None:
        return None
    # Without an id the library counts for itself, past the flags of the function.
    event = "" if record.event_id is None else f", false, {record.event_id.data.value}"
    return "Event<{}{}>".format(", ".join(f"Op::{_OPERATIONS[pipe]}" for pipe in pipes), event)


def emit_alone(emit: FunctionEmitter, op: Operation) -> None:
    """The events of an instruction without a call."""
    waits, recorded = emit.waits(op), emit.recorded(op)
    if waits:
        emit.line(f"TSYNC({', '.join(waits)});")
    if recorded:
        emit.line(f"{recorded}RecordEvent();")


@emits(TSyncOp)
def _wait(emit: FunctionEmitter, op: TSyncOp) -> None:
    """A wait that no longer directly follows its instruction, so that it is no clause."""
    if emit.target.has_pipes and not is_clause(op):
        emit.line(f"TSYNC({emit.text(op.event)});")


@emits(RecordOp)
def _record(emit: FunctionEmitter, op: RecordOp) -> None:
    type = event_type(op, emit.target)
    if type is not None and not is_clause(op):
        emit.line(f"{type} {emit.name(op.result)} = RecordEvent();")
