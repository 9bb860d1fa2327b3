"""A row, a column or a scalar, repeated over a tile."""

from abc import ABC

from xdsl.irdl import irdl_op_definition, operand_def

from ptoas.dialects.pto.constraints import Scalar, Tile
from ptoas.dialects.pto.instruction import Instruction


class ExpandOp(Instruction, ABC):
    """A row or a column, repeated as often as the destination is large."""

    src = operand_def(Tile("T"))


@irdl_op_definition
class TRowExpandOp(ExpandOp):
    """`dst[i, j] = src[i, 0]`: the first element of each row, repeated along it."""

    name = "pto.trowexpand"


@irdl_op_definition
class TColExpandOp(ExpandOp):
    """`dst[i, j] = src[0, j]`: the first row, repeated down the columns."""

    name = "pto.tcolexpand"


@irdl_op_definition
class TExpandSOp(Instruction):
    """`dst[i, j] = scalar`."""

    name = "pto.texpands"
    scalar = operand_def(Scalar("T"))
