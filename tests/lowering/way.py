"""One way through a program, operation by operation, and the races on it: a model that knows no regions.

Every pipe has a clock, and what it has seen of the others' clocks. A flag carries what its pipe has seen. Of
its own work a pipe knows that it is done from a barrier, or from another pipe that has seen it (D26). The
tiles of these programs are shorter than sixteen repeats, so that no instruction may follow another closely.
"""

from __future__ import annotations

from random import Random

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from ptoas.dialects.pto.enums import Pipe
from ptoas.dialects.pto.sync import DrainOp, SetFlagOp, WaitFlagOp
from ptoas.dialects.pto.types import TileType
from ptoas.dialects.pto.views import AllocTileOp
from ptoas.targets import Target

PIPES = [pipe for pipe in Pipe if pipe is not Pipe.PIPE_ALL]

IN_ORDER = {"a2a3": {Pipe.PIPE_S}, "a5": {Pipe.PIPE_S, Pipe.PIPE_V}, "a5-custom": {Pipe.PIPE_S, Pipe.PIPE_V}}
LOADS = {"pto.tload", "pto.mgather"}

Clock = dict[Pipe, int]
Bytes = tuple[object, int, int]


def choose(block: Block, random: Random) -> list[Operation]:
    """The operations of one run; what is not constant is chosen, anew each time."""
    found: list[Operation] = []
    for op in block.ops:
        match op:
            case scf.ForOp():
                first, last = constant(op.lb), constant(op.ub)
                unknown = first is None or last is None
                turns = random.randint(0, 3) if unknown else max(0, last - first)  # type: ignore[operator]
                for _ in range(turns):
                    found += choose(op.body.block, random)
            case scf.WhileOp():
                found += choose(op.before_region.block, random)
                for _ in range(random.randint(0, 2)):
                    found += choose(op.after_region.block, random)
                    found += choose(op.before_region.block, random)
            case scf.IfOp():
                region = random.choice((op.true_region, op.false_region))
                found += choose(region.block, random) if region.blocks else []
            case _:
                found.append(op)
    return found


def constant(value: SSAValue) -> int | None:
    owner = value.owner
    if isinstance(owner, Operation) and owner.name == "arith.constant":
        return owner.properties["value"].value.data  # type: ignore[attr-defined]
    return None


def place(value: SSAValue) -> Bytes:
    """A tile's bytes; of a view, the pointer that it is made from: the programs use all of it."""
    owner = value.owner
    if isinstance(value.type, TileType):
        assert isinstance(owner, AllocTileOp) and owner.addr is not None
        start = constant(owner.addr)
        assert start is not None
        return value.type.loc.data, start, start + value.type.size_bytes
    while isinstance(owner, Operation):
        value = owner.operands[0]
        owner = value.owner
    return value, 0, 1


def races(run: list[Operation], target: Target) -> list[str]:
    """Accesses of the same bytes, not both reading, that nothing orders; and flags that are out of turn."""
    clock: dict[Pipe, Clock] = {pipe: dict.fromkeys(PIPES, 0) for pipe in PIPES}
    settled: Clock = dict.fromkeys(PIPES, 0)
    up: dict[object, Clock] = {}
    past: list[tuple[str, Pipe, int, Bytes, bool]] = []
    found: list[str] = []

    def learn(pipe: Pipe, other: Clock) -> None:
        settled[pipe] = max(settled[pipe], other[pipe])
        for each in PIPES:
            clock[pipe][each] = max(clock[pipe][each], other[each])

    def rest() -> None:
        for pipe in PIPES:
            for other in PIPES:
                learn(pipe, dict(clock[other]))

    def hand_over(pairs: tuple[tuple[Pipe, Pipe], ...]) -> None:
        for source, sink in pairs:
            if source is Pipe.PIPE_ALL:
                rest()
            else:
                learn(sink, clock[source])

    for op in run:
        match op:
            case SetFlagOp():
                flag = (op.src_pipe.data, op.dst_pipe.data, op.event_id.data)
                found += ["raised twice"] if flag in up else []
                up[flag] = dict(clock[op.src_pipe.data])
            case WaitFlagOp():
                flag = (op.src_pipe.data, op.dst_pipe.data, op.event_id.data)
                if flag in up:
                    learn(op.dst_pipe.data, up.pop(flag))
                else:
                    found.append("never raised")
            case DrainOp():
                hand_over(((op.drained, op.drained),))
            case _:
                effects = target.effects(op)
                found += ["raised around its user" for flag in effects.reserved_events if flag in up]
                hand_over(effects.before)
                now: list[tuple[str, Pipe, int, Bytes, bool]] = []
                for access in effects.accesses:
                    clock[access.pipe][access.pipe] += 1
                    where = place(op.operands[access.operand])
                    now.append((op.name, access.pipe, clock[access.pipe][access.pipe], where, access.write))
                for _, pipe, _, (base, first, last), write in now:
                    for name, other, time, (base2, first2, last2), write2 in past:
                        meet = base == base2 and first < last2 and first2 < last and (write or write2)
                        known = settled[pipe] if pipe is other else clock[pipe][other]
                        loads = pipe is Pipe.PIPE_MTE2 and {name, op.name} <= LOADS
                        if pipe is other and (loads or pipe in IN_ORDER[target.name]):
                            continue
                        if meet and known < time:
                            found.append(f"{name} on {other}, {op.name} on {pipe}")
                past += now
                hand_over(effects.after)
    return found + ["left up"] * len(up)
