"""Ordering between the pipes of a core."""

from abc import ABC, abstractmethod
from typing import ClassVar, TypeAlias, cast

from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
)
from xdsl.utils.exceptions import VerifyException

from ptoas.dialects.pto.constraints import AnyEvent, EventIds, Extent, Index, PtrOrView
from ptoas.dialects.pto.core_enums import FenceScopeAttr, SyncOpTypeAttr
from ptoas.dialects.pto.enums import AddressSpaceAttr, EventAttr, Pipe, PipeAttr
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.slots import accesses_memory
from ptoas.dialects.pto.types import EventType

FlagName: TypeAlias = "tuple[Pipe, Pipe, EventAttr | SSAValue]"
"""The source and the target pipe, and the event: a constant, or a run-time value."""


class FlagOp(PtoOp, ABC):
    """Raises or awaits a flag between two pipes."""

    SIDE_EFFECTING: ClassVar = True

    @property
    @abstractmethod
    def flag(self) -> FlagName: ...


class SetsFlag(FlagOp, ABC):
    """The first pipe of the flag raises it, after all that it was given before."""


class AwaitsFlag(FlagOp, ABC):
    """The second pipe of the flag waits for it, and takes it down."""


class NamedFlagOp(FlagOp, ABC):
    """A flag by its pipes and its event."""

    ASSEMBLY_FORMAT: ClassVar = "[#src_pipe, #dst_pipe, #event_id] {attrs}"
    src_pipe = prop_def(PipeAttr)
    dst_pipe = prop_def(PipeAttr)
    event_id = prop_def(EventAttr)

    @property
    def flag(self) -> FlagName:
        return self.src_pipe.data, self.dst_pipe.data, self.event_id


@irdl_op_definition
class SetFlagOp(NamedFlagOp, SetsFlag):
    """Pipe `src_pipe` raises `event_id` for pipe `dst_pipe`, after all that it was given before."""

    name = "pto.set_flag"


@irdl_op_definition
class WaitFlagOp(NamedFlagOp, AwaitsFlag):
    """Pipe `dst_pipe` waits until `src_pipe` has raised `event_id`, and takes it down."""

    name = "pto.wait_flag"


class ClassFlagOp(FlagOp, ABC):
    """A flag between two classes of instructions."""

    ASSEMBLY_FORMAT: ClassVar = "[#src_op, #dst_op, #event_id] {attrs}"
    src_op = prop_def(SyncOpTypeAttr)
    dst_op = prop_def(SyncOpTypeAttr)
    event_id = prop_def(EventAttr)

    @property
    def flag(self) -> FlagName:
        return self.src_op.data.pipe, self.dst_op.data.pipe, self.event_id


@irdl_op_definition
class RecordEventOp(ClassFlagOp, SetsFlag):
    """The pipe of the class `src_op` raises `event_id` for that of the class `dst_op`: `set_flag`
    by classes."""

    name = "pto.record_event"


@irdl_op_definition
class WaitEventOp(ClassFlagOp, AwaitsFlag):
    """The pipe of the class `dst_op` waits for `event_id` of that of the class `src_op`: `wait_flag` by
    classes."""

    name = "pto.wait_event"


class DynamicFlagOp(FlagOp, ABC):
    """A flag whose event the running program chooses."""

    ASSEMBLY_FORMAT: ClassVar = "[#src_pipe, #dst_pipe, $event_id] {attrs}"
    src_pipe = prop_def(PipeAttr)
    dst_pipe = prop_def(PipeAttr)
    event_id = operand_def(Index())

    @property
    def flag(self) -> FlagName:
        return self.src_pipe.data, self.dst_pipe.data, self.event_id


@irdl_op_definition
class SetFlagDynOp(DynamicFlagOp, SetsFlag):
    """Pipe `src_pipe` raises the event of that number for pipe `dst_pipe`; the number is a value."""

    name = "pto.set_flag_dyn"


@irdl_op_definition
class WaitFlagDynOp(DynamicFlagOp, AwaitsFlag):
    """Pipe `dst_pipe` waits for the event of that number of `src_pipe`; the number is a value."""

    name = "pto.wait_flag_dyn"


# --- event ids that are chosen ----------------------------------------------------------------------


@irdl_op_definition
class DeclareEventIdArrayOp(PtoOp):
    """An array of event ids; elements are undefined until they are stored."""

    name = "pto.declare_eventid_array"
    SIDE_EFFECTING: ClassVar = True
    ASSEMBLY_FORMAT: ClassVar = "{attrs} -> ^result"
    result = result_def(EventIds())


@irdl_op_definition
class EventIdArrayGetOp(PtoOp):
    """`result = array[index]`."""

    name = "pto.eventid_array_get"
    SIDE_EFFECTING: ClassVar = True
    RESULTS: ClassVar = (IndexType(),)
    ASSEMBLY_FORMAT: ClassVar = "$array[$index] {attrs} : ^array"
    array = operand_def(EventIds())
    index = operand_def(Index())
    result = result_def(Extent())


@irdl_op_definition
class EventIdArraySetOp(PtoOp):
    """`array[index] = value`."""

    name = "pto.eventid_array_set"
    SIDE_EFFECTING: ClassVar = True
    ASSEMBLY_FORMAT: ClassVar = "$array[$index], $value {attrs} : ^array"
    array = operand_def(EventIds())
    index = operand_def(Index())
    value = operand_def(Index())


# --- barriers ---------------------------------------------------------------------------------------


class DrainOp(PtoOp, ABC):
    """Complete the earlier operations of a pipe before its later ones start."""

    SIDE_EFFECTING: ClassVar = True

    @property
    @abstractmethod
    def drained(self) -> Pipe:
        """The pipe; PIPE_ALL: all pipes, and each before all others."""


@irdl_op_definition
class BarrierOp(DrainOp):
    """Complete the earlier operations of pipe `pipe` before its later ones start; PIPE_ALL: all pipes."""

    name = "pto.barrier"
    ASSEMBLY_FORMAT: ClassVar = "#pipe {attrs}"
    pipe = prop_def(PipeAttr)

    @property
    def drained(self) -> Pipe:
        return self.pipe.data


@irdl_op_definition
class BarrierSyncOp(DrainOp):
    """A barrier of the pipe that instructions of the class `op_type` run on."""

    name = "pto.barrier_sync"
    ASSEMBLY_FORMAT: ClassVar = "[#op_type] {attrs}"
    op_type = prop_def(SyncOpTypeAttr)

    @property
    def drained(self) -> Pipe:
        return self.op_type.data.pipe


@irdl_op_definition
class FenceBarrierAllOp(DrainOp):
    """All pipes end what they were given, and others see what was written to memory before."""

    name = "pto.fence.barrier_all"
    ASSEMBLY_FORMAT: ClassVar = "#scope {attrs}"
    scope = prop_def(FenceScopeAttr)

    @property
    def drained(self) -> Pipe:
        return Pipe.PIPE_ALL


@irdl_op_definition
class CmoCacheInvalidOp(PtoOp):
    """Write back and drop what the scalar pipe's cache holds: all of it, or the 64 bytes at an address."""

    name = "pto.cmo.cacheinvalid"
    SIDE_EFFECTING: ClassVar = True
    NO_EFFECT: ClassVar = ("addr",)
    ASSEMBLY_FORMAT: ClassVar = "(all #space)?($addr single_cache_line : ^addr)? {attrs}"
    space = opt_prop_def(AddressSpaceAttr)
    addr = opt_operand_def(PtrOrView())

    def verify_(self) -> None:
        if (self.space is None) == (self.addr is None):
            raise VerifyException("needs `all #pto.address_space<gm>`, or an address and `single_cache_line`")


# --- events of instructions -------------------------------------------------------------------------


class EventClauseOp(PtoOp, ABC):
    """One end of an event: it belongs to the instruction next to it.

    The text forms write both ends as clauses of instructions: `%d, %e = tload %s : ... record`, and
    `tadd ... wait(%e)`. The instruction library does the same: `TADD(c, a, b, e)` begins with `TSYNC(e)`, and
    `e = TLOAD(d, s)` ends with `e.Record()`.
    """

    SIDE_EFFECTING: ClassVar = True

    @property
    @abstractmethod
    def instruction(self) -> PtoOp | None:
        """The instruction that the event comes from, or that waits for it."""

    @property
    @abstractmethod
    def token(self) -> SSAValue:
        """The event."""


@irdl_op_definition
class RecordOp(EventClauseOp):
    """Record an event when the instruction before this is done."""

    name = "pto.record"
    RESULTS: ClassVar = (EventType(),)
    ASSEMBLY_FORMAT: ClassVar = "{attrs}"
    event_id = opt_prop_def(EventAttr)
    """The id of its flag, which `insert-sync` chooses."""
    result = result_def(AnyEvent())

    @property
    def instruction(self) -> PtoOp | None:
        return _instruction_beside(self, following=False)

    @property
    def token(self) -> SSAValue:
        return self.result

    @property
    def wait(self) -> "TSyncOp | None":
        """Operations of the block that wait for the event."""
        waits = (use.operation for use in self.result.uses)
        return next((op for op in waits if isinstance(op, TSyncOp) and op.parent is self.parent), None)


@irdl_op_definition
class TSyncOp(EventClauseOp):
    """Let the instruction after this wait for an event."""

    name = "pto.tsync"
    ASSEMBLY_FORMAT: ClassVar = "ins($event : ^event) {attrs}"
    event = operand_def(AnyEvent())

    @property
    def instruction(self) -> PtoOp | None:
        return _instruction_beside(self, following=True)

    @property
    def token(self) -> SSAValue:
        return self.event


def _instruction_beside(op: Operation, *, following: bool) -> PtoOp | None:
    """The nearest instruction before or after an operation, if no body is between them."""
    at = op
    while (at := at.next_op if following else at.prev_op) is not None:
        if takes_events(at) or at.regions:
            return cast(PtoOp, at) if takes_events(at) else None
    return None


def takes_events(op: Operation) -> bool:
    """Return True if an operation is an instruction that accesses memory, so that there is an order to it."""
    return isinstance(op, PtoOp) and accesses_memory(op.__class__)


# --- tokens of buffers ------------------------------------------------------------------------------


class BufferTokenOp(PtoOp, ABC):
    """The token of a buffer, which goes from pipe to pipe in the order of the program."""

    SIDE_EFFECTING: ClassVar = True
    op_type = prop_def(SyncOpTypeAttr)
    mode = opt_prop_def(IntegerAttr)

    @property
    def pipe(self) -> Pipe:
        return self.op_type.data.pipe

    @property
    @abstractmethod
    def token(self) -> IntegerAttr | SSAValue: ...


class AcquiresToken(BufferTokenOp, ABC):
    """The pipe waits until the token has been given back."""


class ReleasesToken(BufferTokenOp, ABC):
    """The pipe gives the token back, after all that it was given before."""


class NumberedTokenOp(BufferTokenOp, ABC):
    ASSEMBLY_FORMAT: ClassVar = "[#op_type, #buf_id(, #mode)?] {attrs}"
    buf_id = prop_def(IntegerAttr)

    @property
    def token(self) -> IntegerAttr | SSAValue:
        return self.buf_id


class DynamicTokenOp(BufferTokenOp, ABC):
    ASSEMBLY_FORMAT: ClassVar = "[#op_type, $buf_id(, #mode)?] {attrs}"
    buf_id = operand_def(Index())

    @property
    def token(self) -> IntegerAttr | SSAValue:
        return self.buf_id


@irdl_op_definition
class GetBufOp(NumberedTokenOp, AcquiresToken):
    """The pipe of the class `op_type` takes the token `buf_id`: it waits until the holder releases it."""

    name = "pto.get_buf"


@irdl_op_definition
class RlsBufOp(NumberedTokenOp, ReleasesToken):
    """The pipe of the class `op_type` gives the token `buf_id` back when it has done what it was given."""

    name = "pto.rls_buf"


@irdl_op_definition
class GetBufDynOp(DynamicTokenOp, AcquiresToken):
    """`get_buf` of the token whose number is a value."""

    name = "pto.get_buf_dyn"


@irdl_op_definition
class RlsBufDynOp(DynamicTokenOp, ReleasesToken):
    """`rls_buf` of the token whose number is a value."""

    name = "pto.rls_buf_dyn"
