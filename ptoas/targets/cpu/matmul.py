"""Products of matrices on the simulator: plain loops in f32 and i32."""

from __future__ import annotations

from ptoas.dialects.pto.matmul import TGetScaleAddrOp
from ptoas.targets.row import Rows, Unsupported
from ptoas.targets.rules.matmul import simulator_multiplies_whole_tiles
from ptoas.targets.shared.matmul import TYPES, OperandWalk, mx_products, products

ROWS: Rows = {
    **products(TYPES, OperandWalk(), simulator_multiplies_whole_tiles),
    **mx_products(OperandWalk()),
    TGetScaleAddrOp: Unsupported(
        "the simulator would put the scales over their operand; without it they have a place of their own"
    ),
}
