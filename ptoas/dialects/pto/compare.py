"""Comparisons, whose results are bits, and choices by such bits.

In a mask, the bit of column `c` is bit `c % 8` of byte `c / 8` of its row, the lowest bit first.
"""

from abc import ABC
from typing import ClassVar

from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
)

from ptoas.dialects.pto.constraints import AnyTile, IntegerTile, Scalar
from ptoas.dialects.pto.enums import CmpModeAttr
from ptoas.dialects.pto.instruction import Instruction, ScratchOp
from ptoas.dialects.pto.result_types import DerivedType, mask


class CompareOp(Instruction, ABC):
    """A comparison; its destination is a mask, with a bit for each element of `MASKED`."""

    MASK: ClassVar = "dst"
    MASKED: ClassVar[str]
    dst = opt_operand_def(IntegerTile())
    result = opt_result_def(IntegerTile())
    cmp_mode = opt_prop_def(CmpModeAttr, prop_name="cmpMode")


@irdl_op_definition
class TCmpOp(CompareOp):
    """`dst.bit[i, j] = src0[i, j] <cmpMode> src1[i, j]`; without a mode, whether they are equal."""

    name = "pto.tcmp"
    MASKED: ClassVar = "src0"
    RESULT_FROM: ClassVar = DerivedType(mask, "src0")
    ASSEMBLY_FORMAT: ClassVar = "ins($src0, $src1 {attrs} : ^src0, ^src1)( outs($dst : ^dst))?"
    src0 = operand_def(AnyTile("T"))
    src1 = operand_def(AnyTile("T"))


@irdl_op_definition
class TCmpSOp(CompareOp):
    """`dst.bit[i, j] = src[i, j] <cmpMode> scalar`; without a mode, whether they are equal."""

    name = "pto.tcmps"
    MASKED: ClassVar = "src"
    RESULT_FROM: ClassVar = DerivedType(mask, "src")
    ASSEMBLY_FORMAT: ClassVar = "ins($src, $scalar {attrs} : ^src, ^scalar)( outs($dst : ^dst))?"
    src = operand_def(AnyTile("T"))
    scalar = operand_def(Scalar("T"))


@irdl_op_definition
class TSelOp(ScratchOp):
    """`dst[i, j] = mask.bit[i, j] ? src0[i, j] : src1[i, j]`."""

    name = "pto.tsel"
    MASK: ClassVar = "mask"
    MASKED: ClassVar = "dst"
    RESULT_LIKE: ClassVar = "src0"
    mask = operand_def(IntegerTile())
    src0 = operand_def(AnyTile("T"))
    src1 = operand_def(AnyTile("T"))


@irdl_op_definition
class TSelSOp(ScratchOp):
    """`dst[i, j] = mask.bit[i, j] ? src[i, j] : scalar`."""

    name = "pto.tsels"
    MASK: ClassVar = "mask"
    MASKED: ClassVar = "dst"
    RESULT_LIKE: ClassVar = "src"
    mask = operand_def(IntegerTile())
    src = operand_def(AnyTile("T"))
    tmp = opt_operand_def(AnyTile())
    scalar = operand_def(Scalar("T"))
