"""Channels: a type and a variable for each end, and the calls that push, pop and free.

using Pipe0 = TPipe<0, Direction::DIR_C2V, 8192, 8, 2, false>;
Pipe0 pipe0(nullptr, 0x0, 0x0);
TPOP<Pipe0, RecvTile, TileSplitAxis::TILE_UP_DOWN>(pipe0, recv);
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import f32
from xdsl.ir import Operation, SSAValue

from ptoas.analysis.channels import flow_of, pushes_and_pops
from ptoas.analysis.epilogues import result_of
from ptoas.dialects.pto.channel import (
    AllocSlotOp,
    ChannelOp,
    DeclareGlobalOp,
    DeclareTileOp,
    FreeOp,
    InitializePipeOp,
    PipeInitOp,
    PopOp,
    PushOp,
    ReserveBufferOp,
    RingAddressOp,
    TPopFromAicOp,
    TPopFromAivOp,
    TPushToAicOp,
)
from ptoas.dialects.pto.core_enums import Flow
from ptoas.dialects.pto.enums import KernelKind
from ptoas.dialects.pto.quant import SetQuantScalarOp, SetQuantVectorOp
from ptoas.dialects.pto.types import DYNAMIC, TileType, ViewType
from ptoas.lowering.cpp.declarations import declare_tile, packed_view
from ptoas.lowering.cpp.handlers import emits
from ptoas.lowering.cpp.types import element_cpp
from ptoas.targets.shared.channel_model import ChannelModel

if TYPE_CHECKING:
    from ptoas.lowering.cpp.function import FunctionEmitter

SPLITS = (
    "TILE_NO_SPLIT",
    "TILE_UP_DOWN",
    "TILE_LEFT_RIGHT",
    "TILE_UP_DOWN_ODD",
    "TILE_LEFT_RIGHT_ODD",
)

LOCAL_SLOTS = 2
"""The library's name for the number of slots of a ring without copies."""


@emits(RingAddressOp)
def _ring(emit: FunctionEmitter, op: RingAddressOp) -> None:
    # A buffer may be reserved without any channel in the module.
    own = op if isinstance(op, ReserveBufferOp) else None
    reserved = emit.channels.ring(op.result) if emit.has_channels else own
    if reserved is None or reserved.address is None:
        raise emit.unsupported(op, "nobody reserves a buffer of this name")
    emit.rename(op.result, f"0x{reserved.address:x}")


# --- declarations ----------------------------------------------------------------------------------


def direction(init: PipeInitOp, model: ChannelModel) -> str:
    """Slots in global memory are another direction where the consumer's memory is the rule."""
    flows = init.flows
    word = "BOTH" if len(flows) == 2 else flows[0].name
    in_memory = init.memory is not None and not model.needs_memory and not model.one_pipe
    return f"Direction::DIR_{word}{'_GM' if in_memory else ''}"


def pipe_type(emit: FunctionEmitter, init: PipeInitOp) -> str:
    """The C++ type of an end; both ends have the same."""
    channel, model = emit.channels.of(init), emit.target.model(init)
    local = init.local_slots if init.memory is not None or model.one_pipe else LOCAL_SLOTS
    # The simulator would wait until core 1 has given back what core 0 alone pops.
    nosplit = channel.nosplit and not model.one_pipe
    parts = [
        str(channel.flag_base),
        direction(init, model),
        str(init.bytes_of_slot),
        str(init.slots),
        str(local),
        "true" if nosplit else "false",
    ]
    return f"TPipe<{', '.join(parts)}>"


@emits(PipeInitOp)
def _init(emit: FunctionEmitter, op: PipeInitOp) -> None:
    number = emit.channels.of(op).number if isinstance(op, InitializePipeOp) else len(emit.pipes)
    name = emit.fresh(f"pipe{number}")
    alias = emit.alias(pipe_type(emit, op), f"Pipe{number}")
    emit.pipes[op] = name, alias
    memory = op.memory
    pointer = "nullptr"
    if memory is not None:
        pointer = emit.view(memory).pointer if isinstance(memory.type, ViewType) else emit.text(memory)
    rings = [_address(emit, op.consumer(flow)) for flow in Flow]
    emit.line(f"{alias} {name}({', '.join([pointer, *rings])});")
    epilogue = op.acc_push_epilogue
    if epilogue is not None:
        layout, quant, relu = epilogue.layout, epilogue.quant, epilogue.relu
        config = (
            f"FixpipeParams<LayoutMode_t::{layout.name}, QuantMode_t::{quant.name}, ReluPreMode::{relu.name}>"
        )
        emit.epilogues[op] = emit.alias(config, f"Pipe{number}Epilogue")


def _address(emit: FunctionEmitter, value: SSAValue | None) -> str:
    if value is None:
        return "0x0"
    constant = emit.knowledge.constant(value)
    return emit.text(value) if constant is None else f"0x{constant:x}"


def _pipe(emit: FunctionEmitter, op: ChannelOp) -> tuple[str, str]:
    """The variable and the type of the end that an instruction works with."""
    init = emit.channels.init_of(op)
    if init is None or init not in emit.pipes:
        raise emit.unsupported(op, "its channel is not declared before it")
    return emit.pipes[init]


def _split(op: ChannelOp) -> str:
    return f"TileSplitAxis::{SPLITS[op.halves]}"


# --- instructions ----------------------------------------------------------------------------------


@emits(PushOp)
def _push(emit: FunctionEmitter, op: PushOp) -> None:
    name, alias = _pipe(emit, op)
    init = emit.channels.init_of(op)
    entry = op.entry
    what = _entry_type(emit, entry)
    arguments = [name, emit.argument(entry)]
    how = _split(op)
    if init is not None and init in emit.epilogues and flow_of(op) is Flow.C2V:
        how = emit.epilogues[init]
        if init in emit.push_scales:
            # One register serves all channels.
            emit.line(emit.push_scales[init])
    arguments += [*_lane(emit, op), *emit.waits(op)]
    emit.line(f"{emit.recorded(op)}TPUSH<{alias}, {what}, {how}>({', '.join(arguments)});")


@emits(SetQuantScalarOp, SetQuantVectorOp)
def _scale(emit: FunctionEmitter, op: SetQuantScalarOp | SetQuantVectorOp) -> None:
    """Scales are set right before each push: one register serves all channels."""
    init = emit.channels.numbered(op, KernelKind.Cube, op.number) if emit.has_channels else None
    if init is None:
        raise emit.unsupported(op, "its channel is not declared before it")
    if isinstance(op, SetQuantVectorOp):
        emit.push_scales[init] = f"SET_QUANT_VECTOR({emit.argument(op.scales)});"
        return
    channel = emit.channels.of(init)
    pushes, _ = pushes_and_pops(channel, Flow.C2V)
    types = [push.entry.type for push in pushes]
    source = next((type.element_type for type in types if isinstance(type, TileType)), f32)
    result = element_cpp(result_of(channel, source))
    emit.push_scales[init] = f"SET_QUANT_SCALAR<{result}>({emit.text(op.scale)});"


def _lane(emit: FunctionEmitter, op: Operation) -> list[str]:
    """The number of this vector core, if the text contains it; the simulator knows it."""
    lane = op.aiv_subblockid if isinstance(op, TPushToAicOp | TPopFromAicOp) else None
    if lane is None or not emit.target.launches:
        return []
    return [f"static_cast<int32_t>({emit.text(lane)})"]


def _entry_type(emit: FunctionEmitter, entry: SSAValue) -> str:
    return emit.tile_type(entry) if isinstance(entry.type, TileType) else emit.tensor_type(entry)


@emits(PopOp)
def _pop(emit: FunctionEmitter, op: PopOp) -> None:
    name, alias = _pipe(emit, op)
    entry = op.popped
    if isinstance(entry.type, TileType):
        _declare_tile(emit, entry, op)
    else:
        _declare_view(emit, entry)
    arguments = [name, emit.argument(entry), *_lane(emit, op), *emit.waits(op)]
    types = f"{alias}, {_entry_type(emit, entry)}, {_split(op)}"
    emit.line(f"{emit.recorded(op)}TPOP<{types}>({', '.join(arguments)});")


def _declare_tile(emit: FunctionEmitter, value: SSAValue, op: Operation) -> None:
    """A tile without an address."""
    if isinstance(value.owner, DeclareTileOp) and emit.is_declared(value):
        return
    sizes = (op.valid_row, op.valid_col) if isinstance(op, TPopFromAicOp | TPopFromAivOp) else (None, None)
    declare_tile(emit, value, sizes)


def _declare_view(emit: FunctionEmitter, value: SSAValue) -> None:
    """A tensor without an address."""
    type = value.type
    assert isinstance(type, ViewType)
    if value in emit.views:
        return
    if DYNAMIC in type.shape:
        owner = value.owner
        assert isinstance(owner, Operation)
        raise emit.unsupported(owner, "the extents of a slot are written in its type")
    name = emit.tensor_name(value)
    emit.views[value] = packed_view(type, f"{name}.data()")
    emit.line(f"{emit.tensor_type(value)} {name}(nullptr);")


@emits(FreeOp)
def _free(emit: FunctionEmitter, op: FreeOp) -> None:
    name, alias = _pipe(emit, op)
    entry = op.entry
    if entry is not None and isinstance(entry.type, ViewType):
        emit.line(f"TFREE<{alias}, {emit.tensor_type(entry)}, {_split(op)}>({name}, {emit.argument(entry)});")
        return
    emit.line(f"TFREE<{alias}, {_split(op)}>({name});")


@emits(AllocSlotOp)
def _alloc(emit: FunctionEmitter, op: AllocSlotOp) -> None:
    name, alias = _pipe(emit, op)
    slot = op.slot
    _declare_view(emit, slot)
    emit.line(f"TALLOC<{alias}, {emit.tensor_type(slot)}, {_split(op)}>({name}, {emit.argument(slot)});")


@emits(DeclareTileOp, DeclareGlobalOp)
def _nothing(emit: FunctionEmitter, op: Operation) -> None:
    """Emit nothing: the value is declared when it gets its address."""
