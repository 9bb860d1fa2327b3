"""Copies between tiles."""

from typing import ClassVar

from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, opt_result_def

from ptoas.dialects.pto.constraints import Tile
from ptoas.dialects.pto.instruction import Instruction


@irdl_op_definition
class TMovOp(Instruction):
    """`dst[i, j] = src[i, j]`: a copy between tiles; on its way out of the accumulator it may convert."""

    name = "pto.tmov"
    RESULT_LIKE: ClassVar = "src"
    src = operand_def(Tile())
    dst = opt_operand_def(Tile())
    result = opt_result_def(Tile())
