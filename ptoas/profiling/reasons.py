"""Reasons of flags and barriers: the first pair of conflicting accesses that only they order.

A walk over the trace keeps the clocks of `analysis.clocks`, and which wait taught a pipe what it knows. Where
an access needs one before it, the wait that brought the news has a reason, and so have those that handed it
on. A wait that never has one orders nothing in this run.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Operation

from ptoas.analysis.clocks import NOTHING, NUMBER, PIPES, Clocks
from ptoas.analysis.order import in_program_order
from ptoas.dialects.pto.enums import Pipe
from ptoas.dialects.pto.sync import DrainOp
from ptoas.machine.errors import line_of
from ptoas.profiling.dependences import LatestAccesses
from ptoas.profiling.record import ActorKey, Trace, TraceEvent, What
from ptoas.profiling.work import GM, PipeOperand, Work
from ptoas.targets import Target


@dataclass(frozen=True)
class Reason:
    """Two accesses that have to come one after the other."""

    first: Work
    second: Work
    earlier: PipeOperand
    later: PipeOperand

    @property
    def names(self) -> tuple[str, str]:
        """The tile or argument at each access: the first may work on another tile over the same bytes."""
        return self.earlier.operand.name, self.later.operand.name

    def text(self) -> str:
        """`tload (line 5) writes %a before tadd (line 7) reads it`."""
        one, two = (f"{work.name} (line {work.line})" for work in (self.first, self.second))
        verbs = ["writes" if touch.write else "reads" for touch in (self.earlier, self.later)]
        known_as, name = self.names
        if known_as != name:
            return f"{one} {verbs[0]} %{known_as} before {two} {verbs[1]} %{name} in its bytes"
        return f"{one} {verbs[0]} %{name} before {two} {verbs[1]} it"


@dataclass
class Sync:
    """A wait or a barrier of the program and its effect in the run."""

    op: Operation
    raised: Operation | None = None
    executions: int = 0
    reasons: dict[tuple[Operation, Operation], Reason] = field(
        default_factory=dict[tuple[Operation, Operation], Reason]
    )
    delay: float = 0.0
    """Cycles that pipes waited for it."""
    cost: float = 0.0
    """Its share of the time above what data alone needs."""

    def best(self) -> list[Reason]:
        """The reasons by importance: those about tiles first, then reads after writes."""

        def worth(each: Reason) -> tuple[bool, ...]:
            again = each.first.op is each.second.op
            same_pipe = each.first.pipe is each.second.pipe
            known_as, name = each.names
            return again, same_pipe, known_as != name, each.later.write, not each.earlier.write

        return sorted(self.reasons.values(), key=worth)

    @property
    def is_barrier(self) -> bool:
        return isinstance(self.op, DrainOp)

    @property
    def lines(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(line_of(op) for op in (self.raised, self.op) if op is not None))


_Step = tuple[int, int, "int | None"]
"""Known up to this time since then, from which pipe, and the number of the wait (`None`: a handshake)."""


class _Clocks(Clocks):
    """Vector clocks of the pipes of one core; each entry has the wait that raised it."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[list[list[_Step]]] = [[[] for _ in PIPES] for _ in PIPES]
        """`steps[q][p]`: how q got to know p, the times ascending."""
        self.flags: dict[object, tuple[list[int], int, Operation]] = {}
        self.log = LatestAccesses[tuple[int, Work]]()

    def learn_from(self, source: int, pipe: int, times: Sequence[int], sync: int | None) -> None:
        """Merge the clock of `source`, or the one at its flag, into a pipe's by a wait or a handshake."""
        for other, time in enumerate(times):
            known = self.settled[pipe] if other == pipe else self.own[pipe][other]
            if time > known:
                self.steps[pipe][other].append((time, source, sync))
        self.learn(pipe, times, NOTHING)

    def order(self, source: Pipe, target: Pipe, sync: int | None) -> None:
        """Order a pipe after another by a wait or a handshake; of PIPE_ALL, every pipe after every other."""
        if Pipe.PIPE_ALL not in (source, target):
            self.learn_from(NUMBER[source], NUMBER[target], self.own[NUMBER[source]], sync)
            return
        for number, clock in enumerate(self.own):
            # News of a pipe comes from that pipe, not from another that knows of it.
            own = [time if at == number else 0 for at, time in enumerate(clock)]
            for pipe in range(len(PIPES)):
                self.learn_from(number, pipe, own, sync)

    def known_from(self, pipe: int, other: int, time: int) -> Iterator[int]:
        """The waits that brought the news of `other` at `time` to `pipe`."""
        for _ in PIPES:
            steps = self.steps[pipe][other]
            at = bisect_left(steps, (time,))
            if at == len(steps):
                return
            _, source, sync = steps[at]
            if sync is not None:
                yield sync
            if source in (other, pipe):
                return
            pipe = source


class _Walk:
    """Walk over a trace: the order of the pipes of each core, and the waits that made it."""

    def __init__(self, target: Target):
        self.target = target
        self.found: dict[Operation, Sync] = {}
        self.executed: list[Sync] = []
        """Every execution of a wait or barrier."""
        self.cores: defaultdict[ActorKey, _Clocks] = defaultdict(_Clocks)

    def event(self, event: TraceEvent) -> None:
        core, subject = self.cores[event.actor], event.subject
        match event.what:
            case What.WORK:
                self.work(core, subject)
            case What.SET:
                source = NUMBER[subject.pipe]
                core.flags[subject.key] = (core.snapshot(source)[0], source, subject.op)
            case What.WAIT:
                target = NUMBER[subject.pipe]
                times, source, raised = core.flags.pop(subject.key, ([0] * len(PIPES), target, None))
                core.learn_from(source, target, times, self.sync(subject.op, raised))
            case What.BARRIER:
                core.order(subject.drained, subject.drained, self.sync(subject))
            case What.FENCE:
                core.order(Pipe.PIPE_ALL, Pipe.PIPE_ALL, None)
            case _:
                pass

    def sync(self, op: Operation, raised: Operation | None = None) -> int:
        """Count an execution of a wait or barrier; return its number."""
        sync = self.found.setdefault(op, Sync(op, raised))
        sync.executions += 1
        sync.raised = sync.raised or raised
        self.executed.append(sync)
        return len(self.executed) - 1

    def work(self, core: _Clocks, work: Work) -> None:
        for source, target in work.before:
            core.order(source, target, None)
        for touch in work.touches:
            for earlier, (time, first) in core.log.before(touch):
                if self.keeps_order(earlier, touch):
                    continue
                reason = Reason(first, work, earlier, touch)
                for number in core.known_from(NUMBER[touch.pipe], NUMBER[earlier.pipe], time):
                    self.executed[number].reasons.setdefault((first.op, work.op), reason)
        for pipe in {NUMBER[touch.pipe] for touch in work.touches}:
            core.own[pipe][pipe] += 1
        for touch in work.touches:
            pipe = NUMBER[touch.pipe]
            core.log.note(touch, (core.own[pipe][pipe], work))
        for source, target in work.after:
            core.order(source, target, None)

    def keeps_order(self, earlier: PipeOperand, touch: PipeOperand) -> bool:
        """Return True if a pipe keeps two accesses in order, or they may be windows that lie apart."""
        if earlier.pipe is touch.pipe and touch.operand.memory == GM:
            return True
        return in_program_order(self.target, earlier.access, touch.access)


def explain(trace: Trace) -> list[Sync]:
    """Every wait and barrier of the program, with its reasons."""
    walk = _Walk(trace.target)
    for event in trace.events:
        walk.event(event)
    return sorted(walk.found.values(), key=lambda sync: trace.order.get(sync.op, 0))
