"""Counters between cores of A5: each vector core has its own with the cube core."""

from __future__ import annotations

from ptoas.dialects.pto import core_sync as k
from ptoas.targets.row import Row, Rows, Unsupported
from ptoas.targets.shared.core_sync import COUNTERS

ROWS: Rows = {
    **{op: Row() for op in COUNTERS},
    k.SetIntraBlockOp: Row(model="by lane"),
    k.WaitIntraBlockOp: Row(model="by lane"),
    k.SetFftsOp: Unsupported("A5 keeps its counters itself, and takes no address for them"),
}
