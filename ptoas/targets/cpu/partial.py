"""Operands that may be missing, on the simulator: an element that neither has is 0."""

from __future__ import annotations

from ptoas.dialects.pto import partial as p
from ptoas.targets.row import Rows
from ptoas.targets.shared.partial import PARTIAL, PARTIAL_ARG
from ptoas.targets.specs import ROW_MAJOR, SHORT_INDEX, tile

TYPES = "i8 u8 i16 i32 f16 bf16 f32"
VALUES = PARTIAL.of(TYPES, rules=(), model="zeros")
INDICES = dict.fromkeys(("src0_idx", "src1_idx", "dst_idx"), tile(SHORT_INDEX, ROW_MAJOR))
PAIRS = PARTIAL_ARG.of(TYPES, rules=(), model="zeros").override(tiles=INDICES)

ROWS: Rows = {
    **dict.fromkeys((p.TPartAddOp, p.TPartMulOp, p.TPartMaxOp, p.TPartMinOp), VALUES),
    **dict.fromkeys((p.TPartArgMaxOp, p.TPartArgMinOp), PAIRS),
}
