"""Enumerations of synchronisation and channels between cores."""

from __future__ import annotations

from xdsl.irdl import irdl_attr_definition
from xdsl.utils.str_enum import StrEnum

from ptoas.dialects.pto.enums import Pipe, PtoEnumAttr, enum_attributes


class SyncOpType(StrEnum):
    """A class of instructions, in place of the pipe that they run on."""

    TLOAD = "TLOAD"
    TSTORE_VEC = "TSTORE_VEC"
    TSTORE_ACC = "TSTORE_ACC"
    TMOV_M2L = "TMOV_M2L"
    TMOV_M2B = "TMOV_M2B"
    TMOV_M2S = "TMOV_M2S"
    TMOV_M2V = "TMOV_M2V"
    TMOV_V2M = "TMOV_V2M"
    TMATMUL = "TMATMUL"
    TVEC = "TVEC"
    TVECWAIT_EVENT = "TVECWAIT_EVENT"

    @property
    def pipe(self) -> Pipe:
        return _PIPES_OF_CLASSES[self]


_PIPES_OF_CLASSES = {
    SyncOpType.TLOAD: Pipe.PIPE_MTE2,
    SyncOpType.TSTORE_VEC: Pipe.PIPE_MTE3,
    SyncOpType.TSTORE_ACC: Pipe.PIPE_FIX,
    SyncOpType.TMOV_M2L: Pipe.PIPE_MTE1,
    SyncOpType.TMOV_M2B: Pipe.PIPE_MTE1,
    SyncOpType.TMOV_M2S: Pipe.PIPE_FIX,
    SyncOpType.TMOV_M2V: Pipe.PIPE_V,
    SyncOpType.TMOV_V2M: Pipe.PIPE_FIX,
    SyncOpType.TMATMUL: Pipe.PIPE_M,
    SyncOpType.TVEC: Pipe.PIPE_V,
    SyncOpType.TVECWAIT_EVENT: Pipe.PIPE_V,
}


class FenceScope(StrEnum):
    """Observers of the written data: other cores and ranks, everything, or this core alone."""

    GM = "gm"
    All = "all"
    LocalMemory = "local_memory"


class SyncAllMode(StrEnum):
    Hard = "hard"
    Soft = "soft"


class SyncCoreType(StrEnum):
    AIVOnly = "aiv_only"
    AICOnly = "aic_only"
    Mix = "mix"


class Flow(StrEnum):
    """A direction of a channel."""

    C2V = "c2v"
    V2C = "v2c"

    @property
    def bit(self) -> int:
        """Its bit in `dir_mask`."""
        return 1 if self is Flow.C2V else 2


class PushLayout(StrEnum):
    """Layout of an accumulator at the destination of a push."""

    NZ2ND = "nz2nd"
    NZ2DN = "nz2dn"
    NZ2NZ = "nz2nz"


class PushQuant(StrEnum):
    """Conversion of an accumulator's numbers by a push."""

    NoQuant = "no_convert"
    F322F16 = "f32_f16"
    F322BF16 = "f32_bf16"
    REQ8 = "req8_scalar"
    VREQ8 = "req8_vec"
    DEQF16 = "deqf16_scalar"
    VDEQF16 = "deqf16_vec"
    QF322B8_PRE = "qf322b8_pre_scalar"
    VQF322B8_PRE = "qf322b8_pre_vec"
    QF322F16_PRE = "qf322f16_pre_scalar"
    QF322BF16_PRE = "qf322bf16_pre_scalar"
    QS322BF16_PRE = "qs322bf16_pre_scalar"
    VQS322BF16_PRE = "qs322bf16_pre_vec"
    QF322HIF8_PRE = "qf322hif8_pre_scalar"
    QF322FP8_PRE = "qf322fp8_pre_scalar"


_CLASSES_OF_PIPES = (SyncOpType.TVEC, *SyncOpType)
"""Instruction classes; the first one that runs on a pipe represents it."""


@irdl_attr_definition
class SyncOpTypeAttr(PtoEnumAttr[SyncOpType]):
    """A class of instructions; one that represents a pipe may be named by the pipe."""

    name = "pto.pipe_event_type"
    other_names = ("sync_op_type", "pipe")

    @classmethod
    def member(cls, text: str) -> StrEnum | None:
        if text.upper().startswith("PIPE_"):
            return next((each for each in _CLASSES_OF_PIPES if each.pipe == text.upper()), None)
        return super().member(text)


@irdl_attr_definition
class FenceScopeAttr(PtoEnumAttr[FenceScope]):
    name = "pto.fence_scope"


@irdl_attr_definition
class SyncAllModeAttr(PtoEnumAttr[SyncAllMode]):
    name = "pto.sync_all_mode"


@irdl_attr_definition
class SyncCoreTypeAttr(PtoEnumAttr[SyncCoreType]):
    name = "pto.sync_core_type"


@irdl_attr_definition
class PushLayoutAttr(PtoEnumAttr[PushLayout]):
    name = "pto.push_layout"


@irdl_attr_definition
class PushQuantAttr(PtoEnumAttr[PushQuant]):
    name = "pto.push_quant"


CORE_ENUM_ATTRIBUTES = enum_attributes(globals())
"""Every enumeration of this module."""
