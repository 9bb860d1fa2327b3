"""Loops folded into a mean iteration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import fmean as mean

from xdsl.ir import Operation

from ptoas.dialects.pto.enums import Pipe
from ptoas.machine.errors import line_of
from ptoas.profiling.record import ActorKey
from ptoas.profiling.stalls import Lane, Segments
from ptoas.profiling.timeline import Slice, Timeline
from ptoas.profiling.work import Work


@dataclass
class MeanStep:
    """One pipe's part of an instruction in the mean iteration."""

    work: Work
    pipe: Pipe
    start: float
    end: float
    """Mean cycles from the first start of its iteration to its own first start and last end."""
    cycles: float
    """Work an iteration."""
    count: float
    """Executions an iteration."""


@dataclass
class Loop:
    """One loop of one core, as its mean iteration."""

    op: Operation
    actor: ActorKey
    iterations: int
    cycles: float
    """Cycles in which at least one of its instructions runs."""
    lanes: dict[Pipe, Lane]
    """Mean time of each pipe: what it works, and what it stands still before an instruction of the loop."""
    steps: list[MeanStep]

    @property
    def line(self) -> int:
        return line_of(self.op)

    @property
    def each(self) -> float:
        """Cycles of an iteration."""
        return self.cycles / self.iterations


def repeated_loops(timeline: Timeline) -> Iterator[tuple[Operation, ActorKey, int, list[int]]]:
    """The loops that go round at least twice on a core: the core, how many loops are around what is inside,
    counting it, and the numbers of the slices inside."""
    members: dict[tuple[Operation, ActorKey], list[int]] = {}
    for number, each in enumerate(timeline.slices):
        for loop in each.work.loops:
            members.setdefault((loop, each.actor), []).append(number)
    for (loop, actor), numbers in members.items():
        depth = timeline.slices[numbers[0]].work.loops.index(loop) + 1
        if len({timeline.slices[n].iterations[:depth] for n in numbers}) > 1:
            yield loop, actor, depth, numbers


def loops_of(timeline: Timeline, segments: list[Segments]) -> list[Loop]:
    """Every loop that goes round at least twice, on the core where it takes longest; the longest first."""
    longest: dict[Operation, Loop] = {}
    for op, actor, depth, numbers in repeated_loops(timeline):
        slices = [timeline.slices[n] for n in numbers]
        found = _fold(op, actor, depth, slices, [segments[n] for n in numbers])
        if op not in longest or found.cycles > longest[op].cycles:
            longest[op] = found
    return sorted(longest.values(), key=lambda loop: -loop.cycles)


def _fold(op: Operation, actor: ActorKey, depth: int, slices: list[Slice], parts: list[Segments]) -> Loop:
    begins: dict[tuple[int, ...], float] = {}
    for each in slices:
        key = each.iterations[:depth]
        begins[key] = min(each.start, begins.get(key, each.start))
    count = len(begins)
    lanes: dict[Pipe, Lane] = {}
    sums: dict[tuple[Operation, Pipe], list[float]] = {}
    works: dict[tuple[Operation, Pipe], Work] = {}
    spans: dict[tuple[Operation, Pipe], dict[tuple[int, ...], tuple[float, float]]] = {}
    for each, segments in zip(slices, parts, strict=True):
        lane = lanes.setdefault(each.pipe, Lane())
        lane.busy += each.cycles / count
        for stall, cycles in segments:
            lane.stalls[stall] += cycles / count
        key = each.work.op, each.pipe
        works.setdefault(key, each.work)
        total = sums.setdefault(key, [0.0, 0])
        total[0] += each.cycles
        total[1] += 1
        turn = each.iterations[:depth]
        begin = begins[turn]
        first, _ = spans.setdefault(key, {}).setdefault(turn, (each.start - begin, 0.0))
        spans[key][turn] = first, each.end - begin
    steps: list[MeanStep] = []
    for key, (cycles, times) in sums.items():
        firsts, lasts = zip(*spans[key].values(), strict=True)
        start, end = mean(firsts), mean(lasts)
        steps.append(MeanStep(works[key], key[1], start, end, cycles / count, times / count))
    return Loop(op, actor, count, covered((e.start, e.end) for e in slices), lanes, steps)


def covered(times: Iterable[tuple[float, float]]) -> float:
    """Cycles in which at least one of these goes on."""
    total = last = 0.0
    for start, end in sorted(times):
        if end > last:
            total += end - max(last, start)
            last = end
    return total
