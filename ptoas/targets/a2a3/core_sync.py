"""Counters between cores of A2/A3: all of them in one control area, whose address the kernel sets."""

from __future__ import annotations

from ptoas.dialects.pto import core_sync as k
from ptoas.targets.row import Row, Rows
from ptoas.targets.shared.core_sync import counters

ROWS: Rows = {
    # A wait stops the whole core, whatever pipe it names.
    **counters(model="whole core"),
    k.SetFftsOp: Row(),
}
