"""Copies between tiles: whole, in part, side by side, transposed, padded."""

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr, f16, f32
from xdsl.ir import Attribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
)
from xdsl.utils.exceptions import VerifyException

from ptoas.dialects.pto.constraints import AnyTile, ElementMismatch, Index
from ptoas.dialects.pto.element_types import element_text
from ptoas.dialects.pto.enums import (
    AccToVecModeAttr,
    BLayout,
    MxGroupAxis,
    MxGroupAxisAttr,
    PadValue,
    PadValueAttr,
    ReluPreModeAttr,
    SLayout,
    TileLoc,
    TInsertModeAttr,
)
from ptoas.dialects.pto.instruction import Instruction, ScratchOp
from ptoas.dialects.pto.result_types import DerivedType, copied, padded, side_by_side, transposed
from ptoas.dialects.pto.types import TileType


class FixpipeOp(Instruction, ABC):
    """A move that converts where its source is an accumulator: by one scale, or by one for each column."""

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    dst = opt_operand_def(AnyTile())
    result = opt_result_def(AnyTile())
    fp = opt_operand_def(AnyTile())
    pre_quant = opt_operand_def(Index())
    acc_to_vec_mode = opt_prop_def(AccToVecModeAttr, prop_name="accToVecMode")
    relu_pre_mode = opt_prop_def(ReluPreModeAttr, prop_name="reluPreMode")

    def verify_(self) -> None:
        super().verify_()
        src, dst = self.operands_of("src")[0].type, self.destination.type
        assert isinstance(src, TileType) and isinstance(dst, TileType)
        quantised = self.fp is not None or self.pre_quant is not None
        if self.fp is not None and self.pre_quant is not None:
            raise VerifyException("takes one scale for all columns, or one for each, not both")
        if quantised and src.loc.data is not TileLoc.Acc:
            raise VerifyException("takes a scale only if the source is an accumulator")
        converts = src.loc.data is TileLoc.Acc or dst.loc.data is TileLoc.Bias
        if not converts and src.element_type != dst.element_type:
            raise ElementMismatch(dst.element_type, src.element_type, "operand `dst`: ")


@irdl_op_definition
class TMovOp(FixpipeOp):
    """`dst[i, j] = src[i, j]`: a copy between tiles; on its way out of the accumulator it may convert. With a
    scratch tile it puts the exponents of blocks in the order in which the matrix unit reads them: boxes of 16
    rows and 2 columns one after the other, of blocks along axis0 those of the transposed tile."""

    name = "pto.tmov"
    RESULT_FROM: ClassVar = DerivedType(copied, "src")
    SCRATCH: ClassVar[tuple[str, ...]] = ("tmp",)
    ASSEMBLER_ORDER: ClassVar = ("src", "dst", "fp", "pre_quant")
    ASSEMBLY_FORMAT: ClassVar = (
        "ins($src : ^src(, $fp : ^fp)?(, $tmp : ^tmp)?(, $pre_quant : ^pre_quant)?)"
        "( outs($dst : ^dst))? {attrs}"
    )
    src = operand_def(AnyTile())
    tmp = opt_operand_def(AnyTile())
    group_axis = opt_prop_def(MxGroupAxisAttr, prop_name="grpAxis")

    @classmethod
    def plausible_result_types(cls, operands: Sequence[Attribute]) -> Sequence[Attribute]:
        """Out of L1 an operand of the matrix unit; out of the accumulator its rounded numbers, in L1."""
        src = next(type for type in operands if isinstance(type, TileType))
        if src.loc.data is TileLoc.Acc:
            return [src.override(loc=TileLoc.Mat, element_type=f16, fractal=512)]
        if src.rows == 1:
            return [src.override(loc=TileLoc.Bias, element_type=f32)]
        return [src.override(loc=TileLoc.Left, blayout=BLayout.RowMajor, slayout=SLayout.RowMajor)]

    @classmethod
    def without(
        cls, fields: Mapping[str, Attribute], types: Sequence[Attribute | None] = ()
    ) -> tuple[str, ...]:
        """Beside a source of the unified buffer stands scratch, beside any other a tile of scales."""
        src = next((type for type in types if isinstance(type, TileType)), None)
        return ("fp",) if src is not None and src.loc.data is TileLoc.Vec else ("tmp",)

    def verify_(self) -> None:
        super().verify_()
        if self.tmp is None:
            if self.group_axis is not None:
                raise VerifyException("has `grpAxis` only with a scratch tile, to reorder exponents")
            return
        tiles = [value.type for value in (self.src, self.tmp, self.destination)]
        if any(isinstance(type, TileType) and type.loc.data is not TileLoc.Vec for type in tiles):
            raise VerifyException("takes a scratch tile only if all three tiles are in the unified buffer")
        if any(self.properties.get(name) for name in ("accToVecMode", "reluPreMode")):
            raise VerifyException("takes no `accToVecMode` or `reluPreMode` if it reorders exponents")
        elements = {element_text(type.element_type) for type in tiles if isinstance(type, TileType)}
        if len(elements) > 1:
            raise VerifyException(f"takes tiles of one element type, found {', '.join(sorted(elements))}")

    @property
    def axis(self) -> MxGroupAxis:
        return MxGroupAxis.Axis1 if self.group_axis is None else self.group_axis.data


@irdl_op_definition
class TFillPadOp(Instruction):
    """`dst[i, j] = src[i, j]` where `src` is valid, elsewhere the pad value of the destination's type; of a
    matrix, that of `padValue`."""

    name = "pto.tfillpad"
    RESULT_FROM: ClassVar = DerivedType(padded, "src")
    CONTEXT_SENSITIVE: ClassVar = True
    src = operand_def(AnyTile("T"))
    pad_value = opt_prop_def(PadValueAttr, prop_name="padValue")
    # Declared to be refused with its reason (PTO-V142): other texts choose a form of the call by it.
    mode = opt_prop_def(StringAttr)

    @classmethod
    def plausible_result_types(cls, operands: Sequence[Attribute]) -> Sequence[Attribute]:
        """The whole tile, padded with zeros."""
        sources = [src for src in operands if isinstance(src, TileType)]
        return [src.override(valid=src.shape, pad=PadValue.Zero) for src in sources]


@irdl_op_definition
class TTransOp(ScratchOp):
    """`dst[j, i] = src[i, j]`."""

    name = "pto.ttrans"
    RESULT_FROM: ClassVar = DerivedType(transposed, "src")
    src = operand_def(AnyTile("T"))


@irdl_op_definition
class TConcatOp(Instruction):
    """Concatenate the valid columns of `src0` and `src1`, row by row."""

    name = "pto.tconcat"
    RESULT_FROM: ClassVar = DerivedType(side_by_side, "src0", "src1")
    src0 = operand_def(AnyTile("T"))
    src1 = operand_def(AnyTile("T"))


@irdl_op_definition
class TConcatIdxOp(Instruction):
    """Each row of `dst` is the first columns of the row of `src0`, then those of `src1`.

    The numbers of columns are in the first column of each index tile, in bytes of that tile's own element
    type.
    """

    name = "pto.tconcatidx"
    src0 = operand_def(AnyTile("T"))
    src1 = operand_def(AnyTile("T"))
    src0_idx = operand_def(AnyTile("I"))
    src1_idx = operand_def(AnyTile("I"))


class WindowOp(FixpipeOp, ABC):
    """A move of a part of one tile, which begins at a row and a column of the larger."""

    src = operand_def(AnyTile())
    row = operand_def(Index())
    col = operand_def(Index())


@irdl_op_definition
class TExtractOp(WindowOp):
    """`dst[i, j] = src[row + i, col + j]`; out of the accumulator it may convert."""

    name = "pto.textract"
    PART: ClassVar = "dst"
    WHOLE: ClassVar = "src"
    ASSEMBLY_FORMAT: ClassVar = (
        "ins($src, $row, $col(, $pre_quant)? : ^src, ^row, ^col(, ^pre_quant)?( fp $fp : ^fp)?)"
        "( outs($dst : ^dst))? {attrs}"
    )

    @classmethod
    def plausible_result_types(cls, operands: Sequence[Attribute]) -> Sequence[Attribute]:
        """As for a move: the author makes it smaller."""
        src = next(type for type in operands if isinstance(type, TileType))
        return [src] if src.loc.data is TileLoc.Vec else TMovOp.plausible_result_types(operands)


@irdl_op_definition
class TInsertOp(WindowOp):
    """`dst[row + i, col + j] = src[i, j]`; all else of the destination stays. Out of the accumulator it may
    convert."""

    name = "pto.tinsert"
    PART: ClassVar = "src"
    WHOLE: ClassVar = "dst"
    ASSEMBLY_FORMAT: ClassVar = (
        "ins($src, $row, $col : ^src, ^row, ^col( fp $fp : ^fp)?( pre_quant $pre_quant : ^pre_quant)?)"
        "( outs($dst : ^dst))? {attrs}"
    )
    tinsert_mode = opt_prop_def(TInsertModeAttr, prop_name="tinsertMode")
