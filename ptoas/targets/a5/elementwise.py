"""Arithmetic of A5: between registers, so that a destination may be a source and no scratch tile is used."""

from __future__ import annotations

from ptoas.dialects.pto import elementwise as e
from ptoas.dialects.pto.enums import Precision
from ptoas.targets.pipes import V
from ptoas.targets.row import Forms, Row, Rows, Unsupported
from ptoas.targets.shared import elementwise as f
from ptoas.targets.specs import SHORT_INDEX, elements

ADDED = elements("i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32")
MULTIPLIED = elements("i16 u16 i32 u32 i64 u64 f16 bf16 f32")
DIVIDED = elements("i16 u16 i32 u32 i64 u64 f16 f32")
BITS, SHIFTED = elements("i8 u8 i16 u16 i32 u32"), elements("i8 u8 i16 u16 i32 u32 i64 u64")
FLOATS = "f16 f32"

ROUNDED_QUOTIENT = frozenset({Precision.Default})
"""The precision at which a remainder comes from the rounded quotient."""


def power(row: Row) -> Forms:
    """The precise power takes other types than the default one."""
    row = f.precise(row, "Pow")

    def precision(op: e.TPowOp) -> Precision:
        return Precision.Default if op.precision_type is None else op.precision_type.data

    return Forms(
        precision,
        {
            Precision.Default: row.of("i8 u8 i16 u16 i32 u32 f16 f32"),
            Precision.High: row.of("f16 bf16 f32"),
        },
    )


SHIFT = f.shifted(f.BINARY.of(SHIFTED))

ROWS: Rows = {
    **f.BINARY.each(
        {
            **dict.fromkeys((e.TAddOp, e.TSubOp, e.TMaxOp, e.TMinOp), ADDED),
            e.TMulOp: MULTIPLIED,
        }
    ),
    **f.BINARY_SAME_TYPE.each(dict.fromkeys((e.TAndOp, e.TOrOp), BITS)),
    e.TShlOp: SHIFT,
    e.TShrOp: SHIFT,
    e.TDivOp: f.divided(f.precise(f.BINARY, "Div").of(DIVIDED)),
    e.TXorOp: f.BINARY_SCRATCH.of(BITS),
    e.TRemOp: f.divided(f.precise(f.BINARY_SCRATCH, "Rem").of(DIVIDED, model=ROUNDED_QUOTIENT)),
    e.TFmodOp: f.precise(f.BINARY, "Fmod").of("i16 u16 i32 u32 f16 f32", model=ROUNDED_QUOTIENT),
    e.TPowOp: power(f.BINARY_SCRATCH),
    e.TPReluOp: f.BINARY_SCRATCH.of(FLOATS),
    e.TAddReluOp: Unsupported("only A2/A3 has it; use tadd and trelu"),
    **f.UNARY.each(
        {e.TNegOp: MULTIPLIED, e.TAbsOp: "i8 i16 i32 f16 f32", e.TReluOp: "i32 f16 f32", e.TNotOp: BITS}
    ),
    e.TExpOp: f.precise(f.UNARY, "Exp").of(FLOATS),
    e.TLogOp: f.precise(f.UNARY, "Log").of(FLOATS),
    e.TSqrtOp: f.precise(f.UNARY, "Sqrt").of(FLOATS),
    e.TRecipOp: f.precise(f.UNARY, "Recip").of(FLOATS),
    e.TRsqrtOp: f.precise(f.UNARY, "Rsqrt").of(FLOATS, ignores=("tmp",)),
    e.TAddCOp: f.ADD_C.of(ADDED),
    e.TSubCOp: f.SUB_C.of(ADDED),
    e.TCIOp: Forms(
        lambda op: op.tmp is not None,
        {
            False: f.SEQUENCE.of(
                SHORT_INDEX,
                source="pto/npu/a5/Tci.hpp header: TCI_IMPL(dst, start) is a loop of scalar stores",
            ),
            # The scratch tile chooses the overload; nothing is written to it.
            True: f.SEQUENCE.of(
                SHORT_INDEX,
                pipe=V,
                call=f.SEQUENCE_WITH_SCRATCH,
                source="pto/npu/a5/Tci.hpp header: TCI_IMPL(dst, start, tmp) is vector instructions alone",
            ),
        },
    ),
}
