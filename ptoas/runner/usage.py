"""Inference of a kernel's parameters: sizes, directions and limits.

The analysis follows every argument through views, pointers, loops and calls to the instructions that touch
it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import prod
from typing import Any

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from ptoas.analysis.forwarding import backward_slice, forwarded_values
from ptoas.analysis.integers import Undefined, integer_op
from ptoas.analysis.knowledge import Knowledge
from ptoas.analysis.structure import walk
from ptoas.dialects.pto.asynchronous import BuildAsyncSessionOp, MakePrefetchAsyncContextOp
from ptoas.dialects.pto.channel import PipeInitOp
from ptoas.dialects.pto.comm import CollectiveOp
from ptoas.dialects.pto.constraints import Index, IndexTile
from ptoas.dialects.pto.core_sync import SetFftsOp, SyncAllOp
from ptoas.dialects.pto.enums import Layout
from ptoas.dialects.pto.gather import IndexedMemoryOp, TGatherOp, TScatterOp
from ptoas.dialects.pto.geometry import SCALE_BOX
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.memory import TLoadOp
from ptoas.dialects.pto.pointers import PointerCastOp
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
from ptoas.machine.memory import element_count, packed_strides
from ptoas.ops.tile_gather import BLOCK
from ptoas.runner.arrivals import mark_arrivals
from ptoas.runner.lower_bounds import raise_floors
from ptoas.runner.parameters import Parameter
from ptoas.runner.peer_numbers import PeerNumbers
from ptoas.runner.peers import Peers, mark_ranks
from ptoas.runner.upper_bounds import UpperBounds, launch_ranges
from ptoas.targets import Target


@dataclass
class ArgumentFlow:
    """Arguments behind values, of all functions that the entry reaches."""

    memory: dict[SSAValue, set[int]] = field(default_factory=dict[SSAValue, set[int]])
    """The parameters whose bytes a pointer, view or tile refers to, or was loaded from."""

    def add(self, value: SSAValue, sources: set[int]) -> bool:
        known = self.memory.setdefault(value, set())
        if sources <= known:
            return False
        known |= sources
        return True

    def of(self, value: SSAValue) -> set[int]:
        return self.memory.get(value, set())

    def behind(self, values: Iterable[SSAValue]) -> set[int]:
        """The parameters that any of these values may refer to."""
        return {at for value in values for at in self.of(value)}


def flow_of(
    functions: dict[str, func.FuncOp], arguments: Sequence[SSAValue], operations: list[Operation]
) -> ArgumentFlow:
    """Map values to the arguments that they refer to."""
    flow = ArgumentFlow()
    for at, argument in enumerate(arguments):
        flow.add(argument, {at})
    pairs = [pair for op in operations for pair in _handed_on(op, functions)]
    while any([flow.add(value, flow.of(source)) for value, source in pairs]):
        pass
    return flow


def analyse(
    module: ModuleOp,
    entry: func.FuncOp,
    parameters: list[Parameter],
    target: Target,
    given: dict[str, int],
    blocks: int,
) -> None:
    """Fill in sizes, directions and limits of the parameters, from a module in DPS form."""
    functions = {op.sym_name.data: op for op in walk(module) if isinstance(op, func.FuncOp)}
    operations = [op for f in functions.values() for op in walk(f)]
    arguments = entry.body.blocks[0].args
    flow = flow_of(functions, [arguments[p.at] for p in parameters], operations)
    peers = Peers(functions, operations, flow.memory)
    peers.mark(operations, parameters)
    peer_numbers = PeerNumbers(flow.memory)
    peer_numbers.follow(functions, operations, parameters)
    mark_ranks(entry, operations, parameters, peer_numbers)
    numbers: dict[SSAValue, int] = {arguments[p.at]: given[p.name] for p in parameters if p.name in given}
    launched = launch_ranges(blocks)
    numbers |= {arguments[at]: launched[query][1] for at, query in launch_arguments(entry).items()}
    scalars: dict[SSAValue, Parameter] = {arguments[p.at]: p for p in parameters if p.kind == "scalar"}
    callers = handed_to(functions, operations)
    for inner in callers:
        outer = inner
        while outer in callers:
            outer = callers[outer]
        if outer in scalars:
            scalars[inner] = scalars[outer]
    _suggest(operations, scalars)
    peer_numbers.mark(scalars, parameters)
    bounds = _stretch(operations, scalars, numbers, blocks, callers)
    for op in operations:
        if not isinstance(op, PtoOp):
            continue
        _directions(op, flow, parameters, target)
        match op:
            case MakeTensorViewOp():
                _size(op, flow, parameters, bounds, peers)
            case LoadScalarOp() | StoreScalarOp():
                _reach(op, flow, parameters, bounds, peers)
            case BuildAsyncSessionOp() | MakePrefetchAsyncContextOp():
                for at in flow.of(op.workspace):
                    parameters[at].elements = parameters[at].elements or WORKSPACE
            case SignalOp():
                for at in flow.of(op.operands[0]):
                    parameters[at].is_signal = True
            case SyncAllOp() if op.workspace is not None:
                for at in flow.of(op.workspace):
                    parameters[at].is_signal = parameters[at].written = True
                    parameters[at].elements = max(parameters[at].elements or 0, SYNC_WORDS)
            case SetFftsOp():
                for at in flow.of(op.ffts):
                    parameters[at].elements = max(parameters[at].elements or 0, SYNC_WORDS)
            case PipeInitOp() if op.memory is not None:
                _ring(op, flow.of(op.memory), parameters, _added(op.memory, bounds, peers))
            case _:
                pass
        _index_use(op, flow, parameters, target, bounds)
    mark_arrivals(operations, flow.of, parameters)
    looked_at = _looked_at(operations, flow, parameters)
    for parameter in parameters:
        if parameter.kind == "pointer" and parameter.elements is None and parameter.at not in looked_at:
            parameter.elements = 1
    places, counts = steering(operations, functions, flow)
    for at, parameter in enumerate(parameters):
        # An extent or a divisor of 0 leaves nothing to do, or can't be.
        parameter.steers = at in places and at not in counts
    generated = {value: p.suggestion for value, p in scalars.items()}
    raise_floors(operations, flow.of, parameters, blocks, {**generated, **numbers})


TYPICAL_EXTENT = 8

GUESSED_PARTS = 15
"""Number of parts of its size that may precede one with a run-time offset."""

SYNC_WORDS = 16
"""Words of the workspace of a soft barrier, and of what counters are kept in."""

WORKSPACE = 1 << 12
"""Bytes of a workspace that an engine is given; what it does with them is its own business."""


def _suggest(operations: list[Operation], scalars_by_value: dict[SSAValue, Parameter]) -> None:
    """Defaults of scalars: a whole tile as a valid extent, a few as another extent, the start as an
    offset.
    """
    fixed: set[str] = set()
    roots = [
        0 if op.root is None else op.root.value.data for op in operations if isinstance(op, CollectiveOp)
    ]
    for parameter in scalars_by_value.values():
        if parameter.is_count:
            parameter.suggestion = 1
            fixed.add(parameter.name)
        if parameter.is_rank:
            # Alone, a program is the root of its first collective.
            parameter.suggestion = roots[0] if roots else 0
            parameter.reason = "it is the rank that runs"
            fixed.add(parameter.name)
    for op in operations:
        if isinstance(op, PartitionViewOp | SubviewOp):
            for argument in backward_slice(op.offsets):
                if argument in scalars_by_value:
                    scalars_by_value[argument].suggestion = 0
                    scalars_by_value[argument].reason = "offsets are made of it"

    for op in operations:
        pairs: list[tuple[SSAValue | None, int]] = []
        match op:
            case AllocTileOp():
                pairs = list(zip((op.valid_row, op.valid_col), op.tile_type.shape, strict=True))
            case SetValidShapeOp() if isinstance(op.tile.type, TileType):
                pairs = list(zip((op.row, op.col), op.tile.type.shape, strict=True))
            case MakeTensorViewOp():
                for value in (*op.shape, *op.strides):
                    parameter = behind(value, scalars_by_value)
                    if parameter is not None and parameter.name not in fixed:
                        parameter.suggestion = TYPICAL_EXTENT
                        parameter.reason = "it is an extent or a stride of a view"
                for argument in backward_slice(op.shape):
                    parameter = scalars_by_value.get(argument)
                    if parameter is not None and parameter.suggestion == 0 and parameter.name not in fixed:
                        parameter.suggestion = TYPICAL_EXTENT
                        parameter.reason = "extents of views are made of it"
            case _:
                pass
        for value, physical in pairs:
            parameter = behind(value, scalars_by_value)
            if parameter is not None:
                known = parameter.suggestion if parameter.name in fixed else physical
                parameter.suggestion = min(known, physical)
                parameter.reason = "it is how much of a tile is valid"
                fixed.add(parameter.name)
            for rest in _what_is_left(value, scalars_by_value):
                if rest.name not in fixed and rest.suggestion < physical:
                    rest.suggestion = physical
                    rest.reason = "what is left of it is how much of a tile is valid"


ROUNDS = 8
"""Maximum number of rounds of stretching extents: an offset may follow from the extent itself."""


def _looked_at(operations: list[Operation], flow: ArgumentFlow, parameters: list[Parameter]) -> set[int]:
    """The positions of arguments that something works with, and does not only hand on to a function."""
    used = {
        at for op in operations if isinstance(op, PtoOp) for value in op.operands for at in flow.of(value)
    }
    return {parameters[at].at for at in used}


def handed_to(functions: dict[str, func.FuncOp], operations: list[Operation]) -> dict[SSAValue, SSAValue]:
    """The operands passed to the arguments of functions with one call site."""
    calls: dict[str, list[func.CallOp]] = {}
    for op in operations:
        if isinstance(op, func.CallOp):
            calls.setdefault(op.callee.string_value(), []).append(op)
    found: dict[SSAValue, SSAValue] = {}
    for name, sites in calls.items():
        callee = functions.get(name)
        if len(sites) == 1 and callee is not None and callee.body.blocks:
            found.update(zip(callee.body.block.args, sites[0].arguments, strict=False))
    return found


def _ring(op: PipeInitOp, places: set[int], parameters: list[Parameter], offset: int | None) -> None:
    """Global memory that the slots of a channel are in, from an offset on (each block has a part): it is the
    channel's own."""
    needed = op.slots * op.bytes_of_slot * len(op.flows)
    for at in places:
        parameter = parameters[at]
        assert parameter.dtype is not None
        parameter.written = True
        if parameter.kind == "pointer":
            count = (offset or 0) + -(-needed // parameter.dtype.size)
            parameter.elements = max(parameter.elements or 0, count)
            parameter.view_shape = ()
            parameter.grows = parameter.grows or offset is None


def _stretch(
    operations: list[Operation],
    scalars: dict[SSAValue, Parameter],
    given: dict[SSAValue, int],
    blocks: int,
    callers: dict[SSAValue, SSAValue],
) -> UpperBounds:
    """Let a generated extent be at least the greatest offset plus size that is taken of it."""
    parts = [op for op in operations if isinstance(op, PartitionViewOp)]
    for _ in range(ROUNDS):
        numbers = {value: p.suggestion for value, p in scalars.items() if value not in given}
        bounds = UpperBounds({**numbers, **given}, blocks, callers)
        stretched = False
        for op in parts:
            whole = op.source.owner
            if not isinstance(whole, MakeTensorViewOp):
                continue
            for extent, offset, size in zip(whole.shape, op.offsets, op.sizes, strict=True):
                parameter = behind(extent, scalars)
                first, count = bounds.value(offset), bounds.value(size)
                if parameter is None or count is None:
                    continue
                if first is None:
                    first = GUESSED_PARTS * count
                # What is left of the extent behind an offset: at the greatest offset, one element at least.
                count = max(count, 1)
                if first + count > parameter.suggestion:
                    parameter.suggestion = first + count
                    parameter.reason = "so far reach the parts of a view that it is an extent of"
                    stretched = True
        if not stretched:
            break
    return UpperBounds(given, blocks, callers)


def behind(value: SSAValue | None, scalars: dict[SSAValue, Parameter]) -> Parameter | None:
    """The scalar argument that a value is."""
    while value is not None and isinstance(value.owner, arith.IndexCastOp | arith.ExtSIOp):
        value = value.owner.operands[0]
    return None if value is None else scalars.get(value)


def _what_is_left(value: SSAValue | None, scalars: dict[SSAValue, Parameter]) -> list[Parameter]:
    """The scalars of which a value is the rest behind some place, or as much as there is room for."""
    if value is None or not isinstance(value.owner, arith.MinSIOp):
        return []
    rests = [each.owner.lhs for each in value.owner.operands if isinstance(each.owner, arith.SubiOp)]
    return [parameter for rest in rests if (parameter := behind(rest, scalars)) is not None]


def steering(
    operations: list[Operation], functions: dict[str, func.FuncOp], flow: ArgumentFlow
) -> tuple[set[int], set[int]]:
    """The parameters whose integers end up in offsets, sizes, bounds or indices, and those of which extents
    are made or by which is divided."""
    sources: dict[SSAValue, list[SSAValue]] = {}
    places: list[SSAValue] = []
    counts: list[SSAValue] = []
    for op in operations:
        for each in forwarded_values(op, functions):
            sources.setdefault(each.name, []).append(each.value)
        match op:
            case scf.ForOp():
                places += (op.lb, op.ub, op.step)
            case _ if (entry := integer_op(op)) and entry.undefined is Undefined.ZERO_DIVISOR:
                counts.append(op.operands[1])
            case PtoOp():
                places += _steered(op)
                counts += op.shape if isinstance(op, MakeTensorViewOp) else ()
                for value in (value for slot in op.OUTS for value in op.operands_of(slot)):
                    sources.setdefault(value, []).extend(o for o in op.operands if o is not value)
            case _:
                pass
    return flow.behind(backward_slice(places, sources)), flow.behind(backward_slice(counts, sources))


def _steered(op: PtoOp) -> list[SSAValue]:
    """Operands that say where or how much."""
    slots = [slot.name for slot in op.signature().slots if isinstance(slot.constraint, Index | IndexTile)]
    return [value for slot in slots for value in op.operands_of(slot)]


def _handed_on(op: Operation, functions: dict[str, func.FuncOp]) -> list[tuple[SSAValue, SSAValue]]:
    """Pairs of values that refer to the same argument."""
    match op:
        case MakeTensorViewOp() | AddPtrOp():
            return [(op.results[0], op.ptr)]
        case PointerCastOp():
            return [(op.results[0], op.operands[0])]
        case PartitionViewOp():
            return [(op.result, op.source)]
        case TLoadOp():
            # A tile that was loaded carries what it was loaded from, for finding index arguments.
            return [(op.destination, op.mem)]
        case _:
            return [(each.name, each.value) for each in forwarded_values(op, functions)]


def _directions(op: PtoOp, flow: ArgumentFlow, parameters: list[Parameter], target: Target) -> None:
    for access in target.effects(op).accesses:
        if access.operand < 0:
            continue
        operand = op.operands[access.operand]
        for at in flow.of(operand):
            parameter = parameters[at]
            # A tile that was loaded from memory is not that memory.
            if isinstance(operand.type, TileType) != (parameter.kind == "tile"):
                continue
            parameter.read |= not access.write
            parameter.written |= access.write


def _added(pointer: SSAValue, bounds: UpperBounds, peers: Peers) -> int | None:
    """The elements that were added to a pointer, if known; a peer's window is as large as one's own."""
    offset = 0
    while isinstance(pointer.owner, AddPtrOp):
        op = pointer.owner
        step = 0 if peers.is_distance(op.offset) else bounds.value(op.offset)
        if step is None:
            return None
        offset, pointer = offset + step, op.ptr
    return offset


def _size(
    op: MakeTensorViewOp, flow: ArgumentFlow, parameters: list[Parameter], bounds: UpperBounds, peers: Peers
) -> None:
    shape = [bounds.value(v) for v in op.shape]
    strides = [bounds.value(v) for v in op.strides]
    offset = _added(op.ptr, bounds, peers)
    known = None not in (*shape, *strides, offset)
    for at in flow.of(op.ptr):
        parameter = parameters[at]
        if parameter.kind != "pointer":
            continue
        if not known:
            parameter.view_shape = ()
            parameter.grows = True
            continue
        extents = [n for n in shape if n is not None]
        steps = [n for n in strides if n is not None]
        count = (offset or 0) + _elements(op, extents, steps)
        parameter.elements = max(parameter.elements or 0, count)
        packed = tuple(steps) == packed_strides(extents, Layout.ND) and offset == 0
        seen = tuple(extents) if packed else ()
        same = parameter.view_shape in (None, seen)
        parameter.view_shape = seen if same else ()


def _elements(op: MakeTensorViewOp, extents: list[int], strides: list[int]) -> int:
    """Elements that a view needs; scales of mx operands come in whole boxes."""
    boxes = {Layout.MX_A_ZZ: SCALE_BOX, Layout.MX_B_NN: SCALE_BOX[::-1]}
    box = None if op.layout is None or len(extents) != 2 else boxes.get(op.layout.data)
    if box is None:
        return element_count(extents, strides)
    return prod(-(-extent // step) * step for extent, step in zip(extents, box, strict=True))


def _reach(
    op: LoadScalarOp | StoreScalarOp,
    flow: ArgumentFlow,
    parameters: list[Parameter],
    bounds: UpperBounds,
    peers: Peers,
) -> None:
    """A scalar access needs the element that it touches."""
    at, added = bounds.value(op.offset), _added(op.ptr, bounds, peers)
    for n in flow.of(op.ptr):
        if at is None or added is None:
            parameters[n].grows = True
        elif at + added >= 0:
            parameters[n].elements = max(parameters[n].elements or 0, at + added + 1)


@cache
def _index_slot(op_class: type[PtoOp]) -> str | None:
    """The slot whose integers are positions."""
    slots = op_class.signature().slots
    return next((slot.name for slot in slots if isinstance(slot.constraint, IndexTile)), None)


def _index_use(
    op: PtoOp, flow: ArgumentFlow, parameters: list[Parameter], target: Target, bounds: UpperBounds
) -> None:
    slot = _index_slot(type(op))
    places = slot_places(op).get(slot, range(0)) if slot else range(0)
    if not places:
        return
    limit, step = _limit(op, target, bounds)
    for at in flow.of(op.operands[places.start]):
        parameter = parameters[at]
        parameter.is_index = True
        parameter.index_step = max(parameter.index_step, step)
        if limit is not None:
            known = parameter.index_limit
            parameter.index_limit = limit if known is None else min(known, limit)


def _limit(op: Any, target: Target, bounds: UpperBounds) -> tuple[int | None, int]:
    """The maximum of an index of this instruction, and its stride."""
    match op:
        case IndexedMemoryOp():
            shape = view_extents(op.mem, bounds)
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


def view_extents(value: SSAValue, bounds: UpperBounds) -> tuple[int, ...] | None:
    """The extents of a view, if they are known before the run."""
    type = value.type
    assert isinstance(type, ViewType)
    if DYNAMIC not in type.shape:
        return type.shape
    owner = value.owner
    operands = (
        owner.shape
        if isinstance(owner, MakeTensorViewOp)
        else owner.sizes
        if isinstance(owner, PartitionViewOp)
        else None
    )
    if operands is None:
        return None
    found = [bounds.value(v) for v in operands]
    return None if None in found else tuple(n for n in found if n is not None)
