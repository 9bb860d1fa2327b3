"""Which pipe of a core reads and writes which operand, and the handshakes an instruction makes inside.

This is document 000's "Pipe / Synchronisation Model" as data, continued for the neighbours of the gathers.
It serves the check of flags, the insertion of flags and the machine alike.

`Effects` reads in time order: the pairs of `before` are awaited, then the `accesses` happen (the instruction
orders them among themselves), then the pairs of `after` are awaited. A pair `(p, q)` means: whatever `p` was
given so far is done before `q` goes on. The pair `(PIPE_ALL, PIPE_ALL)` is a barrier of the whole core.
Pipes run in order within themselves.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Attribute, SSAValue

from ptoas.dialects.pto import comm, elementwise, expand, gather, memory, movement, reduce, scalar
from ptoas.dialects.pto.element_types import BY_TYPE
from ptoas.dialects.pto.enums import (
    AtomicType,
    Coalesce,
    Event,
    GatherOOB,
    Pipe,
    ScatterAtomicOp,
    TileLoc,
)
from ptoas.dialects.pto.instruction import Instruction, PtoOp
from ptoas.dialects.pto.types import GroupType, TileType, ViewType

RESULT = -1
"""In place of an operand's index: the instruction's result (SSA form)."""

COUNT = -2
"""The second result, which only the compare form of `tgather` has."""

S, V, MTE1, MTE2, MTE3 = (
    Pipe.PIPE_S,
    Pipe.PIPE_V,
    Pipe.PIPE_MTE1,
    Pipe.PIPE_MTE2,
    Pipe.PIPE_MTE3,
)
FIX, ALL = Pipe.PIPE_FIX, Pipe.PIPE_ALL

Pair = tuple[Pipe, Pipe]
Flag = tuple[Pipe, Pipe, Event]


@dataclass(frozen=True)
class Access:
    """One operand touched by one pipe. `operand` counts `op.operands`; `RESULT` is the SSA result."""

    pipe: Pipe
    operand: int
    write: bool


@dataclass(frozen=True)
class Effects:
    """What an instruction does on the pipes; see the module's docstring for the order."""

    before: tuple[Pair, ...] = ()
    accesses: tuple[Access, ...] = ()
    after: tuple[Pair, ...] = ()
    reserved_events: tuple[Flag, ...] = ()
    """Flags that the instruction raises and takes down itself: they must be down when it starts."""


NOTHING = Effects()


@dataclass(frozen=True)
class Pipes:
    """A row of the data: slots by name, one string of slots for a pipe."""

    reads: Mapping[Pipe, str]
    writes: Mapping[Pipe, str]
    before: tuple[Pair, ...] = ()
    after: tuple[Pair, ...] = ()
    inside: tuple[Pair, ...] = ()
    """Handshakes between the instruction's own steps: they order nothing outside, but use flags."""
    events: tuple[Event, ...] = (Event.EVENT_ID0,)


def on(pipe: Pipe, reads: str, writes: str) -> Pipes:
    """Everything on one pipe, no handshake inside."""
    return Pipes({pipe: reads}, {pipe: writes})


# --- the rows ------------------------------------------------------------------------------------

LOAD = on(MTE2, "mem", "dst")
STORE = on(MTE3, "src", "mem")
STORE_ADD = on(MTE3, "src mem", "mem")
VECTOR = on(V, "src src0 src1 indices offsets threshold idx", "dst cdst")
LOAD_SCALAR = on(S, "ptr", "")
STORE_SCALAR = on(S, "", "ptr")
SEQUENCE = on(S, "", "dst")
PRINT = Pipes({S: "src"}, {}, before=((ALL, ALL),))

# Document 000, A2/A3: explicit pipe handshakes. The index arrives through V (the caller's MTE2->V), or
# through the caller's own MTE2->S; the epilogue releases the destination to V and MTE3.
A2A3_GATHER_ROW = Pipes(
    reads={S: "idx", MTE2: "mem"},
    writes={MTE2: "dst"},
    before=((V, S), (MTE3, S)),
    after=((S, MTE2), (MTE2, V), (MTE2, MTE3), (S, V), (S, MTE3)),
)
# A row out of bounds is filled with zeros by the scalar pipe.
A2A3_GATHER_ROW_ZERO = Pipes(
    A2A3_GATHER_ROW.reads,
    {S: "dst", MTE2: "dst"},
    A2A3_GATHER_ROW.before,
    A2A3_GATHER_ROW.after,
)
A2A3_GATHER_ELEM = Pipes(
    reads={S: "idx mem"},
    writes={S: "dst"},
    before=((V, S), (MTE3, S), (MTE2, S)),
    after=((S, V), (S, MTE2), (S, MTE3)),
)
A2A3_SCATTER_ROW = Pipes(
    reads={S: "idx", MTE3: "src"},
    writes={MTE3: "mem"},
    before=((V, S), (MTE2, S), (S, MTE3)),
    after=((MTE3, V), (MTE3, MTE2)),
)
A2A3_SCATTER_ROW_ADD = Pipes(
    reads={S: "idx", MTE3: "src mem"},
    writes={MTE3: "mem"},
    before=((V, S), (MTE2, S), (S, MTE3)),
    after=((MTE3, S), (S, V), (S, MTE2), (MTE3, V), (MTE3, MTE2)),
)
A2A3_SCATTER_ELEM = Pipes(
    reads={S: "idx src mem"},
    writes={S: "mem"},
    before=((V, S), (MTE2, S), (MTE3, S)),
    after=((S, V), (S, MTE2), (S, MTE3)),
)
# The vector pipe clears the destination, the scalar pipe writes the elements.
A2A3_TILE_SCATTER = Pipes({S: "src idx", V: ""}, {S: "dst", V: "dst"}, before=((V, S),), after=((S, V),))
A2A3_TILE_GATHER = on(V, "src indices", "dst tmp")
A2A3_TILE_COMPARE = Pipes(
    {V: "src threshold"},
    {V: "dst tmp", S: "cdst"},
    before=((S, V), (V, S)),
    after=((S, V),),
)
A2A3_ROW_EXPAND = Pipes({S: "src", V: "src"}, {V: "dst"}, before=((V, S),), after=((S, V),))
A2A3_REDUCTION = on(V, "src", "dst tmp")
A2A3_INTEGER_REDUCTION = Pipes({V: "src"}, {V: "tmp", S: "dst tmp"}, before=((V, S),), after=((S, V),))

# Document 000, A5: the SIMT launch counts as a producer and consumer on V.
A5_GATHER = on(V, "mem idx", "dst")
A5_GATHER_SCALAR = Pipes({S: "mem idx"}, {S: "dst"}, before=((V, S),), after=((S, V),))
A5_SCATTER = on(V, "src idx", "mem")
A5_SCATTER_ADD = on(V, "src idx mem", "mem")
A5_SCATTER_SCALAR = Pipes({S: "src idx mem"}, {S: "mem"}, before=((V, S),), after=((S, V),))

# Collectives move chunk by chunk through the staging tiles: in by MTE2, out by MTE3.
COLLECT = Pipes(
    {MTE2: "group", MTE3: "staging"},
    {MTE2: "staging", MTE3: "dst"},
    after=((MTE3, MTE2),),
    inside=((MTE2, MTE3),),
    events=(Event.EVENT_ID0, Event.EVENT_ID1),
)
DISTRIBUTE = Pipes(
    {MTE2: "src", MTE3: "staging"},
    {MTE2: "staging", MTE3: "group"},
    after=((MTE3, MTE2),),
    inside=((MTE2, MTE3),),
    events=(Event.EVENT_ID0, Event.EVENT_ID1),
)
REDUCE = Pipes(
    {MTE2: "group", V: "acc staging", MTE3: "acc"},
    {MTE2: "acc staging", V: "acc", MTE3: "dst"},
    after=((MTE3, MTE2),),
    inside=((MTE2, V), (V, MTE2), (V, MTE3), (MTE2, MTE3)),
    events=(Event.EVENT_ID0, Event.EVENT_ID1, Event.EVENT_ID2),
)


# --- choosing a row ------------------------------------------------------------------------------


def device_pipes(op: PtoOp) -> Pipes | None:
    """Rows that A2/A3 and A5 have in common; `None`: the instruction runs on no pipe."""
    match op:
        case memory.TLoadOp():
            return LOAD
        case memory.TStoreOp():
            return _store(op)
        case scalar.LoadScalarOp():
            return LOAD_SCALAR
        case scalar.StoreScalarOp():
            return STORE_SCALAR
        case memory.TPrintOp():
            return PRINT
        case elementwise.TCIOp():
            return SEQUENCE
        case movement.TMovOp():
            return on(_mov_pipe(op), "src", "dst")
        case expand.TExpandSOp():
            return on(MTE2 if _loc(op.destination.type) is TileLoc.Mat else V, "", "dst")
        case comm.CommTReduceOp():
            return REDUCE
        case comm.CommTGatherOp():
            return COLLECT
        case comm.CollectiveOp():
            return DISTRIBUTE
        case Instruction():
            return VECTOR
        case _:
            return None


def a2a3_pipes(op: PtoOp, coalesce: Coalesce | None) -> Pipes | None:
    match op:
        case gather.MGatherOp() if coalesce is Coalesce.Elem:
            return A2A3_GATHER_ELEM
        case gather.MGatherOp():
            zero = op.gather_oob is not None and op.gather_oob.data is GatherOOB.Zero
            return A2A3_GATHER_ROW_ZERO if zero else A2A3_GATHER_ROW
        case gather.MScatterOp() if coalesce is Coalesce.Elem:
            return A2A3_SCATTER_ELEM
        case gather.MScatterOp():
            return A2A3_SCATTER_ROW_ADD if _is_atomic(op) else A2A3_SCATTER_ROW
        case gather.TScatterOp():
            return A2A3_TILE_SCATTER
        case gather.TGatherOp() if op.form == "compare":
            return A2A3_TILE_COMPARE
        case gather.TGatherOp():
            return A2A3_TILE_GATHER
        case expand.TRowExpandOp():
            return A2A3_ROW_EXPAND
        case reduce.TRowSumOp() | reduce.TRowMaxOp():
            element = op.src.type.element_type if isinstance(op.src.type, TileType) else None
            integer = element is not None and BY_TYPE[element].is_integer
            return A2A3_INTEGER_REDUCTION if integer else A2A3_REDUCTION
        case _:
            return device_pipes(op)


def a5_pipes(op: PtoOp, coalesce: Coalesce | None) -> Pipes | None:
    match op:
        case gather.MGatherOp():
            scalar = coalesce is Coalesce.Elem and _is_single(op.destination.type)
            return A5_GATHER_SCALAR if scalar else A5_GATHER
        case gather.MScatterOp():
            if coalesce is Coalesce.Elem and _is_single(op.src.type):
                return A5_SCATTER_SCALAR
            return A5_SCATTER_ADD if _is_atomic(op) else A5_SCATTER
        case _:
            return device_pipes(op)


def a5_custom_pipes(op: PtoOp, coalesce: Coalesce | None) -> Pipes | None:
    """Document 002: always a SIMT launch, without the scalar path for a single element."""
    match op:
        case gather.MGatherOp():
            return A5_GATHER
        case gather.MScatterOp():
            return A5_SCATTER_ADD if _is_atomic(op) else A5_SCATTER
        case _:
            return device_pipes(op)


def cpu_pipes(op: PtoOp, coalesce: Coalesce | None) -> Pipes | None:
    """One thread does everything in order; only what is read and written remains."""
    row = device_pipes(op)
    if isinstance(op, gather.MGatherOp):
        row = A5_GATHER
    elif isinstance(op, gather.MScatterOp):
        row = A5_SCATTER_ADD if _is_atomic(op) else A5_SCATTER
    if row is None:
        return None
    return Pipes({S: " ".join(row.reads.values())}, {S: " ".join(row.writes.values())}, events=())


def _is_atomic(op: gather.MScatterOp) -> bool:
    return op.scatter_atomic_op is not None and op.scatter_atomic_op.data is not ScatterAtomicOp.None_


def _is_single(type: Attribute) -> bool:
    return isinstance(type, TileType) and type.valid == (1, 1)


def _loc(type: Attribute) -> TileLoc | None:
    return type.loc.data if isinstance(type, TileType) else None


def _store(op: memory.TStoreOp) -> Pipes:
    if _loc(op.src.type) is TileLoc.Acc:
        return on(FIX, "src", "mem")
    atomic = op.atomic_type is not None and op.atomic_type.data is not AtomicType.AtomicNone
    return STORE_ADD if atomic else STORE


def _mov_pipe(op: movement.TMovOp) -> Pipe:
    source, target = _loc(op.src.type), _loc(op.destination.type)
    match source, target:
        case TileLoc.Vec, TileLoc.Vec:
            return V
        case TileLoc.Mat, TileLoc.Left | TileLoc.Right | TileLoc.Bias:
            return MTE1
        case _:
            return FIX


# --- from rows to effects ------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _slots(op_class: type[PtoOp], operand_count: int, sizes: bytes | None) -> dict[str, range]:
    """Which operands fill each slot; `sizes` are the 32-bit segment sizes where the operation keeps them."""
    slots = op_class.signature().slots
    if sizes is not None:
        segments = struct.unpack(f"<{len(sizes) // 4}i", sizes)
    else:
        fixed = sum(1 for slot in slots if not (slot.optional or slot.variadic))
        rest = operand_count - fixed
        segments = tuple(rest if slot.optional or slot.variadic else 1 for slot in slots)
    places: dict[str, range] = {}
    at = 0
    for slot, size in zip(slots, segments, strict=True):
        places[slot.name] = range(at, at + size)
        at += size
    return places


def int_values(array: Attribute) -> tuple[int, ...]:
    """The integers of a dense array."""
    values: Any = array
    return tuple(int(value) for value in values.get_values())


def slot_places(op: PtoOp) -> dict[str, range]:
    """For each operand slot, the indices of the operands that fill it."""
    sizes = op.properties.get("operandSegmentSizes")
    data = sizes.data.data if isinstance(sizes, DenseArrayBase) else None
    return _slots(op.__class__, len(op.operands), data)


def slot_value(op: PtoOp, slot: str) -> SSAValue | None:
    """The operand in a slot, quickly; `None` when the slot is empty."""
    places = slot_places(op)[slot]
    return op.operands[places[0]] if places else None


def _accesses(op: PtoOp, slots: str, pipe: Pipe, write: bool, places: dict[str, range]) -> list[Access]:
    found: list[Access] = []
    for name in slots.split():
        operands = places.get(name, range(0))
        for at in operands:
            if isinstance(op.operands[at].type, TileType | ViewType | GroupType) or name == "ptr":
                found.append(Access(pipe, at, write))
        if not write or operands or not isinstance(op, Instruction):
            continue
        # In SSA form the destinations are results.
        if name == "dst" and op.results:
            found.append(Access(pipe, RESULT, True))
        if name == "cdst" and len(op.results) > 1:
            found.append(Access(pipe, COUNT, True))
    return found


def effects_from(op: PtoOp, row: Pipes | None) -> Effects:
    """A row's slots as operand indices of this operation."""
    if row is None:
        return NOTHING
    places = slot_places(op)
    accesses: list[Access] = []
    for pipe, slots in row.reads.items():
        accesses += _accesses(op, slots, pipe, False, places)
    for pipe, slots in row.writes.items():
        accesses += _accesses(op, slots, pipe, True, places)
    pairs = dict.fromkeys(pair for pair in (*row.before, *row.inside, *row.after) if ALL not in pair)
    reserved = tuple((*pair, event) for pair in pairs for event in row.events)
    return Effects(row.before, tuple(accesses), row.after, reserved)
