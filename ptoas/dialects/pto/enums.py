"""The enumerations of PTO as attributes: `#pto.coalesce<row>`, also written `#pto<coalesce row>`.

The member's value is its text; the member's name is its name in the instruction library.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Generic, TypeVar, cast, get_args

from xdsl.ir import Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

E = TypeVar("E", bound=StrEnum)


class Coalesce(StrEnum):
    Row = "row"
    Elem = "elem"


class GatherOOB(StrEnum):
    Undefined = "undefined"
    Clamp = "clamp"
    Wrap = "wrap"
    Zero = "zero"


class ScatterOOB(StrEnum):
    Undefined = "undefined"
    Skip = "skip"
    Clamp = "clamp"
    Wrap = "wrap"


class ScatterAtomicOp(StrEnum):
    None_ = "none"
    Add = "add"
    Max = "max"
    Min = "min"


class ScatterConflict(StrEnum):
    Last = "last"
    Default = "default"


class AtomicType(StrEnum):
    AtomicNone = "atomic_none"
    AtomicAdd = "atomic_add"
    AtomicMax = "atomic_max"
    AtomicMin = "atomic_min"


class Layout(StrEnum):
    ND = "nd"
    DN = "dn"
    NZ = "nz"
    MX_A_ZZ = "mx_a_zz"
    MX_B_NN = "mx_b_nn"


class LoadCachePolicy(StrEnum):
    """Allocation of a load's data in the L2 cache; no value depends on it."""

    Default = "default"
    L2Bypass = "l2_bypass"


class BLayout(StrEnum):
    """Order of the rows and columns of a tile, or of its boxes."""

    RowMajor = "row_major"
    ColMajor = "col_major"


class SLayout(StrEnum):
    """Order of the elements of a box; a tile without boxes has none."""

    NoneBox = "none_box"
    RowMajor = "row_major"
    ColMajor = "col_major"


class PadValue(StrEnum):
    Null = "null"
    Zero = "zero"
    Max = "max"
    Min = "min"


class CompactMode(StrEnum):
    Null = "null"
    Normal = "normal"
    RowPlusOne = "row_plus_one"


class TileLoc(StrEnum):
    """Memory of a tile."""

    Vec = "vec"
    Mat = "mat"
    Left = "left"
    Right = "right"
    Acc = "acc"
    Bias = "bias"
    Scaling = "scaling"
    ScaleLeft = "scale_left"
    ScaleRight = "scale_right"


class AddressSpace(StrEnum):
    Zero = "zero"
    GM = "gm"
    Mat = "mat"
    Left = "left"
    Right = "right"
    Acc = "acc"
    Vec = "vec"
    Bias = "bias"
    Scaling = "scaling"


class Pipe(StrEnum):
    """The queues of a core."""

    PIPE_S = "PIPE_S"
    PIPE_V = "PIPE_V"
    PIPE_M = "PIPE_M"
    PIPE_MTE1 = "PIPE_MTE1"
    PIPE_MTE2 = "PIPE_MTE2"
    PIPE_MTE3 = "PIPE_MTE3"
    PIPE_FIX = "PIPE_FIX"
    PIPE_ALL = "PIPE_ALL"
    PIPE_MTE4 = "PIPE_MTE4"
    PIPE_MTE5 = "PIPE_MTE5"
    PIPE_V2 = "PIPE_V2"
    VIRTUAL_PIPE_MTE2_L1A = "VIRTUAL_PIPE_MTE2_L1A"
    VIRTUAL_PIPE_MTE2_L1B = "VIRTUAL_PIPE_MTE2_L1B"


WORKING_PIPES = (
    Pipe.PIPE_S,
    Pipe.PIPE_V,
    Pipe.PIPE_M,
    Pipe.PIPE_MTE1,
    Pipe.PIPE_MTE2,
    Pipe.PIPE_MTE3,
    Pipe.PIPE_FIX,
)
"""The pipes that instructions run on; the others have a name, and no target here works with them."""


class Event(StrEnum):
    """The flags between two pipes."""

    EVENT_ID0 = "EVENT_ID0"
    EVENT_ID1 = "EVENT_ID1"
    EVENT_ID2 = "EVENT_ID2"
    EVENT_ID3 = "EVENT_ID3"
    EVENT_ID4 = "EVENT_ID4"
    EVENT_ID5 = "EVENT_ID5"
    EVENT_ID6 = "EVENT_ID6"
    EVENT_ID7 = "EVENT_ID7"


class MaskPattern(StrEnum):
    P0101 = "P0101"
    P1010 = "P1010"
    P0001 = "P0001"
    P0010 = "P0010"
    P0100 = "P0100"
    P1000 = "P1000"
    P1111 = "P1111"

    @property
    def places(self) -> tuple[int, int]:
        """The first kept position and the distance to the next, the pattern read from the right (D18)."""
        return self.value[::-1].index("1"), 4 // self.value.count("1")


class CmpMode(StrEnum):
    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"


class RoundMode(StrEnum):
    NONE = "NONE"
    RINT = "RINT"
    ROUND = "ROUND"
    FLOOR = "FLOOR"
    CEIL = "CEIL"
    TRUNC = "TRUNC"
    ODD = "ODD"
    CAST_RINT = "CAST_RINT"

    @property
    def cpp(self) -> str:
        """The library calls them all casts; the text may say so too."""
        return f"RoundMode::CAST_{self.name.removeprefix('CAST_')}"


class SaturationMode(StrEnum):
    """Conversion of a number that its new type lacks: the nearest number of the type, or the low bits."""

    ON = "ON"
    OFF = "OFF"


class QuantType(StrEnum):
    INT8_SYM = "INT8_SYM"
    INT8_ASYM = "INT8_ASYM"
    MXFP8 = "MXFP8"
    MXFP4_E2M1 = "MXFP4_E2M1"


class QuantScaleAlg(StrEnum):
    """Derivation of a block's scale from its largest number."""

    OCP = "ocp"
    NV = "nv"


class MxGroupAxis(StrEnum):
    """The dimension of a block of 32 numbers."""

    Axis0 = "axis0"
    Axis1 = "axis1"

    @property
    def cpp(self) -> str:
        return self.value.removeprefix("axis")


class PrintFormat(StrEnum):
    """Width and number of decimals of printed numbers."""

    Width8_Precision4 = "width8_precision4"
    Width8_Precision2 = "width8_precision2"
    Width10_Precision6 = "width10_precision6"

    @property
    def digits(self) -> tuple[int, int]:
        width, precision = self.value.split("_")
        return int(width.removeprefix("width")), int(precision.removeprefix("precision"))


class VecStoreMode(StrEnum):
    ND = "nd"
    NZ = "nz"


class KernelKind(StrEnum):
    Cube = "cube"
    Vector = "vector"


class CollEngine(StrEnum):
    AIV = "aiv"
    CCU = "ccu"


class ReduceOp(StrEnum):
    Sum = "sum"
    Max = "max"
    Min = "min"


class NotifyOp(StrEnum):
    AtomicAdd = "atomic_add"
    Set = "set"

    @property
    def cpp(self) -> str:
        return f"comm::NotifyOp::{self.name}"


class WaitCmp(StrEnum):
    EQ = "eq"
    NE = "ne"
    GT = "gt"
    GE = "ge"
    LT = "lt"
    LE = "le"

    @property
    def cpp(self) -> str:
        return f"comm::WaitCmp::{self.name}"


class Precision(StrEnum):
    """Precision of a function: that of the hardware, or a slower and more exact one."""

    Default = "default"
    High = "high_precision"


class AccPhase(StrEnum):
    """Position of a product in the computation of a tile, so that a store may begin before its end;
    values stay.
    """

    Unspecified = "unspecified"
    Partial = "partial"
    Final = "final"


class STPhase(StrEnum):
    Unspecified = "unspecified"
    Partial = "partial"
    Final = "final"


class ReluPreMode(StrEnum):
    NoRelu = "no_relu"
    NormalRelu = "normal_relu"
    ScalarRelu = "scalar_relu"
    VectorRelu = "vector_relu"
    Pwl = "pwl"


class AccToVecMode(StrEnum):
    SingleModeVec0 = "single_mode_vec0"
    SingleModeVec1 = "single_mode_vec1"
    DualModeSplitM = "dual_mode_split_m"
    DualModeSplitN = "dual_mode_split_n"


class TInsertMode(StrEnum):
    SPLIT2 = "split2"
    SPLIT4 = "split4"


class PtoEnumAttr(Data[E], Generic[E]):
    """An enumeration as an attribute, `#pto.name<member>`: the type argument is the enumeration.

    xDSL's `EnumAttribute` prints no angle brackets and allows no base class in between.
    """

    enum: ClassVar[type[StrEnum]]
    other_names: ClassVar[tuple[str, ...]] = ()
    """Names of attributes, without the dialect, that are read as this one."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        (cls.enum,) = get_args(cast(Any, cls).__orig_bases__[0])

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> E:
        with parser.in_angle_brackets():
            return cast(E, parser.parse_str_enum(cls.enum))

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data.value)

    @classmethod
    def spellings(cls) -> tuple[str, ...]:
        return tuple(member.value for member in cls.enum)

    @classmethod
    def member(cls, text: str) -> StrEnum | None:
        """The member that `text` spells: `row`, `Row`, or the last word of a longer name (`add`)."""
        folded = text.replace("_", "").lower()
        for member in cls.enum:
            if folded in (member.value.replace("_", "").lower(), member.name.replace("_", "").lower()):
                return member
        last_word = text.rpartition("_")[2].lower()
        by_last_word = [m for m in cls.enum if m.value.rpartition("_")[2].lower() == last_word]
        return by_last_word[0] if len(by_last_word) == 1 else None


@irdl_attr_definition
class CoalesceAttr(PtoEnumAttr[Coalesce]):
    name = "pto.coalesce"


@irdl_attr_definition
class GatherOOBAttr(PtoEnumAttr[GatherOOB]):
    name = "pto.gather_oob"


@irdl_attr_definition
class ScatterOOBAttr(PtoEnumAttr[ScatterOOB]):
    name = "pto.scatter_oob"


@irdl_attr_definition
class ScatterAtomicOpAttr(PtoEnumAttr[ScatterAtomicOp]):
    name = "pto.scatter_atomic_op"


@irdl_attr_definition
class ScatterConflictAttr(PtoEnumAttr[ScatterConflict]):
    name = "pto.scatter_conflict"


@irdl_attr_definition
class AtomicTypeAttr(PtoEnumAttr[AtomicType]):
    name = "pto.atomic_type"


@irdl_attr_definition
class LayoutAttr(PtoEnumAttr[Layout]):
    name = "pto.layout"


@irdl_attr_definition
class LoadCachePolicyAttr(PtoEnumAttr[LoadCachePolicy]):
    name = "pto.load_cache_policy"


@irdl_attr_definition
class BLayoutAttr(PtoEnumAttr[BLayout]):
    name = "pto.blayout"


@irdl_attr_definition
class SLayoutAttr(PtoEnumAttr[SLayout]):
    name = "pto.slayout"


@irdl_attr_definition
class PadValueAttr(PtoEnumAttr[PadValue]):
    name = "pto.pad_value"


@irdl_attr_definition
class CompactModeAttr(PtoEnumAttr[CompactMode]):
    name = "pto.compact_mode"


@irdl_attr_definition
class TileLocAttr(PtoEnumAttr[TileLoc]):
    name = "pto.loc"


@irdl_attr_definition
class AddressSpaceAttr(PtoEnumAttr[AddressSpace]):
    name = "pto.address_space"


@irdl_attr_definition
class PipeAttr(PtoEnumAttr[Pipe]):
    name = "pto.pipe"


@irdl_attr_definition
class EventAttr(PtoEnumAttr[Event]):
    name = "pto.event"


@irdl_attr_definition
class MaskPatternAttr(PtoEnumAttr[MaskPattern]):
    name = "pto.mask_pattern"


@irdl_attr_definition
class CmpModeAttr(PtoEnumAttr[CmpMode]):
    name = "pto.cmp"


@irdl_attr_definition
class RoundModeAttr(PtoEnumAttr[RoundMode]):
    name = "pto.round_mode"


@irdl_attr_definition
class SaturationModeAttr(PtoEnumAttr[SaturationMode]):
    name = "pto.saturation_mode"


@irdl_attr_definition
class QuantTypeAttr(PtoEnumAttr[QuantType]):
    name = "pto.quant_type"


@irdl_attr_definition
class QuantScaleAlgAttr(PtoEnumAttr[QuantScaleAlg]):
    name = "pto.quant_scale_alg"


@irdl_attr_definition
class MxGroupAxisAttr(PtoEnumAttr[MxGroupAxis]):
    name = "pto.mx_group_axis"


@irdl_attr_definition
class PrintFormatAttr(PtoEnumAttr[PrintFormat]):
    name = "pto.print_format"


@irdl_attr_definition
class VecStoreModeAttr(PtoEnumAttr[VecStoreMode]):
    name = "pto.vec_store_mode"


@irdl_attr_definition
class KernelKindAttr(PtoEnumAttr[KernelKind]):
    name = "pto.kernel_kind"


@irdl_attr_definition
class CollEngineAttr(PtoEnumAttr[CollEngine]):
    name = "pto.coll_engine"


@irdl_attr_definition
class ReduceOpAttr(PtoEnumAttr[ReduceOp]):
    name = "pto.reduce_op"


@irdl_attr_definition
class NotifyOpAttr(PtoEnumAttr[NotifyOp]):
    name = "pto.notify_op"


@irdl_attr_definition
class WaitCmpAttr(PtoEnumAttr[WaitCmp]):
    name = "pto.wait_cmp"
    other_names = ("cmp",)


@irdl_attr_definition
class DivPrecisionAttr(PtoEnumAttr[Precision]):
    name = "pto.div_precision"


@irdl_attr_definition
class ExpPrecisionAttr(PtoEnumAttr[Precision]):
    name = "pto.exp_precision"


@irdl_attr_definition
class FmodPrecisionAttr(PtoEnumAttr[Precision]):
    name = "pto.fmod_precision"


@irdl_attr_definition
class LogPrecisionAttr(PtoEnumAttr[Precision]):
    name = "pto.log_precision"


@irdl_attr_definition
class PowPrecisionAttr(PtoEnumAttr[Precision]):
    name = "pto.pow_precision"


@irdl_attr_definition
class RecipPrecisionAttr(PtoEnumAttr[Precision]):
    name = "pto.recip_precision"


@irdl_attr_definition
class RemPrecisionAttr(PtoEnumAttr[Precision]):
    name = "pto.rem_precision"


@irdl_attr_definition
class RsqrtPrecisionAttr(PtoEnumAttr[Precision]):
    name = "pto.rsqrt_precision"


@irdl_attr_definition
class SqrtPrecisionAttr(PtoEnumAttr[Precision]):
    name = "pto.sqrt_precision"


@irdl_attr_definition
class AccPhaseAttr(PtoEnumAttr[AccPhase]):
    name = "pto.acc_phase"


@irdl_attr_definition
class STPhaseAttr(PtoEnumAttr[STPhase]):
    name = "pto.st_phase"


@irdl_attr_definition
class ReluPreModeAttr(PtoEnumAttr[ReluPreMode]):
    name = "pto.relu_pre_mode"


@irdl_attr_definition
class AccToVecModeAttr(PtoEnumAttr[AccToVecMode]):
    name = "pto.acc_to_vec_mode"


@irdl_attr_definition
class TInsertModeAttr(PtoEnumAttr[TInsertMode]):
    name = "pto.tinsert_mode"


def enum_attributes(names: Mapping[str, object]) -> tuple[type[PtoEnumAttr[Any]], ...]:
    """Return the enumerations that a module defines."""
    return tuple(
        cast("type[PtoEnumAttr[Any]]", cls)
        for cls in names.values()
        if isinstance(cls, type) and PtoEnumAttr in cls.__mro__[1:] and "name" in vars(cls)
    )


ENUM_ATTRIBUTES = enum_attributes(globals())
"""Every enumeration of this module."""
