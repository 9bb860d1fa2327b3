"""Products of matrices of A2/A3."""

from __future__ import annotations

from ptoas.dialects.pto.matmul import TGetScaleAddrOp
from ptoas.targets.row import Rows
from ptoas.targets.shared.matmul import MX_OPS, NO_MX, TYPES, OperandWalk, products

ROWS: Rows = {
    **products(TYPES, OperandWalk(blocks=(16, 16), strided="lhs.cols rhs.cols dst.rows"), one_row=False),
    **dict.fromkeys((*MX_OPS, TGetScaleAddrOp), NO_MX),
}
