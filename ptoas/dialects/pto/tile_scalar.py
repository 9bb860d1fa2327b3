"""Arithmetic on tiles with a scalar, element by element."""

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import f32
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
)
from xdsl.utils.exceptions import VerifyException

from ptoas.dialects.pto.constraints import AnyTile, Index, Scalar
from ptoas.dialects.pto.enums import DivPrecisionAttr, PowPrecisionAttr
from ptoas.dialects.pto.instruction import Instruction, PtoOp, ScalarOp, ScratchOp


class BitScalarOp(Instruction, ABC):
    """`dst[i, j] = f(src[i, j], scalar)`: the bits of the scalar, whatever its width."""

    RESULT_LIKE: ClassVar = "src"
    src = operand_def(AnyTile("T"))
    scalar = operand_def(Index())


class ScalarTernaryOp(Instruction, ABC):
    """`dst[i, j] = f(src0[i, j], scalar, src1[i, j])`."""

    RESULT_LIKE: ClassVar = "src0"
    src0 = operand_def(AnyTile("T"))
    scalar = operand_def(Scalar("T"))
    src1 = operand_def(AnyTile("T"))


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
class TMaxSOp(ScalarOp):
    """`dst[i, j] = max(src[i, j], scalar)`."""

    name = "pto.tmaxs"


@irdl_op_definition
class TMinSOp(ScalarOp):
    """`dst[i, j] = min(src[i, j], scalar)`."""

    name = "pto.tmins"


@irdl_op_definition
class TDivSOp(Instruction):
    """`dst[i, j] = src[i, j] / scalar`, or `scalar / src[i, j]` where the scalar comes first."""

    name = "pto.tdivs"
    RESULT_LIKE: ClassVar = "src"
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    dividend = opt_operand_def(Scalar("T"))
    src = operand_def(AnyTile("T"))
    divisor = opt_operand_def(Scalar("T"))
    precision_type = opt_prop_def(DivPrecisionAttr, prop_name="precisionType")

    def verify_(self) -> None:
        super().verify_()
        if (self.dividend is None) == (self.divisor is None):
            raise VerifyException("takes a tile and a scalar, in either order")


@irdl_op_definition
class TAndSOp(BitScalarOp):
    """`dst[i, j] = src[i, j] & scalar`."""

    name = "pto.tands"


@irdl_op_definition
class TOrSOp(BitScalarOp):
    """`dst[i, j] = src[i, j] | scalar`."""

    name = "pto.tors"


@irdl_op_definition
class TXorSOp(BitScalarOp, ScratchOp):
    """`dst[i, j] = src[i, j] ^ scalar`."""

    name = "pto.txors"


@irdl_op_definition
class TShlSOp(BitScalarOp):
    """`dst[i, j] = src[i, j] << scalar`."""

    name = "pto.tshls"


@irdl_op_definition
class TShrSOp(BitScalarOp):
    """`dst[i, j] = src[i, j] >> scalar`; a signed number keeps its sign."""

    name = "pto.tshrs"


@irdl_op_definition
class TRemSOp(ScalarOp, ScratchOp):
    """`dst[i, j] = src[i, j] - floor(src[i, j] / scalar) * scalar`: the sign of the divisor."""

    name = "pto.trems"


@irdl_op_definition
class TFmodSOp(ScalarOp):
    """`dst[i, j] = src[i, j] - trunc(src[i, j] / scalar) * scalar`: the sign of the dividend."""

    name = "pto.tfmods"


@irdl_op_definition
class TPowSOp(ScalarOp, ScratchOp):
    """`dst[i, j] = src[i, j] ** scalar`; an integer to a negative power is 0, but for 1 and -1."""

    name = "pto.tpows"
    precision_type = opt_prop_def(PowPrecisionAttr, prop_name="precisionType")


@irdl_op_definition
class TLReluOp(Instruction):
    """`dst[i, j] = src[i, j] if src[i, j] > 0 else src[i, j] * slope`; the slope may be f32 for any tile."""

    name = "pto.tlrelu"
    RESULT_LIKE: ClassVar = "src"
    src = operand_def(AnyTile("T"))
    slope = operand_def(Scalar())

    def verify_(self) -> None:
        super().verify_()
        element = AnyTile().element_of(self.src.type)
        if self.slope.type not in (f32, element):
            types = " or ".join(map(str, dict.fromkeys((f32, element))))
            raise VerifyException(f"`slope` must be {types}, found {self.slope.type}")


@irdl_op_definition
class TAxpyOp(PtoOp):
    """`dst[i, j] = dst[i, j] + src[i, j] * scalar`; the destination may be wider than the source."""

    name = "pto.taxpy"
    OUTS: ClassVar = ("dst",)
    src = operand_def(AnyTile("T"))
    scalar = operand_def(Scalar("T"))
    dst = operand_def(AnyTile())

    def inplace_operands(self) -> tuple[str, ...]:
        return ("dst",)


@irdl_op_definition
class TAddSCOp(ScalarTernaryOp):
    """`dst[i, j] = src0[i, j] + scalar + src1[i, j]`, rounded after each sum."""

    name = "pto.taddsc"


@irdl_op_definition
class TSubSCOp(ScalarTernaryOp):
    """`dst[i, j] = src0[i, j] - scalar + src1[i, j]`, rounded after each step."""

    name = "pto.tsubsc"
