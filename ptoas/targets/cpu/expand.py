"""Repeating rows, columns and scalars on the simulator."""

from __future__ import annotations

from ptoas.dialects.pto import expand as x
from ptoas.targets.cpu.elementwise import ARITHMETIC
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

REPEATED = "i16 u16 i32 u32 f16 f32"
MULTIPLIED = f"{REPEATED} u8"

ROWS: Rows = {
    x.TExpandSOp: FILL.of(ARITHMETIC),
    x.TRowExpandOp: ROW_EXPAND.of(ARITHMETIC),
    x.TColExpandOp: COLUMN_EXPAND.of(ARITHMETIC),
    **operations(ROW_EXPAND_BINARY, COLUMN_EXPAND_BINARY, REPEATED, precise, REPEATED, MULTIPLIED),
}
