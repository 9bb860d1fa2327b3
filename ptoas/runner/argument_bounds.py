"""Bounds of integers that are known before the run.

`UpperBounds` tell how much memory a generated argument needs. `infer_lower_bounds` finds how large generated
integers must be for no place to be negative: a kernel that reads a position and looks at the 128 elements
that end there wants a position of 127 at least.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType

from xdsl.dialects import arith, scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from ptoas.analysis.constants import Constants, Evaluator
from ptoas.analysis.integers import Interval, constant_of, evaluate_interval
from ptoas.dialects.pto.scalar import (
    GetBlockIdxOp,
    GetBlockNumOp,
    GetSubblockIdxOp,
    GetSubblockNumOp,
    LoadScalarOp,
    StoreScalarOp,
)
from ptoas.dialects.pto.views import PartitionViewOp
from ptoas.runner.argument_slice import ArgumentSlice

MAX_LOWER_BOUND = 1 << 16
"""The largest lower bound that is looked for."""

NO_CALLERS: Mapping[SSAValue, SSAValue] = MappingProxyType({})


def launch_ranges(blocks: int) -> dict[type[Operation | Block], Interval]:
    """Return the intervals of the operations that query the launch."""
    return {
        GetBlockIdxOp: (0, blocks - 1),
        GetBlockNumOp: (blocks, blocks),
        GetSubblockIdxOp: (0, 1),
        GetSubblockNumOp: (2, 2),
    }


def loop_of(value: SSAValue) -> scf.ForOp | None:
    """Return the loop that a value is the induction variable of."""
    loop = value.block.parent_op() if isinstance(value, BlockArgument) and value.index == 0 else None
    return loop if isinstance(loop, scf.ForOp) else None


class UpperBounds(Constants):
    """The greatest value that an integer has, from constants, scalar arguments, blocks and loop bounds.

    It is calculated for the last turn of all loops at once: what is left behind an offset, and the offset,
    belong to one turn.
    """

    def __init__(
        self,
        known_values: dict[SSAValue, int],
        blocks: int,
        callers: Mapping[SSAValue, SSAValue] = NO_CALLERS,
    ):
        super().__init__()
        self._known.update(known_values)
        self.launched = launch_ranges(blocks)
        self.callers = callers
        """The operands passed to the arguments of functions with one call site."""

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
    """Return the last value of an induction variable, if the loop runs at all."""
    if lower is None or upper is None or step is None or step <= 0 or upper <= lower:
        return None
    return lower + (upper - lower - 1) // step * step


class LowerBounds(Evaluator[Interval]):
    """Intervals of integers, if all that is read from memory is one number."""

    def __init__(self, read: int, blocks: int, scalars: Mapping[SSAValue, int]):
        super().__init__()
        self.read = read
        self.launched = launch_ranges(blocks)
        self.scalars = scalars
        """The greatest numbers of arguments; none is less than 0."""

    def inputs(self, value: SSAValue) -> Sequence[SSAValue]:
        loop = loop_of(value)
        return super().inputs(value) if loop is None else (loop.lb, loop.ub)

    def find(self, value: SSAValue, inputs: Sequence[Interval | None]) -> Interval | None:
        known = [each for each in inputs if each is not None]
        match value:
            case OpResult(op=LoadScalarOp()):
                return self.read, self.read
            case OpResult(op=arith.ConstantOp() as op):
                number = constant_of(op)
                return None if number is None else (number, number)
            case OpResult(op=op, index=index) if inputs:
                return evaluate_interval(op, known, index) if len(known) == len(inputs) else None
            case BlockArgument(block=block) if not isinstance(block.parent_op(), scf.ForOp):
                return 0, max(0, self.scalars.get(value, 0))
            case _ if inputs:
                # Of a loop whose end is not known, the first turn.
                return inputs[0] and (inputs[0][0], max(inputs[0][0], known[-1][1] - 1))
            case _:
                return self.launched.get(value.owner.__class__)


def infer_lower_bounds(slices: ArgumentSlice, blocks: int, scalars: Mapping[SSAValue, int]) -> None:
    """Let generated integers be so large that no place which is counted back from them is negative."""
    bounds = LowerBounds(0, blocks, scalars)
    for op in slices.operations:
        match op:
            case LoadScalarOp() | StoreScalarOp():
                places: tuple[SSAValue, ...] = (op.offset,)
            case PartitionViewOp():
                places = tuple(op.offsets)
            case _:
                continue
        for place in places:
            if not _is_negative(bounds.value(place)):
                continue
            values = slices.backward([place], until=LoadScalarOp)
            loads = [value.owner for value in values if isinstance(value.owner, LoadScalarOp)]
            read = {p for load in loads for p in slices.memory(load.ptr) if p.is_computed_with}
            floor = _least(partial(_holds, place, blocks, scalars)) if read else None
            for parameter in read:
                parameter.floor = max(parameter.floor, floor or 0)


def _least(holds: Callable[[int], bool]) -> int | None:
    """Return the least number up to `MAX_LOWER_BOUND` from which on a predicate holds."""
    powers = (1 << bit for bit in range(MAX_LOWER_BOUND.bit_length()))
    high = next(filter(holds, powers), None)
    return high and high // 2 + 1 + bisect_left(range(high // 2 + 1, high), True, key=holds)


def _is_negative(interval: Interval | None) -> bool:
    return interval is not None and interval[0] < 0


def _holds(place: SSAValue, blocks: int, scalars: Mapping[SSAValue, int], read: int) -> bool:
    """Return True if a place is not negative when `read` is read from memory."""
    return not _is_negative(LowerBounds(read, blocks, scalars).value(place))
