"""Integers that are known before the run: how far loops, blocks and scalar arguments take a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ptoas.analysis.constants import Constants
from ptoas.analysis.integers import Interval
from ptoas.dialects.pto.scalar import GetBlockIdxOp, GetBlockNumOp, GetSubblockIdxOp, GetSubblockNumOp

NO_CALLERS: Mapping[SSAValue, SSAValue] = MappingProxyType({})


def launch_ranges(blocks: int) -> dict[type[Operation | Block], Interval]:
    """The least and the greatest number that operations get from the launch."""
    return {
        GetBlockIdxOp: (0, blocks - 1),
        GetBlockNumOp: (blocks, blocks),
        GetSubblockIdxOp: (0, 1),
        GetSubblockNumOp: (2, 2),
    }


def loop_of(value: SSAValue) -> scf.ForOp | None:
    """The loop that counts in a value."""
    loop = value.block.parent_op() if isinstance(value, BlockArgument) and value.index == 0 else None
    return loop if isinstance(loop, scf.ForOp) else None


class UpperBounds(Constants):
    """The greatest value that an integer has, from constants, scalar arguments, blocks and loop bounds.

    It is calculated for the last turn of all loops at once: what is left behind an offset, and the offset,
    belong to one turn.
    """

    def __init__(
        self, given: dict[SSAValue, int], blocks: int, callers: Mapping[SSAValue, SSAValue] = NO_CALLERS
    ):
        super().__init__()
        self._known.update(given)
        self.launched = launch_ranges(blocks)
        self.callers = callers
        """For arguments of functions that are called from one place, what they are given there."""

    def inputs(self, value: SSAValue) -> Sequence[SSAValue]:
        if value in self.callers:
            return (self.callers[value],)
        loop = loop_of(value)
        return super().inputs(value) if loop is None else (loop.lb, loop.ub, loop.step)

    def find(self, value: SSAValue, inputs: Sequence[int | None]) -> int | None:
        if value in self.callers:
            return inputs[0]
        if loop_of(value) is not None:
            return _last(*inputs)
        launched = self.launched.get(value.owner.__class__)
        return super().find(value, inputs) if launched is None else launched[1]


def _last(lower: int | None, upper: int | None, step: int | None) -> int | None:
    """The last number that a loop counts, if it runs at all."""
    if lower is None or upper is None or step is None or step <= 0 or upper <= lower:
        return None
    return lower + (upper - lower - 1) // step * step
