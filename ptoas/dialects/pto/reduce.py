"""Reductions along rows and down columns, and where the largest and smallest elements are."""

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr, i32
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
)
from xdsl.utils.exceptions import VerifyException

from ptoas.dialects.pto.constraints import AnyTile, IntegerTile
from ptoas.dialects.pto.instruction import Instruction, ReductionOp, ScratchOp
from ptoas.dialects.pto.result_types import DerivedType, one_per_column, one_per_row


class RowReductionOp(ReductionOp, ABC):
    """`dst[i, 0] = f over j of src[i, j]`."""

    RESULT_FROM: ClassVar = DerivedType(one_per_row, "src")


class ColumnReductionOp(Instruction, ABC):
    """`dst[0, j] = f over i of src[i, j]`."""

    RESULT_FROM: ClassVar = DerivedType(one_per_column, "src")
    src = operand_def(AnyTile("T"))


class ArgReductionOp(ScratchOp, ABC):
    """The position of an element along one axis; some targets need a scratch tile for it."""

    src = operand_def(AnyTile("T"))
    tmp = opt_operand_def(AnyTile("T"))
    dst = opt_operand_def(IntegerTile())
    result = opt_result_def(IntegerTile())


class RowArgReductionOp(ArgReductionOp, ABC):
    """The position of an element of each row."""

    RESULT_FROM: ClassVar = DerivedType(one_per_row, "src", element=i32)


class ColumnArgReductionOp(ArgReductionOp, ABC):
    """The position of an element of each column."""

    RESULT_FROM: ClassVar = DerivedType(one_per_column, "src", element=i32)


@irdl_op_definition
class TRowSumOp(RowReductionOp):
    """`dst[i, 0] = sum over j of src[i, j]`."""

    name = "pto.trowsum"


@irdl_op_definition
class TRowProdOp(RowReductionOp):
    """`dst[i, 0] = product over j of src[i, j]`."""

    name = "pto.trowprod"


@irdl_op_definition
class TRowMaxOp(RowReductionOp):
    """`dst[i, 0] = max over j of src[i, j]`."""

    name = "pto.trowmax"


@irdl_op_definition
class TRowMinOp(RowReductionOp):
    """`dst[i, 0] = min over j of src[i, j]`."""

    name = "pto.trowmin"


@irdl_op_definition
class TRowArgMaxOp(RowArgReductionOp):
    """`dst[i, 0] = the first j with the largest src[i, j]`."""

    name = "pto.trowargmax"


@irdl_op_definition
class TRowArgMinOp(RowArgReductionOp):
    """`dst[i, 0] = the first j with the smallest src[i, j]`."""

    name = "pto.trowargmin"


@irdl_op_definition
class TColSumOp(ReductionOp):
    """`dst[0, j] = sum over i of src[i, j]`: one by one, or with `isBinary` in pairs, which `tmp` holds."""

    name = "pto.tcolsum"
    RESULT_FROM: ClassVar = DerivedType(one_per_column, "src")
    ASSEMBLY_FORMAT: ClassVar = "ins($src(, $tmp)? {attrs} : ^src(, ^tmp)?)( outs($dst : ^dst))?"
    is_binary = opt_prop_def(BoolAttr, prop_name="isBinary")

    def verify_(self) -> None:
        super().verify_()
        if self.tmp is not None and self.is_binary is None:
            raise VerifyException("needs `isBinary` (sum rows in pairs) if it has a scratch tile")

    @property
    def in_pairs(self) -> bool:
        return self.is_binary is not None and bool(self.is_binary.value.data)


@irdl_op_definition
class TColProdOp(ColumnReductionOp):
    """`dst[0, j] = product over i of src[i, j]`."""

    name = "pto.tcolprod"


@irdl_op_definition
class TColMaxOp(ColumnReductionOp):
    """`dst[0, j] = max over i of src[i, j]`."""

    name = "pto.tcolmax"


@irdl_op_definition
class TColMinOp(ColumnReductionOp):
    """`dst[0, j] = min over i of src[i, j]`."""

    name = "pto.tcolmin"


@irdl_op_definition
class TColArgMaxOp(ColumnArgReductionOp):
    """`dst[0, j] = the first i with the largest src[i, j]`."""

    name = "pto.tcolargmax"


@irdl_op_definition
class TColArgMinOp(ColumnArgReductionOp):
    """`dst[0, j] = the first i with the smallest src[i, j]`."""

    name = "pto.tcolargmin"
