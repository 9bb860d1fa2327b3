"""Arithmetic of the simulator: plain C++, so what it takes is what C++ calculates with."""

from __future__ import annotations

from ptoas.dialects.pto import elementwise as e
from ptoas.targets.row import Rows, Unsupported
from ptoas.targets.rules.elementwise import tiles_have_one_type, valid_extents_are_open_in_both
from ptoas.targets.shared import elementwise as f
from ptoas.targets.specs import NINE, WIDE

ARITHMETIC = (*NINE, *WIDE)
INTEGERS = "i8 u8 i16 u16 i32 u32 i64 u64"
FLOATS = "f16 bf16 f32"
ROOT = f.UNARY.override(rules=(valid_extents_are_open_in_both,))

ROWS: Rows = {
    **f.BINARY.each(
        {
            **dict.fromkeys((e.TSubOp, e.TMulOp, e.TMaxOp, e.TMinOp), ARITHMETIC),
            **dict.fromkeys((e.TShlOp, e.TShrOp), INTEGERS),
        }
    ),
    **f.BINARY_SAME_TYPE.each({e.TAddOp: ARITHMETIC, e.TAndOp: INTEGERS, e.TOrOp: INTEGERS}),
    e.TDivOp: f.precise(f.BINARY, "Div").of(ARITHMETIC),
    e.TXorOp: f.BINARY_SCRATCH.of(INTEGERS),
    e.TRemOp: f.precise(f.BINARY_SCRATCH, "Rem").of(ARITHMETIC),
    e.TFmodOp: f.precise(f.BINARY, "Fmod").of(ARITHMETIC),
    # The header reads both sources with the pitch of the destination.
    e.TPowOp: f.precise(f.BINARY_SCRATCH, "Pow").of(
        ARITHMETIC, shape={"dst": "_ C", "src0 src1": "_ C"}, source="header of the simulator, TPOW"
    ),
    e.TPReluOp: f.BINARY_SCRATCH.of("f16 f32"),
    e.TAddReluOp: Unsupported("only A2/A3 has it; use tadd and trelu"),
    **f.UNARY.each(
        {
            e.TNegOp: ARITHMETIC,
            e.TReluOp: ARITHMETIC,
            e.TNotOp: INTEGERS,
        }
    ),
    e.TAbsOp: f.UNARY.of("i8 i16 i32 f16 bf16 f32").override(rules=(tiles_have_one_type(slots="src"),)),
    e.TExpOp: f.precise(f.UNARY, "Exp").of(FLOATS),
    e.TLogOp: f.precise(f.UNARY, "Log").of(FLOATS),
    e.TRecipOp: f.precise(f.UNARY, "Recip").of(FLOATS),
    e.TSqrtOp: f.precise(ROOT, "Sqrt").of(FLOATS),
    e.TRsqrtOp: f.precise(ROOT, "Rsqrt").of("f16 f32", ignores=("tmp",)),
    # Both steps of one, and the last of the other, are TADD.
    e.TAddCOp: f.ADD_C.of(ARITHMETIC).override(rules=(tiles_have_one_type(slots="src0 src1 src2"),)),
    e.TSubCOp: f.SUB_C.of(ARITHMETIC).override(rules=(tiles_have_one_type(slots="src2"),)),
    e.TCIOp: f.SEQUENCE.of(ARITHMETIC),
}
