"""Channels: rings of slots through which the cube core and the vector cores of a block pass tiles."""

from abc import ABC, abstractmethod
from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr, IntegerAttr, StringAttr, SymbolRefAttr, i32
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
)
from xdsl.utils.exceptions import VerifyException

from ptoas.dialects.pto.constraints import AnyTile, AnyView, Handle, Index, Ptr, PtrOrView, Scalar, TileOrView
from ptoas.dialects.pto.core_enums import Flow
from ptoas.dialects.pto.core_types import AccPushEpilogueAttr, PipeType
from ptoas.dialects.pto.enums import AddressSpaceAttr, KernelKind, TileLoc
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import TileType

# --- memory of rings -------------------------------------------------------------------------------


class RingAddressOp(PtoOp, ABC):
    """The address of a ring of slots in the memory of its consumer."""

    SIDE_EFFECTING: ClassVar = True
    RESULTS: ClassVar = (i32,)
    ASSEMBLY_FORMAT: ClassVar = "{attrs} -> ^result"
    result = result_def(Scalar())


@irdl_op_definition
class ReserveBufferOp(RingAddressOp):
    """Keep `size` bytes of local memory free for a ring; the result is their address.

    With `auto` the compiler chooses it, otherwise it is `base`."""

    name = "pto.reserve_buffer"
    buffer_name = prop_def(StringAttr, prop_name="name")
    size = prop_def(IntegerAttr)
    space = prop_def(AddressSpaceAttr, prop_name="location")
    auto = prop_def(BoolAttr)
    base = opt_prop_def(IntegerAttr)

    @property
    def is_auto(self) -> bool:
        return bool(self.auto.value.data)

    @property
    def address(self) -> int | None:
        return None if self.base is None else self.base.value.data


@irdl_op_definition
class ImportReservedBufferOp(RingAddressOp):
    """The address that function `peer_func` reserved under this name."""

    name = "pto.import_reserved_buffer"
    buffer_name = prop_def(StringAttr, prop_name="name")
    peer_func = prop_def(SymbolRefAttr)


# --- what a channel is -----------------------------------------------------------------------------


class PipeInitOp(PtoOp, ABC):
    """Declares one end of a channel: its ring is `slot_num` slots of `slot_size` bytes in each direction."""

    SIDE_EFFECTING: ClassVar = True
    NO_EFFECT: ClassVar[tuple[str, ...]] = ()
    dir_mask = prop_def(IntegerAttr)
    slot_size = prop_def(IntegerAttr)
    slot_num = opt_prop_def(IntegerAttr)
    local_slot_num = opt_prop_def(IntegerAttr)
    nosplit = opt_prop_def(BoolAttr)
    acc_push_epilogue = opt_prop_def(AccPushEpilogueAttr)

    @property
    def flows(self) -> tuple[Flow, ...]:
        """The directions that it has, from cube to vector first."""
        mask = self.dir_mask.value.data
        return tuple(flow for flow in Flow if mask & flow.bit)

    @property
    def slots(self) -> int:
        """Slots of a ring: as many as are written, else 8, or 4 in each of two directions."""
        if self.slot_num is not None:
            return self.slot_num.value.data
        return 4 if len(self.flows) == 2 else 8

    @property
    def local_slots(self) -> int:
        """Slots of the ring that a consumer copies into, where the ring itself is in global memory."""
        return self.slots if self.local_slot_num is None else self.local_slot_num.value.data

    @property
    def bytes_of_slot(self) -> int:
        return self.slot_size.value.data

    @property
    @abstractmethod
    def memory(self) -> SSAValue | None:
        """The ring in global memory, by a pointer or a view."""

    @abstractmethod
    def consumer(self, flow: Flow) -> SSAValue | None:
        """The address of the ring of a direction in the consumer's memory."""

    @property
    def is_of_views(self) -> bool:
        """True if the channel passes views of global memory, not tiles."""
        return False


class ChannelNumberOp(PtoOp, ABC):
    """An operation that names a channel by its number in the function."""

    id = opt_prop_def(IntegerAttr)

    @property
    def number(self) -> int:
        """The number of the channel."""
        return 0 if self.id is None else self.id.value.data


class InitializePipeOp(ChannelNumberOp, PipeInitOp, ABC):
    """One end of a channel, by its number."""

    SIDE: ClassVar[KernelKind]
    NO_EFFECT: ClassVar = ("gm_slot_buffer", "gm_slot_tensor")
    ASSEMBLY_FORMAT: ClassVar = (
        "{attrs}( ((gm_slot_buffer = $gm_slot_buffer : ^gm_slot_buffer)?"
        "(, gm_slot_tensor = $gm_slot_tensor : ^gm_slot_tensor)?"
        "(, c2v_consumer_buf = $c2v_consumer_buf : ^c2v_consumer_buf)?"
        "(, v2c_consumer_buf = $v2c_consumer_buf : ^v2c_consumer_buf)?))?"
    )
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    gm_slot_buffer = opt_operand_def(Ptr())
    gm_slot_tensor = opt_operand_def(AnyView())
    c2v_consumer_buf = opt_operand_def(Index())
    v2c_consumer_buf = opt_operand_def(Index())

    @property
    def memory(self) -> SSAValue | None:
        return self.gm_slot_buffer if self.gm_slot_tensor is None else self.gm_slot_tensor

    def consumer(self, flow: Flow) -> SSAValue | None:
        return self.c2v_consumer_buf if flow is Flow.C2V else self.v2c_consumer_buf

    @property
    def is_of_views(self) -> bool:
        # A channel with a tensor alone passes views; with a ring for its consumer, too, it passes tiles.
        return self.gm_slot_tensor is not None and not any(self.consumer(flow) for flow in self.flows)


@irdl_op_definition
class AicInitializePipeOp(InitializePipeOp):
    """Declares a channel on the cube core: its directions, its slots, where they are."""

    name = "pto.aic_initialize_pipe"
    SIDE: ClassVar = KernelKind.Cube


@irdl_op_definition
class AivInitializePipeOp(InitializePipeOp):
    """Declares a channel on the vector cores: its directions, its slots, where they are."""

    name = "pto.aiv_initialize_pipe"
    SIDE: ClassVar = KernelKind.Vector


# --- what goes through it --------------------------------------------------------------------------


class ChannelOp(PtoOp, ABC):
    """An operation on a channel."""

    SIDE_EFFECTING: ClassVar = True
    CONTEXT_SENSITIVE: ClassVar = True
    split = prop_def(IntegerAttr)

    @property
    def halves(self) -> int:
        """Split of tiles between the vector cores: 0 none, 1 by rows, 2 by columns, 3 and 4 the same for
        odd extents.
        """
        return self.split.value.data

    @property
    @abstractmethod
    def flow(self) -> Flow | None:
        """The direction; `None` if it follows from the kind of the core."""


class PushOp(ChannelOp, ABC):
    """Fills the next slot with a tile, or passes on a view that was filled."""

    entry = operand_def(TileOrView())


class PopOp(ChannelOp, ABC):
    """Waits for the next full slot."""

    @property
    @abstractmethod
    def popped(self) -> SSAValue:
        """The popped value: a tile or a view."""


class FreeOp(ChannelOp, ABC):
    """Gives back the slot that was popped first, of those that are not given back."""

    NO_EFFECT: ClassVar = ("entry",)
    entry = opt_operand_def(TileOrView())
    """The released value, if the text names it."""


class AllocSlotOp(ChannelOp, ABC):
    """Waits for an empty slot, to be filled by stores."""

    @property
    @abstractmethod
    def slot(self) -> SSAValue:
        """The view of the slot."""


class LaneOp(ChannelOp, ABC):
    """An operation of a vector core, which may say which one it is."""

    aiv_subblockid = opt_operand_def(Index())


class NumberedChannelOp(ChannelNumberOp, ChannelOp, ABC):
    """The channel is the one of that number in the function; the cores know which side they are."""

    SIDE: ClassVar[KernelKind]
    """The kind of core that does it."""
    FLOW: ClassVar[Flow]

    @property
    def flow(self) -> Flow | None:
        return self.FLOW


class _AllocSlot(NumberedChannelOp, AllocSlotOp, ABC):
    ASSEMBLY_FORMAT: ClassVar = "{attrs} -> ^result"
    result = result_def(AnyView())

    @property
    def slot(self) -> SSAValue:
        return self.result


@irdl_op_definition
class TAllocToAivOp(_AllocSlot):
    """A view of the next empty slot of a channel of views, for the cube core to store into."""

    name = "pto.talloc_to_aiv"
    SIDE: ClassVar = KernelKind.Cube
    FLOW: ClassVar = Flow.C2V


@irdl_op_definition
class TAllocToAicOp(_AllocSlot):
    """A view of the next empty slot of a channel of views, for a vector core to store into."""

    name = "pto.talloc_to_aic"
    SIDE: ClassVar = KernelKind.Vector
    FLOW: ClassVar = Flow.V2C


@irdl_op_definition
class TPushToAivOp(NumberedChannelOp, PushOp):
    """The cube core pushes an accumulator to the vector cores, or a view that it has filled."""

    name = "pto.tpush_to_aiv"
    SIDE: ClassVar = KernelKind.Cube
    FLOW: ClassVar = Flow.C2V
    ASSEMBLY_FORMAT: ClassVar = "($entry : ^entry) {attrs}"


@irdl_op_definition
class TPushToAicOp(NumberedChannelOp, PushOp, LaneOp):
    """A vector core pushes a tile to the cube core, or a view that it has filled."""

    name = "pto.tpush_to_aic"
    SIDE: ClassVar = KernelKind.Vector
    FLOW: ClassVar = Flow.V2C
    ASSEMBLY_FORMAT: ClassVar = "($entry : ^entry) {attrs}( aiv_subblockid($aiv_subblockid))?"


class NumberedPopOp(NumberedChannelOp, PopOp, ABC):
    """A pop whose result is the entry; its valid extents are given where the type leaves them open."""

    WRITES_RESULT: ClassVar = True
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    valid_row = opt_operand_def(Index())
    valid_col = opt_operand_def(Index())
    result = result_def(TileOrView())

    def verify_(self) -> None:
        if (self.valid_row is None) != (self.valid_col is None):
            raise VerifyException("needs both extents, or none")

    @property
    def popped(self) -> SSAValue:
        return self.result


@irdl_op_definition
class TPopFromAicOp(NumberedPopOp, LaneOp):
    """A vector core takes the next tile that the cube core has pushed, or its half of it."""

    name = "pto.tpop_from_aic"
    SIDE: ClassVar = KernelKind.Vector
    FLOW: ClassVar = Flow.C2V
    ASSEMBLY_FORMAT: ClassVar = (
        "(($valid_row, $valid_col) )?{attrs}( aiv_subblockid($aiv_subblockid))? -> ^result"
    )


@irdl_op_definition
class TPopFromAivOp(NumberedPopOp):
    """The cube core takes the next tile that the vector cores have pushed."""

    name = "pto.tpop_from_aiv"
    SIDE: ClassVar = KernelKind.Cube
    FLOW: ClassVar = Flow.V2C
    ASSEMBLY_FORMAT: ClassVar = "(($valid_row, $valid_col) )?{attrs} -> ^result"


class _Free(NumberedChannelOp, FreeOp, ABC):
    ASSEMBLY_FORMAT: ClassVar = "(($entry : ^entry) )?{attrs}"


@irdl_op_definition
class TFreeFromAicOp(_Free):
    """A vector core gives back the slot that it has popped first: its tile is no longer there."""

    name = "pto.tfree_from_aic"
    SIDE: ClassVar = KernelKind.Vector
    FLOW: ClassVar = Flow.C2V


@irdl_op_definition
class TFreeFromAivOp(_Free):
    """The cube core gives back the slot that it has popped first: its tile is no longer there."""

    name = "pto.tfree_from_aiv"
    SIDE: ClassVar = KernelKind.Cube
    FLOW: ClassVar = Flow.V2C


# --- the same by handles ---------------------------------------------------------------------------


class HandleInitOp(PipeInitOp, ABC):
    """One end of a channel, by the handle that it gives."""

    RESULTS: ClassVar = (PipeType(),)
    flag_base = opt_prop_def(IntegerAttr)
    peer_local_addr = opt_operand_def(Index())
    """The ring of the second direction; that of the first, or of the only one, is `local_addr`."""
    pipe = result_def(Handle())

    def consumer(self, flow: Flow) -> SSAValue | None:
        if flow not in self.flows:
            return None
        is_second = len(self.flows) == 2 and flow is Flow.V2C
        return next(iter(self.operands_of("peer_local_addr" if is_second else "local_addr")), None)


@irdl_op_definition
class InitializeL2LPipeOp(HandleInitOp):
    """Declares a channel whose slots are in the consumer's memory; gives its handle."""

    name = "pto.initialize_l2l_pipe"
    ASSEMBLY_FORMAT: ClassVar = (
        "{attrs}($local_addr : ^local_addr(, $peer_local_addr : ^peer_local_addr)?) -> ^pipe"
    )
    local_addr = operand_def(Index())

    @property
    def memory(self) -> SSAValue | None:
        return None


@irdl_op_definition
class InitializeL2G2LPipeOp(HandleInitOp):
    """Declares a channel whose slots are in global memory; gives its handle."""

    name = "pto.initialize_l2g2l_pipe"
    NO_EFFECT: ClassVar = ("gm_addr",)
    ASSEMBLY_FORMAT: ClassVar = (
        "{attrs}($gm_addr : ^gm_addr(, $local_addr : ^local_addr)?"
        "(, $peer_local_addr : ^peer_local_addr)?) -> ^pipe"
    )
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    gm_addr = operand_def(PtrOrView())
    local_addr = opt_operand_def(Index())

    def verify_(self) -> None:
        # Operands are distinguished by position.
        if self.peer_local_addr is not None and self.local_addr is None:
            raise VerifyException("peer_local_addr needs local_addr before it")

    @property
    def memory(self) -> SSAValue | None:
        return self.gm_addr

    @property
    def is_of_views(self) -> bool:
        return self.local_addr is None


@irdl_op_definition
class DeclareTileOp(PtoOp):
    """A tile without an address, for `tpop` to bind to a slot."""

    name = "pto.declare_tile"
    SIDE_EFFECTING: ClassVar = True
    ASSEMBLY_FORMAT: ClassVar = "{attrs} -> ^result"
    result = result_def(AnyTile())


@irdl_op_definition
class DeclareGlobalOp(PtoOp):
    """A view without an address, for `talloc` and `tpop` to bind to a slot."""

    name = "pto.declare_global"
    SIDE_EFFECTING: ClassVar = True
    ASSEMBLY_FORMAT: ClassVar = "{attrs} -> ^result"
    result = result_def(AnyView())


class HandleOp(ChannelOp, ABC):
    """The channel is the one of a handle."""

    pipe_handle = operand_def(Handle())


def _flow_of(entry: SSAValue, *, pushed: bool) -> Flow | None:
    """The direction that a tile goes: what leaves a vector core, or comes to the cube core, is for that."""
    type = entry.type
    if not isinstance(type, TileType):
        return None
    to_cube = TileLoc.Vec if pushed else TileLoc.Mat
    return Flow.V2C if type.loc.data is to_cube else Flow.C2V


@irdl_op_definition
class TPushOp(PushOp, HandleOp):
    """Push a tile, or a view that was filled, through the channel of a handle."""

    name = "pto.tpush"
    ASSEMBLY_FORMAT: ClassVar = "($entry, $pipe_handle : ^entry, ^pipe_handle) {attrs}"

    @property
    def flow(self) -> Flow | None:
        return _flow_of(self.entry, pushed=True)


@irdl_op_definition
class TPopOp(HandleOp, PopOp):
    """Bind a declared tile or view to the next full slot of the channel of a handle."""

    name = "pto.tpop"
    OUTS: ClassVar = ("entry",)
    ASSEMBLY_FORMAT: ClassVar = "($entry, $pipe_handle : ^entry, ^pipe_handle) {attrs}"
    entry = operand_def(TileOrView())

    @property
    def flow(self) -> Flow | None:
        return _flow_of(self.entry, pushed=False)

    @property
    def popped(self) -> SSAValue:
        return self.entry


@irdl_op_definition
class TAllocOp(HandleOp, AllocSlotOp):
    """Bind a declared view to the next empty slot of the channel of a handle."""

    name = "pto.talloc"
    NO_EFFECT: ClassVar = ("entry",)
    ASSEMBLY_FORMAT: ClassVar = "($entry, $pipe_handle : ^entry, ^pipe_handle) {attrs}"
    entry = operand_def(AnyView())

    @property
    def flow(self) -> Flow | None:
        return None

    @property
    def slot(self) -> SSAValue:
        return self.entry


@irdl_op_definition
class TFreeOp(FreeOp, HandleOp):
    """Give back the slot that was popped first from the channel of a handle."""

    name = "pto.tfree"
    ASSEMBLY_FORMAT: ClassVar = "(($entry, )?$pipe_handle : (^entry, )?^pipe_handle) {attrs}"

    @property
    def flow(self) -> Flow | None:
        return None if self.entry is None else _flow_of(self.entry, pushed=False)
