"""Recording of a run, in order: instructions with operands, flags, barriers, synchronisation of cores."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ptoas.analysis.clocks import NUMBER
from ptoas.analysis.sync_actions import Acquire, Barrier, Release, SyncKey, sync_action
from ptoas.dialects.pto.enums import Pipe
from ptoas.dialects.pto.gather import IndexedMemoryOp
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.sync import FenceBarrierAllOp
from ptoas.machine.machine import Machine, Step
from ptoas.machine.memory import View
from ptoas.profiling.patterns import Patterns
from ptoas.profiling.work import Pricer, Work, operand_of, pipe_of, work_of
from ptoas.runner.observe import loops_around
from ptoas.runner.stats import cost_of
from ptoas.targets import Target
from ptoas.targets.costs import CostTable

EVENT_BYTES = 160

NEAR = 4096
"""Number of earlier events that are searched for a poll."""


class What(IntEnum):
    """Kinds of events."""

    WORK = 0
    SET = 1
    WAIT = 2
    BARRIER = 3
    RELEASE = 4
    ACQUIRE = 5
    FENCE = 6


ActorKey = tuple[int, int, int]
"""Rank, block, core."""


@dataclass(frozen=True, eq=False)
class TraceSignal:
    """A flag that is raised or awaited, or a buffer's token that is given or taken."""

    op: PtoOp
    pipe: Pipe
    """The pipe that raises it, or waits for it."""
    key: SyncKey


def signal_of(
    op: PtoOp, target: Target, number: int | None = None
) -> tuple[What, TraceSignal | Operation] | None:
    """Return the effect of a flag, barrier, token or event; `number` is the flag's event or the token that is
    chosen at run time.

    `None`: it orders no pipe.
    """
    if isinstance(op, FenceBarrierAllOp):
        return What.FENCE, op
    match sync_action(op, lambda _: number, target.effects):
        case Barrier(pipe) if pipe is Pipe.PIPE_ALL or pipe in NUMBER:
            return What.BARRIER, op
        case Release(pipe, key) if pipe in NUMBER:
            return What.SET, TraceSignal(op, pipe, key)
        case Acquire(pipe, key) if pipe in NUMBER:
            return What.WAIT, TraceSignal(op, pipe, key)
        case _:
            return None


class TraceEvent(NamedTuple):
    """An event of a run."""

    what: What
    subject: Any
    """The work; the signal; the operation of a barrier; key and pipe of a release or acquire."""
    actor: ActorKey
    iterations: tuple[int, ...] = ()
    """Iteration numbers of the enclosing loops."""


@dataclass
class Trace:
    """All that a run did."""

    target: Target
    table: CostTable
    events: list[TraceEvent] = field(default_factory=list[TraceEvent])
    patterns: Patterns | None = None
    order: dict[Operation, int] = field(default_factory=dict[Operation, int])
    """Operations of the program by their places."""
    module: ModuleOp | None = None
    """The program as it ran: placed and synchronised."""
    notes: list[str] = field(default_factory=list[str])
    """Assumptions of the recording."""

    def executed(self) -> Iterator[Work]:
        """The instructions in the order of the run, each as often as it was executed."""
        return (event.subject for event in self.events if event.what is What.WORK)


class Recorder:
    """Writes a trace while machines run; those of several blocks or ranks write one."""

    def __init__(self, target: Target, table: CostTable):
        self.trace = Trace(target, table, patterns=Patterns(target))
        self.pricer = Pricer(target, table)

    def number(self, module: ModuleOp) -> None:
        """Know the places of operations."""
        if self.trace.module is None:
            self.trace.module = module
            self.trace.order = {op: n for n, op in enumerate(module.walk())}

    def on(self, machine: Machine) -> Watcher:
        return Watcher(machine, self)


class Watcher:
    """Looks on at one machine."""

    moves = True

    def __init__(self, machine: Machine, recorder: Recorder):
        self.machine = machine
        self.recorder = recorder
        self.iterations: dict[Operation, int] = {}
        self._loops: dict[Operation, tuple[Operation, ...]] = {}
        self._held: list[TraceEvent] | None = None
        self._signals: dict[tuple[PtoOp, int | None], tuple[What, TraceSignal | Operation] | None] = {}
        self._works: dict[tuple[Operation, tuple[object, ...]], Work | None] = {}

    # --- instructions ---

    def watching(
        self, op: PtoOp, values: list[object], step: Step, run: Callable[..., None]
    ) -> Callable[..., None]:
        work = self._work(op, values)
        if work is None or step.idle:
            return run
        work.counted = work.counted or cost_of(op, self.machine.target, values)
        patterns = self.recorder.trace.patterns
        views = [
            (values[access.operand], access.write)
            for access in self.machine.target.effects(op).accesses
            if isinstance(values[access.operand], View)
        ]
        indexed = isinstance(op, IndexedMemoryOp)

        def observed(*scalars: Any) -> None:
            around, self._held = self._held, []
            run(*scalars)
            self._done(work, around)
            assert patterns is not None
            if indexed:
                assert isinstance(op, IndexedMemoryOp)
                patterns.indexed(op, values, step)
            else:
                moved = scalars[0] if scalars and isinstance(scalars[0], View) else None
                for view, write in views:
                    assert isinstance(view, View)
                    patterns.window(view, (moved or view).offset, write)

        return observed

    def watching_value(self, op: PtoOp, function: Callable[..., Any]) -> Callable[..., Any]:
        if pipe_of(op, self.machine.target) is None:
            return function
        polls = any(isinstance(loop, scf.WhileOp) for loop in loops_around(op))

        def observed(*values: Any) -> Any:
            work = self._work(op, [value if operand_of(value) else None for value in values])
            if work is None:
                return function(*values)
            around, self._held = self._held, []
            result = function(*values)
            if polls:
                self._forget_poll(work)
            self._done(work, around)
            return result

        return observed

    def _done(self, work: Work, around: list[TraceEvent] | None) -> None:
        """Publish the events that were held back during an instruction."""
        events, self._held = self._held, around
        self._note(What.WORK, work, work.loops, work.op)
        if events:
            self.recorder.trace.events += events

    def _forget_poll(self, work: Work) -> None:
        """An actor that loads the same scalar again and again waits: how often it looked is chance."""
        actor = self._actor()
        events = self.recorder.trace.events
        for at in range(len(events) - 1, max(-1, len(events) - NEAR), -1):
            event = events[at]
            if event.actor == actor and event.what is not What.ACQUIRE:
                if event.subject is work:
                    del events[at]
                return

    def _work(self, op: PtoOp, values: list[object]) -> Work | None:
        operands = [operand_of(value) for value in values]
        key = (op, tuple(operands))
        if key not in self._works:
            order = self.recorder.trace.order.get(op, 0)
            self._works[key] = work_of(op, self.recorder.pricer, operands, order, self._loops_of(op))
        return self._works[key]

    def _loops_of(self, op: Operation) -> tuple[Operation, ...]:
        found = self._loops.get(op)
        if found is None:
            found = self._loops[op] = loops_around(op)
        return found

    # --- order ---

    def synchronised(self, op: PtoOp, number: int | None = None) -> None:
        key = (op, number)
        if key not in self._signals:
            self._signals[key] = signal_of(op, self.machine.target, number)
        found = self._signals[key]
        if found is not None:
            self._note(*found, self._loops_of(op), op)

    def released(self, key: Hashable, pipe: Pipe | None) -> None:
        self._note(What.RELEASE, (key, pipe), (), None)

    def acquired(self, key: Hashable, pipe: Pipe | None) -> None:
        self._note(What.ACQUIRE, (key, pipe), (), None)

    def fenced(self) -> None:
        """`synchronised` has recorded the fence itself."""

    def _note(self, what: What, subject: object, loops: tuple[Operation, ...], op: Operation | None) -> None:
        self.machine.hold(EVENT_BYTES, op)
        iterations = tuple(map(self.iterations.__getitem__, loops)) if loops else ()
        held = self._held if what is What.RELEASE else None
        events = self.recorder.trace.events if held is None else held
        events.append(TraceEvent(what, subject, self._actor(), iterations))

    def _actor(self) -> ActorKey:
        actor = self.machine.actor
        return actor.rank, actor.block, actor.core
