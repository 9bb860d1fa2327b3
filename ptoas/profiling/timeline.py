"""Start of each instruction: when its pipe is free, it is issued, and all its dependences are done.

Every pipe of a core is a lane that does one thing at a time, in order. The scalar unit hands the
instructions to the pipes, one after the other. A flag carries the end of what its source pipe was given to
its target pipe, a barrier to all; handshakes inside instructions do the same, and what one core releases and
another acquires. Nothing else waits: a missing flag is not visible here, it is what `run` reports.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from enum import Enum

from xdsl.ir import Operation

from ptoas.analysis.clocks import NUMBER, PIPES
from ptoas.analysis.sync_actions import SlotKey
from ptoas.dialects.pto.enums import Pipe
from ptoas.profiling.dependences import Dependences
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

PIPE_NAMES = {pipe: pipe.value.removeprefix("PIPE_") for pipe in LANES}
"""The one name of each pipe in texts, tables and pictures."""

NOTHING = -1
SCALAR = NUMBER[Pipe.PIPE_S]


class Ordering(Enum):
    """Causes of waits besides the pipe, the issue and other cores."""

    FLAGS = "flags and barriers"
    DATA = "the data that it reads, and the bytes that it fills"
    FRESH = "the data that it reads: as if every write found bytes of its own"


class Cause(Enum):
    """Causes of a start besides the pipe, flags and barriers."""

    ISSUE = "the scalar unit"
    HANDSHAKE = "a handshake of an instruction"
    FENCE = "a fence"
    DATA = "data"
    REUSE = "bytes in use"
    CORE_DATA = "data of another core"
    CORE_SLOT = "a slot that another core frees"


Via = Operation | Cause | None
"""The flag or barrier that was waited for, or a cause; `None`: the pipe itself."""


@dataclass(slots=True, eq=False)
class Slice:
    """One pipe's part of an executed instruction."""

    work: Work
    actor: ActorKey
    pipe: Pipe
    start: float
    end: float
    iterations: tuple[int, ...]
    free: float
    """The time since which the pipe had been free."""
    cause: int
    """The slice whose end it started at; -1: none."""
    via: Via
    """See `Via`."""

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
class ScalarTime:
    """Time of a core's scalar unit that is in no slice."""

    issuing: float = 0.0
    waiting: dict[Via, float] = field(default_factory=dict["Via", float])
    """Stall cycles by reason."""
    end: float = 0.0


def _in_order(lane: tuple[ActorKey, Pipe]) -> tuple[ActorKey, int]:
    """The key that sorts lanes by core, and those of a core as data flows through them."""
    actor, pipe = lane
    return actor, LANES.index(pipe)


@dataclass
class Timeline:
    """The lanes of all cores."""

    slices: list[Slice] = field(default_factory=list[Slice])
    arrows: list[Arrow] = field(default_factory=list[Arrow])
    total: float = 0.0

    scalar: dict[ActorKey, ScalarTime] = field(default_factory=dict["ActorKey", "ScalarTime"])

    def actors(self) -> list[ActorKey]:
        return sorted({each.actor for each in self.slices})

    def lanes(self) -> dict[tuple[ActorKey, Pipe], list[Slice]]:
        """The slices of each pipe of each core, in the order of data flow."""
        found: dict[tuple[ActorKey, Pipe], list[Slice]] = {}
        for each in self.slices:
            found.setdefault((each.actor, each.pipe), []).append(each)
        return {lane: found[lane] for lane in sorted(found, key=_in_order)}

    def busy(self) -> dict[tuple[ActorKey, Pipe], float]:
        """Cycles that each pipe works; the scalar unit also works when it issues."""
        found = {lane: sum(each.cycles for each in slices) for lane, slices in self.lanes().items()}
        for actor, scalar in self.scalar.items():
            lane = actor, Pipe.PIPE_S
            found[lane] = found.get(lane, 0.0) + scalar.issuing
        return {lane: found[lane] for lane in sorted(found, key=_in_order)}

    def critical_numbers(self) -> list[int]:
        """The numbers of the slices that lead to the end, from the first on."""
        if not self.slices:
            return []
        at = max(range(len(self.slices)), key=lambda n: self.slices[n].end)
        found: list[int] = []
        while at != NOTHING:
            found.append(at)
            at = self.slices[at].cause
        return found[::-1]

    def critical(self) -> list[Slice]:
        """These slices; between them is nothing but issue, fences, and waits of the scalar unit."""
        return [self.slices[n] for n in self.critical_numbers()]


@dataclass
class _Core:
    """State of the pipes of one core during the simulation."""

    scalar: ScalarTime
    free: list[float] = field(default_factory=lambda: [0.0] * len(PIPES))
    ready: list[float] = field(default_factory=lambda: [0.0] * len(PIPES))
    last: list[int] = field(default_factory=lambda: [NOTHING] * len(PIPES))
    why: list[tuple[int, Via]] = field(default_factory=lambda: [(NOTHING, None)] * len(PIPES))
    """The slice, and the operation, after which a pipe may continue."""
    streaming: list[bool] = field(default_factory=lambda: [False] * len(PIPES))
    flags: dict[Hashable, tuple[float, int, Operation]] = field(
        default_factory=dict[Hashable, tuple[float, int, Operation]]
    )
    arrows: list[list[tuple[int, str, Operation | None, Operation | None]]] = field(
        default_factory=lambda: [[] for _ in PIPES]
    )
    """Waits of each pipe that its next slice shows."""
    held: Via = Cause.ISSUE
    """Last wait of the scalar unit; everything that it issued since then is late for that reason."""

    def done(self, pipe: int) -> tuple[float, int]:
        """The time when a pipe has completed and awaited all its work, and the slice that ends then."""
        if self.free[pipe] >= self.ready[pipe]:
            return self.free[pipe], self.last[pipe]
        return self.ready[pipe], self.why[pipe][0]

    def all_done(self) -> tuple[float, int]:
        return max(self.done(pipe) for pipe in range(len(PIPES)))

    def wait(self, pipe: int, time: float, slice: int, via: Via) -> None:
        if time > self.ready[pipe]:
            self.ready[pipe] = time
            self.why[pipe] = (slice, via)

    def barrier_all(self, via: Via, cycles: float = 0.0) -> None:
        """Every pipe waits for all."""
        time, slice = self.all_done()
        for pipe in range(len(PIPES)):
            self.wait(pipe, time + cycles, slice, via)

    def handshakes(self, pairs: Iterable[tuple[Pipe, Pipe]]) -> None:
        for source, target in pairs:
            if Pipe.PIPE_ALL in (source, target):
                self.barrier_all(Cause.HANDSHAKE)
            else:
                self.wait(NUMBER[target], *self.done(NUMBER[source]), Cause.HANDSHAKE)

    def issue(self, cycles: float) -> None:
        """The scalar unit works on an instruction, a flag or a barrier, after what it waits for itself."""
        waits = self.ready[SCALAR] - self.free[SCALAR]
        if waits > 0:
            slice, via = self.why[SCALAR]
            self.scalar.waiting[via] = self.scalar.waiting.get(via, 0.0) + waits
            self.free[SCALAR], self.last[SCALAR], self.held = self.ready[SCALAR], slice, via
        self.free[SCALAR] += cycles
        self.scalar.issuing += cycles
        self.scalar.end = self.free[SCALAR]


Duration = Callable[[Work, PipeWork], float]


def middle(_: Work, part: PipeWork) -> float:
    """The cycles of a part that are neither the least nor the most of its range."""
    return part.cycles


class Simulation:
    """One walk over a trace that gives every instruction its time."""

    def __init__(self, trace: Trace, duration: Duration, order: Ordering, needs: Dependences | None):
        self.trace, self.duration, self.order, self.needs = trace, duration, order, needs
        self.chip = trace.table.chip
        self.timeline = Timeline()
        self.cores: dict[ActorKey, _Core] = {}
        self.released: dict[Hashable, dict[ActorKey, tuple[float, int]]] = {}

    def run(self) -> Timeline:
        for event in self.trace.events:
            core = self.cores.get(event.actor)
            if core is None:
                scalar = self.timeline.scalar[event.actor] = ScalarTime()
                core = self.cores[event.actor] = _Core(scalar)
            self._event(core, event)
        timeline = self.timeline
        ends = (*(each.end for each in timeline.slices), *(each.end for each in timeline.scalar.values()))
        timeline.total = max(ends, default=0.0)
        return timeline

    def _event(self, core: _Core, event: TraceEvent) -> None:
        subject = event.subject
        match event.what:
            case What.WORK:
                self._work(core, event)
            case What.SET | What.WAIT | What.BARRIER:
                core.issue(self.chip.flag)
                if self.order is Ordering.FLAGS:
                    self._flag(core, event)
            case What.FENCE:
                core.barrier_all(Cause.FENCE, self.chip.fence)
            case What.RELEASE:
                key, source = subject
                done = core.all_done() if source is None else core.done(NUMBER[source])
                self.released.setdefault(key, {})[event.actor] = done
            case What.ACQUIRE:
                self._acquire(core, event)

    def _flag(self, core: _Core, event: TraceEvent) -> None:
        subject = event.subject
        match event.what:
            case What.SET:
                core.flags[subject.key] = (*core.done(NUMBER[subject.pipe]), subject.op)
            case What.WAIT:
                time, slice, raised = core.flags.pop(subject.key, (0.0, NOTHING, subject.op))
                pipe = NUMBER[subject.pipe]
                core.wait(pipe, time, slice, subject.op)
                core.arrows[pipe].append((slice, str(subject.key), raised, subject.op))
            case _ if subject.drained is Pipe.PIPE_ALL:
                core.barrier_all(subject)
            case _:
                pass

    def _acquire(self, core: _Core, event: TraceEvent) -> None:
        key: Hashable = event.subject[0]
        target: Pipe | None = event.subject[1]
        others = (done for actor, done in self.released.get(key, {}).items() if actor != event.actor)
        time, slice = max(others, default=(0.0, NOTHING))
        frees = isinstance(key, SlotKey) and not key.filled
        for pipe in range(len(PIPES)) if target is None else (NUMBER[target],):
            core.wait(pipe, time, slice, Cause.CORE_SLOT if frees else Cause.CORE_DATA)
        if slice != NOTHING:
            pipe = NUMBER[target or Pipe.PIPE_S]
            core.arrows[pipe].append((slice, _key_text(key), None, None))

    def _work(self, core: _Core, event: TraceEvent) -> None:
        work: Work = event.subject
        slices = self.timeline.slices
        core.handshakes(work.before)
        core.issue(self.chip.issue)
        pipes = [NUMBER[part.pipe] for part in work.cost.parts]
        start, cause, via = core.free[SCALAR], core.last[SCALAR], core.held
        for pipe in pipes:
            if core.free[pipe] >= start and pipe != SCALAR:
                start, cause, via = core.free[pipe], core.last[pipe], None
            if core.ready[pipe] > start:
                start, (cause, via) = core.ready[pipe], core.why[pipe]
        if self.needs is not None and self.order is not Ordering.FLAGS:
            number = len(slices)
            for need in self.needs.data[number]:
                if slices[need].end > start:
                    start, cause, via = slices[need].end, need, Cause.DATA
            for need in self.needs.reuse[number] if self.order is Ordering.DATA else ():
                if slices[need].end > start:
                    start, cause, via = slices[need].end, need, Cause.REUSE
        for pipe, part in zip(pipes, work.cost.parts, strict=True):
            cycles = self.duration(work, part)
            if not core.streaming[pipe]:
                core.streaming[pipe] = True
                cycles += work.cost.first
            number = len(slices)
            for source, label, raised, awaited in core.arrows[pipe]:
                if source != NOTHING:
                    self.timeline.arrows.append(Arrow(source, number, label, raised, awaited))
            core.arrows[pipe].clear()
            free = core.free[pipe]
            # Two parts on one pipe, as an atomic store has, follow each other.
            begin, why = (free, (core.last[pipe], None)) if free > start else (start, (cause, via))
            end = begin + cycles
            slices.append(Slice(work, event.actor, part.pipe, begin, end, event.iterations, free, *why))
            core.free[pipe], core.last[pipe] = end, number
            if pipe == SCALAR:
                core.held = Cause.ISSUE
        core.handshakes(work.after)


def simulate(
    trace: Trace,
    duration: Duration = middle,
    order: Ordering = Ordering.FLAGS,
    needs: Dependences | None = None,
) -> Timeline:
    """Give every instruction of a trace its time; another order than that of flags needs the dependences."""
    return Simulation(trace, duration, order, needs).run()


def _key_text(key: Hashable) -> str:
    return str(key).strip("()").replace("'", "").replace(",", "")
