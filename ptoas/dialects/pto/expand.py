"""A row, a column or a scalar, repeated over a tile; alone, or combined with another tile."""

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Attribute
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
)

from ptoas.dialects.pto.constraints import AnyTile, Scalar
from ptoas.dialects.pto.enums import DivPrecisionAttr
from ptoas.dialects.pto.instruction import Instruction, ScratchOp
from ptoas.dialects.pto.result_types import DerivedType, like_the_wider
from ptoas.dialects.pto.types import TileType


class ExpandOp(Instruction, ABC):
    """A row or a column, repeated as often as the destination is large."""

    src = operand_def(AnyTile("T"))


class RowExpandOp(ScratchOp, ABC):
    """`dst[i, j] = f(src0[i, j], src1[i, j])`, where one source has a value for each row: a column, or rows
    of 32 bytes that are repeated along the row."""

    RESULT_FROM: ClassVar = DerivedType(like_the_wider, "src0", "src1")
    src0 = operand_def(AnyTile("T"))
    src1 = operand_def(AnyTile("T"))
    tmp = opt_operand_def(AnyTile("T"))


class ColumnExpandOp(Instruction, ABC):
    """`dst[i, j] = f(src0[i, j], src1[0, j])`."""

    RESULT_LIKE: ClassVar = "src0"
    src0 = operand_def(AnyTile("T"))
    src1 = operand_def(AnyTile("T"))


@irdl_op_definition
class TRowExpandOp(ExpandOp):
    """`dst[i, j] = src[i, 0]`: the first element of each row, repeated along it."""

    name = "pto.trowexpand"

    @classmethod
    def plausible_result_types(cls, operands: Sequence[Attribute]) -> Sequence[Attribute]:
        """As many rows as the source."""
        return [
            TileType.of(src.element_type, src.rows, 64, valid=(src.valid_rows, 64))
            for src in operands
            if isinstance(src, TileType)
        ]


@irdl_op_definition
class TColExpandOp(ExpandOp):
    """`dst[i, j] = src[0, j]`: the first row, repeated down the columns."""

    name = "pto.tcolexpand"

    @classmethod
    def plausible_result_types(cls, operands: Sequence[Attribute]) -> Sequence[Attribute]:
        """As many columns as the source."""
        return [
            src.override(rows=16, valid=(16, src.valid_cols)) for src in operands if isinstance(src, TileType)
        ]


@irdl_op_definition
class TExpandSOp(Instruction):
    """`dst[i, j] = scalar`."""

    name = "pto.texpands"
    scalar = operand_def(Scalar("T"))


@irdl_op_definition
class TRowExpandAddOp(RowExpandOp):
    """`dst[i, j] = src0[i, j] + src1[i, j]`, one source repeated along the rows."""

    name = "pto.trowexpandadd"


@irdl_op_definition
class TRowExpandSubOp(RowExpandOp):
    """`dst[i, j] = src0[i, j] - src1[i, j]`, one source repeated along the rows."""

    name = "pto.trowexpandsub"


@irdl_op_definition
class TRowExpandMulOp(RowExpandOp):
    """`dst[i, j] = src0[i, j] * src1[i, j]`, one source repeated along the rows."""

    name = "pto.trowexpandmul"


@irdl_op_definition
class TRowExpandDivOp(RowExpandOp):
    """`dst[i, j] = src0[i, j] / src1[i, j]`, one source repeated along the rows."""

    name = "pto.trowexpanddiv"
    precision_type = opt_prop_def(DivPrecisionAttr, prop_name="precisionType")


@irdl_op_definition
class TRowExpandMaxOp(RowExpandOp):
    """`dst[i, j] = max(src0[i, j], src1[i, j])`, one source repeated along the rows."""

    name = "pto.trowexpandmax"


@irdl_op_definition
class TRowExpandMinOp(RowExpandOp):
    """`dst[i, j] = min(src0[i, j], src1[i, j])`, one source repeated along the rows."""

    name = "pto.trowexpandmin"


@irdl_op_definition
class TRowExpandExpdifOp(RowExpandOp):
    """`dst[i, j] = exp(src0[i, j] - src1[i, j])`, one source repeated along the rows."""

    name = "pto.trowexpandexpdif"


@irdl_op_definition
class TColExpandAddOp(ColumnExpandOp):
    """`dst[i, j] = src0[i, j] + src1[0, j]`."""

    name = "pto.tcolexpandadd"


@irdl_op_definition
class TColExpandSubOp(ColumnExpandOp):
    """`dst[i, j] = src0[i, j] - src1[0, j]`."""

    name = "pto.tcolexpandsub"


@irdl_op_definition
class TColExpandMulOp(ColumnExpandOp):
    """`dst[i, j] = src0[i, j] * src1[0, j]`."""

    name = "pto.tcolexpandmul"


@irdl_op_definition
class TColExpandDivOp(ColumnExpandOp):
    """`dst[i, j] = src0[i, j] / src1[0, j]`."""

    name = "pto.tcolexpanddiv"
    precision_type = opt_prop_def(DivPrecisionAttr, prop_name="precisionType")


@irdl_op_definition
class TColExpandMaxOp(ColumnExpandOp):
    """`dst[i, j] = max(src0[i, j], src1[0, j])`."""

    name = "pto.tcolexpandmax"


@irdl_op_definition
class TColExpandMinOp(ColumnExpandOp):
    """`dst[i, j] = min(src0[i, j], src1[0, j])`."""

    name = "pto.tcolexpandmin"


@irdl_op_definition
class TColExpandExpdifOp(ColumnExpandOp):
    """`dst[i, j] = exp(src0[i, j] - src1[0, j])`."""

    name = "pto.tcolexpandexpdif"
