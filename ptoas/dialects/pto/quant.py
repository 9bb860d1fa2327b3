"""Other element types: conversion, and quantisation with scales for rows or for blocks of 32 numbers."""

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr, i8
from xdsl.ir import Attribute
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
)
from xdsl.utils.exceptions import VerifyException

from ptoas.dialects.pto.channel import ChannelNumberOp
from ptoas.dialects.pto.constraints import AnyTile, Scalar
from ptoas.dialects.pto.enums import (
    MxGroupAxis,
    MxGroupAxisAttr,
    QuantScaleAlg,
    QuantScaleAlgAttr,
    QuantType,
    QuantTypeAttr,
    RoundModeAttr,
    SaturationModeAttr,
    VecStoreModeAttr,
)
from ptoas.dialects.pto.instruction import Instruction, ScratchOp, SeveralTilesOp
from ptoas.dialects.pto.result_types import DerivedType, Operands, Properties, of_the_scale, u8, with_element
from ptoas.dialects.pto.types import TileType


@irdl_op_definition
class TCvtOp(ScratchOp):
    """`dst[i, j] = convert(src[i, j])`: another element type, rounded as `rmode` says. `NONE` drops the
    fraction of a float that becomes an integer; all else then goes to the nearest, as without `rmode`.
    With `satmode = ON` what is out of range becomes the nearest number in range."""

    name = "pto.tcvt"
    CONVERTS: ClassVar = "src"
    ASSEMBLY_FORMAT: ClassVar = "ins($src(, $tmp)? {attrs} : ^src(, ^tmp)?)( outs($dst : ^dst))?"
    KEYS: ClassVar = {"sat_mode": "satmode"}
    src = operand_def(AnyTile())
    dst = opt_operand_def(AnyTile())
    result = opt_result_def(AnyTile())
    rmode = opt_prop_def(RoundModeAttr)
    satmode = opt_prop_def(SaturationModeAttr)


@irdl_op_definition
class TQuantOp(ScratchOp):
    """`dst[i, j] = round(src[i, j] * fp[i, 0])` from -128 to 127 (`INT8_SYM`), or
    `round(src[i, j] * fp[i, 0] + offset[i, 0])` from 0 to 255 (`INT8_ASYM`)."""

    name = "pto.tquant"
    SCALES: ClassVar = "fp"
    ASSEMBLY_FORMAT: ClassVar = (
        "ins($src, $fp(, $offset)? : ^src, ^fp(, ^offset)?)( outs($dst(, $tmp)? : ^dst(, ^tmp)?))? {attrs}"
    )
    src = operand_def(AnyTile("F"))
    fp = operand_def(AnyTile("F"))
    offset = opt_operand_def(AnyTile("F"))
    dst = opt_operand_def(AnyTile())
    result = opt_result_def(AnyTile())
    tmp = opt_operand_def(AnyTile("F"))
    quant_type = prop_def(QuantTypeAttr)

    @classmethod
    def infer_result_types(cls, operands: Operands, properties: Properties) -> Sequence[Attribute] | None:
        """Bytes in the shape of the source, with an offset unsigned ones."""
        src = operands["src"][0].type
        assert isinstance(src, TileType)
        unsigned = properties.get("quant_type") == QuantTypeAttr(QuantType.INT8_ASYM)
        return [with_element(src, u8 if unsigned else i8)]

    @classmethod
    def without(
        cls, fields: Mapping[str, Attribute], types: Sequence[Attribute | None] = ()
    ) -> tuple[str, ...]:
        return ("offset",) if fields.get("quant_type") == QuantTypeAttr(QuantType.INT8_SYM) else ()

    def verify_(self) -> None:
        super().verify_()
        match self.quant_type.data:
            case QuantType.INT8_SYM if self.offset is not None:
                raise VerifyException("takes no offset for INT8_SYM")
            case QuantType.INT8_ASYM if self.offset is None:
                raise VerifyException("takes an offset for INT8_ASYM")
            case QuantType.MXFP8 | QuantType.MXFP4_E2M1:
                raise VerifyException("takes INT8_SYM or INT8_ASYM; use `tquant.mx` for blocks")
            case _:
                pass


@irdl_op_definition
class TDequantOp(Instruction):
    """`dst[i, j] = (src[i, j] - offset[i, 0]) * scale[i, 0]`."""

    name = "pto.tdequant"
    SCALES: ClassVar = "scale"
    RESULT_FROM: ClassVar = DerivedType(of_the_scale, "src", "scale")
    src = operand_def(AnyTile())
    scale = operand_def(AnyTile("F"))
    offset = operand_def(AnyTile("F"))
    dst = opt_operand_def(AnyTile("F"))
    result = opt_result_def(AnyTile("F"))


@irdl_op_definition
class TQuantMxOp(SeveralTilesOp):
    """Blocks of 32 numbers along `grpAxis` with one scale each, a power of two: `dst` holds the numbers times
    `scaling` as fp8 E4M3 or fp4 E2M1, `exp` the exponent of each block, `max` its largest magnitude. With
    `interleave` the exponents of two neighbouring blocks stand side by side."""

    name = "pto.tquant.mx"
    OUTS: ClassVar[tuple[str, ...]] = ("dst", "exp", "max", "scaling", "exp_zz")
    src = operand_def(AnyTile("F"))
    dst = opt_operand_def(AnyTile())
    exp = opt_operand_def(AnyTile("E"))
    max = opt_operand_def(AnyTile("F"))
    scaling = opt_operand_def(AnyTile("F"))
    exp_zz = opt_operand_def(AnyTile("E"))
    result = opt_result_def(AnyTile())
    result_exp = opt_result_def(AnyTile("E"))
    result_max = opt_result_def(AnyTile("F"))
    result_scaling = opt_result_def(AnyTile("F"))
    result_zz = opt_result_def(AnyTile("E"))
    quant_type = prop_def(QuantTypeAttr)
    scale_alg = opt_prop_def(QuantScaleAlgAttr, prop_name="quantScaleAlg")
    group_axis = opt_prop_def(MxGroupAxisAttr, prop_name="grpAxis")
    interleave = opt_prop_def(BoolAttr)
    store_mode = opt_prop_def(VecStoreModeAttr, prop_name="storeMode")

    def verify_(self) -> None:
        super().verify_()
        present = [bool(self.values_of(name)) for name in self.OUTS]
        if not all(present[:4]):
            raise VerifyException("needs four destinations: numbers, exponents, maxima and scales")
        if self.quant_type.data not in (QuantType.MXFP8, QuantType.MXFP4_E2M1):
            raise VerifyException("takes MXFP8 or MXFP4_E2M1; use `tquant` for INT8_SYM and INT8_ASYM")
        if present[4] != (self.store_mode is not None):
            raise VerifyException("needs a fifth destination if and only if `storeMode` is set")
        if self.is_interleaved and self.axis is not MxGroupAxis.Axis0:
            raise VerifyException("interleaves exponents along axis0 only")
        if present[4] and (self.axis is MxGroupAxis.Axis0 or self.algorithm is not QuantScaleAlg.OCP):
            raise VerifyException("has a fifth destination only along axis1 and with `quantScaleAlg = ocp`")

    @property
    def axis(self) -> MxGroupAxis:
        return MxGroupAxis.Axis1 if self.group_axis is None else self.group_axis.data

    @property
    def algorithm(self) -> QuantScaleAlg:
        return QuantScaleAlg.OCP if self.scale_alg is None else self.scale_alg.data

    @property
    def is_interleaved(self) -> bool:
        return self.interleave is not None and bool(self.interleave.value.data)

    @property
    def makes_pairs(self) -> bool:
        """True if it makes pairs of fp4."""
        return self.quant_type.data is QuantType.MXFP4_E2M1


class PushScaleOp(ChannelNumberOp, ABC):
    """A scale for the accumulators that the cube core pushes through a channel from here on."""

    TAKES_EVENTS: ClassVar = False
    RETURNS_EVENT: ClassVar = False
    SIDE_EFFECTING: ClassVar = True


@irdl_op_definition
class SetQuantScalarOp(PushScaleOp):
    """One scale for all that is pushed through channel `id` from here on."""

    name = "pto.set_quant_scalar"
    ASSEMBLY_FORMAT: ClassVar = "($scale : ^scale) {attrs}"
    scale = operand_def(Scalar())


@irdl_op_definition
class SetQuantVectorOp(PushScaleOp):
    """A scale for each column of tiles pushed through channel `id` from now on."""

    name = "pto.set_quant_vector"
    ASSEMBLY_FORMAT: ClassVar = "($scales : ^scales) {attrs}"
    scales = operand_def(AnyTile())
