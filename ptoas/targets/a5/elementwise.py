"""Arithmetic of A5."""

from __future__ import annotations

from ptoas.dialects.pto import elementwise as e
from ptoas.targets.families import BINARY, CONVERSION, SCALAR, SEQUENCE, UNARY, conversions
from ptoas.targets.row import Rows
from ptoas.targets.rules.elementwise import conversion_exists
from ptoas.targets.specs import SHORT_INDEX, elements

ADDED = elements("i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32")
MULTIPLIED = elements("i16 u16 i32 u32 i64 u64 f16 bf16 f32")

CONVERSIONS = conversions(
    {
        "f32": "f32 f16 bf16 i16 i32 i64 f8e4m3 f8e5m2 hif8",
        "f16": "f32 i32 i16 i8 u8 hif8",
        "bf16": "f32 i32 f16",
        "i16": "u8 f16 f32 u32 i32",
        "i32": "f32 i16 u16 i64 u8",
        "i64": "f32 i32",
        "u8": "f16 u16",
        "i8": "f16 i16 i32",
        "u32": "u8 u16 i16",
        "f8e4m3": "f32",
        "f8e5m2": "f32",
        "hif8": "f32",
    }
)

ROWS: Rows = {
    **BINARY.each(
        {
            **dict.fromkeys((e.TAddOp, e.TSubOp, e.TMaxOp, e.TMinOp), ADDED),
            e.TMulOp: MULTIPLIED,
            e.TDivOp: "i16 u16 i32 u32 i64 u64 f16 f32",
        }
    ),
    **SCALAR.each({e.TAddSOp: ADDED, e.TSubSOp: ADDED, e.TMulSOp: MULTIPLIED}),
    **UNARY.each({e.TNegOp: MULTIPLIED, e.TAbsOp: "i8 i16 i32 f16 f32", e.TExpOp: "f16 f32"}),
    e.TCvtOp: CONVERSION.but(rules=(conversion_exists(pairs=CONVERSIONS),)),
    e.TCIOp: SEQUENCE.of(SHORT_INDEX),
}
