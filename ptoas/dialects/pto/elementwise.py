"""Arithmetic on tiles, element by element: with another tile, with a scalar, alone."""

from xdsl.dialects.builtin import BoolAttr
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, opt_prop_def, opt_result_def

from ptoas.dialects.pto.constraints import Scalar, Tile
from ptoas.dialects.pto.enums import RoundModeAttr
from ptoas.dialects.pto.instruction import BinaryOp, Instruction, ScalarOp, UnaryOp


@irdl_op_definition
class TAddOp(BinaryOp):
    """`dst[i, j] = src0[i, j] + src1[i, j]`."""

    name = "pto.tadd"


@irdl_op_definition
class TSubOp(BinaryOp):
    """`dst[i, j] = src0[i, j] - src1[i, j]`."""

    name = "pto.tsub"


@irdl_op_definition
class TMulOp(BinaryOp):
    """`dst[i, j] = src0[i, j] * src1[i, j]`."""

    name = "pto.tmul"


@irdl_op_definition
class TDivOp(BinaryOp):
    """`dst[i, j] = src0[i, j] / src1[i, j]`."""

    name = "pto.tdiv"


@irdl_op_definition
class TMaxOp(BinaryOp):
    """`dst[i, j] = max(src0[i, j], src1[i, j])`."""

    name = "pto.tmax"


@irdl_op_definition
class TMinOp(BinaryOp):
    """`dst[i, j] = min(src0[i, j], src1[i, j])`."""

    name = "pto.tmin"


@irdl_op_definition
class TAddSOp(ScalarOp):
    """`dst[i, j] = src[i, j] + scalar`."""

    name = "pto.tadds"


@irdl_op_definition
class TSubSOp(ScalarOp):
    """`dst[i, j] = src[i, j] - scalar`."""

    name = "pto.tsubs"


@irdl_op_definition
class TMulSOp(ScalarOp):
    """`dst[i, j] = src[i, j] * scalar`."""

    name = "pto.tmuls"


@irdl_op_definition
class TAbsOp(UnaryOp):
    """`dst[i, j] = |src[i, j]|`."""

    name = "pto.tabs"


@irdl_op_definition
class TExpOp(UnaryOp):
    """`dst[i, j] = exp(src[i, j])`."""

    name = "pto.texp"


@irdl_op_definition
class TNegOp(UnaryOp):
    """`dst[i, j] = -src[i, j]`."""

    name = "pto.tneg"


@irdl_op_definition
class TCIOp(Instruction):
    """`dst[0, k] = start + k`, or `start - k` when descending: consecutive integers."""

    name = "pto.tci"
    start = operand_def(Scalar("T"))
    descending = opt_prop_def(BoolAttr)


@irdl_op_definition
class TCvtOp(Instruction):
    """`dst[i, j] = convert(src[i, j])`: another element type, rounded as `rmode` says. `NONE` drops the
    fraction of a float that becomes an integer; all else then goes to the nearest, as without `rmode`."""

    name = "pto.tcvt"
    src = operand_def(Tile())
    dst = opt_operand_def(Tile())
    result = opt_result_def(Tile())
    rmode = opt_prop_def(RoundModeAttr)
