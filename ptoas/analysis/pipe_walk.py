"""Walk over a function whose instructions access memory and whose sync actions order pipes.

`verify` (`ptoas.analysis.sync_flow`) and `insert-sync` (`ptoas.lowering.synchroniser`) are this walk with
two states. Both have one record for each access that some pipe may still be busy with, and differ in what
they record, because `verify` follows flags that are there and `insert-sync` decides where flags should have
been:

    A: tload    (MTE2)
    B: tload    (MTE2)
    C: texp     (V) reads what A has loaded

At C, `insert-sync` raises a flag between A and B, an operation that the walk has passed. To know which
accesses that flag orders, its record has the time since which each pipe knows of the access: A, but not B.
`verify` needs no past, since a flag is raised where it stands. It must join paths that have raised one flag
at different places, to which no single time belongs; so its record is the set of pipes and raised flags
that come after the access on every path. Sets are also few, so that accesses with equal sets change as one
group.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Protocol, Self, TypeVar

from xdsl.ir import Operation, SSAValue

from ptoas.analysis.effects import Effects, Pair
from ptoas.analysis.flow import ForwardAnalysis
from ptoas.analysis.function import FunctionFacts
from ptoas.analysis.order import Accesses, PipeModel, StaticAccess
from ptoas.analysis.phases import Phases
from ptoas.analysis.structure import of_kinds
from ptoas.analysis.sync_actions import Acquire, Action, Barrier, Release, is_sync_op, sync_action
from ptoas.dialects.pto.instruction import PtoOp


class PipeState(Protocol):
    """Knowledge that pipes have of the accesses so far."""

    def copy(self) -> Self: ...

    def join(self, other: Self) -> Self:
        """Return what holds on both of two paths."""
        ...

    def renamed(self, names: Mapping[StaticAccess, StaticAccess]) -> Self:
        """Return the same state under other names; of two that get one name, what holds for both."""
        ...


S = TypeVar("S", bound=PipeState)


class PipeWalk(ForwardAnalysis[S]):
    """The accesses of a function on a target, in the order in which its pipes are given them.

    `unsure` says whether two places count as overlapping where that is not known: what inserts flags, and a
    proof that none is missing, must assume it, what reports missing ones must not.
    """

    def __init__(self, facts: FunctionFacts, target: PipeModel, unsure: bool):
        super().__init__(facts.knowledge)
        self.facts = facts
        self.target = target
        self.effects = partial(facts.effects, target=target)
        phases = Phases(facts.ops, facts.knowledge)
        ops = of_kinds(facts.ops, PtoOp)
        self.accesses = Accesses(ops, target, self.effects, facts.places, phases, unsure)

    def number(self, value: SSAValue) -> int | None:
        """Return the integer that a value is now, None if it is unknown."""
        return self.facts.knowledge.constant(value)

    # --- what instructions and sync actions do to a state ---

    @abstractmethod
    def access(self, op: Operation, touches: Sequence[StaticAccess], effects: Effects, state: S) -> None:
        """Check the accesses of an instruction, and add them to those in flight."""

    @abstractmethod
    def handshake(self, pair: Pair, state: S) -> None:
        """Order the second pipe after the first; of one pipe twice, a barrier."""

    @abstractmethod
    def release(self, op: Operation, action: Release, state: S) -> None: ...

    @abstractmethod
    def acquire(self, op: Operation, action: Acquire, state: S) -> None: ...

    # --- the walk ---

    def copy(self, state: S) -> S:
        return state.copy()

    def join(self, a: S, b: S) -> S:
        return a.join(b)

    def start(self, loop: Operation, state: S, /) -> S:
        names = self.accesses.next_run(loop)
        return state.renamed(names) if names else state

    def repeat(self, loop: Operation, state: S, /) -> S:
        names = self.accesses.next_iteration(loop)
        return state.renamed(names) if names else state

    def concerns(self, op: Operation) -> bool:
        return op in self.accesses.of or is_sync_op(op.__class__)

    def visit(self, op: Operation, state: S) -> None:
        touches = self.accesses.of.get(op)
        if touches is not None:
            effects = self.accesses.does[op]
            for pair in effects.before:
                self.handshake(pair, state)
            self.access(op, touches, effects, state)
            for pair in effects.after:
                self.handshake(pair, state)
        elif is_sync_op(op.__class__):
            self._order(op, state)

    def action(self, op: Operation) -> Action | None:
        return sync_action(op, self.number, self.effects)

    def _order(self, op: Operation, state: S) -> None:
        match self.action(op):
            case Barrier(pipe):
                self.handshake((pipe, pipe), state)
            case Release() as action:
                self.release(op, action, state)
            case Acquire() as action:
                self.acquire(op, action, state)
            case None:
                pass
