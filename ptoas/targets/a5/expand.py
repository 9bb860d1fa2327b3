"""Repeating rows, columns and scalars on A5."""

from __future__ import annotations

from ptoas.dialects.pto import expand as x
from ptoas.targets.row import Rows
from ptoas.targets.shared.elementwise import precise
from ptoas.targets.shared.expand import (
    COLUMN_EXPAND,
    COLUMN_EXPAND_BINARY,
    FILL,
    ROW_EXPAND,
    ROW_EXPAND_BINARY,
    operations,
)
from ptoas.targets.specs import NINE, WIDE

MOVED = (*NINE, *WIDE)

ROWS: Rows = {
    x.TExpandSOp: FILL.of(MOVED),
    # One element a row is broadcast; the header refuses a wider source when it is compiled.
    x.TRowExpandOp: ROW_EXPAND.of(MOVED, valid={"dst": "R C", "src": "R 1"}),
    x.TColExpandOp: COLUMN_EXPAND.of(MOVED),
    **operations(ROW_EXPAND_BINARY, COLUMN_EXPAND_BINARY, NINE, precise, NINE),
}
