"""Products of matrices of A5: float8 and hifloat8 besides, and operands with scales."""

from __future__ import annotations

from ptoas.dialects.pto.matmul import TGetScaleAddrOp
from ptoas.targets.row import Row, Rows
from ptoas.targets.rules.mx import scales_belong_to_their_operand
from ptoas.targets.shared.matmul import FLOAT8, TYPES, OperandWalk, mx_products, products

SHORT = (*(f"f32 {lhs} {rhs}" for lhs in FLOAT8 for rhs in FLOAT8), "f32 hif8 hif8")
STRIDED = "lhs.rows rhs.cols dst.rows"

ROWS: Rows = {
    **products((*TYPES, *SHORT), OperandWalk(blocks=(16, 16), strided=STRIDED)),
    **mx_products(OperandWalk(blocks=(16, 16), strided=STRIDED, derives_scales=True)),
    TGetScaleAddrOp: Row(rules=(scales_belong_to_their_operand,)),
}
