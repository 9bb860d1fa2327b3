"""Channels between cores: declaring them, pushing, popping, giving back."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ptoas.analysis.channels import flow_of
from ptoas.analysis.effects import Effects, OperandAccess
from ptoas.analysis.kinds import function_of
from ptoas.analysis.knowledge import packed_strides
from ptoas.diagnostics import Note
from ptoas.dialects.pto.channel import (
    AicInitializePipeOp,
    AivInitializePipeOp,
    AllocSlotOp,
    ChannelOp,
    DeclareGlobalOp,
    DeclareTileOp,
    FreeOp,
    ImportReservedBufferOp,
    InitializeL2G2LPipeOp,
    InitializeL2LPipeOp,
    InitializePipeOp,
    PipeInitOp,
    PopOp,
    PushOp,
    ReserveBufferOp,
    TAllocOp,
    TAllocToAicOp,
    TAllocToAivOp,
    TFreeFromAicOp,
    TFreeFromAivOp,
    TFreeOp,
    TPopFromAicOp,
    TPopFromAivOp,
    TPopOp,
    TPushOp,
    TPushToAicOp,
    TPushToAivOp,
)
from ptoas.dialects.pto.enums import Pipe
from ptoas.dialects.pto.slots import slot_places
from ptoas.dialects.pto.types import DYNAMIC, TileType, ViewType
from ptoas.grammar.spans import span_of
from ptoas.machine.bound import BoundInstruction
from ptoas.machine.channels import Pushed, Ring
from ptoas.machine.cluster import Cluster
from ptoas.machine.dtypes import dtype_of
from ptoas.machine.machine import Machine, Step, instruction, prepared_value, value
from ptoas.machine.memory import GlobalBuffer, View
from ptoas.machine.race import RaceDetector, ordered_touching
from ptoas.machine.slots import PoppedSlot
from ptoas.machine.tiles import Tile, Unplaced
from ptoas.machine.touched import TouchedBytes, tile_touched
from ptoas.ops.push_epilogue import epilogue_of
from ptoas.ops.slot_data import KEPT, LocalSlots, MemorySlots, check_bytes

# --- rings -----------------------------------------------------------------------------------------


@value(ReserveBufferOp)
def reserve_buffer(op: ReserveBufferOp, m: Machine) -> int:
    assert op.address is not None, "plan-memory has placed it"
    return op.address


@prepared_value(ImportReservedBufferOp)
def import_reserved_buffer(op: ImportReservedBufferOp, m: Machine) -> Callable[[], int]:
    reserved = m.channels.ring(op.result)
    if reserved is None or reserved.address is None:
        message = f"@{op.peer_func.string_value()} reserves no buffer named {op.buffer_name.data!r}"
        raise m.fail("PTO-R910", message, op)
    address = reserved.address
    return lambda: address


@prepared_value(AicInitializePipeOp, AivInitializePipeOp, InitializeL2LPipeOp, InitializeL2G2LPipeOp)
def initialize_pipe(op: PipeInitOp, m: Machine) -> Callable[..., PipeInitOp]:
    """Open the rings of a channel; its handle, where there is one, is the declaration."""
    operands = list(op.operands)
    memory_at = None if op.memory is None else operands.index(op.memory)
    rings = [(flow, op.consumer(flow)) for flow in op.flows]
    channel = m.channels.of(op)

    def run(*values: Any) -> PipeInitOp:
        for flow, consumer in rings:
            ring = m.cluster_of_block.ring(channel, flow, m)
            base = None if consumer is None else int(values[operands.index(consumer)])
            ring.open(m, op, base)
            if memory_at is None:
                ring.data = ring.data or LocalSlots(ring)
                continue
            data = MemorySlots(ring, values[memory_at])
            if not isinstance(ring.data, MemorySlots) or ring.data.start != data.start:
                ring.data = data
        return op

    return run


def ring_of(op: ChannelOp, m: Machine) -> Callable[[], Ring]:
    """The ring that an instruction works with, in the block that runs."""
    init, flow = m.channels.init_of(op), flow_of(op)
    if init is None or flow is None or flow not in init.flows:
        raise _no_channel(op, m, init)
    channel = m.channels.of(init)
    cluster: Cluster | None = None
    ring: Ring | None = None

    def current() -> Ring:
        """Looked up anew for each block."""
        nonlocal cluster, ring
        if ring is None or m.cluster is None or m.cluster is not cluster:
            ring, cluster = m.cluster_of_block.ring(channel, flow, m), m.cluster
        return ring

    return current


def _no_channel(op: ChannelOp, m: Machine, init: PipeInitOp | None) -> Exception:
    if init is not None:
        message = "dir_mask of the channel excludes this direction"
        notes, fix = (Note("declared here", span_of(init)),), "dir_mask = 3 on both sides, or another channel"
        return m.refuse("PTO-R910", message, op, notes=notes, fix=fix)
    function = function_of(op)
    known = [end.init for end in m.channels.ends() if end.function is function]
    numbers = ", ".join(str(init.number) for init in known if isinstance(init, InitializePipeOp))
    return m.refuse(
        "PTO-R910",
        "no channel of that number is declared in this function",
        op,
        notes=tuple(Note("declared here", span_of(init)) for init in known[:1]),
        fix=f"use id = {numbers}" if numbers else "declare one before it with an initialize_pipe",
    )


# --- pushing ---------------------------------------------------------------------------------------


@instruction(TPushToAivOp, TPushToAicOp, TPushOp)
def push(op: PushOp, m: Machine, entry: Tile | View, **_: object) -> Step:
    ring = ring_of(op, m)
    lane_at = slot_places(op).get("aiv_subblockid")
    init = m.channels.init_of(op)
    assert init is not None
    if isinstance(entry, View):
        return Step(lambda *_: _push_view(op, m, ring()))
    tile = entry
    element, convert = epilogue_of(op, init, m, tile)
    pushed = Pushed(op, element, tile.valid, op.halves)

    def run(*scalars: int) -> None:
        current = ring()
        if lane_at:
            _check_lane(op, m, int(scalars[-1]))
        number = current.await_slot(m, op)
        bits = tile.load_raw()
        current.slots_of(m, op).put(m, op, tile, convert(bits), element, number)
        if current.in_memory:
            note_memory(op, m, current, write=True)
        current.fill(m, pushed)

    return Step(run, reads=(tile.region,))


def _push_view(op: PushOp, m: Machine, ring: Ring) -> None:
    """The slot was filled by stores; now it is full."""
    core = m.core
    if ring.allocated.get(core, 0) <= ring.heads.get(core, 0):
        raise m.refuse(
            "PTO-R925",
            f"no slot of {ring.name} is allocated before the push",
            op,
            fix="allocate the slot with talloc before the stores, and tpush it after them",
        )
    type = op.entry.type
    assert isinstance(type, ViewType)
    ring.fill(m, Pushed(op, type.element_type, (0, 0), op.halves))


def _check_lane(op: PushOp | PopOp, m: Machine, lane: int) -> None:
    if lane != m.role.lane:
        message = f"aiv_subblockid is {lane} on {m.role.name}"
        raise m.refuse("PTO-R911", message, op, fix="pass the result of get_subblock_idx")


# --- popping ---------------------------------------------------------------------------------------


@prepared_value(TPopFromAicOp, TPopFromAivOp, TPopOp)
def pop(op: PopOp, m: Machine) -> Callable[..., Tile | View]:
    places = slot_places(op)
    rows_at, cols_at, lane_at = (places.get(name) for name in ("valid_row", "valid_col", "aiv_subblockid"))
    take = _popping(op, m)

    def run(*values: Any) -> Tile | View:
        if lane_at:
            _check_lane(op, m, int(values[lane_at.start]))
        rows = int(values[rows_at.start]) if rows_at else None
        cols = int(values[cols_at.start]) if cols_at else None
        return take(rows, cols)

    return run


def _popping(op: PopOp, m: Machine) -> Callable[[int | None, int | None], Tile | View]:
    ring, type, split = ring_of(op, m), op.popped.type, op.halves
    if isinstance(type, ViewType):
        view = slot_view(op, m, type)

        def pop_view(rows: int | None, cols: int | None) -> View:
            current = ring()
            number = current.await_tile(m, op)
            current.check_pop(m, op, number, type.element_type, split)
            current.held[m.core].append(PoppedSlot(op, number))
            return view(current, number)

        return pop_view
    assert isinstance(type, TileType)
    effects = m.target.effects(op)
    nothing = ((),) * len(op.operands)
    element, physical = type.element_type, type.shape
    static = type.valid if DYNAMIC not in type.valid else None

    def extents(rows: int | None, cols: int | None) -> tuple[int, int]:
        valid = (_extent(type.valid_rows, rows, type.rows), _extent(type.valid_cols, cols, type.cols))
        if not (0 <= valid[0] <= physical[0] and 0 <= valid[1] <= physical[1]):
            message = f"valid extents {valid[0]}x{valid[1]} exceed the tile's {type.rows}x{type.cols}"
            raise m.refuse("PTO-R107", message, op)
        return valid

    @lru_cache(KEPT)
    def checks(race: RaceDetector, tile: Tile) -> tuple[tuple[TouchedBytes, ...], Callable[[], None]]:
        """Describe a popped tile for the race checker."""
        touched = (tile_touched(tile),)
        bound = BoundInstruction(op, effects, [*nothing, touched])
        return touched, ordered_touching(race, bound, lambda: None)

    def pop_tile(rows: int | None, cols: int | None) -> Tile:
        current = ring()
        valid = static or extents(rows, cols)
        number = current.await_tile(m, op)
        current.check_pop(m, op, number, element, split)
        popped = current.slots_of(m, op).take(m, op, type, valid, number)
        current.held[m.core].append(popped)
        tile = popped.tile
        assert tile is not None
        if current.in_memory:
            note_memory(op, m, current, write=False)
        if m.race is not None:
            popped.touched, check = checks(m.race, tile)
            check()
        if current.frees_at_pop:
            current.give_back(m, number)
        return tile

    return pop_tile


def _extent(written: int, requested: int | None, physical: int) -> int:
    if written != DYNAMIC:
        return written
    return physical if requested is None else requested


# --- giving back -----------------------------------------------------------------------------------


@prepared_value(TFreeFromAicOp, TFreeFromAivOp, TFreeOp)
def free(op: FreeOp, m: Machine) -> Callable[..., None]:
    ring = ring_of(op, m)

    @lru_cache(KEPT)
    def reading(race: RaceDetector, pipe: Pipe, touched: tuple[TouchedBytes, ...]) -> Callable[[], None]:
        """The pipe that gives back comes after all that it does with the tile."""
        effects = Effects(accesses=(OperandAccess(pipe, 0, False),))
        return ordered_touching(race, BoundInstruction(op, effects, [touched]), lambda: None)

    def run(*_: object) -> None:
        current = ring()
        waiting = current.held.get(m.core)
        oldest = waiting[0] if waiting else None
        if m.race is not None and oldest is not None and not oldest.copied and oldest.tile is not None:
            reading(m.race, current.freeing_pipe, oldest.touched)()
        current.release(m, op)

    return run


# --- views of slots --------------------------------------------------------------------------------


def slot_view(op: AllocSlotOp | PopOp, m: Machine, type: ViewType) -> Callable[[Ring, int], View]:
    """The view of a slot, or of a vector core's half of it."""
    kept: dict[tuple[GlobalBuffer, int, int], View] = {}
    m.clear_with_arguments(kept.clear)
    dtype = dtype_of(type.element_type)

    def view(ring: Ring, number: int) -> View:
        data = ring.slots_of(m, op)
        assert isinstance(data, MemorySlots)
        if DYNAMIC in type.shape:
            raise m.refuse("PTO-R909", "a view of a slot needs static extents in its type", op)
        slot = number % ring.slots
        data.check(m, op, slot)
        rows, cols = (*(1,) * (2 - len(type.shape)), *type.shape)[-2:]
        half = {1: rows * cols, 2: cols}.get(op.halves, 0) * m.role.lane if m.role.kind is not None else 0
        start = data.start + slot * ring.size + half * dtype.size
        strides = type.strides or _slot_strides(m, op, type)
        key = (data.buffer, start, op.halves)
        found = kept.get(key)
        if found is None:
            buffer = data.buffer.viewed_as(dtype)
            found = kept[key] = View.of(buffer, start // dtype.size, type.shape, tuple(strides), type.layout)
            size = (sum((n - 1) * s for n, s in zip(type.shape, strides, strict=True)) + 1) * dtype.size
            check_bytes(m, op, ring, size + half * dtype.size)
        return found

    return view


def _slot_strides(m: Machine, op: ChannelOp, type: ViewType) -> tuple[int, ...]:
    """A slot lies as the tensor that the channel was declared with, where that says it."""
    init = m.channels.init_of(op)
    tensor = None if init is None else init.memory
    if tensor is not None and isinstance(tensor.type, ViewType) and tensor.type.strides is not None:
        strides = tensor.type.strides
        if len(strides) == len(type.shape) and DYNAMIC not in strides:
            return strides
    return packed_strides(type.shape, type.layout)


@prepared_value(TAllocToAivOp, TAllocToAicOp, TAllocOp)
def alloc(op: AllocSlotOp, m: Machine) -> Callable[..., View]:
    ring, type = ring_of(op, m), op.slot.type
    assert isinstance(type, ViewType)
    view = slot_view(op, m, type)

    def run(*_: object) -> View:
        current, core = ring(), m.core
        number = current.await_slot(m, op)
        if current.allocated.get(core, 0) > number:
            message = f"the slot of {current.name} that was allocated before is not pushed yet"
            raise m.refuse("PTO-R925", message, op, fix="tpush that slot first")
        current.allocated[core] = number + 1
        return view(current, number)

    return run


@prepared_value(DeclareTileOp)
def declare_tile(op: DeclareTileOp, m: Machine) -> Callable[[], Unplaced]:
    type = op.result.type
    assert isinstance(type, TileType)
    unplaced = Unplaced(type, type.shape, op.result.name_hint or "tile")
    return lambda: unplaced


@value(DeclareGlobalOp)
def declare_global(op: DeclareGlobalOp, m: Machine) -> None:
    return None


# --- memory that cores share -----------------------------------------------------------------------


def note_memory(op: ChannelOp, m: Machine, ring: Ring, write: bool) -> None:
    """A ring in global memory is the channel's own: other accesses are not ordered with its own."""
    data, sharing = ring.data, m.sharing
    if not isinstance(data, MemorySlots) or sharing is None or (op, m.core) in ring.noted:
        return
    ring.noted.add((op, m.core))
    first = data.buffer.address + data.start
    window = data.bytes[data.start : data.start + ring.slots * ring.size]
    pipe = ring.model.pushes(ring.flow) if write else ring.model.pops(ring.flow, True)
    kind = ("channel", m.actor.rank, m.actor.block, ring.channel)
    sharing.note_bytes(op, data.buffer.name, window, first, pipe, write, kind)
