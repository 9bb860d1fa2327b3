"""Synchronisation between cores and blocks: counters and barriers over all cores."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any

from ptoas.analysis.sync_actions import SyncAllKey
from ptoas.dialects.pto.core_enums import SyncAllMode, SyncCoreType
from ptoas.dialects.pto.core_sync import (
    AwaitsCounter,
    CounterOp,
    SetCrossBlockOp,
    SetFftsOp,
    SetIntraBlockOp,
    SyncAllOp,
    SyncSetOp,
    SyncWaitOp,
    WaitCrossBlockOp,
    WaitIntraBlockOp,
)
from ptoas.dialects.pto.enums import KernelKind
from ptoas.grammar.problems import counted
from ptoas.machine.arrays import Array, np
from ptoas.machine.cluster import Counter, set_counter, take_counter
from ptoas.machine.machine import Machine, prepared_value, value
from ptoas.machine.memory import Pointer, View

CUBE, VECTOR = KernelKind.Cube, KernelKind.Vector

LANE_STEP = 16
"""Offset of the second vector core's counters on the cube core of A5."""

WORKSPACE = 16
"""Words that a soft barrier asks for."""


# --- counters --------------------------------------------------------------------------------------


@prepared_value(SetIntraBlockOp, WaitIntraBlockOp, SetCrossBlockOp, WaitCrossBlockOp, SyncSetOp, SyncWaitOp)
def count(op: CounterOp, m: Machine) -> Callable[..., None]:
    waits = isinstance(op, AwaitsCounter)
    number = op.number
    by_lane, stops_core = (m.target.model(op) == how for how in ("by lane", "whole core"))

    def run(*values: int) -> None:
        which = int(values[0]) if number is None else number
        if not 0 <= which < (2 * LANE_STEP if by_lane else LANE_STEP):
            raise m.refuse("PTO-R912", f"there is no counter {which}", op)
        m.actor.point()
        key, senders = _lane_counter(m, which, waits) if by_lane else _group_counter(m, op.mode, which, waits)
        store = m.cluster_of_block.grid if key[0] == "mode 0" else m.cluster_of_block
        counter = store.counter(key)
        pipe = op.working_pipe
        if not waits:
            set_counter(m, op, counter, key, pipe)
            return
        if not senders:
            other = "the cube core" if m.role.kind is not CUBE else "a vector core"
            what = f"waits for counter {which} of {other}, which does not run this"
        else:
            what = f"waits for counter {which} from {m.launch.names(senders)}"
        describe = partial(_describe_wait, what, counter, senders, m)
        acquired_by = pipe if m.target.has_pipes and not stops_core else None
        take_counter(m, op, counter, key, acquired_by, senders, describe)

    return run


def _describe_wait(what: str, counter: Counter, senders: Sequence[int], m: Machine) -> str:
    taken = counter.taken.get(m.actor_number, 0)
    counts = [counter.sent.get(sender, 0) for sender in senders] or [0]
    return f"{what}: set {counted(min(counts), 'time')}, awaited {counted(taken, 'time')} before"


def _cores(m: Machine, kind: KernelKind) -> list[int]:
    """The cores of a kind in this block, as actors."""
    machines = m.cluster_of_block.machines
    return [m.number_of(n) for n, machine in enumerate(machines) if machine.role.kind is kind]


def _lane_counter(m: Machine, which: int, waits: bool) -> tuple[tuple[Hashable, ...], list[int]]:
    """Each vector core has counters of its own with the cube core, in both directions."""
    if m.role.kind is CUBE:
        lane, number = divmod(which, LANE_STEP)
        partner = m.cluster_of_block.vector(lane)
    else:
        lane, number, partner = m.role.lane, which, m.cluster_of_block.cube
    to_cube = (m.role.kind is CUBE) == waits
    senders = [] if partner is None else [m.number_of(partner)]
    return ("intra", to_cube, lane, number), senders


def _group_counter(m: Machine, mode: int, which: int, waits: bool) -> tuple[tuple[Hashable, ...], list[int]]:
    kind = m.role.kind or VECTOR
    match mode:
        case 0:
            return ("mode 0", kind, which), _everywhere(m, kind)
        case 1:
            return ("mode 1", which), _cores(m, VECTOR) or [m.actor_number]
        case _:
            sender = (VECTOR if kind is CUBE else CUBE) if waits else kind
            return ("mode 2", sender, which), _cores(m, sender)


def _everywhere(m: Machine, *kinds: KernelKind) -> list[int]:
    """The cores of some kinds in all blocks of the rank, as actors."""
    launch = m.launch
    roles = [n for n, role in enumerate(launch.cores) if role.kind is None or role.kind in kinds]
    return [launch.number(m.actor.rank, block, core) for block in range(launch.blocks) for core in roles]


@value(SetFftsOp)
def set_ffts(op: SetFftsOp, m: Machine, *_: object) -> None:
    return None


# --- barriers over all cores -----------------------------------------------------------------------

_KINDS = {
    SyncCoreType.AIVOnly: (VECTOR,),
    SyncCoreType.AICOnly: (CUBE,),
    SyncCoreType.Mix: (CUBE, VECTOR),
}


@value(SyncAllOp)
def syncall(op: SyncAllOp, m: Machine, *values: Any) -> None:
    kinds = _KINDS[op.core_type.data]
    soft = op.mode.data is SyncAllMode.Soft
    if m.race is not None:
        m.race.barrier()
    if m.role.kind is not None and m.role.kind not in kinds:
        return  # it is compiled for the other kind
    if len(kinds) > 1 and len(m.launch.cores) == 1:
        message = "the barrier is for cube and vector cores, but the program runs on one kind only"
        raise m.refuse(
            "PTO-R914", message, op, fix="use core_type = #pto.sync_core_type<aiv_only> or aic_only"
        )
    m.actor.point()
    grid = m.cluster_of_block.grid
    came, _ = grid.syncs.get(m.actor_number, (0, op))
    grid.syncs[m.actor_number] = came + 1, op
    if soft:
        _soft(op, m, kinds, values)
    else:
        _hard(op, m, kinds)
    if m.race is not None:
        m.race.barrier()


def _hard(op: SyncAllOp, m: Machine, kinds: tuple[KernelKind, ...]) -> None:
    actors = _everywhere(m, *kinds)
    counter = m.cluster_of_block.grid.counter(("syncall", op.core_type.data))
    me = m.actor_number
    number = counter.sent.get(me, 0)
    key = SyncAllKey(op.core_type.data, number)
    m.actor.clocks.release(key)
    counter.sent[me] = number + 1

    def missing() -> list[int]:
        return [actor for actor in actors if counter.sent.get(actor, 0) <= number]

    def what() -> str:
        return f"waits at syncall {number + 1} for {m.launch.names(missing())}"

    if missing():
        m.actor.wait_until(lambda: not missing(), what, op, missing())
    m.actor.clocks.acquire(key)


def _soft(op: SyncAllOp, m: Machine, kinds: tuple[KernelKind, ...], values: Sequence[Any]) -> None:
    """Barrier by a counter in memory: a multiple of the number of cores ends one barrier."""
    words, address = _workspace(op, m, values[0])
    used = int(values[1]) if len(values) > 1 else 0
    # A barrier of one kind counts blocks, whatever a block is made of.
    share = sum(role.kind in kinds for role in m.launch.cores) if len(kinds) > 1 else 1
    total = used or m.launch.blocks * share
    if total != m.launch.blocks * share:
        m.hidden_choices[op] = "waits for a part of the cores, whichever come first"
    grid = m.cluster_of_block.grid
    counter = grid.counter(("soft", address))
    before = int(words[0])
    if not counter.sent and before != 0:
        message = (
            f"the first word of the workspace is {before}, expected 0: it counts the cores that have arrived"
        )
        raise m.refuse("PTO-R926", message, op, fix="clear the workspace before the launch")
    if total < 1:
        raise m.refuse("PTO-R914", f"{total} cores wait for each other", op)
    counter.sent[m.actor_number] = counter.sent.get(m.actor_number, 0) + 1
    generation = before // total
    key = SyncAllKey(address, generation)
    m.actor.clocks.release(key)
    words[0] = np.int32(before + 1)
    if m.actor.scheduler is not None:
        m.actor.scheduler.changed()
    target = (generation + 1) * total

    def what() -> str:
        return f"waits at syncall {generation + 1} for {target - int(words[0])} of {total} cores"

    if int(words[0]) < target:
        m.actor.wait_until(lambda: int(words[0]) >= target, what, op, _everywhere(m, *kinds))
    m.actor.clocks.acquire(key)


def _workspace(op: SyncAllOp, m: Machine, operand: Pointer | View) -> tuple[Array, int]:
    buffer, offset = operand.buffer, operand.offset
    if not buffer.holds(offset, offset + WORKSPACE - 1):
        message = f"the workspace is {WORKSPACE} words; %{buffer.name} has {buffer.size - offset}"
        raise m.refuse("PTO-R909", message, op)
    return buffer.raw[offset : offset + 1].view(np.int32), buffer.address + offset * buffer.dtype.size
