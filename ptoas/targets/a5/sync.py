"""Synchronisation of A5: tokens of buffers, too."""

from __future__ import annotations

from ptoas.dialects.pto import sync
from ptoas.targets.row import Row, Rows
from ptoas.targets.rules.fences import token_number_is_in_range

ROWS: Rows = {
    op: Row(rules=(token_number_is_in_range,))
    for op in (sync.GetBufOp, sync.RlsBufOp, sync.GetBufDynOp, sync.RlsBufDynOp)
}
