"""Operands that may be missing, on A2/A3."""

from __future__ import annotations

from ptoas.dialects.pto import partial as p
from ptoas.targets.row import Rows
from ptoas.targets.shared.partial import FIRST, PARTIAL, PARTIAL_ARG, partial_arg
from ptoas.targets.specs import ROW_MAJOR, T, tile

PAIRS = partial_arg(PARTIAL_ARG.override(tiles={"dst": tile(T, ROW_MAJOR, empty=False)}, model=FIRST))

ROWS: Rows = {
    **PARTIAL.each(
        dict.fromkeys((p.TPartAddOp, p.TPartMulOp, p.TPartMaxOp, p.TPartMinOp), "i16 i32 f16 f32")
    ),
    p.TPartArgMaxOp: PAIRS,
    p.TPartArgMinOp: PAIRS,
}
