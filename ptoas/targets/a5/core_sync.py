"""Counters between cores of A5: each vector core has its own with the cube core."""

from __future__ import annotations

from ptoas.dialects.pto import core_sync as k
from ptoas.targets.row import Row, Rows, Unsupported
from ptoas.targets.rules.core_sync import (
    A5_COUNTS,
    counter_number_is_in_range,
    counter_pipe_can_signal,
)
from ptoas.targets.shared.core_sync import counters

_BY_LANE = Row(
    model="by lane",
    rules=(counter_number_is_in_range(most=31), counter_pipe_can_signal(pipes=" ".join(A5_COUNTS))),
)

ROWS: Rows = {
    **counters(A5_COUNTS),
    k.SetIntraBlockOp: _BY_LANE,
    k.WaitIntraBlockOp: _BY_LANE,
    k.SetFftsOp: Unsupported("A5 keeps its counters itself, and takes no address for them"),
}
