"""Counters between cores of A5: each vector core has its own with the cube core."""

from __future__ import annotations

from ptoas.dialects.pto import core_sync as k
from ptoas.targets.row import Row, Rows, Unsupported
from ptoas.targets.rules.core_sync import (
    A5_COUNTS,
    a_counter_is_of_a_pipe_that_signals,
    a_counter_is_one_of_its_group,
)
from ptoas.targets.shared.core_sync import counters

_BY_LANE = Row(
    model="by lane",
    rules=(a_counter_is_one_of_its_group(most=31), a_counter_is_of_a_pipe_that_signals(pipes=A5_COUNTS)),
)

ROWS: Rows = {
    **counters(A5_COUNTS),
    k.SetIntraBlockOp: _BY_LANE,
    k.WaitIntraBlockOp: _BY_LANE,
    k.SetFftsOp: Unsupported("A5 keeps its counters itself, and takes no address for them"),
}
