"""Reasons of flags and barriers: the first pair of conflicting accesses that only they order.

A walk over the trace keeps the clocks of `analysis.clocks`, and which wait taught a pipe what it knows. Where
an access needs one before it, the wait that brought the news has a reason, and so have those that handed it
on. A wait that never has one orders nothing in this run.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Operation

from ptoas.analysis.clocks import NOTHING, NUMBER, PIPES, Clocks
from ptoas.dialects.pto.enums import Pipe
from ptoas.dialects.pto.sync import DrainOp
from ptoas.machine.errors import line_of
from ptoas.profiling.dependences import LatestAccesses
from ptoas.profiling.record import ActorKey, Trace, What
from ptoas.profiling.work import GM, PipeOperand, Work


@dataclass(frozen=True)
class Reason:
    """Two accesses that have to come one after the other."""

    first: Work
    second: Work
    name: str
    """The tile or argument, by its name at the second access."""
    wrote: bool
    writes: bool
    known_as: str
    """Its name for the first, which may work on another tile over the same bytes."""

    def text(self) -> str:
        """`tload (line 5) writes %a before tadd (line 7) reads it`."""
        one, two = (f"{work.name} (line {work.line})" for work in (self.first, self.second))
        verbs = ["writes" if write else "reads" for write in (self.wrote, self.writes)]
        if self.known_as != self.name:
            return f"{one} {verbs[0]} %{self.known_as} before {two} {verbs[1]} %{self.name} in its bytes"
        return f"{one} {verbs[0]} %{self.name} before {two} {verbs[1]} it"


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
            return again, same_pipe, each.known_as != each.name, each.writes, not each.wrote

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

    def finish(self, pipe: int, to: Iterable[int], sync: int | None) -> None:
        """Merge a pipe's own time, but not its knowledge of other pipes, into some pipes' clocks."""
        times = [0] * len(PIPES)
        times[pipe] = self.own[pipe][pipe]
        for target in to:
            self.learn_from(pipe, target, times, sync)

    def finish_all(self, sync: int | None) -> None:
        """Let every pipe acquire the work issued to all pipes so far."""
        for pipe in range(len(PIPES)):
            self.finish(pipe, range(len(PIPES)), sync)

    def handshake(self, source: Pipe, target: Pipe) -> None:
        if Pipe.PIPE_ALL in (source, target):
            self.finish_all(None)
        else:
            self.learn_from(NUMBER[source], NUMBER[target], self.own[NUMBER[source]], None)

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


def explain(trace: Trace) -> list[Sync]:
    """Every wait and barrier of the program, with its reasons."""
    found: dict[Operation, Sync] = {}
    executed: list[Sync] = []
    cores: dict[ActorKey, _Clocks] = {}
    overlapping = {NUMBER[pipe] for pipe in trace.target.overlapping_pipes}
    for event in trace.events:
        core = cores.get(event.actor)
        if core is None:
            core = cores[event.actor] = _Clocks()
        subject = event.subject
        match event.what:
            case What.WORK:
                _work(core, subject, executed, overlapping)
            case What.SET:
                source = NUMBER[subject.pipe]
                core.flags[subject.key] = (core.snapshot(source)[0], source, subject.op)
            case What.WAIT:
                target = NUMBER[subject.pipe]
                times, source, raised = core.flags.pop(subject.key, ([0] * len(PIPES), target, None))
                executed.append(_executed(found, subject.op, raised))
                core.learn_from(source, target, times, len(executed) - 1)
            case What.BARRIER:
                executed.append(_executed(found, subject, None))
                if subject.drained is Pipe.PIPE_ALL:
                    core.finish_all(len(executed) - 1)
                else:
                    core.finish(NUMBER[subject.drained], (NUMBER[subject.drained],), len(executed) - 1)
            case What.FENCE:
                core.finish_all(None)
            case _:
                pass
    return sorted(found.values(), key=lambda sync: trace.order.get(sync.op, 0))


def _executed(found: dict[Operation, Sync], op: Operation, raised: Operation | None) -> Sync:
    sync = found.setdefault(op, Sync(op, raised))
    sync.executions += 1
    sync.raised = sync.raised or raised
    return sync


def _work(core: _Clocks, work: Work, executed: list[Sync], overlapping: set[int]) -> None:
    for source, target in work.before:
        core.handshake(source, target)
    pipes = {NUMBER[touch.pipe] for touch in work.touches}
    for touch in work.touches:
        pipe = NUMBER[touch.pipe]
        for other, wrote, name, (time, first) in core.log.before(touch):
            if other == pipe and (pipe not in overlapping or _in_order(touch, first, work)):
                continue
            for number in core.known_from(pipe, other, time):
                key = (first.op, work.op)
                if key not in executed[number].reasons:
                    reason = Reason(first, work, touch.operand.name, wrote, touch.write, name)
                    executed[number].reasons[key] = reason
    for pipe in pipes:
        core.own[pipe][pipe] += 1
    for touch in work.touches:
        pipe = NUMBER[touch.pipe]
        core.log.note(touch, (core.own[pipe][pipe], work))
    for source, target in work.after:
        core.handshake(source, target)


def _in_order(touch: PipeOperand, first: Work, second: Work) -> bool:
    """Return True if a pipe executes two accesses in program order: loads are a queue (D26).

    The windows of an argument are not distinguished here, so they are not reported.
    """
    if touch.operand.memory == GM:
        return True
    return touch.pipe is Pipe.PIPE_MTE2 and all(
        any(each.operand.memory == GM and not each.write for each in work.touches) for work in (first, second)
    )
