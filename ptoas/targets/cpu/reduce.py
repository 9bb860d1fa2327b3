"""Reductions of the simulator."""

from __future__ import annotations

from ptoas.dialects.pto import reduce as r
from ptoas.targets.cpu.elementwise import ARITHMETIC
from ptoas.targets.row import Rows
from ptoas.targets.shared.reduce import (
    COLUMN_ARG,
    COLUMN_REDUCTION,
    ROW_ARG,
    ROW_REDUCTION,
    SUM_OF_PAIRS,
    column_sum,
)

REDUCED = "i16 i32 f16 bf16 f32"
SUMMED = "f16 bf16 f32"
# The headers of a sum and of a maximum assert equal physical columns when they are compiled.
COLUMN = COLUMN_REDUCTION.override(shape={"src": "_ C", "dst": "_ C"})

ROWS: Rows = {
    # The header asserts equal physical rows of a sum when it is compiled, though it walks the valid ones.
    r.TRowSumOp: ROW_REDUCTION.of(REDUCED, shape={"src": "R _", "dst": "R _"}),
    r.TRowMaxOp: ROW_REDUCTION.of(REDUCED),
    **ROW_REDUCTION.each({r.TRowMinOp: ARITHMETIC, r.TRowProdOp: ARITHMETIC}),
    # Sums in pairs are summed row after row all the same; the scratch tile is not touched.
    r.TColSumOp: column_sum(
        COLUMN.of(SUMMED),
        SUM_OF_PAIRS.of(SUMMED, shape=COLUMN.shape, rules=(), ignores=("tmp",), model=None),
    ),
    r.TColMaxOp: COLUMN.of("i8 u8 f16 bf16 f32"),
    **COLUMN_REDUCTION.each({r.TColMinOp: ARITHMETIC, r.TColProdOp: ARITHMETIC}),
    **ROW_ARG.each(dict.fromkeys((r.TRowArgMaxOp, r.TRowArgMinOp), ARITHMETIC)),
    **COLUMN_ARG.each(dict.fromkeys((r.TColArgMaxOp, r.TColArgMinOp), ARITHMETIC)),
}
