"""Repeating rows, columns and scalars on the simulator."""

from __future__ import annotations

from ptoas.dialects.pto import expand as x
from ptoas.targets.cpu.elementwise import ARITHMETIC
from ptoas.targets.families import COLUMN_EXPAND, FILL, ROW_EXPAND
from ptoas.targets.row import Rows

ROWS: Rows = {
    x.TExpandSOp: FILL.of(ARITHMETIC),
    x.TRowExpandOp: ROW_EXPAND.of(ARITHMETIC),
    x.TColExpandOp: COLUMN_EXPAND.of(ARITHMETIC),
}
