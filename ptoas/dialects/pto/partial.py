"""Arithmetic of two tiles of which one may be smaller: where it has no element, the other's is taken."""

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Attribute
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_result_def,
)
from xdsl.utils.exceptions import VerifyException

from ptoas.dialects.pto.constraints import AnyTile, IntegerTile
from ptoas.dialects.pto.instruction import Instruction, SeveralTilesOp
from ptoas.dialects.pto.result_types import DerivedType, Operands, Properties, like_the_larger


class PartialOp(Instruction, ABC):
    """`dst[i, j] = f(src0[i, j], src1[i, j])` where both are valid, else the one that is."""

    RESULT_FROM: ClassVar = DerivedType(like_the_larger, "src0", "src1")
    src0 = operand_def(AnyTile("T"))
    src1 = operand_def(AnyTile("T"))


class PartialArgOp(SeveralTilesOp, ABC):
    """The same for values with their indices: the value that is chosen brings its index along."""

    OUTS: ClassVar[tuple[str, ...]] = ("dst", "dst_idx")

    src0 = operand_def(AnyTile("T"))
    src1 = operand_def(AnyTile("T"))
    src0_idx = operand_def(IntegerTile("I"))
    src1_idx = operand_def(IntegerTile("I"))
    dst = opt_operand_def(AnyTile("T"))
    dst_idx = opt_operand_def(IntegerTile("I"))
    result = opt_result_def(AnyTile("T"))
    result_idx = opt_result_def(IntegerTile("I"))

    @classmethod
    def infer_result_types(cls, operands: Operands, properties: Properties) -> Sequence[Attribute] | None:
        """The values and the indices of the larger source."""
        larger = (
            DerivedType(like_the_larger, "src0", "src1"),
            DerivedType(like_the_larger, "src0_idx", "src1_idx"),
        )
        types = [each.infer(operands) for each in larger]
        return [type for type in types if type is not None]

    def verify_(self) -> None:
        super().verify_()
        if (self.dst is None) != (self.dst_idx is None) or (self.result is None) != (self.result_idx is None):
            raise VerifyException("needs two destinations: values and indices")


@irdl_op_definition
class TPartAddOp(PartialOp):
    """`dst[i, j] = src0[i, j] + src1[i, j]` where both are valid, else the one that is."""

    name = "pto.tpartadd"


@irdl_op_definition
class TPartMulOp(PartialOp):
    """`dst[i, j] = src0[i, j] * src1[i, j]` where both are valid, else the one that is."""

    name = "pto.tpartmul"


@irdl_op_definition
class TPartMaxOp(PartialOp):
    """`dst[i, j] = max(src0[i, j], src1[i, j])` where both are valid, else the one that is."""

    name = "pto.tpartmax"


@irdl_op_definition
class TPartMinOp(PartialOp):
    """`dst[i, j] = min(src0[i, j], src1[i, j])` where both are valid, else the one that is."""

    name = "pto.tpartmin"


@irdl_op_definition
class TPartArgMaxOp(PartialArgOp):
    """`dst[i, j] = src0[i, j] > src1[i, j] ? src0[i, j] : src1[i, j]`, and the same of the indices;
    where only one is valid, that one."""

    name = "pto.tpartargmax"


@irdl_op_definition
class TPartArgMinOp(PartialArgOp):
    """`dst[i, j] = src0[i, j] < src1[i, j] ? src0[i, j] : src1[i, j]`, and the same of the indices;
    where only one is valid, that one."""

    name = "pto.tpartargmin"
