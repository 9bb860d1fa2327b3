"""Inference of sizes, directions and limits of a kernel's parameters.

Every argument is followed through views, pointers, loops and calls to the instructions that access it.
"""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from ptoas.analysis.integers import Undefined, integer_op
from ptoas.analysis.knowledge import Knowledge, packed_strides
from ptoas.dialects.pto.asynchronous import BuildAsyncSessionOp, MakePrefetchAsyncContextOp
from ptoas.dialects.pto.channel import PipeInitOp
from ptoas.dialects.pto.comm import CollectiveOp
from ptoas.dialects.pto.constraints import Index, IndexTile
from ptoas.dialects.pto.core_sync import SetFftsOp, SyncAllOp
from ptoas.dialects.pto.enums import Layout
from ptoas.dialects.pto.gather import IndexedMemoryOp, TGatherOp, TScatterOp
from ptoas.dialects.pto.geometry import SCALE_BOX
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.remote import SignalOp
from ptoas.dialects.pto.scalar import (
    AddPtrOp,
    LoadScalarOp,
    StoreScalarOp,
)
from ptoas.dialects.pto.slots import slot_places
from ptoas.dialects.pto.types import DYNAMIC, TileType, ViewType
from ptoas.dialects.pto.views import (
    AllocTileOp,
    MakeTensorViewOp,
    PartitionViewOp,
    SetValidShapeOp,
    SubviewOp,
)
from ptoas.lowering.join_cube_vector import launch_arguments
from ptoas.machine.memory import element_count
from ptoas.ops.tile_gather import BLOCK
from ptoas.runner.argument_bounds import UpperBounds, infer_lower_bounds, launch_ranges
from ptoas.runner.argument_slice import ArgumentSlice
from ptoas.runner.arrivals import mark_arrivals
from ptoas.runner.parameters import Parameter
from ptoas.runner.peer_numbers import PeerNumbers
from ptoas.runner.peers import Peers, mark_ranks
from ptoas.targets import Target


def infer_arguments(
    module: ModuleOp,
    entry: func.FuncOp,
    parameters: list[Parameter],
    target: Target,
    known_values: dict[str, int],
    blocks: int,
) -> None:
    """Fill in sizes, directions and limits of the parameters, from a module in DPS form."""
    slices = ArgumentSlice(module, entry, parameters)
    peers = Peers(slices)
    peers.mark()
    peer_numbers = PeerNumbers(slices)
    mark_ranks(slices, peer_numbers)
    numbers = {v: known_values[p.name] for v, p in slices.arguments.items() if p.name in known_values}
    launched = launch_ranges(blocks)
    values = entry.body.block.args
    numbers |= {values[at]: launched[query][1] for at, query in launch_arguments(entry).items()}
    scalars = {value: p for value, p in slices.arguments.items() if p.kind == "scalar"}
    for inner in slices.callers:
        outer = inner
        while outer in slices.callers:
            outer = slices.callers[outer]
        if outer in scalars:
            scalars[inner] = scalars[outer]
    _suggest(slices, scalars)
    peer_numbers.mark(scalars)
    bounds = _stretch(slices, scalars, numbers, blocks)
    accessed: set[Parameter] = set()
    for op in slices.operations:
        if not isinstance(op, PtoOp):
            continue
        accessed.update(parameter for value in op.operands for parameter in slices.memory(value))
        _directions(op, slices, target)
        match op:
            case MakeTensorViewOp():
                _size(op, slices, bounds, peers)
            case LoadScalarOp() | StoreScalarOp():
                _reach(op, slices, bounds, peers)
            case BuildAsyncSessionOp() | MakePrefetchAsyncContextOp():
                for parameter in slices.memory(op.workspace):
                    parameter.elements = parameter.elements or WORKSPACE
            case SignalOp():
                for parameter in slices.memory(op.operands[0]):
                    parameter.is_signal = True
            case SyncAllOp() if op.workspace is not None:
                for parameter in slices.memory(op.workspace):
                    parameter.is_signal = parameter.written = True
                    parameter.need(SYNC_WORDS)
            case SetFftsOp():
                for parameter in slices.memory(op.ffts):
                    parameter.need(SYNC_WORDS)
            case PipeInitOp() if op.memory is not None:
                _ring(op, slices.memory(op.memory), _added(op.memory, bounds, peers))
            case _:
                pass
        _index_use(op, slices, target, bounds)
    mark_arrivals(slices)
    places, counts = _steering(slices)
    for parameter in parameters:
        if parameter.kind == "pointer" and parameter.elements is None and parameter not in accessed:
            parameter.elements = 1  # only calls use it
        # An extent or a divisor of 0 leaves nothing to do, or can't be.
        parameter.is_computed_with = parameter in places and parameter not in counts
    generated = {value: p.suggestion for value, p in scalars.items()}
    infer_lower_bounds(slices, blocks, {**generated, **numbers})


TYPICAL_EXTENT = 8

GUESSED_PARTS = 15
"""Number of parts assumed to precede one whose offset only the running program knows."""

SYNC_WORDS = 16
"""Words of the workspace of a soft barrier, and of what counters are kept in."""

WORKSPACE = 1 << 12
"""Bytes of the workspace of an asynchronous engine."""


def _suggest(slices: ArgumentSlice, scalars: dict[SSAValue, Parameter]) -> None:
    """Suggest numbers for scalars: a tile's extent for a valid extent, a few for another extent, zero for an
    offset."""
    operations = slices.operations
    fixed: set[Parameter] = set()
    roots = [
        0 if op.root is None else op.root.value.data for op in operations if isinstance(op, CollectiveOp)
    ]
    for parameter in scalars.values():
        if parameter.is_count:
            parameter.suggestion = 1
            fixed.add(parameter)
        if parameter.is_rank:
            # Alone, a program is the root of its first collective.
            parameter.suggest(roots[0] if roots else 0, "it is the rank that runs")
            fixed.add(parameter)
    for op in operations:
        if isinstance(op, PartitionViewOp | SubviewOp):
            for argument in slices.backward(op.offsets):
                if argument in scalars:
                    scalars[argument].suggest(0, "offsets are made of it")

    for op in operations:
        pairs: list[tuple[SSAValue | None, int]] = []
        match op:
            case AllocTileOp():
                pairs = list(zip((op.valid_row, op.valid_col), op.tile_type.shape, strict=True))
            case SetValidShapeOp() if isinstance(op.tile.type, TileType):
                pairs = list(zip((op.row, op.col), op.tile.type.shape, strict=True))
            case MakeTensorViewOp():
                for value in (*op.shape, *op.strides):
                    parameter = _scalar_argument(value, scalars)
                    if parameter is not None and parameter not in fixed:
                        parameter.suggest(TYPICAL_EXTENT, "it is an extent or a stride of a view")
                for argument in slices.backward(op.shape):
                    parameter = scalars.get(argument)
                    if parameter is not None and parameter.suggestion == 0 and parameter not in fixed:
                        parameter.suggest(TYPICAL_EXTENT, "extents of views are made of it")
            case _:
                pass
        for value, physical in pairs:
            parameter = _scalar_argument(value, scalars)
            if parameter is not None:
                known = parameter.suggestion if parameter in fixed else physical
                parameter.suggest(min(known, physical), "it is how much of a tile is valid")
                fixed.add(parameter)
            for rest in _remainder_of(value, scalars):
                if rest not in fixed and rest.suggestion < physical:
                    rest.suggest(physical, "what is left of it is how much of a tile is valid")


MAX_STRETCHES = 8
"""Maximum number of times that extents are stretched: an offset may depend on the extent itself."""


def _ring(op: PipeInitOp, places: set[Parameter], offset: int | None) -> None:
    """Size the global memory that holds the slots of a channel, from an offset on: each block has a part."""
    needed = op.slots * op.bytes_of_slot * len(op.flows)
    for parameter in places:
        assert parameter.dtype is not None
        parameter.written = True
        if parameter.kind == "pointer":
            parameter.need((offset or 0) + -(-needed // parameter.dtype.size))
            parameter.view_shape = ()
            parameter.grows = parameter.grows or offset is None


def _stretch(
    slices: ArgumentSlice, scalars: dict[SSAValue, Parameter], known_values: dict[SSAValue, int], blocks: int
) -> UpperBounds:
    """Let a generated extent be at least the greatest offset plus size that is taken of it."""
    parts = [op for op in slices.operations if isinstance(op, PartitionViewOp)]
    for _ in range(MAX_STRETCHES):
        numbers = {value: p.suggestion for value, p in scalars.items() if value not in known_values}
        bounds = UpperBounds({**numbers, **known_values}, blocks, slices.callers)
        stretched = False
        for op in parts:
            whole = op.source.owner
            if not isinstance(whole, MakeTensorViewOp):
                continue
            for extent, offset, size in zip(whole.shape, op.offsets, op.sizes, strict=True):
                parameter = _scalar_argument(extent, scalars)
                first, count = bounds.value(offset), bounds.value(size)
                if parameter is None or count is None:
                    continue
                if first is None:
                    first = GUESSED_PARTS * count
                # What is left of the extent behind an offset: at the greatest offset, one element at least.
                count = max(count, 1)
                if first + count > parameter.suggestion:
                    reason = "so far reach the parts of a view that it is an extent of"
                    parameter.suggest(first + count, reason)
                    stretched = True
        if not stretched:
            break
    return UpperBounds(known_values, blocks, slices.callers)


def _scalar_argument(value: SSAValue | None, scalars: dict[SSAValue, Parameter]) -> Parameter | None:
    """Return the scalar argument that a value is a cast of."""
    while value is not None and isinstance(value.owner, arith.IndexCastOp | arith.ExtSIOp):
        value = value.owner.operands[0]
    return None if value is None else scalars.get(value)


def _remainder_of(value: SSAValue | None, scalars: dict[SSAValue, Parameter]) -> list[Parameter]:
    """Return the scalars that a value is the remainder of: `min(scalar - offset, extent)`."""
    if value is None or not isinstance(value.owner, arith.MinSIOp):
        return []
    rests = [each.owner.lhs for each in value.owner.operands if isinstance(each.owner, arith.SubiOp)]
    return [parameter for rest in rests if (parameter := _scalar_argument(rest, scalars)) is not None]


def _steering(slices: ArgumentSlice) -> tuple[set[Parameter], set[Parameter]]:
    """Return the parameters whose integers end up in offsets, sizes, bounds or indices, and those of which
    extents or divisors are made."""
    places: list[SSAValue] = []
    counts: list[SSAValue] = []
    for op in slices.operations:
        match op:
            case scf.ForOp():
                places += (op.lb, op.ub, op.step)
            case _ if (entry := integer_op(op)) and entry.undefined is Undefined.ZERO_DIVISOR:
                counts.append(op.operands[1])
            case PtoOp():
                places += _steered(op)
                counts += op.shape if isinstance(op, MakeTensorViewOp) else ()
            case _:
                pass
    return slices.parameters(places), slices.parameters(counts)


def _steered(op: PtoOp) -> list[SSAValue]:
    """Return the operands that are positions, extents or indices."""
    slots = [slot.name for slot in op.signature().slots if isinstance(slot.constraint, Index | IndexTile)]
    return [value for slot in slots for value in op.operands_of(slot)]


def _directions(op: PtoOp, slices: ArgumentSlice, target: Target) -> None:
    for access in target.effects(op).accesses:
        if access.operand < 0:
            continue
        operand = op.operands[access.operand]
        for parameter in slices.memory(operand):
            # A tile that was loaded from memory is not that memory.
            if isinstance(operand.type, TileType) != (parameter.kind == "tile"):
                continue
            parameter.read |= not access.write
            parameter.written |= access.write


def _added(pointer: SSAValue, bounds: UpperBounds, peers: Peers) -> int | None:
    """Return the elements that were added to a pointer, if known; windows of peers are equally large."""
    offset = 0
    while isinstance(pointer.owner, AddPtrOp):
        op = pointer.owner
        step = 0 if peers.is_distance(op.offset) else bounds.value(op.offset)
        if step is None:
            return None
        offset, pointer = offset + step, op.ptr
    return offset


def _size(op: MakeTensorViewOp, slices: ArgumentSlice, bounds: UpperBounds, peers: Peers) -> None:
    shape = [bounds.value(v) for v in op.shape]
    strides = [bounds.value(v) for v in op.strides]
    offset = _added(op.ptr, bounds, peers)
    known = None not in (*shape, *strides, offset)
    for parameter in slices.memory(op.ptr):
        if parameter.kind != "pointer":
            continue
        if not known:
            parameter.view_shape = ()
            parameter.grows = True
            continue
        extents = [n for n in shape if n is not None]
        steps = [n for n in strides if n is not None]
        parameter.need((offset or 0) + _elements(op, extents, steps))
        packed = tuple(steps) == packed_strides(extents, Layout.ND) and offset == 0
        seen = tuple(extents) if packed else ()
        parameter.view_shape = seen if parameter.view_shape in (None, seen) else ()


def _elements(op: MakeTensorViewOp, extents: list[int], strides: list[int]) -> int:
    """Return the elements that a view needs; scales of mx operands come in whole boxes."""
    boxes = {Layout.MX_A_ZZ: SCALE_BOX, Layout.MX_B_NN: SCALE_BOX[::-1]}
    box = None if op.layout is None or len(extents) != 2 else boxes.get(op.layout.data)
    if box is None:
        return element_count(extents, strides)
    return prod(-(-extent // step) * step for extent, step in zip(extents, box, strict=True))


def _reach(
    op: LoadScalarOp | StoreScalarOp, slices: ArgumentSlice, bounds: UpperBounds, peers: Peers
) -> None:
    """Size the memory of a scalar access up to the element that it accesses."""
    at, added = bounds.value(op.offset), _added(op.ptr, bounds, peers)
    for parameter in slices.memory(op.ptr):
        if at is None or added is None:
            parameter.grows = True
        elif at + added >= 0:
            parameter.need(at + added + 1)


@cache
def _index_slot(op_class: type[PtoOp]) -> str | None:
    """Return the slot whose integers are positions."""
    slots = op_class.signature().slots
    return next((slot.name for slot in slots if isinstance(slot.constraint, IndexTile)), None)


def _index_use(op: PtoOp, slices: ArgumentSlice, target: Target, bounds: UpperBounds) -> None:
    slot = _index_slot(type(op))
    places = slot_places(op).get(slot, range(0)) if slot else range(0)
    if not places:
        return
    limit, step = _limit(op, target, bounds)
    for parameter in slices.memory(op.operands[places.start]):
        parameter.is_index = True
        parameter.index_step = max(parameter.index_step, step)
        if limit is not None:
            known = parameter.index_limit
            parameter.index_limit = limit if known is None else min(known, limit)


def _limit(op: Any, target: Target, bounds: UpperBounds) -> tuple[int | None, int]:
    """Return the limit of the indices of an instruction, and their step."""
    match op:
        case IndexedMemoryOp():
            shape = _view_extents(op.mem, bounds)
            type = op.mem.type
            assert isinstance(type, ViewType)
            if shape is None:
                return None, 1
            shape5 = (1,) * (5 - len(shape)) + shape
            return target.model(op).capacity(
                shape5, Knowledge().view(op.mem).layout, target.value(op, "coalesce")
            ), 1
        case TGatherOp():
            assert isinstance(op.src.type, TileType)
            return op.src.type.rows * op.src.type.cols, 1
        case TScatterOp():
            assert isinstance(op.destination.type, TileType)
            return op.destination.type.rows * op.destination.type.cols, 1
        case _:
            assert isinstance(op.src.type, TileType)
            return max(1, op.src.type.size_bytes - BLOCK + 1), BLOCK


def _view_extents(value: SSAValue, bounds: UpperBounds) -> tuple[int, ...] | None:
    """Return the extents of a view, if they are known before the run."""
    type = value.type
    assert isinstance(type, ViewType)
    if DYNAMIC not in type.shape:
        return type.shape
    match value.owner:
        case MakeTensorViewOp(shape=operands) | PartitionViewOp(sizes=operands):
            found = [bounds.value(operand) for operand in operands]
            return None if None in found else tuple(n for n in found if n is not None)
        case _:
            return None
