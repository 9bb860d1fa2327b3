"""Lower bound of a trace: without flags, each instruction waits only for its pipe and its data.

With `reuse` the bytes of a tile are used again only when nobody needs what they held, as in the program;
without it every write finds fresh bytes, as with as many buffers as one could wish for. What lies between the
timeline and the first is the price of the flags, between the first and the second that of one buffer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeVar

from ptoas.analysis.clocks import NUMBER, PIPES
from ptoas.profiling.record import ActorKey, Trace, What
from ptoas.profiling.work import GM, PipeOperand, Work

T = TypeVar("T")
Span = tuple[int, int]


@dataclass
class LatestAccesses(Generic[T]):
    """The latest access of each pipe to each range of bytes, with something about it."""

    records: dict[str, dict[Span, dict[tuple[int, bool, str], T]]] = field(
        default_factory=dict[str, dict[Span, dict[tuple[int, bool, str], T]]]
    )
    meets: dict[str, dict[Span, list[Span]]] = field(default_factory=dict[str, dict[Span, list[Span]]])
    """Ranges that have bytes in common."""

    def before(self, touch: PipeOperand) -> list[tuple[int, bool, str, T]]:
        """Earlier accesses that have to be done: pipe, whether it wrote, the name there, what was noted."""
        memory, span = range_of(touch)
        here = self.records.setdefault(memory, {})
        meets = self.meets.setdefault(memory, {})
        if span not in meets:
            meets[span] = [other for other in meets if other[0] < span[1] and span[0] < other[1]]
            for other in meets[span]:
                meets[other].append(span)
            meets[span].append(span)
            here[span] = {}
        return [
            (pipe, wrote, name, noted)
            for other in meets[span]
            for (pipe, wrote, name), noted in here[other].items()
            if wrote or touch.write
        ]

    def note(self, touch: PipeOperand, noted: T) -> None:
        memory, span = range_of(touch)
        self.records[memory][span][NUMBER[touch.pipe], touch.write, touch.operand.name] = noted


def range_of(touch: PipeOperand) -> tuple[str, Span]:
    """Bytes of a local memory; an argument counts as a whole, for the windows of a loop are too many."""
    operand = touch.operand
    if operand.memory == GM:
        return f"gm {operand.name}", (0, 1)
    if operand.address < 0:
        return f"{operand.memory} {operand.name}", (0, 1)
    return operand.memory, (operand.address, operand.address + operand.span)


@dataclass
class Ideal:
    """Times of the slices of a timeline, by their numbers there."""

    start: list[float] = field(default_factory=list[float])
    end: list[float] = field(default_factory=list[float])
    free: list[float] = field(default_factory=list[float])
    """Since when its pipe had nothing to do."""
    cause: list[tuple[int, str] | None] = field(default_factory=list["tuple[int, str] | None"])
    """The slice that it waited for, and the tile that it fills and that one used."""
    needs: list[set[int]] = field(default_factory=list[set[int]])
    """The slices whose data it has to wait for."""


def ideal(trace: Trace, reuse: bool) -> Ideal:
    """The times that data alone asks for."""
    found = Ideal()
    free: dict[ActorKey, list[float]] = {}
    logs: dict[ActorKey, LatestAccesses[int]] = {}
    written = {
        t.operand.name
        for event in trace.events
        if event.what is What.WORK
        for t in event.subject.touches
        if t.write and t.operand.memory == GM
    }
    for event in trace.events:
        if event.what is not What.WORK:
            continue
        work: Work = event.subject
        pipes = free.setdefault(event.actor, [0.0] * len(PIPES))
        log = logs.setdefault(event.actor, LatestAccesses())
        lanes = [NUMBER[part.pipe] for part in work.cost.parts]
        idle = start = max(pipes[lane] for lane in lanes)
        cause: tuple[int, str] | None = None
        # Memory that is only read orders nothing.
        touches = [t for t in work.touches if t.operand.memory != GM or t.operand.name in written]
        needs: set[int] = set()
        for touch in touches:
            for _, wrote, _, number in log.before(touch):
                if not reuse and (touch.write or not wrote):
                    continue
                needs.add(number)
                if found.end[number] > start:
                    start = found.end[number]
                    local = touch.write and touch.operand.memory != GM
                    cause = (number, touch.operand.name) if local else None
        number = len(found.start)
        for lane, part in zip(lanes, work.cost.parts, strict=True):
            found.start.append(start)
            found.end.append(start + part.cycles)
            found.free.append(idle)
            found.cause.append(cause)
            found.needs.append(needs)
            pipes[lane] = start + part.cycles
        for touch in touches:
            at = next((n for n, p in enumerate(work.cost.parts) if p.pipe is touch.pipe), 0)
            log.note(touch, number + at)
    return found
