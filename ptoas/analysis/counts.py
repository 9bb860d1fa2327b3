"""Number of executions of an operation per execution of its function, if constants determine it."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import scf
from xdsl.ir import Operation

from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.structure import ancestors
from ptoas.dialects.pto.core_sync import SectionOp


def executions(op: Operation, knowledge: Knowledge) -> int | None:
    """`None`: a branch, or a bound that only the running program knows, decides."""
    times = 1
    for around in ancestors(op):
        if isinstance(around, scf.ForOp):
            turns = trip_count(around, knowledge)
            if turns is None:
                return None
            times *= turns
        elif not isinstance(around, SectionOp):
            return None
    return times


def trip_count(loop: scf.ForOp, knowledge: Knowledge) -> int | None:
    bounds = [knowledge.constant(value) for value in (loop.lb, loop.ub, loop.step)]
    known = [bound for bound in bounds if bound is not None]
    if len(known) < 3 or known[2] <= 0:
        return None
    first, end, step = known
    return max(0, -(-(end - first) // step))


def together(ops: Iterable[Operation], knowledge: Knowledge) -> int | None:
    """The total number of executions of several operations."""
    counts = [executions(op, knowledge) for op in ops]
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
