"""Sections, counters between cores, barriers over all of them."""

from __future__ import annotations

from ptoas.dialects.pto import core_sync as k
from ptoas.targets.row import Row, Rows, Unsupported

ROWS: Rows = {
    k.SectionCubeOp: Row(),
    k.SectionVectorOp: Row(),
    k.SyncAllOp: Row(),
}

COUNTERS = (
    k.SetIntraBlockOp,
    k.WaitIntraBlockOp,
    k.SetCrossBlockOp,
    k.WaitCrossBlockOp,
    k.SyncSetOp,
    k.SyncWaitOp,
)


def without_counters(reason: str) -> Rows:
    """The rows of a target whose cores have no counters."""
    return {op: Unsupported(reason) for op in (*COUNTERS, k.SetFftsOp)}
