"""Fused and pairwise arithmetic of A2/A3."""

from __future__ import annotations

from ptoas.dialects.pto import fused as x
from ptoas.targets.row import Rows, Unsupported
from ptoas.targets.shared import fused as f
from ptoas.targets.shared import scratch
from ptoas.targets.shared.elementwise import PRODUCT_OF_DST

FLOATS = "f16 f32"
_NO_INTERLEAVING = Unsupported("the header of A2/A3 does not have it; use tgather with a mask or indices")

ROWS: Rows = {
    x.TSubReluOp: f.BINARY_OF_HEADERS.of(FLOATS),
    **f.BINARY_OF_HEADERS.override(model=PRODUCT_OF_DST).each(
        dict.fromkeys((x.TMulAddDstOp, x.TFusedMulAddOp, x.TFusedMulAddReluOp), FLOATS)
    ),
    x.TAddReluConvOp: f.NARROWING,
    x.TSubReluConvOp: f.NARROWING,
    # The sum goes to the scratch tile; its conversion and the result before narrowing overwrite the sources.
    x.TAddDeqReluOp: f.ADD_DEQ_RELU.override(
        clobbers=("src0", "src1"),
        scratch={"tmp": scratch.like("src0")},
        no_alias=(
            *(("dst", slot) for slot in ("src0", "src1", "tmp")),
            *(("tmp", slot) for slot in ("src0", "src1")),
            ("src0", "src1"),
        ),
        model=f.STEPWISE,
        source="pto/npu/a2a3/TAddDeqRelu.hpp header",
    ),
    x.TPairReduceSumOp: f.PAIR_SUM.of(FLOATS),
    x.TInterleaveOp: _NO_INTERLEAVING,
    x.TDeinterleaveOp: _NO_INTERLEAVING,
}
