"""Sections of cube and vector cores, and synchronisation between the cores of a block and between blocks."""

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
)
from xdsl.traits import NoTerminator
from xdsl.utils.exceptions import VerifyException

from ptoas.dialects.pto.constraints import Index, Ptr, PtrOrView, SignalWord
from ptoas.dialects.pto.core_enums import SyncAllMode, SyncAllModeAttr, SyncCoreTypeAttr
from ptoas.dialects.pto.enums import KernelKind, Pipe, PipeAttr
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.slots import DeclaredEffects


class SectionOp(PtoOp, ABC):
    """A part of a function that cores of one kind run, and others pass over."""

    KIND: ClassVar[KernelKind]
    SIDE_EFFECTING: ClassVar = True
    ASSEMBLY_FORMAT: ClassVar = "{body} {attrs}"
    body = region_def("single_block")
    traits = traits_def(DeclaredEffects(), NoTerminator())


@irdl_op_definition
class SectionCubeOp(SectionOp):
    """A region that runs on the cube core only."""

    name = "pto.section.cube"
    KIND: ClassVar = KernelKind.Cube


@irdl_op_definition
class SectionVectorOp(SectionOp):
    """A region that runs on the vector cores only."""

    name = "pto.section.vector"
    KIND: ClassVar = KernelKind.Vector


class CounterOp(PtoOp, ABC):
    """A counter between cores: a set adds one for each receiver, a wait takes one."""

    SIDE_EFFECTING: ClassVar = True
    pipe = prop_def(PipeAttr)

    @property
    def number(self) -> int | None:
        """The number of the counter, if it is written."""
        event_id = self.properties.get("event_id")
        return event_id.value.data if isinstance(event_id, IntegerAttr) else None

    @property
    def mode(self) -> int:
        """The receivers: 0, all cores of one kind; 1, the vector cores of the block; 2, the other kind of
        core in the block.
        """
        mode = self.properties.get("ffts_mode")
        return mode.value.data if isinstance(mode, IntegerAttr) else 2

    @property
    def working_pipe(self) -> Pipe:
        return self.pipe.data


class SetsCounter(CounterOp, ABC):
    """The pipe sets the counter after all that it was given before."""


class AwaitsCounter(CounterOp, ABC):
    """The pipe waits until the counter is not 0, and takes one from it."""


class NumberedCounterOp(CounterOp, ABC):
    ASSEMBLY_FORMAT: ClassVar = "#pipe, #event_id {attrs}"
    event_id = prop_def(IntegerAttr)


@irdl_op_definition
class SetIntraBlockOp(NumberedCounterOp, SetsCounter):
    """Pipe `pipe` adds one to counter `event_id` of the other kind of core in this block."""

    name = "pto.set_intra_block"


@irdl_op_definition
class WaitIntraBlockOp(NumberedCounterOp, AwaitsCounter):
    """Pipe `pipe` waits for counter `event_id` from the other kind of core in this block, and takes one."""

    name = "pto.wait_intra_block"


@irdl_op_definition
class SetCrossBlockOp(NumberedCounterOp, SetsCounter):
    """Pipe `pipe` has come to `event_id`; when all cores of its kind have, each of them may go on."""

    name = "pto.set_cross_block"

    @property
    def mode(self) -> int:
        return 0


@irdl_op_definition
class WaitCrossBlockOp(NumberedCounterOp, AwaitsCounter):
    """Pipe `pipe` waits until all cores of its kind have come to `event_id`."""

    name = "pto.wait_cross_block"

    @property
    def mode(self) -> int:
        return 0


class ModedCounterOp(CounterOp, ABC):
    """A counter of the group that `ffts_mode` names; its number is written, or a value."""

    ASSEMBLY_FORMAT: ClassVar = "#pipe, (#event_id)?($event_id_dyn)? {attrs}"
    event_id = opt_prop_def(IntegerAttr)
    ffts_mode = opt_prop_def(IntegerAttr)
    event_id_dyn = opt_operand_def(Index())

    def verify_(self) -> None:
        if (self.event_id is None) == (self.event_id_dyn is None):
            raise VerifyException("needs the number of a counter: a number, or a value")


@irdl_op_definition
class SyncSetOp(ModedCounterOp, SetsCounter):
    """Pipe `pipe` sets a counter of the group `ffts_mode`: 0, all cores of its kind; 1, the vector cores of
    the block; 2, cube and vector cores of the block."""

    name = "pto.sync.set"


@irdl_op_definition
class SyncWaitOp(ModedCounterOp, AwaitsCounter):
    """Pipe `pipe` waits for a counter of the group `ffts_mode`, and takes one from it."""

    name = "pto.sync.wait"


@irdl_op_definition
class SetFftsOp(PtoOp):
    """Set the address of the counters between cores; once, before the first of them is used."""

    name = "pto.set_ffts"
    SIDE_EFFECTING: ClassVar = True
    NO_EFFECT: ClassVar = ("ffts",)
    ASSEMBLY_FORMAT: ClassVar = "$ffts {attrs} : ^ffts"
    ffts = operand_def(Ptr())


@irdl_op_definition
class SyncAllOp(PtoOp):
    """All cores of the kind `core_type` in the launch wait for each other; `soft`: by a counter in memory."""

    name = "pto.syncall"
    SIDE_EFFECTING: ClassVar = True
    NO_EFFECT: ClassVar = ("workspace",)
    ASSEMBLY_FORMAT: ClassVar = (
        "(($workspace(, $used_cores)? : ^workspace(, ^used_cores)?)?) "
        "mode = #mode, core_type = #core_type {attrs}"
    )
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    mode = prop_def(SyncAllModeAttr)
    core_type = prop_def(SyncCoreTypeAttr)
    workspace = opt_operand_def(PtrOrView())
    used_cores = opt_operand_def(SignalWord())

    def verify_(self) -> None:
        if self.workspace is None and self.used_cores is not None:
            raise VerifyException("takes a number of cores only with a workspace")
        if self.workspace is None and self.mode.data is SyncAllMode.Soft:
            raise VerifyException("needs a workspace if it is soft")
