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
)

REPEATED = "i16 u16 i32 u32 f16 f32"
MULTIPLIED = f"{REPEATED} u8"

ROWS: Rows = {
    x.TExpandSOp: FILL.of(ARITHMETIC),
    x.TRowExpandOp: ROW_EXPAND.of(ARITHMETIC),
    x.TColExpandOp: COLUMN_EXPAND.of(ARITHMETIC),
    **ROW_EXPAND_BINARY.each(
        {
            x.TRowExpandAddOp: REPEATED,
            x.TRowExpandSubOp: REPEATED,
            x.TRowExpandMulOp: MULTIPLIED,
            x.TRowExpandMaxOp: REPEATED,
            x.TRowExpandMinOp: REPEATED,
            x.TRowExpandExpdifOp: "f16 f32",
        }
    ),
    x.TRowExpandDivOp: precise(ROW_EXPAND_BINARY, "Div").of(REPEATED),
    **COLUMN_EXPAND_BINARY.each(
        {
            x.TColExpandAddOp: REPEATED,
            x.TColExpandSubOp: REPEATED,
            x.TColExpandMulOp: MULTIPLIED,
            x.TColExpandMaxOp: REPEATED,
            x.TColExpandMinOp: REPEATED,
        }
    ),
    x.TColExpandDivOp: precise(COLUMN_EXPAND_BINARY, "Div").of(REPEATED),
}
