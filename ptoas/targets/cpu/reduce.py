"""Reductions of the simulator."""

from __future__ import annotations

from ptoas.dialects.pto import reduce as r
from ptoas.targets.families import ROW_REDUCTION
from ptoas.targets.row import Rows

REDUCED = "i16 i32 f16 bf16 f32"

ROWS: Rows = {
    # The header asserts equal physical rows of a sum when it is compiled, though it walks the valid ones.
    r.TRowSumOp: ROW_REDUCTION.of(REDUCED, shape={"src": "R _", "dst": "R _"}),
    r.TRowMaxOp: ROW_REDUCTION.of(REDUCED),
}
