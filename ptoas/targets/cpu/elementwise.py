"""Arithmetic of the simulator: plain C++, so what it takes is what C++ calculates with."""

from __future__ import annotations

from ptoas.dialects.pto import elementwise as e
from ptoas.targets.families import BINARY, CONVERSION, SCALAR, SEQUENCE, UNARY
from ptoas.targets.row import Rows
from ptoas.targets.specs import NINE, WIDE

ARITHMETIC = (*NINE, *WIDE)

ROWS: Rows = {
    **BINARY.each(dict.fromkeys((e.TAddOp, e.TSubOp, e.TMulOp, e.TDivOp, e.TMaxOp, e.TMinOp), ARITHMETIC)),
    **SCALAR.each(dict.fromkeys((e.TAddSOp, e.TSubSOp, e.TMulSOp), ARITHMETIC)),
    **UNARY.each({e.TNegOp: ARITHMETIC, e.TAbsOp: "i8 i16 i32 f16 bf16 f32", e.TExpOp: "f16 bf16 f32"}),
    e.TCvtOp: CONVERSION,
    e.TCIOp: SEQUENCE.of(ARITHMETIC),
}
