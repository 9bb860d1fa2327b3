"""Reductions of A5: the scratch tile is a place in the call and nothing more."""

from __future__ import annotations

from ptoas.dialects.pto import reduce as r
from ptoas.targets.families import ROW_REDUCTION
from ptoas.targets.row import Rows

ROWS: Rows = ROW_REDUCTION.each(
    {r.TRowSumOp: "i16 i32 i64 u64 f16 f32", r.TRowMaxOp: "i8 u8 i16 i32 i64 u64 f16 f32"}
)
