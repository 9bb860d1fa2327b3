"""Products of matrices: `left` times `right` into an accumulator."""

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import f32, i32
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, opt_prop_def, opt_result_def

from ptoas.dialects.pto.constraints import AnyTile
from ptoas.dialects.pto.element_types import BY_TYPE
from ptoas.dialects.pto.enums import AccPhaseAttr, BLayout, SLayout, TileLoc
from ptoas.dialects.pto.instruction import Instruction, PtoOp
from ptoas.dialects.pto.result_types import DerivedType
from ptoas.dialects.pto.types import TileType


def accumulator(lhs: TileType, rhs: TileType) -> TileType:
    """The tile that a product of two tiles needs: f32, for integers i32."""
    return TileType.of(
        i32 if BY_TYPE[lhs.element_type].is_integer else f32,
        lhs.rows,
        rhs.cols,
        loc=TileLoc.Acc,
        valid=(lhs.valid_rows, rhs.valid_cols),
        blayout=BLayout.ColMajor,
        slayout=SLayout.RowMajor,
        fractal=1024,
    )


class ProductOp(Instruction, ABC):
    """A product of two matrices, with or without something to begin with."""

    RESULT_FROM: ClassVar = DerivedType(accumulator, "lhs", "rhs")
    dst = opt_operand_def(AnyTile())
    result = opt_result_def(AnyTile())
    acc_phase = opt_prop_def(AccPhaseAttr, prop_name="accPhase")


class AccumulateOp(ProductOp, ABC):
    """The product is added to what the accumulator holds: `acc_in` is the destination (D37)."""

    TIED: ClassVar = (("dst", "acc_in"),)
    RESULT_LIKE: ClassVar = "acc_in"
    acc_in = operand_def(AnyTile())


class BiasOp(ProductOp, ABC):
    """A row is added to every row of the product."""

    bias = operand_def(AnyTile())


class PlainOp(ProductOp, ABC):
    """A product of operands that are plain numbers."""

    lhs = operand_def(AnyTile())
    rhs = operand_def(AnyTile())


class MxOp(ProductOp, ABC):
    """A product of operands whose numbers share a scale in groups of 32 along k."""

    lhs = operand_def(AnyTile())
    lhs_scale = operand_def(AnyTile())
    rhs = operand_def(AnyTile())
    rhs_scale = operand_def(AnyTile())


@irdl_op_definition
class TMatmulOp(PlainOp):
    """`dst[i, j] = sum over k of lhs[i, k] * rhs[k, j]`.

    It is formed in f32, of integers in i32, where it wraps. No document gives the order of the sum: `run`
    adds up the products of one instruction in an order that depends on shapes and layouts alone, and then
    what the sum begins with. A program that splits k over several instructions adds the parts in its order.
    """

    name = "pto.tmatmul"


@irdl_op_definition
class TMatmulAccOp(AccumulateOp, PlainOp):
    """`dst[i, j] = acc_in[i, j] + sum over k of lhs[i, k] * rhs[k, j]`; `acc_in` is `dst`.

    The sum is formed as by `tmatmul`, and then added.
    """

    name = "pto.tmatmul.acc"


@irdl_op_definition
class TMatmulBiasOp(PlainOp, BiasOp):
    """`dst[i, j] = bias[0, j] + sum over k of lhs[i, k] * rhs[k, j]`.

    The sum is formed as by `tmatmul`, and then added.
    """

    name = "pto.tmatmul.bias"


@irdl_op_definition
class TMatmulMxOp(MxOp):
    """`dst[i, j] = sum over k of a[i, k] * b[k, j]`, with `a = lhs * lhs_scale` and `b = rhs * rhs_scale`: a
    scale is a power of two for 32 numbers along k.

    `run` forms the sum of one instruction in doubles and rounds it to f32 once, before it adds what the sum
    begins with.
    """

    name = "pto.tmatmul.mx"


@irdl_op_definition
class TMatmulMxAccOp(AccumulateOp, MxOp):
    """As `tmatmul.mx`, added to `acc_in`, which is `dst`."""

    name = "pto.tmatmul.mx.acc"


@irdl_op_definition
class TMatmulMxBiasOp(MxOp, BiasOp):
    """As `tmatmul.mx`, added to `bias[0, j]`."""

    name = "pto.tmatmul.mx.bias"


@irdl_op_definition
class TGemvMxOp(MxOp):
    """As `tmatmul.mx`, of one row."""

    name = "pto.tgemv.mx"


@irdl_op_definition
class TGemvMxAccOp(AccumulateOp, MxOp):
    """As `tmatmul.mx.acc`, of one row."""

    name = "pto.tgemv.mx.acc"


@irdl_op_definition
class TGemvMxBiasOp(MxOp, BiasOp):
    """As `tmatmul.mx.bias`, of one row."""

    name = "pto.tgemv.mx.bias"


@irdl_op_definition
class TGetScaleAddrOp(PtoOp):
    """Bind a tile of scales to the address at which the matrix unit looks for those of an operand."""

    name = "pto.tget_scale_addr"
    OUTS: ClassVar = ("dst",)
    NO_EFFECT: ClassVar = ("src", "dst")
    SIDE_EFFECTING: ClassVar = True
    src = operand_def(AnyTile())
    dst = operand_def(AnyTile())


@irdl_op_definition
class TGemvOp(PlainOp):
    """`dst[0, j] = sum over k of lhs[0, k] * rhs[k, j]`: a vector times a matrix."""

    name = "pto.tgemv"


@irdl_op_definition
class TGemvAccOp(AccumulateOp, PlainOp):
    """`dst[0, j] = acc_in[0, j] + sum over k of lhs[0, k] * rhs[k, j]`; `acc_in` is `dst`."""

    name = "pto.tgemv.acc"


@irdl_op_definition
class TGemvBiasOp(PlainOp, BiasOp):
    """`dst[0, j] = bias[0, j] + sum over k of lhs[0, k] * rhs[k, j]`."""

    name = "pto.tgemv.bias"
