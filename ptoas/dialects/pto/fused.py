"""Fused and pairwise arithmetic of the headers of August 2026, which no document describes (D52)."""

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import f16, f32
from xdsl.ir import Attribute
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_result_def,
)
from xdsl.utils.exceptions import VerifyException

from ptoas.dialects.pto.constraints import AnyTile, Scalar
from ptoas.dialects.pto.instruction import BinaryOp, Instruction, PtoOp, ScratchOp, SeveralTilesOp, UnaryOp
from ptoas.dialects.pto.result_types import (
    DerivedType,
    Operands,
    Properties,
    half_of_the_columns,
    narrowed,
    with_element,
)
from ptoas.dialects.pto.types import TileType


class MultiplyAddOp(PtoOp, ABC):
    """`dst[i, j] = f(dst[i, j], src0[i, j], src1[i, j])`."""

    OUTS: ClassVar = ("dst",)
    src0 = operand_def(AnyTile("T"))
    src1 = operand_def(AnyTile("T"))
    dst = operand_def(AnyTile("T"))

    def inplace_operands(self) -> tuple[str, ...]:
        return ("dst",)


class NarrowingOp(Instruction, ABC):
    """`dst[i, j] = convert(f(src0[i, j], src1[i, j]))`, with saturation."""

    RESULT_FROM: ClassVar = DerivedType(narrowed, "src0")
    src0 = operand_def(AnyTile("S"))
    src1 = operand_def(AnyTile("S"))
    dst = opt_operand_def(AnyTile())
    result = opt_result_def(AnyTile())


class PairOfTilesOp(SeveralTilesOp, ABC):
    """An instruction with two destinations of one type, `dst` and `dst1`."""

    OUTS: ClassVar[tuple[str, ...]] = ("dst", "dst1")

    dst = opt_operand_def(AnyTile("T"))
    dst1 = opt_operand_def(AnyTile("T"))
    result = opt_result_def(AnyTile("T"))
    result1 = opt_result_def(AnyTile("T"))

    def verify_(self) -> None:
        super().verify_()
        if (self.dst is None) != (self.dst1 is None) or (self.result is None) != (self.result1 is None):
            raise VerifyException("has two destinations")


@irdl_op_definition
class TSubReluOp(BinaryOp):
    """`dst[i, j] = max(src0[i, j] - src1[i, j], 0)`."""

    name = "pto.tsubrelu"


@irdl_op_definition
class TMulAddDstOp(MultiplyAddOp):
    """`dst[i, j] = src0[i, j] * src1[i, j] + dst[i, j]`."""

    name = "pto.tmuladddst"


@irdl_op_definition
class TFusedMulAddOp(MultiplyAddOp):
    """`dst[i, j] = src0[i, j] * dst[i, j] + src1[i, j]`."""

    name = "pto.tfusedmuladd"


@irdl_op_definition
class TFusedMulAddReluOp(MultiplyAddOp):
    """`dst[i, j] = max(src0[i, j] * dst[i, j] + src1[i, j], 0)`."""

    name = "pto.tfusedmuladdrelu"


@irdl_op_definition
class TAddReluConvOp(NarrowingOp):
    """`dst[i, j] = convert(max(src0[i, j] + src1[i, j], 0))` to a shorter type, with saturation."""

    name = "pto.taddreluconv"


@irdl_op_definition
class TSubReluConvOp(NarrowingOp):
    """`dst[i, j] = convert(max(src0[i, j] - src1[i, j], 0))` to a shorter type, with saturation."""

    name = "pto.tsubreluconv"


@irdl_op_definition
class TAddDeqReluOp(ScratchOp):
    """`dst[i, j] = f16(max((src0[i, j] + src1[i, j]) * scale, 0))` of integers."""

    name = "pto.tadddeqrelu"
    RESULT_FROM: ClassVar = DerivedType(with_element, "src0", element=f16)
    src0 = operand_def(AnyTile("S"))
    src1 = operand_def(AnyTile("S"))
    scale = operand_def(Scalar())
    tmp = opt_operand_def(AnyTile())
    dst = opt_operand_def(AnyTile())
    result = opt_result_def(AnyTile())

    def verify_(self) -> None:
        super().verify_()
        if self.scale.type != f32:
            raise VerifyException("operand `scale` must be f32")


@irdl_op_definition
class TPairReduceSumOp(UnaryOp):
    """`dst[i, k] = src[i, 2k] + src[i, 2k + 1]` in the first half of the columns."""

    name = "pto.tpairreducesum"


@irdl_op_definition
class TInterleaveOp(PairOfTilesOp):
    """Columns of `src0` and `src1` in turn: the first half of the sequence in `dst`, the second in `dst1`."""

    name = "pto.tinterleave"
    src0 = operand_def(AnyTile("T"))
    src1 = operand_def(AnyTile("T"))

    @classmethod
    def infer_result_types(cls, operands: Operands, properties: Properties) -> Sequence[Attribute] | None:
        return [operands["src0"][0].type] * 2


@irdl_op_definition
class TDeinterleaveOp(PairOfTilesOp):
    """Even columns of `src0`, then of `src1`, in `dst`; odd ones in `dst1`. Without `src1` the columns of
    `src0` make half as many in each destination."""

    name = "pto.tdeinterleave"
    src0 = operand_def(AnyTile("T"))
    src1 = opt_operand_def(AnyTile("T"))

    @classmethod
    def infer_result_types(cls, operands: Operands, properties: Properties) -> Sequence[Attribute] | None:
        src = operands["src0"][0].type
        assert isinstance(src, TileType)
        return [src if operands["src1"] else half_of_the_columns(src)] * 2
