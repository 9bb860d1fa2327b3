"""Start of each instruction: when its pipe is free and all its dependences are done.

Every pipe of a core is a lane that does one thing at a time, in order. A flag carries the end of what its
source pipe was given to its target pipe, a barrier to all; handshakes inside instructions do the same, and
what one core releases and another acquires. Nothing else waits: a missing flag is not visible here, it is
what `run` reports.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field

from xdsl.ir import Operation

from ptoas.analysis.clocks import NUMBER, PIPES
from ptoas.dialects.pto.enums import Pipe
from ptoas.profiling.record import ActorKey, Trace, TraceEvent, What
from ptoas.profiling.work import PipeWork, Work

LANES = (
    Pipe.PIPE_MTE2,
    Pipe.PIPE_MTE1,
    Pipe.PIPE_M,
    Pipe.PIPE_V,
    Pipe.PIPE_FIX,
    Pipe.PIPE_MTE3,
    Pipe.PIPE_S,
)
"""Pipes in the order in which data flows through them."""

LANE_NAMES = {
    Pipe.PIPE_MTE2: "MTE2 (load from GM)",
    Pipe.PIPE_MTE1: "MTE1 (L1 to L0)",
    Pipe.PIPE_M: "CUBE",
    Pipe.PIPE_V: "VECTOR",
    Pipe.PIPE_FIX: "FIXPIPE (out of L0C)",
    Pipe.PIPE_MTE3: "MTE3 (store to GM)",
    Pipe.PIPE_S: "SCALAR",
}

NOTHING = -1


class Slice:
    """One pipe's part of an executed instruction."""

    __slots__ = ("actor", "cause", "end", "free", "iterations", "pipe", "start", "via", "work")

    def __init__(
        self,
        work: Work,
        actor: ActorKey,
        pipe: Pipe,
        start: float,
        end: float,
        iterations: tuple[int, ...],
        free: float,
        cause: int,
        via: Operation | str | None,
    ):
        self.work, self.actor, self.pipe = work, actor, pipe
        self.start, self.end, self.iterations = start, end, iterations
        self.free = free
        """The time since which the pipe had been free."""
        self.cause = cause
        """The slice whose end it started at; -1: none."""
        self.via = via
        """The operation waited for, or a description; `None`: its own pipe."""

    @property
    def waited(self) -> float:
        return self.start - self.free

    @property
    def cycles(self) -> float:
        return self.end - self.start


@dataclass(frozen=True)
class Arrow:
    """An instruction waits for another: both as numbers of slices, and what says so."""

    source: int
    target: int
    label: str
    raised: Operation | None = None
    awaited: Operation | None = None


@dataclass
class Timeline:
    """The lanes of all cores."""

    slices: list[Slice] = field(default_factory=list[Slice])
    arrows: list[Arrow] = field(default_factory=list[Arrow])
    total: float = 0.0

    def actors(self) -> list[ActorKey]:
        return sorted({each.actor for each in self.slices})

    def lanes(self) -> dict[tuple[ActorKey, Pipe], list[Slice]]:
        """The slices of each pipe of each core, in the order of data flow."""
        found: dict[tuple[ActorKey, Pipe], list[Slice]] = {}
        for each in self.slices:
            found.setdefault((each.actor, each.pipe), []).append(each)
        order = {pipe: n for n, pipe in enumerate(LANES)}
        return dict(sorted(found.items(), key=lambda lane: (lane[0][0], order[lane[0][1]])))

    def busy(self) -> dict[tuple[ActorKey, Pipe], float]:
        return {lane: sum(each.cycles for each in slices) for lane, slices in self.lanes().items()}

    def critical(self) -> list[Slice]:
        """The slices without a gap between them that lead to the end, from the first on."""
        if not self.slices:
            return []
        at = max(range(len(self.slices)), key=lambda n: self.slices[n].end)
        found: list[Slice] = []
        while at != NOTHING:
            found.append(self.slices[at])
            at = self.slices[at].cause
        return found[::-1]


@dataclass
class _Core:
    """The pipes of one core while time goes on."""

    free: list[float] = field(default_factory=lambda: [0.0] * len(PIPES))
    ready: list[float] = field(default_factory=lambda: [0.0] * len(PIPES))
    last: list[int] = field(default_factory=lambda: [NOTHING] * len(PIPES))
    why: list[tuple[int, Operation | str | None]] = field(
        default_factory=lambda: [(NOTHING, None)] * len(PIPES)
    )
    """The slice, and the operation, after which a pipe may continue."""
    streaming: list[bool] = field(default_factory=lambda: [False] * len(PIPES))
    flags: dict[Hashable, tuple[float, int, Operation]] = field(
        default_factory=dict[Hashable, tuple[float, int, Operation]]
    )
    arrows: list[list[tuple[int, str, Operation | None, Operation | None]]] = field(
        default_factory=lambda: [[] for _ in PIPES]
    )
    """Waits of each pipe that its next slice shows."""

    def done(self, pipe: int) -> tuple[float, int]:
        """The time when a pipe has completed and awaited all its work, and the slice that ends then."""
        if self.free[pipe] >= self.ready[pipe]:
            return self.free[pipe], self.last[pipe]
        return self.ready[pipe], self.why[pipe][0]

    def all_done(self) -> tuple[float, int]:
        return max(self.done(pipe) for pipe in range(len(PIPES)))

    def wait(self, pipe: int, time: float, slice: int, via: Operation | str | None) -> None:
        if time > self.ready[pipe]:
            self.ready[pipe] = time
            self.why[pipe] = (slice, via)

    def rest(self, via: Operation | str) -> None:
        """Every pipe waits for all."""
        time, slice = self.all_done()
        for pipe in range(len(PIPES)):
            self.wait(pipe, time, slice, via)

    def handshakes(self, pairs: Iterable[tuple[Pipe, Pipe]], via: str) -> None:
        for source, target in pairs:
            if Pipe.PIPE_ALL in (source, target):
                self.rest(via)
            else:
                self.wait(NUMBER[target], *self.done(NUMBER[source]), via)


def simulate(trace: Trace, duration: Callable[[PipeWork], float] = lambda part: part.cycles) -> Timeline:
    """Give every instruction of a trace its time; `duration` may be the low or the high end of its range."""
    timeline = Timeline()
    cores: dict[ActorKey, _Core] = {}
    told: dict[Hashable, dict[ActorKey, tuple[float, int]]] = {}
    for event in trace.events:
        core = cores.get(event.actor)
        if core is None:
            core = cores[event.actor] = _Core()
        subject = event.subject
        match event.what:
            case What.WORK:
                _place(timeline, core, event, duration)
            case What.SET:
                core.flags[subject.key] = (*core.done(NUMBER[subject.pipe]), subject.op)
            case What.WAIT:
                time, slice, raised = core.flags.pop(subject.key, (0.0, NOTHING, subject.op))
                pipe = NUMBER[subject.pipe]
                core.wait(pipe, time, slice, subject.op)
                core.arrows[pipe].append((slice, str(subject.key), raised, subject.op))
            case What.BARRIER:
                if subject.drained is Pipe.PIPE_ALL:
                    core.rest(subject)
            case What.FENCE:
                core.rest("a fence")
            case What.RELEASE:
                key, source = subject
                done = core.all_done() if source is None else core.done(NUMBER[source])
                told.setdefault(key, {})[event.actor] = done
            case What.ACQUIRE:
                key, target = subject
                others = (done for actor, done in told.get(key, {}).items() if actor != event.actor)
                time, slice = max(others, default=(0.0, NOTHING))
                for pipe in range(len(PIPES)) if target is None else (NUMBER[target],):
                    core.wait(pipe, time, slice, "another core")
                if slice != NOTHING:
                    pipe = NUMBER[target or Pipe.PIPE_S]
                    core.arrows[pipe].append((slice, _key_text(key), None, None))
    timeline.total = max((each.end for each in timeline.slices), default=0.0)
    return timeline


def _place(timeline: Timeline, core: _Core, event: TraceEvent, duration: Callable[[PipeWork], float]) -> None:
    work: Work = event.subject
    core.handshakes(work.before, f"the start of {work.name}")
    pipes = [NUMBER[part.pipe] for part in work.cost.parts]
    start, cause, via = 0.0, NOTHING, None
    for pipe in pipes:
        if core.free[pipe] > start:
            start, cause, via = core.free[pipe], core.last[pipe], None
        if core.ready[pipe] > start:
            start, (cause, via) = core.ready[pipe], core.why[pipe]
    for pipe, part in zip(pipes, work.cost.parts, strict=True):
        cycles = duration(part)
        if not core.streaming[pipe]:
            core.streaming[pipe] = True
            cycles += work.cost.first
        number = len(timeline.slices)
        for source, label, raised, awaited in core.arrows[pipe]:
            if source != NOTHING:
                timeline.arrows.append(Arrow(source, number, label, raised, awaited))
        core.arrows[pipe].clear()
        free = core.free[pipe]
        # Two parts on one pipe, as an atomic store has, follow each other.
        begin, why = (free, (core.last[pipe], None)) if free > start else (start, (cause, via))
        end = begin + cycles
        timeline.slices.append(Slice(work, event.actor, part.pipe, begin, end, event.iterations, free, *why))
        core.free[pipe], core.last[pipe] = end, number
    core.handshakes(work.after, f"the end of {work.name}")


def _key_text(key: Hashable) -> str:
    return str(key).strip("()").replace("'", "").replace(",", "")
