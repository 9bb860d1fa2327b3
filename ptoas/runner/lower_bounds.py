"""Integers in memory that places are counted back from: how large they must be for no place to be negative.

A kernel that reads a position and looks at the 128 elements that end there wants a position of 127 at least.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from xdsl.dialects import arith, scf
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from ptoas.analysis.constants import Evaluator
from ptoas.analysis.forwarding import backward_slice
from ptoas.analysis.integers import Interval, constant_of, evaluate_interval
from ptoas.dialects.pto.scalar import (
    LoadScalarOp,
    StoreScalarOp,
)
from ptoas.dialects.pto.views import PartitionViewOp
from ptoas.runner.parameters import Parameter
from ptoas.runner.upper_bounds import launch_ranges, loop_of

MOST = 1 << 16
"""Floors are looked for up to here."""


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


def raise_floors(
    operations: Iterable[Operation],
    sources: Callable[[SSAValue], set[int]],
    parameters: list[Parameter],
    blocks: int,
    scalars: Mapping[SSAValue, int],
) -> None:
    """Let generated integers be so large that no place which is counted back from them is negative."""
    bounds = LowerBounds(0, blocks, scalars)
    for op in operations:
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
            values = backward_slice([place], until=LoadScalarOp)
            loads = [value.owner for value in values if isinstance(value.owner, LoadScalarOp)]
            read = {at for load in loads for at in sources(load.ptr) if parameters[at].steers}
            floor = _floor(partial(_holds, place, blocks, scalars)) if read else None
            for at in read if floor is not None else ():
                parameters[at].floor = max(parameters[at].floor, floor or 0)


def _floor(holds: Callable[[int], bool]) -> int | None:
    """The least number up to `MOST` that something holds for, and for larger ones."""
    powers = (1 << bit for bit in range(MOST.bit_length()))
    high = next(filter(holds, powers), None)
    return high and high // 2 + 1 + bisect_left(range(high // 2 + 1, high), True, key=holds)


def _is_negative(interval: Interval | None) -> bool:
    return interval is not None and interval[0] < 0


def _holds(place: SSAValue, blocks: int, scalars: Mapping[SSAValue, int], read: int) -> bool:
    """Whether a place is at 0 or above if this is read from memory."""
    return not _is_negative(LowerBounds(read, blocks, scalars).value(place))
