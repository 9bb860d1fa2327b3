"""Limit of the chip: what all cores move together through memory and the second-level cache.

A transfer alone is as fast as its core. Where the cores together would move more in the time of the run than
the chip can, all transfers are slowed down by one factor until they do not. Bytes of an argument that are
moved again come out of the cache.
"""

from __future__ import annotations

from ptoas.profiling.record import Trace
from ptoas.profiling.timeline import Duration, Timeline, simulate
from ptoas.profiling.work import GM, PipeWork, Work
from ptoas.targets.costs import SPREAD

CLOSE = 1.005
MOST_ROUNDS = 8


def chip_cycles(trace: Trace) -> float:
    """Cycles that the chip needs to move all the bytes of a run."""
    moved: dict[tuple[str, bool], float] = {}
    for work in trace.executed():
        for name, write in {(t.operand.name, t.write) for t in work.touches if t.operand.memory == GM}:
            moved[name, write] = moved.get((name, write), 0.0) + work.moved
    sizes = {each.name: each.bytes for each in trace.patterns.arguments()} if trace.patterns else {}
    cold = sum(min(many, sizes.get(name, many)) for (name, _), many in moved.items())
    chip = trace.table.chip
    return max(cold / chip.memory, sum(moved.values()) / chip.cache)


def timed(trace: Trace, duration: Duration, limit: float) -> tuple[Timeline, float]:
    """The timeline, and the factor that slows transfers down so that it takes the limit of the chip."""
    timeline, factor = simulate(trace, duration), 1.0
    if len(timeline.actors()) < 2:
        return timeline, factor
    # The total grows with the factor, and ever more evenly: the secant comes close from below.
    slope = timeline.total
    for _ in range(MOST_ROUNDS):
        if timeline.total * CLOSE >= limit or not slope:
            break
        step = (limit - timeline.total) / slope
        slower = simulate(trace, slowed(duration, factor + step))
        slope = (slower.total - timeline.total) / step
        timeline, factor = slower, factor + step
    return timeline, factor


def slowed(duration: Duration, factor: float) -> Duration:
    """Durations where each pipe's transfer of global memory takes longer by a factor."""

    def found(work: Work, part: PipeWork) -> float:
        moves = any(t.operand.memory == GM and t.pipe is part.pipe for t in work.touches)
        return duration(work, part) * (factor if moves else 1.0)

    return found if factor != 1.0 else duration


def spread(trace: Trace) -> float:
    """Factor between the middle and the ends of the chip's limit."""
    return SPREAD[trace.table.chip.sources["memory"][1]]
