"""Conversion and quantisation of A5."""

from __future__ import annotations

from ptoas.dialects.pto import quant as q
from ptoas.dialects.pto.enums import RoundMode
from ptoas.targets.row import Rows, Unsupported
from ptoas.targets.rules.quant import block_results_have_no_gaps
from ptoas.targets.shared.conversion import Conversion, Rounding, conversions
from ptoas.targets.shared.quant import BLOCKS, DEQUANTISE, PAIRS, convert, in_blocks, push_scales, quantise

CONVERSIONS = conversions(
    {
        "f32": "f32 f16 bf16 i16 i32 i64 f8e4m3 f8e5m2 hif8",
        "f16": "f32 i32 i16 i8 u8 hif8",
        "bf16": "f32 i32 f16 f4E1M2x2 f4E2M1x2",
        "i16": "u8 f16 f32 u32 i32",
        "i32": "f32 i16 u16 i64 u8",
        "i64": "f32 i32",
        "u8": "f16 u16",
        "i8": "f16 i16 i32",
        "u32": "u8 u16 i16",
        "f8e4m3": "f32",
        "f8e5m2": "f32",
        "hif8": "f32",
        "f4E1M2x2": "bf16",
        "f4E2M1x2": "bf16",
    }
)
ROUNDED = (
    Rounding("f8E4M3FN", RoundMode.RINT),
    Rounding("f8E5M2", RoundMode.RINT),
    Rounding("hif8", RoundMode.ROUND),
)
"""Types that the header rounds in one way, whatever the mode."""

NUMBERS = BLOCKS.override(rules=(block_results_have_no_gaps,))

ROWS: Rows = {
    **push_scales("f16 bf16 f32 i64 u64"),
    q.TCvtOp: convert(CONVERSIONS, Conversion(fixed=ROUNDED)),
    q.TQuantOp: quantise(),
    q.TDequantOp: DEQUANTISE,
    q.TQuantMxOp: in_blocks(
        NUMBERS,
        NUMBERS.override(tiles=PAIRS),
        Unsupported("the header of A5 has no fifth destination any more; reorder the exponents with tmov"),
    ),
}
