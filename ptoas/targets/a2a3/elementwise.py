"""Arithmetic of A2/A3: the vector unit calculates with four types."""

from __future__ import annotations

from ptoas.dialects.pto import elementwise as e
from ptoas.targets.families import BINARY, CONVERSION, SCALAR, SEQUENCE, UNARY, conversions
from ptoas.targets.row import Rows
from ptoas.targets.rules.elementwise import conversion_exists

FOUR, FLOATS = "i16 i32 f16 f32", "f16 f32"

CONVERSIONS = conversions(
    {
        "f32": "f16 f32 bf16 i16 i32 i64",
        "f16": "f32 i32 i16 i8 u8",
        "bf16": "f32 i32",
        "i16": "f16 f32",
        "i32": "f32 i16 i64 f16",
        "i64": "f32 i32",
        "u8": "f16",
        "i8": "f16",
    }
)

ROWS: Rows = {
    **BINARY.each(
        {**dict.fromkeys((e.TAddOp, e.TSubOp, e.TMulOp, e.TMaxOp, e.TMinOp), FOUR), e.TDivOp: FLOATS}
    ),
    **SCALAR.each(dict.fromkeys((e.TAddSOp, e.TSubSOp, e.TMulSOp), FOUR)),
    **UNARY.each({e.TNegOp: FOUR, e.TAbsOp: FLOATS, e.TExpOp: FLOATS}),
    e.TCvtOp: CONVERSION.but(rules=(conversion_exists(pairs=CONVERSIONS),)),
    e.TCIOp: SEQUENCE.of("i16 u16 i32 u32 f16 bf16 f32"),
}
