"""Comparing and selecting on A5: scratch tiles are places in the call and nothing more."""

from __future__ import annotations

from ptoas.dialects.pto import compare as c
from ptoas.targets.row import Rows
from ptoas.targets.shared.compare import COMPARE, COMPARE_SCALAR, SELECT, SELECT_SCALAR
from ptoas.targets.specs import NINE, ROW_MAJOR, WIDE, tile

# The page requires 32-bit masks, the assembler bytes; the header checks neither.
MASK = {"dst": tile("i8 u8 i32 u32", ROW_MAJOR)}

ROWS: Rows = {
    c.TCmpOp: COMPARE.of((*NINE, *WIDE)).override(tiles=MASK),
    c.TCmpSOp: COMPARE_SCALAR.of((*NINE, *WIDE)).override(tiles=MASK),
    c.TSelOp: SELECT.of((*NINE, *WIDE)),
    c.TSelSOp: SELECT_SCALAR.of("i8 u8 i16 u16 i32 u32 i64 u64 f16 f32"),
}
