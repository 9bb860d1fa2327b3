"""Synchronisation of A5: tokens of buffers, too."""

from __future__ import annotations

from ptoas.dialects.pto import sync
from ptoas.targets.row import Row, Rows
from ptoas.targets.rules.fences import a_token_has_a_number_from_0_to_31

ROWS: Rows = {
    op: Row(rules=(a_token_has_a_number_from_0_to_31,))
    for op in (sync.GetBufOp, sync.RlsBufOp, sync.GetBufDynOp, sync.RlsBufDynOp)
}
