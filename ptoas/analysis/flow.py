"""Forward data-flow analysis over branches, loops and blocks.

A walk carries a state from operation to operation; where paths meet, states are joined. The outermost loop is
walked until the entry state of no loop and no block in it changes any more. Each walk takes every loop inside
once, so the number of walks does not depend on how deep loops are nested: what a loop leaves behind flows
outwards within one walk, and inwards within the next.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable
from functools import reduce
from typing import Generic, TypeVar

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region

from ptoas.analysis.constants import Constants

S = TypeVar("S")


class ForwardAnalysis(ABC, Generic[S]):
    """Analysis in program order. `visit` reports only while `reporting` is true: once for each operation."""

    def __init__(self, constants: Constants):
        self.constants = constants
        self.reporting = True
        self._entry: dict[tuple[Operation | Block, Hashable], S] = {}
        """Join of the states in which a loop body or a block was entered so far, by the context."""
        self._in_cycle = False
        self._stable = True
        """False if an entry state has changed during this walk."""
        self._steps: dict[Block, list[Operation]] = {}
        """The operations of a block that concern the analysis; a loop's are walked several times."""

    @abstractmethod
    def copy(self, state: S) -> S: ...

    @abstractmethod
    def join(self, a: S, b: S) -> S: ...

    @abstractmethod
    def visit(self, op: Operation, state: S) -> None:
        """Change the state as the operation does; regions are walked by the caller."""

    @abstractmethod
    def concerns(self, op: Operation) -> bool:
        """Return True if the operation can change a state; operations with regions are always walked."""

    def start(self, _loop: Operation, state: S, /) -> S:
        """Return the state before the first iteration of a loop; the argument is not changed."""
        return state

    def repeat(self, _loop: Operation, state: S, /) -> S:
        """The state as the next iteration of a loop sees it."""
        return state

    def context(self) -> Hashable:
        """States are joined for equal contexts only."""
        return None

    def taken(self, _branch: scf.IfOp, /) -> bool | None:
        """Return the condition of a branch, None if it is not known."""
        return None

    def region(self, region: Region, state: S) -> S:
        """The state after a region that is entered with `state`."""
        blocks = list(region.blocks)
        if len(blocks) == 1:
            return self.block(blocks[0], state)
        return self._settled(lambda: self._graph(blocks, state)) if blocks else state

    def block(self, block: Block, state: S) -> S:
        steps = self._steps.get(block)
        if steps is None:
            steps = self._steps[block] = [op for op in block.ops if op.regions or self.concerns(op)]
        for op in steps:
            self.visit(op, state)
            if op.regions:
                state = self.structured(op, state)
        return state

    def _settled(self, walk: Callable[[], S]) -> S:
        """Repeat the walk of an outermost loop silently until it is stable, then report."""
        if self._in_cycle:
            return walk()
        self._in_cycle, self.reporting, self._stable = True, False, False
        while not self._stable:
            self._stable = True
            walk()
        self.reporting = True
        left = walk()
        self._in_cycle = False
        return left

    def _enter(self, where: Operation | Block, state: S) -> S:
        """Join `state` into the entry state of a loop body or block, and return a copy of that."""
        key = where, self.context()
        known = self._entry.get(key)
        joined = self.copy(state) if known is None else self.join(known, state)
        if known is None or joined != known:
            self._entry[key] = joined
            self._stable = False
        return self.copy(self._entry[key])

    def _graph(self, blocks: list[Block], state: S) -> S:
        """Walk each block that is reached of a region of several blocks; return the state at its ends."""
        self._enter(blocks[0], state)
        ends: S | None = None
        for block in blocks:
            entry = self._entry.get((block, self.context()))
            if entry is None:
                continue
            out = self.block(block, self.copy(entry))
            successors = block.last_op.successors if block.last_op is not None else ()
            for successor in successors:
                self._enter(successor, out)
            if not successors:
                ends = out if ends is None else self.join(ends, out)
        return state if ends is None else ends

    def structured(self, op: Operation, state: S) -> S:
        """Return the state after an operation with regions that is entered with `state`."""
        match op:
            case scf.ForOp() | scf.WhileOp() | scf.ParallelOp():
                return self.loop(op, state)
            case scf.IfOp() if (taken := self.taken(op)) is not None:
                return self.region(op.true_region if taken else op.false_region, state)
            case scf.IfOp() | scf.IndexSwitchOp():
                return self.branches(op.regions, state)
            case scf.ExecuteRegionOp():
                return self.region(op.region, state)
            case _:
                for region in op.regions:
                    state = self.join(state, self.region(region, self.copy(state)))
                return state

    def branches(self, regions: Iterable[Region], state: S) -> S:
        """Return the state after one of several regions."""
        return reduce(self.join, [self.region(region, self.copy(state)) for region in regions])

    def loop(self, loop: Operation, state: S) -> S:
        """Return the state after a loop."""

        def walk() -> S:
            left, out = self.turn(loop, self._enter(loop, self.start(loop, state)))
            self._enter(loop, self.repeat(loop, out))
            return left

        left = self._settled(walk)
        return left if certainly_runs(loop, self.constants) else self.join(state, left)

    def turn(self, loop: Operation, state: S) -> tuple[S, S]:
        """Walk a loop body once; return the state in which the loop ends and that before the next turn."""
        left = state = self.region(loop.regions[0], state)
        for region in loop.regions[1:]:
            # `scf.while` is left after its first region.
            left = self.copy(state)
            state = self.region(region, state)
        return left, state


def certainly_runs(loop: Operation, constants: Constants) -> bool:
    """Return True if the body of a loop, or the condition of an `scf.while`, runs at least once."""
    if not isinstance(loop, scf.ForOp):
        return isinstance(loop, scf.WhileOp)
    first, end = constants.constant(loop.lb), constants.constant(loop.ub)
    return first is not None and end is not None and first < end
