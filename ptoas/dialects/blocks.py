"""Bodies of several blocks: what a branch hands to them, and which of them come before others for certain."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import cf
from xdsl.ir import Block, Operation, SSAValue


def successor_operands(op: Operation) -> list[Sequence[SSAValue]]:
    """The operands that a branch passes to each of its successors, in order; none for an unknown branch."""
    match op:
        case cf.BranchOp():
            return [op.arguments]
        case cf.ConditionalBranchOp():
            return [op.then_arguments, op.else_arguments]
        case cf.SwitchOp():
            return [op.default_operands, *op.case_operand]
        case _:
            return []


class Dominance:
    """Dominance of the blocks of a region.

    Cooper, Harvey and Kennedy's iteration over immediate dominators: a few passes, whatever the number of
    blocks. xDSL's `DominanceInfo` keeps a set of blocks for each block, so that it grows with the square of
    their number, and it counts ways from blocks that are never reached.
    """

    def __init__(self, blocks: Sequence[Block]):
        self._number: dict[Block, int] = {}
        """Blocks that can be reached, numbered so that one comes before those that it leads to."""
        for at, block in enumerate(reversed(_finished(blocks[0]))):
            self._number[block] = at
        ordered = list(self._number)
        before: list[list[int]] = [[] for _ in ordered]
        for at, block in enumerate(ordered):
            for successor in _successors(block):
                before[self._number[successor]].append(at)
        self._above = [0] + [-1] * (len(ordered) - 1)
        changed = True
        while changed:
            changed = False
            for at in range(1, len(ordered)):
                known = [each for each in before[at] if self._above[each] >= 0]
                above = known[0]
                for other in known[1:]:
                    above = self._common(above, other)
                if self._above[at] != above:
                    self._above[at], changed = above, True

    def _common(self, a: int, b: int) -> int:
        while a != b:
            if a > b:
                a = self._above[a]
            else:
                b = self._above[b]
        return a

    def dominates(self, first: Block, second: Block) -> bool:
        """Return True if every path from the entry to `second` passes `first`, or if there is no path."""
        at, first_number = self._number.get(second), self._number.get(first)
        if at is None:
            return True
        if first_number is None:
            return False
        while at > first_number:
            at = self._above[at]
        return at == first_number


def _successors(block: Block) -> Sequence[Block]:
    return block.last_op.successors if block.last_op is not None else ()


def _finished(entry: Block) -> list[Block]:
    """Blocks in the order in which a walk in depth is done with them.

    xDSL's `PostOrderIterator` marks blocks when they are first named, not when they are entered, so that one
    may come before a block that it leads to.
    """
    done: list[Block] = []
    seen = {entry}
    stack = [(entry, iter(_successors(entry)))]
    while stack:
        block, rest = stack[-1]
        following = next((each for each in rest if each not in seen), None)
        if following is None:
            done.append(block)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(_successors(following))))
    return done
