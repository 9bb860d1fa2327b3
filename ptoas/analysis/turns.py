"""Integers that depend on nothing but how often loops have turned, and repeat after a few iterations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import lcm

from xdsl.dialects import arith, scf
from xdsl.ir import OpResult, SSAValue

from ptoas.analysis.affine import REMAINDERS, affine, counter
from ptoas.analysis.constants import Constants
from ptoas.analysis.integers import integer_op

LONGEST = 8
"""Iterations after which a number repeats, at most."""

DEEPEST = 16
"""Operations between a number and the induction variables that are followed back."""

Periods = Mapping[scf.ForOp, int]
"""The number of iterations of each loop after which a number is the same again."""


class AtTurn(Constants):
    """The integers in one iteration of some loops, which are counted from 0."""

    def __init__(self, turns: Mapping[scf.ForOp, int]):
        super().__init__()
        self._turns = turns

    def find(self, value: SSAValue, inputs: Sequence[int | None]) -> int | None:
        found = super().find(value, inputs)
        return self._counted(value) if found is None else found

    def _counted(self, value: SSAValue) -> int | None:
        """An induction variable, or how far it is from its first value, by its step or not."""
        count = counter(value, self)
        if count is None or not count.is_known or count.loop not in self._turns:
            return None
        return count.start + count.step * self._turns[count.loop]


def periods_of(value: SSAValue, constants: Constants, depth: int = 0) -> Periods | None:
    """The loops that a number turns with; None if it depends on anything else, or does not repeat."""
    if constants.constant(value) is not None:
        return {}
    if depth > DEEPEST or not isinstance(value, OpResult) or integer_op(value.op) is None:
        return None
    op = value.op
    if isinstance(op, REMAINDERS) and (divisor := constants.constant(op.rhs)) is not None:
        period, dividend = divisor + isinstance(op, arith.AndIOp), affine(op.lhs, constants)
        is_mask = not isinstance(op, arith.AndIOp) or period & period - 1 == 0
        # Of a number that is not negative it does not matter how its sign is read.
        if dividend is not None and dividend.is_natural and 1 <= period <= LONGEST and is_mask:
            return {dividend.loop: period}
    found: dict[scf.ForOp, int] = {}
    for operand in op.operands:
        inner = periods_of(operand, constants, depth + 1)
        if inner is None:
            return None
        for loop, period in inner.items():
            found[loop] = lcm(period, found.get(loop, 1))
    return found if all(period <= LONGEST for period in found.values()) else None
