"""Assignment of core kinds: to functions by kernel kind, to parts by sections, to operations by memories
and pipes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation
from xdsl.traits import Pure

from ptoas.analysis.structure import ancestors, is_of, kind_of, walk
from ptoas.dialects.pto.channel import (
    ChannelOp,
    HandleOp,
    InitializePipeOp,
    NumberedChannelOp,
    PipeInitOp,
    PushOp,
)
from ptoas.dialects.pto.core_enums import Flow
from ptoas.dialects.pto.core_sync import AwaitsCounter, CounterOp, SectionOp, SyncAllOp
from ptoas.dialects.pto.enums import KernelKind, Pipe, TileLoc
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.quant import PushScaleOp
from ptoas.dialects.pto.sync import BufferTokenOp, DrainOp, EventClauseOp, FlagOp
from ptoas.dialects.pto.types import TileType
from ptoas.dialects.pto.views import AllocTileOp

CUBE, VECTOR = KernelKind.Cube, KernelKind.Vector

ORIGIN = "pto.part_of"
"""Attribute of a function that `split-cube-vector` has made: the function that it is a part of."""

_OF_THE_CUBE = frozenset(TileLoc) - {TileLoc.Vec, TileLoc.Mat}
_PIPES = {
    Pipe.PIPE_FIX: CUBE,
    Pipe.PIPE_M: CUBE,
    Pipe.PIPE_MTE1: CUBE,
    Pipe.PIPE_V: VECTOR,
    Pipe.PIPE_MTE3: VECTOR,
}
"""Pipes that only one kind of core has; MTE2 and S are on both."""


def origin_of(function: FuncOp) -> str:
    """The name that a function had before its kinds were split."""
    origin = function.attributes.get(ORIGIN)
    return origin.data if isinstance(origin, StringAttr) else function.sym_name.data


def function_of(op: Operation) -> FuncOp | None:
    at: Operation | None = op
    while at is not None and not isinstance(at, FuncOp):
        at = at.parent_op()
    return at


def core_of(op: Operation) -> KernelKind | None:
    """The kind of core that an operation runs on; `None`: both, or it does not matter."""
    section = next((around for around in ancestors(op) if isinstance(around, SectionOp)), None)
    if section is not None:
        return section.KIND
    function = function_of(op)
    kind = kind_of(function) if function is not None else None
    return own_kind(op) if kind is None else kind


def own_kind(op: Operation) -> KernelKind | None:
    """Return the kind of core that can execute an operation, if it determines one."""
    match op:
        case SectionOp():
            return op.KIND
        case NumberedChannelOp() | InitializePipeOp():
            return op.SIDE
        case HandleOp():
            return _by_flow(op)
        case CounterOp():
            return _PIPES.get(op.working_pipe)
        case FlagOp():
            return next((_PIPES[pipe] for pipe in op.flag[:2] if pipe in _PIPES), None)
        case DrainOp():
            return _PIPES.get(op.drained)
        case BufferTokenOp():
            return _PIPES.get(op.pipe)
        case EventClauseOp():
            return own_kind(op.instruction) if op.instruction is not None else None
        case PushScaleOp():
            return CUBE
        case AllocTileOp():
            return None  # an address, which the other kind may write to
        case PtoOp():
            return _by_memory(op)
        case _:
            return None


def _by_flow(op: HandleOp) -> KernelKind | None:
    flow = op.flow
    if flow is None:
        return None
    return CUBE if (flow is Flow.C2V) == isinstance(op, PushOp) else VECTOR


def _by_memory(op: PtoOp) -> KernelKind | None:
    """Return the kind of core that executes a move: cube for accumulator to UB, vector for UB to L1."""
    types = [value.type for value in (*op.operands, *op.results)]
    locs = {type.loc.data for type in types if isinstance(type, TileType)}
    if locs & _OF_THE_CUBE:
        return CUBE
    if TileLoc.Vec in locs:
        return VECTOR
    return CUBE if TileLoc.Mat in locs else None


def needs_several_cores(op: Operation) -> bool:
    """Return True if an operation is meaningful only with several cores."""
    return is_of(op.__class__, (SectionOp, PipeInitOp, ChannelOp, CounterOp))


def waits_for_blocks(op: Operation) -> bool:
    """Return True if an operation waits for other blocks, so that they must run concurrently."""
    return isinstance(op, SyncAllOp) or (isinstance(op, AwaitsCounter) and op.mode == 0)


def has_channels(ops: Iterable[Operation]) -> bool:
    return any(is_of(kind, (PipeInitOp, ChannelOp)) for kind in set(map(type, ops)))


def kinds_in(function: FuncOp) -> set[KernelKind]:
    """The kinds of cores that a function has something to do for."""
    kind = kind_of(function)
    if kind is not None:
        return {kind}
    return {kind for op in walk(function) if (kind := core_of(op)) is not None}


def is_mixed(function: FuncOp) -> bool:
    """Return True if a function has explicit parts for different kinds of cores.

    Sections, channels and counters make them explicit. Otherwise it is a sequence of steps, whatever
    memories they use.
    """
    if kind_of(function) is not None:
        return False
    return any(needs_several_cores(op) for op in walk(function)) and len(kinds_in(function)) > 1


Crossing = tuple[Operation, Operation]
"""An operation, and a reader of its result on a core without the operation."""


def left_out(function: FuncOp, kind: KernelKind) -> tuple[set[Operation], list[Crossing]]:
    """The operations of a mixed function that cores of one kind leave out, and where they can't.

    Those of the other kind, and numbers, tiles, branches and loops that are there for them only.
    """
    gone: set[Operation] = set()
    crossings: list[Crossing] = []
    for op in reversed(list(function.walk())):
        readers = [use.operation for result in op.results for use in result.uses]
        needed = [reader for reader in readers if reader not in gone]
        if core_of(op) not in (None, kind):
            crossings += ((op, reader) for reader in needed)
            gone.add(op)
        elif not needed and _is_idle(op, gone):
            gone.add(op)
    return gone, crossings


def _is_idle(op: Operation, gone: set[Operation]) -> bool:
    """Return True if an operation without used results has no effect."""
    if isinstance(op, scf.YieldOp):
        return not op.operands
    if isinstance(op, scf.IfOp | scf.ForOp):
        return all(inner in gone for region in op.regions for block in region.blocks for inner in block.ops)
    return bool(op.results) and (isinstance(op, AllocTileOp) or op.has_trait(Pure))


def functions_below(module: ModuleOp, entry: FuncOp) -> Iterator[FuncOp]:
    """The entry and all that it calls, directly or not."""
    by_name = {op.sym_name.data: op for op in walk(module) if isinstance(op, FuncOp)}
    work, seen = [entry], {entry.sym_name.data}
    while work:
        function = work.pop()
        yield function
        for op in walk(function):
            name = op.callee.string_value() if isinstance(op, CallOp) else None
            if name is not None and name in by_name and name not in seen:
                seen.add(name)
                work.append(by_name[name])


def needs_cluster(module: ModuleOp, entry: FuncOp, *, has_pipes: bool = True) -> bool:
    """Return True if a program runs on the cube core and the vector cores of a block concurrently.

    On the simulator, which is one thread, only channels ask for that.
    """
    functions = list(functions_below(module, entry))
    if not has_pipes and not any(has_channels(walk(function)) for function in functions):
        return False
    kinds: set[KernelKind] = set()
    for function in functions:
        own = kind_of(function)
        if own is not None:
            kinds.add(own)
        elif is_mixed(function):
            return True
    return len(kinds) > 1
