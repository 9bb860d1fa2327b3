"""Causes of stalls, and the share of each flag in the time above the bound.

The time of a pipe is what it works, what it stands still for a reason, and what is left when it has nothing
more to do; the three sum to the total. The time between the end of one instruction and the start of the next
belongs, in this order, to data that was not there yet, to bytes that were still in use, and to what else was
waited for.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise

from xdsl.ir import Operation

from ptoas.dialects.pto.enums import Pipe
from ptoas.profiling.dependences import Dependences
from ptoas.profiling.record import ActorKey, Trace, What
from ptoas.profiling.timeline import Cause, Timeline, Via
from ptoas.runner.observe import loops_around


class Stall(Enum):
    """Reason of a stall; the value is its name in tables."""

    DATA = "data"
    SLOT = "slot"
    FLAG = "flag"
    EVENT = "event"
    STRUCTURAL = "structural"


STALLS: dict[Stall, str] = {
    Stall.DATA: "what the instruction reads is not there yet",
    Stall.SLOT: "the bytes that it fills, or the slot of a channel, are still in use",
    Stall.FLAG: "a flag or barrier comes later than its data and bytes",
    Stall.EVENT: "the same, and the flag's event is awaited in several places",
    Stall.STRUCTURAL: "the scalar unit has not issued it, a fence, or a handshake inside an instruction",
}

_BY_CAUSE = {Cause.CORE_DATA: Stall.DATA, Cause.CORE_SLOT: Stall.SLOT}

Segments = tuple[tuple[Stall, float], ...]


@dataclass
class Lane:
    """The whole time of one pipe of one core."""

    busy: float = 0.0
    stalls: dict[Stall, float] = field(default_factory=lambda: dict.fromkeys(Stall, 0.0))
    idle: float = 0.0
    """After its last instruction."""

    @property
    def waited(self) -> float:
        """Cycles that it stood still before its last instruction."""
        return sum(self.stalls.values())


@dataclass
class Stalls:
    """Reasons by slice, and summed by pipe and by flag."""

    slices: list[Segments]
    lanes: dict[tuple[ActorKey, Pipe], Lane]
    syncs: dict[Operation, float]
    """Return the stall cycles of each flag or barrier."""


def stalls(trace: Trace, timeline: Timeline, needs: Dependences) -> Stalls:
    """Divide all the time of all pipes."""
    shared = _shared_waits(trace)
    found = Stalls([], {lane: Lane() for lane in timeline.busy()}, {})
    ends: dict[tuple[ActorKey, Pipe], float] = {}
    for number, each in enumerate(timeline.slices):
        lane = found.lanes[each.actor, each.pipe]
        parts: list[tuple[Stall, float]] = []
        at = each.free
        for stall, numbers in ((Stall.DATA, needs.data[number]), (Stall.SLOT, needs.reuse[number])):
            until = min(each.start, max((timeline.slices[n].end for n in numbers), default=0.0))
            if until > at:
                parts.append((stall, until - at))
                at = until
        if each.start > at:
            parts.append((_stall_of(each.via, shared), each.start - at))
        for stall, cycles in parts:
            lane.stalls[stall] += cycles
        if isinstance(each.via, Operation):
            found.syncs[each.via] = found.syncs.get(each.via, 0.0) + each.waited
        found.slices.append(tuple(parts))
        lane.busy += each.cycles
        ends[each.actor, each.pipe] = each.end
    for actor, scalar in timeline.scalar.items():
        lane = found.lanes[actor, Pipe.PIPE_S]
        lane.busy += scalar.issuing
        for via, cycles in scalar.waiting.items():
            lane.stalls[_stall_of(via, shared)] += cycles
            if isinstance(via, Operation):
                found.syncs[via] = found.syncs.get(via, 0.0) + cycles
        ends[actor, Pipe.PIPE_S] = max(scalar.end, ends.get((actor, Pipe.PIPE_S), 0.0))
    for key, lane in found.lanes.items():
        lane.idle = timeline.total - ends[key]
    return found


def _stall_of(via: Via, shared: set[Operation]) -> Stall:
    if isinstance(via, Operation):
        return Stall.EVENT if via in shared else Stall.FLAG
    return Stall.STRUCTURAL if via is None else _BY_CAUSE.get(via, Stall.STRUCTURAL)


def _shared_waits(trace: Trace) -> set[Operation]:
    """Waits for an event that another wait in the same loop takes, too."""
    places: dict[tuple[Hashable, tuple[Operation, ...]], set[Operation]] = {}
    seen: set[Operation] = set()
    for event in trace.events:
        if event.what is What.WAIT and event.subject.op not in seen:
            seen.add(event.subject.op)
            loops = loops_around(event.subject.op)
            if loops:
                places.setdefault((event.subject.key, loops), set()).add(event.subject.op)
    return {op for ops in places.values() if len(ops) > 1 for op in ops}


def flag_costs(timeline: Timeline, bound: Timeline) -> dict[Operation, float]:
    """Divide the time above the bound among the flags and barriers on the way that decides the total.

    Along that way an instruction comes later than the bound has it where a flag or barrier made it wait for
    another that its data does not need. These delays, made to sum to the time above the bound, are the costs.
    """
    above = max(0.0, timeline.total - bound.total)
    delays: dict[Operation, float] = {}
    way = timeline.critical_numbers()
    for one, two in pairwise(way):
        via = timeline.slices[two].via
        if isinstance(via, Operation):
            delay = bound.slices[one].end - bound.slices[two].start
            if delay > 0:
                delays[via] = delays.get(via, 0.0) + delay
    whole = sum(delays.values())
    return {op: delay * above / whole for op, delay in delays.items()} if whole else {}
