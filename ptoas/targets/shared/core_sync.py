"""Sections, counters between cores, barriers over all of them."""

from __future__ import annotations

from ptoas.dialects.pto import core_sync as k
from ptoas.dialects.pto.enums import WORKING_PIPES, Pipe
from ptoas.targets.row import Row, Rows, Unsupported
from ptoas.targets.rules import core_sync as r

ROWS: Rows = {
    k.SectionCubeOp: Row(),
    k.SectionVectorOp: Row(),
    k.SyncAllOp: Row(rules=(r.soft_barrier_has_a_workspace,)),
}

COUNTERS = (
    k.SetIntraBlockOp,
    k.WaitIntraBlockOp,
    k.SetCrossBlockOp,
    k.WaitCrossBlockOp,
    k.SyncSetOp,
    k.SyncWaitOp,
)


def counters(pipes: tuple[Pipe, ...] = WORKING_PIPES, model: str | None = None) -> Rows:
    """The rows of a target whose cores have counters that these pipes set and await."""
    rules = (r.counter_number_is_in_range(most=15), r.counter_pipe_can_signal(pipes=" ".join(pipes)))
    return {op: Row(rules=rules, model=model) for op in COUNTERS}


def without_counters(reason: str) -> Rows:
    """The rows of a target whose cores have no counters."""
    return {op: Unsupported(reason) for op in (*COUNTERS, k.SetFftsOp)}
