"""Fused and pairwise arithmetic of the simulator."""

from __future__ import annotations

from ptoas.dialects.pto import fused as x
from ptoas.targets.row import Rows, Unsupported
from ptoas.targets.shared import fused as f
from ptoas.targets.shared.scratch import placeholder


def _missing(instead: str) -> Unsupported:
    return Unsupported(f"the simulator has no header for it; use {instead}")


ROWS: Rows = {
    x.TSubReluOp: _missing("tsub and trelu"),
    x.TMulAddDstOp: _missing("tmul and tadd"),
    x.TFusedMulAddOp: _missing("tmul and tadd"),
    x.TFusedMulAddReluOp: _missing("tmul, tadd and trelu"),
    x.TAddReluConvOp: _missing("tadd, trelu and tcvt"),
    x.TSubReluConvOp: _missing("tsub, trelu and tcvt"),
    x.TAddDeqReluOp: f.ADD_DEQ_RELU.override(ignores=("tmp",), scratch={"tmp": placeholder("src0")}),
    # The header clears the whole destination first.
    x.TPairReduceSumOp: f.PAIR_SUM.of("f16 f32", model=f.CLEARED),
    x.TInterleaveOp: f.INTERLEAVE,
    x.TDeinterleaveOp: f.DEINTERLEAVE,
}
