"""Copies between tiles: whole, in part, side by side, transposed, padded."""

from typing import ClassVar

from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
)

from ptoas.dialects.pto.constraints import Index, Tile
from ptoas.dialects.pto.enums import PadValueAttr
from ptoas.dialects.pto.instruction import BinaryOp, Instruction, ScratchOp


@irdl_op_definition
class TMovOp(Instruction):
    """`dst[i, j] = src[i, j]`: a copy between tiles; on its way out of the accumulator it may convert."""

    name = "pto.tmov"
    RESULT_LIKE: ClassVar = "src"
    src = operand_def(Tile())
    dst = opt_operand_def(Tile())
    result = opt_result_def(Tile())


@irdl_op_definition
class TFillPadOp(Instruction):
    """`dst[i, j] = src[i, j]` where `src` is valid, elsewhere the pad value of the destination's type; of a
    matrix, that of `padValue`."""

    name = "pto.tfillpad"
    src = operand_def(Tile("T"))
    pad_value = opt_prop_def(PadValueAttr, prop_name="padValue")


@irdl_op_definition
class TTransOp(ScratchOp):
    """`dst[j, i] = src[i, j]`."""

    name = "pto.ttrans"
    src = operand_def(Tile("T"))


@irdl_op_definition
class TConcatOp(BinaryOp):
    """The valid columns of `src1` behind those of `src0`, row by row."""

    name = "pto.tconcat"


@irdl_op_definition
class TConcatIdxOp(Instruction):
    """In each row the first columns of `src0`, behind them the first of `src1`; how many stands in the first
    column of each index tile, in bytes of that tile's own element type."""

    name = "pto.tconcatidx"
    src0 = operand_def(Tile("T"))
    src1 = operand_def(Tile("T"))
    src0_idx = operand_def(Tile("I"))
    src1_idx = operand_def(Tile("I"))


@irdl_op_definition
class TExtractOp(Instruction):
    """`dst[i, j] = src[row + i, col + j]`."""

    name = "pto.textract"
    src = operand_def(Tile("T"))
    row = operand_def(Index())
    col = operand_def(Index())


@irdl_op_definition
class TInsertOp(Instruction):
    """`dst[row + i, col + j] = src[i, j]`; all else of the destination stays."""

    name = "pto.tinsert"
    src = operand_def(Tile("T"))
    row = operand_def(Index())
    col = operand_def(Index())
