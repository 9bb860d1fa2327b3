"""Reductions of A5: the scratch tile is a place in the call and nothing more, but for sums in pairs."""

from __future__ import annotations

from ptoas.dialects.pto import reduce as r
from ptoas.targets.row import Rows
from ptoas.targets.shared.reduce import (
    COLUMN_ARG,
    COLUMN_REDUCTION,
    ROW_ARG,
    ROW_REDUCTION,
    SUM_OF_PAIRS,
    column_sum,
)
from ptoas.targets.specs import ND, NINE, WIDE, tile

FOUR = "i16 i32 f16 f32"
COMPARED = "i8 u8 i16 i32 i64 u64 f16 f32"

# The assembler refuses an empty source here; the header walks over nothing.
FULL = {"src": tile(None, ND, empty=False)}
COLUMN = COLUMN_REDUCTION.override(tiles=FULL)

ROWS: Rows = {
    **ROW_REDUCTION.each(
        {
            r.TRowSumOp: "i16 i32 i64 u64 f16 f32",
            r.TRowProdOp: FOUR,
            r.TRowMaxOp: COMPARED,
            r.TRowMinOp: COMPARED,
        }
    ),
    r.TColSumOp: column_sum(COLUMN.of((*NINE, *WIDE)), SUM_OF_PAIRS.override(tiles=FULL).of((*NINE, *WIDE))),
    **COLUMN.each(
        {
            r.TColProdOp: "i16 u16 i32 u32 f16 bf16 f32",
            r.TColMaxOp: (*NINE, *WIDE),
            r.TColMinOp: (*NINE, *WIDE),
        }
    ),
    **ROW_ARG.each(dict.fromkeys((r.TRowArgMaxOp, r.TRowArgMinOp), FOUR)),
    **COLUMN_ARG.each(dict.fromkeys((r.TColArgMaxOp, r.TColArgMinOp), NINE)),
}
