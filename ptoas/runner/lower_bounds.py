"""Integers in memory that places are counted back from: how large they must be for no place to be negative.

A kernel that reads a position and looks at the 128 elements that end there wants a position of 127 at least.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from ptoas.dialects.pto.scalar import GetBlockIdxOp, GetSubblockIdxOp, LoadScalarOp, StoreScalarOp
from ptoas.dialects.pto.views import PartitionViewOp
from ptoas.runner.parameters import Parameter
from ptoas.runner.upper_bounds import UpperBounds, loop_of

MOST = 1 << 16
"""Floors are looked for up to here."""


class LowerBounds(UpperBounds):
    """The least value that an integer has, if all that is read from memory is one number."""

    def __init__(self, read: int, blocks: int):
        super().__init__({}, blocks)
        self.read = read

    def find(self, value: SSAValue, inputs: Sequence[int | None]) -> int | None:
        match value.owner:
            case LoadScalarOp():
                return self.read
            case GetBlockIdxOp() | GetSubblockIdxOp():
                return 0
            case Block() as block if not isinstance(block.parent_op(), scf.ForOp):
                return 0  # of the launch, or a scalar that is generated: nothing less than 0
            case _:
                return inputs[0] if loop_of(value) else super().find(value, inputs)


def raise_floors(
    operations: Iterable[Operation],
    sources: Callable[[SSAValue], set[int]],
    parameters: list[Parameter],
    blocks: int,
) -> None:
    """Let generated integers be so large that no place which is counted back from them is negative."""
    least = LowerBounds(0, blocks)
    for op in operations:
        match op:
            case LoadScalarOp() | StoreScalarOp():
                places: tuple[SSAValue, ...] = (op.offset,)
            case PartitionViewOp():
                places = tuple(op.offsets)
            case _:
                continue
        for place in places:
            found = least.value(place)
            if found is None or found >= 0:
                continue
            floor = _floor(place, blocks)
            for load in _loads(place) if floor is not None else ():
                for at in sources(load.operands[0]):
                    if parameters[at].steers:
                        parameters[at].floor = max(parameters[at].floor, floor or 0)


def _floor(place: SSAValue, blocks: int) -> int | None:
    """The least number for what is read that leaves a place at 0 or above."""
    high = 1
    while high <= MOST and not _holds(place, high, blocks):
        high *= 2
    if high > MOST:
        return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _holds(place, middle, blocks) else (middle, high)
    return high


def _holds(place: SSAValue, read: int, blocks: int) -> bool:
    return (LowerBounds(read, blocks).value(place) or 0) >= 0


def _loads(value: SSAValue) -> list[LoadScalarOp]:
    """What is read from memory to calculate a value."""
    found: list[LoadScalarOp] = []
    seen: set[SSAValue] = set()
    waiting = [value]
    while waiting:
        at = waiting.pop()
        if at in seen:
            continue
        seen.add(at)
        if isinstance(at.owner, LoadScalarOp):
            found.append(at.owner)
        elif isinstance(at.owner, Operation):
            waiting += at.owner.operands
    return found
