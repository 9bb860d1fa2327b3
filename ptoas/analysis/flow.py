"""Following a function through branches and loops.

A walk carries a state from operation to operation; where ways meet, states are joined, and a loop is walked
until its state no longer changes, so that what the end of a turn leaves behind is seen by the next turn.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import reduce
from typing import Generic, TypeVar

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region

from ptoas.analysis.constants import Constants

S = TypeVar("S")


class ForwardAnalysis(ABC, Generic[S]):
    """An analysis in program order. `visit` reports only while `reporting` is true."""

    def __init__(self, constants: Constants):
        self.constants = constants
        self._silent = 0
        self._heads: dict[Operation, S] = {}
        """The state before every turn of a loop, as far as it is known."""
        self._steps: dict[Block, list[Operation]] = {}
        """The operations of a block that concern the analysis; a loop's are walked several times."""

    @property
    def reporting(self) -> bool:
        return self._silent == 0

    @abstractmethod
    def copy(self, state: S) -> S: ...

    @abstractmethod
    def join(self, a: S, b: S) -> S: ...

    @abstractmethod
    def visit(self, op: Operation, state: S) -> None:
        """Change the state as the operation does; regions are walked by the caller."""

    @abstractmethod
    def concerns(self, op: Operation) -> bool:
        """Whether the operation can change a state; what has regions is walked in any case."""

    def region(self, region: Region, state: S) -> S:
        """The state after a region that is entered with `state`."""
        blocks = list(region.blocks)
        if len(blocks) == 1:
            return self.block(blocks[0], state)
        return self._graph(blocks, state) if blocks else state

    def block(self, block: Block, state: S) -> S:
        steps = self._steps.get(block)
        if steps is None:
            steps = self._steps[block] = [op for op in block.ops if op.regions or self.concerns(op)]
        for op in steps:
            self.visit(op, state)
            if op.regions:
                state = self._structured(op, state)
        return state

    def _graph(self, blocks: list[Block], state: S) -> S:
        """A region of several blocks: each is walked until what flows into it is stable."""
        into: dict[Block, S] = {blocks[0]: state}
        ends: S | None = None
        self._silent += 1
        work = [blocks[0]]
        while work:
            block = work.pop()
            out = self.block(block, self.copy(into[block]))
            last = block.last_op
            for successor in last.successors if last is not None else ():
                joined = self.join(into[successor], out) if successor in into else self.copy(out)
                if successor not in into or joined != into[successor]:
                    into[successor] = joined
                    work.append(successor)
        self._silent -= 1
        for block in blocks:
            if block not in into:
                continue
            out = self.block(block, self.copy(into[block]))
            if block.last_op is None or not block.last_op.successors:
                ends = out if ends is None else self.join(ends, out)
        return state if ends is None else ends

    def _structured(self, op: Operation, state: S) -> S:
        match op:
            case scf.ForOp():
                return self._loop(op, [op.body], state, runs=self._runs(op))
            case scf.WhileOp():
                return self._loop(op, [op.before_region, op.after_region], state, runs=True)
            case scf.IfOp():
                ways = [self.region(op.true_region, self.copy(state))]
                ways.append(self.region(op.false_region, self.copy(state)))
                return self.join(*ways)
            case scf.IndexSwitchOp():
                ways = [self.region(region, self.copy(state)) for region in op.regions]
                return reduce(self.join, ways)
            case scf.ExecuteRegionOp():
                return self.region(op.region, state)
            case _:
                for region in op.regions:
                    state = self.join(state, self.region(region, self.copy(state)))
                return state

    def _loop(self, loop: Operation, body: list[Region], state: S, runs: bool) -> S:
        """A loop inside a loop is met again, with a state that has only grown: it goes on from where its own
        turns were stable before. Beginning anew each time would double the work with every loop inside."""
        known = self._heads.get(loop)
        head = self.copy(state) if known is None else self.join(known, state)
        if not self.reporting:
            head, left = self._settle(body, head)
            self._heads[loop] = head
            return left if runs else self.join(state, left)
        if head != known:
            self._silent += 1
            head, _ = self._settle(body, head)
            self._silent -= 1
        left, _ = self._turn(body, self.copy(head))
        return left if runs else self.join(state, left)

    def _settle(self, body: list[Region], head: S) -> tuple[S, S]:
        """The state before every turn, once no turn changes it any more, and the one in which one leaves."""
        while True:
            left, out = self._turn(body, self.copy(head))
            merged = self.join(head, out)
            if merged == head:
                return head, left
            head = merged

    def _turn(self, body: list[Region], state: S) -> tuple[S, S]:
        """One turn: the state in which the loop would be left, and the one before the next turn."""
        left = state = self.region(body[0], state)
        for region in body[1:]:
            # `scf.while` is left after its first region.
            left = self.copy(state)
            state = self.region(region, state)
        return left, state

    def _runs(self, op: scf.ForOp) -> bool:
        """Whether the loop certainly has a first turn."""
        first, end = self.constants.constant(op.lb), self.constants.constant(op.ub)
        return first is not None and end is not None and first < end
