"""Arithmetic on tiles, element by element."""

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
)

from ptoas.dialects.pto.constraints import AnyTile, Scalar
from ptoas.dialects.pto.enums import (
    DivPrecisionAttr,
    ExpPrecisionAttr,
    FmodPrecisionAttr,
    LogPrecisionAttr,
    PowPrecisionAttr,
    RecipPrecisionAttr,
    RemPrecisionAttr,
    RsqrtPrecisionAttr,
    SqrtPrecisionAttr,
)
from ptoas.dialects.pto.instruction import BinaryOp, Instruction, ScratchOp, UnaryOp


class TernaryOp(Instruction, ABC):
    """`dst[i, j] = f(src0[i, j], src1[i, j], src2[i, j])`."""

    RESULT_LIKE: ClassVar = "src0"
    src0 = operand_def(AnyTile("T"))
    src1 = operand_def(AnyTile("T"))
    src2 = operand_def(AnyTile("T"))


# --- two tiles -----------------------------------------------------------------------------------


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
    precision_type = opt_prop_def(DivPrecisionAttr, prop_name="precisionType")


@irdl_op_definition
class TMaxOp(BinaryOp):
    """`dst[i, j] = max(src0[i, j], src1[i, j])`."""

    name = "pto.tmax"


@irdl_op_definition
class TMinOp(BinaryOp):
    """`dst[i, j] = min(src0[i, j], src1[i, j])`."""

    name = "pto.tmin"


@irdl_op_definition
class TAndOp(BinaryOp):
    """`dst[i, j] = src0[i, j] & src1[i, j]`."""

    name = "pto.tand"


@irdl_op_definition
class TOrOp(BinaryOp):
    """`dst[i, j] = src0[i, j] | src1[i, j]`."""

    name = "pto.tor"


@irdl_op_definition
class TXorOp(BinaryOp, ScratchOp):
    """`dst[i, j] = src0[i, j] ^ src1[i, j]`."""

    name = "pto.txor"


@irdl_op_definition
class TShlOp(BinaryOp):
    """`dst[i, j] = src0[i, j] << src1[i, j]`."""

    name = "pto.tshl"


@irdl_op_definition
class TShrOp(BinaryOp):
    """`dst[i, j] = src0[i, j] >> src1[i, j]`; a signed number keeps its sign."""

    name = "pto.tshr"


@irdl_op_definition
class TRemOp(BinaryOp, ScratchOp):
    """`dst[i, j] = src0[i, j] - floor(src0[i, j] / src1[i, j]) * src1[i, j]`: the sign of the divisor."""

    name = "pto.trem"
    precision_type = opt_prop_def(RemPrecisionAttr, prop_name="precisionType")


@irdl_op_definition
class TFmodOp(BinaryOp):
    """`dst[i, j] = src0[i, j] - trunc(src0[i, j] / src1[i, j]) * src1[i, j]`: the sign of the dividend."""

    name = "pto.tfmod"
    precision_type = opt_prop_def(FmodPrecisionAttr, prop_name="precisionType")


@irdl_op_definition
class TPowOp(BinaryOp, ScratchOp):
    """`dst[i, j] = src0[i, j] ** src1[i, j]`; an integer to a negative power is 0, but for 1 and -1."""

    name = "pto.tpow"
    precision_type = opt_prop_def(PowPrecisionAttr, prop_name="precisionType")


@irdl_op_definition
class TPReluOp(BinaryOp, ScratchOp):
    """`dst[i, j] = src0[i, j] if src0[i, j] > 0 else src0[i, j] * src1[i, j]`."""

    name = "pto.tprelu"


@irdl_op_definition
class TAddReluOp(BinaryOp):
    """`dst[i, j] = max(src0[i, j] + src1[i, j], 0)`."""

    name = "pto.taddrelu"


# --- one tile ------------------------------------------------------------------------------------


@irdl_op_definition
class TAbsOp(UnaryOp):
    """`dst[i, j] = |src[i, j]|`."""

    name = "pto.tabs"


@irdl_op_definition
class TExpOp(UnaryOp):
    """`dst[i, j] = exp(src[i, j])`."""

    name = "pto.texp"
    precision_type = opt_prop_def(ExpPrecisionAttr, prop_name="precisionType")


@irdl_op_definition
class TNegOp(UnaryOp):
    """`dst[i, j] = -src[i, j]`."""

    name = "pto.tneg"


@irdl_op_definition
class TRecipOp(UnaryOp):
    """`dst[i, j] = 1 / src[i, j]`."""

    name = "pto.trecip"
    precision_type = opt_prop_def(RecipPrecisionAttr, prop_name="precisionType")


@irdl_op_definition
class TSqrtOp(UnaryOp):
    """`dst[i, j] = sqrt(src[i, j])`."""

    name = "pto.tsqrt"
    precision_type = opt_prop_def(SqrtPrecisionAttr, prop_name="precisionType")


@irdl_op_definition
class TRsqrtOp(UnaryOp, ScratchOp):
    """`dst[i, j] = 1 / sqrt(src[i, j])`; on some targets more precise with a scratch tile."""

    name = "pto.trsqrt"
    precision_type = opt_prop_def(RsqrtPrecisionAttr, prop_name="precisionType")


@irdl_op_definition
class TLogOp(UnaryOp):
    """`dst[i, j] = log(src[i, j])`, the natural logarithm."""

    name = "pto.tlog"
    precision_type = opt_prop_def(LogPrecisionAttr, prop_name="precisionType")


@irdl_op_definition
class TReluOp(UnaryOp):
    """`dst[i, j] = max(src[i, j], 0)`."""

    name = "pto.trelu"


@irdl_op_definition
class TNotOp(UnaryOp):
    """`dst[i, j] = ~src[i, j]`."""

    name = "pto.tnot"


# --- three operands ------------------------------------------------------------------------------


@irdl_op_definition
class TAddCOp(TernaryOp):
    """`dst[i, j] = src0[i, j] + src1[i, j] + src2[i, j]`, rounded after each sum."""

    name = "pto.taddc"


@irdl_op_definition
class TSubCOp(TernaryOp):
    """`dst[i, j] = src0[i, j] - src1[i, j] + src2[i, j]`, rounded after each step."""

    name = "pto.tsubc"


# --- others --------------------------------------------------------------------------------------


@irdl_op_definition
class TCIOp(ScratchOp):
    """`dst[0, k] = start + k`, or `start - k` when descending: consecutive integers."""

    name = "pto.tci"
    start = operand_def(Scalar("T"))
    descending = opt_prop_def(BoolAttr)
