"""Dependences between the slices of a trace: whose data each reads, and whose bytes it fills again.

They are what a schedule without any flag would still have to keep: see `timeline.Ordering`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeVar

from ptoas.dialects.pto.enums import Pipe
from ptoas.profiling.record import ActorKey, Trace, What
from ptoas.profiling.work import GM, PipeOperand, Work

T = TypeVar("T")
Span = tuple[int, int]


Accesses = dict[tuple[Pipe, bool, str], tuple[PipeOperand, T]]
"""The latest access of each pipe by each name, with something about it."""


@dataclass
class LatestAccesses(Generic[T]):
    """The latest access of each pipe to each range of bytes."""

    records: dict[str, dict[Span, Accesses[T]]] = field(default_factory=dict[str, dict[Span, Accesses[T]]])
    meets: dict[str, dict[Span, list[Span]]] = field(default_factory=dict[str, dict[Span, list[Span]]])
    """Ranges that have bytes in common."""

    def before(self, touch: PipeOperand) -> list[tuple[PipeOperand, T]]:
        """Earlier accesses that have to be done, and what was noted of each."""
        memory, span = touch.operand.spot
        here = self.records.setdefault(memory, {})
        meets = self.meets.setdefault(memory, {})
        if span not in meets:
            meets[span] = [other for other in meets if other[0] < span[1] and span[0] < other[1]]
            for other in meets[span]:
                meets[other].append(span)
            meets[span].append(span)
            here[span] = {}
        found = (each for other in meets[span] for each in here[other].values())
        return [(earlier, noted) for earlier, noted in found if earlier.write or touch.write]

    def note(self, touch: PipeOperand, noted: T) -> None:
        memory, span = touch.operand.spot
        self.records[memory][span][touch.pipe, touch.write, touch.operand.name] = touch, noted


@dataclass
class Dependences:
    """By the number of a slice, the numbers of earlier slices that it has to come after."""

    data: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]])
    """True if they write data that it reads."""
    reuse: list[dict[int, str]] = field(default_factory=list[dict[int, str]])
    """They use the bytes that it writes; the value is the tile's name."""


def dependences(trace: Trace) -> Dependences:
    """The dependences of a trace within each core; the trace itself records transfers between cores."""
    found = Dependences()
    logs: dict[ActorKey, LatestAccesses[int]] = {}
    written = {
        touch.operand.name
        for event in trace.events
        if event.what is What.WORK
        for touch in event.subject.touches
        if touch.write and touch.operand.memory == GM
    }
    for event in trace.events:
        if event.what is not What.WORK:
            continue
        work: Work = event.subject
        log = logs.setdefault(event.actor, LatestAccesses())
        # Memory that is only read orders nothing.
        touches = [t for t in work.touches if t.operand.memory != GM or t.operand.name in written]
        data: set[int] = set()
        reuse: dict[int, str] = {}
        for touch in touches:
            for earlier, number in log.before(touch):
                if earlier.write and not touch.write:
                    data.add(number)
                else:
                    reuse[number] = touch.operand.name
        number = len(found.data)
        for _ in work.cost.parts:
            found.data.append(tuple(data))
            found.reuse.append(reuse)
        for touch in touches:
            at = next((n for n, part in enumerate(work.cost.parts) if part.pipe is touch.pipe), 0)
            log.note(touch, number + at)
    return found
