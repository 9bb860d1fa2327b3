"""A row, a column or a scalar, repeated over a tile."""

from xdsl.irdl import irdl_op_definition, operand_def

from ptoas.dialects.pto.constraints import Scalar
from ptoas.dialects.pto.instruction import Instruction, UnaryOp


@irdl_op_definition
class TRowExpandOp(UnaryOp):
    """`dst[i, j] = src[i, 0]`: the first element of each row, repeated along it."""

    name = "pto.trowexpand"


@irdl_op_definition
class TColExpandOp(UnaryOp):
    """`dst[i, j] = src[0, j]`: the first row, repeated down the columns."""

    name = "pto.tcolexpand"


@irdl_op_definition
class TExpandSOp(Instruction):
    """`dst[i, j] = scalar`."""

    name = "pto.texpands"
    scalar = operand_def(Scalar("T"))
