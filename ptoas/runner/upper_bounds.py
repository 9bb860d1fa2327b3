"""Integers that are known before the run: how far loops, blocks and scalar arguments take a value."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from xdsl.dialects import arith, scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ptoas.dialects.pto.scalar import GetBlockIdxOp, GetBlockNumOp, GetSubblockIdxOp, GetSubblockNumOp
from ptoas.machine import scalars

NO_CALLERS: Mapping[SSAValue, SSAValue] = MappingProxyType({})


class UpperBounds:
    """The greatest value that an integer has, from constants, scalar arguments, blocks and loop bounds."""

    def __init__(
        self, given: dict[SSAValue, int], blocks: int, callers: Mapping[SSAValue, SSAValue] = NO_CALLERS
    ):
        self.known: dict[SSAValue, int | None] = dict(given)
        self.blocks = blocks
        self.callers = callers
        """For arguments of functions that are called from one place, what they are given there."""
        self._kept: dict[str, object] = {}

    # The two methods of a scope for expressions.

    def ref(self, value: SSAValue) -> str:
        number = self.value(value)
        if number is None:
            raise LookupError
        return f"({int(number)})"

    def keep(self, thing: object) -> str:
        name = f"k{len(self._kept)}"
        self._kept[name] = thing
        return name

    def value(self, value: SSAValue) -> int | None:
        if value in self.known:
            return self.known[value]
        self.known[value] = None
        found = self.known[value] = self._find(value)
        return found

    def _find(self, value: SSAValue) -> int | None:
        owner = value.owner
        if isinstance(owner, Block):
            return self._argument(value, owner)
        match owner:
            case arith.ConstantOp():
                number = scalars.constant_of(owner)
                return number if isinstance(number, int) else None
            case GetBlockIdxOp():
                return self.blocks - 1
            case GetBlockNumOp():
                return self.blocks
            case GetSubblockIdxOp():
                return 1
            case GetSubblockNumOp():
                return 2
            case _:
                return self._calculate(owner, value)

    def _calculate(self, op: Operation, value: SSAValue) -> int | None:
        try:
            texts = scalars.expressions(op, self)
        except LookupError:
            return None
        if texts is None:
            return None
        text = texts[next(n for n, result in enumerate(op.results) if result is value)]
        # The text is made of numbers and names of `scalars` alone.
        try:
            result = eval(text, {"__builtins__": {}}, {**self._kept})
        except Exception:
            return None
        return int(result) if isinstance(result, int) else None

    def _argument(self, value: SSAValue, block: Block) -> int | None:
        if value in self.callers:
            return self.value(self.callers[value])
        loop = block.parent_op()
        if not isinstance(loop, scf.ForOp) or not isinstance(value, BlockArgument) or value.index:
            return None
        lower, upper, step = (self.value(v) for v in (loop.lb, loop.ub, loop.step))
        if lower is None or upper is None or step is None or step <= 0 or upper <= lower:
            return None
        return lower + (upper - lower - 1) // step * step
