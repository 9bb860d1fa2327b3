"""Fused and pairwise arithmetic of A5."""

from __future__ import annotations

from ptoas.dialects.pto import fused as x
from ptoas.targets.row import Rows
from ptoas.targets.rules.fused import tile_has_more_columns_than_are_valid
from ptoas.targets.shared import fused as f
from ptoas.targets.shared.elementwise import ROUNDED_ONCE
from ptoas.targets.shared.scratch import placeholder

FLOATS = "f16 f32"

ROWS: Rows = {
    x.TSubReluOp: f.BINARY_OF_HEADERS.of(FLOATS),
    **f.BINARY_OF_HEADERS.override(model=ROUNDED_ONCE).each(
        dict.fromkeys((x.TMulAddDstOp, x.TFusedMulAddOp, x.TFusedMulAddReluOp), FLOATS)
    ),
    x.TAddReluConvOp: f.NARROWING,
    x.TSubReluConvOp: f.NARROWING,
    x.TAddDeqReluOp: f.ADD_DEQ_RELU.override(
        ignores=("tmp",), scratch={"tmp": placeholder("src0")}, model=f.STEPWISE
    ),
    x.TPairReduceSumOp: f.PAIR_SUM.of(FLOATS).override(rules=(tile_has_more_columns_than_are_valid,)),
    x.TInterleaveOp: f.INTERLEAVE,
    x.TDeinterleaveOp: f.DEINTERLEAVE,
}
