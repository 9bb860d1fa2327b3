"""Integers that depend on nothing but how often loops have turned, and repeat after a few iterations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import lcm

from xdsl.dialects import arith, scf
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from ptoas.analysis.constants import Constants
from ptoas.analysis.integers import integer_op

LONGEST = 8
"""Iterations after which a number repeats, at most."""

DEEPEST = 16
"""Operations between a number and the induction variables that are followed back."""

Periods = Mapping[scf.ForOp, int]
"""The number of iterations of each loop after which a number is the same again."""

_REMAINDERS = (arith.RemUIOp, arith.RemSIOp, arith.AndIOp)
_CASTS = (arith.IndexCastOp, arith.ExtSIOp, arith.ExtUIOp)
_LINEAR = (arith.AddiOp, arith.SubiOp, arith.MuliOp)


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
        loop = induction_loop(value)
        if loop is not None and loop in self._turns:
            first, step = self.constant(loop.lb), self.constant(loop.step)
            return None if first is None or step is None else first + step * self._turns[loop]
        match value.owner:
            case arith.SubiOp(lhs=counter, rhs=first):
                loop = induction_loop(counter)
                if loop is None or first is not loop.lb or loop not in self._turns:
                    return None
                step = self.constant(loop.step)
                return None if step is None else step * self._turns[loop]
            case arith.DivUIOp(lhs=way, rhs=step):
                owner = way.owner
                from_first = isinstance(owner, arith.SubiOp)
                loop = induction_loop(owner.lhs if isinstance(owner, arith.SubiOp) else way)
                if loop is None or step is not loop.step or loop not in self._turns:
                    return None
                is_all = owner.rhs is loop.lb if from_first else self.constant(loop.lb) == 0
                return self._turns[loop] if is_all else None
            case _:
                return None


def induction_loop(value: SSAValue) -> scf.ForOp | None:
    """The loop whose induction variable a value is."""
    loop = value.block.parent_op() if isinstance(value, BlockArgument) and value.index == 0 else None
    return loop if isinstance(loop, scf.ForOp) else None


def periods_of(value: SSAValue, constants: Constants, depth: int = 0) -> Periods | None:
    """The loops that a number turns with; None if it depends on anything else, or does not repeat."""
    if constants.constant(value) is not None:
        return {}
    if depth > DEEPEST or not isinstance(value, OpResult) or integer_op(value.op) is None:
        return None
    op = value.op
    if isinstance(op, _REMAINDERS) and (divisor := constants.constant(op.rhs)) is not None:
        period, loop = divisor + isinstance(op, arith.AndIOp), _linear_loop(op.lhs, constants)
        if loop is not None and 1 <= period <= LONGEST and _repeats(op, loop, period):
            return {loop: period}
    found: dict[scf.ForOp, int] = {}
    for operand in op.operands:
        inner = periods_of(operand, constants, depth + 1)
        if inner is None:
            return None
        for loop, period in inner.items():
            found[loop] = lcm(period, found.get(loop, 1))
    return found if all(period <= LONGEST for period in found.values()) else None


def _linear_loop(value: SSAValue, constants: Constants) -> scf.ForOp | None:
    """The only loop whose induction variable a value is a linear function of."""
    for _ in range(DEEPEST):
        loop = induction_loop(value)
        op = value.owner
        if loop is not None or not isinstance(op, Operation):
            return loop
        if isinstance(op, _CASTS) or (isinstance(op, arith.DivUIOp) and _divides_by_step(op)):
            value = op.operands[0]
        elif isinstance(op, arith.SubiOp) and _is_way(op):
            value = op.lhs
        elif isinstance(op, _LINEAR):
            known = [constants.constant(each) is not None for each in op.operands]
            if not any(known):
                return None
            value = op.rhs if known[0] else op.lhs
        else:
            return None
    return None


def _is_way(op: arith.SubiOp) -> bool:
    """Return True for how far an induction variable is from its first value."""
    loop = induction_loop(op.lhs)
    return loop is not None and op.rhs is loop.lb


def _divides_by_step(op: arith.DivUIOp) -> bool:
    way = op.lhs.owner
    loop = induction_loop(way.lhs if isinstance(way, arith.SubiOp) else op.lhs)
    return loop is not None and op.rhs is loop.step


def _repeats(op: Operation, loop: scf.ForOp, period: int) -> bool:
    """Return True if the remainder of a linear function certainly repeats.

    Its operand must not be negative in any iteration: then it does not matter how its sign is read.
    """
    if isinstance(op, arith.AndIOp) and period & period - 1:
        return False
    first, second, third = (AtTurn({loop: turn}).constant(op.operands[0]) for turn in range(3))
    if first is None or second is None or third is None:
        return False
    return first >= 0 and second - first == third - second >= 0
