"""Integers as affine functions of the number of a loop's iteration, and as sums of several values.

Affine functions begin with an induction variable, its distance from the lower bound, or that distance by the
step; constants are added, subtracted, multiplied and divided by, as far as that is exact. `phases` and
`turns` ask for their remainders. A sum, as an offset of a view is, may have any summands, and none is
divided: `sweeps` asks for the distance between two of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from xdsl.dialects import arith, scf
from xdsl.ir import BlockArgument, Operation, SSAValue

from ptoas.analysis.constants import Constants
from ptoas.analysis.structure import is_of

LONGEST = 16
"""Operations between an induction variable and a number that is followed back to it."""

REMAINDERS = (arith.RemUIOp, arith.RemSIOp, arith.AndIOp)
CASTS = (arith.IndexCastOp, arith.ExtUIOp, arith.ExtSIOp)
_SUMS = (arith.AddiOp, arith.SubiOp, arith.MuliOp)
_DIVISIONS = (arith.DivUIOp, arith.DivSIOp, arith.FloorDivSIOp)


class Affine(NamedTuple):
    """The value `step * t + start` in iteration `t` of a loop."""

    loop: scf.ForOp
    step: int
    start: int
    is_known: bool
    """False if `start` leaves out an unknown lower bound."""

    @property
    def is_natural(self) -> bool:
        """True if it is known not to be negative in any iteration."""
        return self.is_known and self.step >= 0 and self.start >= 0


def affine(value: SSAValue, constants: Constants) -> Affine | None:
    """Return a value as an affine function, None if it is not known to be one."""
    constant = constants.constant
    chain: list[tuple[Operation, int, bool]] = []
    found = counter(value, constants)
    while found is None:
        op = value.owner
        if not isinstance(op, Operation) or len(chain) == LONGEST:
            return None
        if is_of(op.__class__, CASTS):
            value = op.operands[0]
        elif is_of(op.__class__, (*_SUMS, *_DIVISIONS)):
            first, second = op.operands
            swapped = constant(first) is not None and is_of(op.__class__, _SUMS)
            value, other = (second, first) if swapped else (first, second)
            number = constant(other)
            if number is None:
                return None
            chain.append((op, number, swapped))
        else:
            return None
        found = counter(value, constants)
    for op, number, swapped in reversed(chain):
        found = None if found is None else _applied(op, found, number, swapped)
    return found


def counter(value: SSAValue, constants: Constants) -> Affine | None:
    """An induction variable, its distance from the lower bound, or that distance by the step."""
    op = value.owner
    if isinstance(op, arith.DivUIOp):
        loop = _distance_loop(op.lhs, constants)
        return Affine(loop, 1, 0, True) if loop is not None and op.rhs is loop.step else None
    loop, start = _distance_loop(value, constants), 0
    if loop is None:
        loop = induction_loop(value)
        start = None if loop is None else constants.constant(loop.lb)
    step = None if loop is None else constants.constant(loop.step)
    return None if loop is None or step is None else Affine(loop, step, start or 0, start is not None)


def induction_loop(value: SSAValue) -> scf.ForOp | None:
    """The loop whose induction variable a value is."""
    loop = value.block.parent_op() if isinstance(value, BlockArgument) and value.index == 0 else None
    return loop if isinstance(loop, scf.ForOp) else None


def _distance_loop(value: SSAValue, constants: Constants) -> scf.ForOp | None:
    """The loop for whose induction variable a value is the distance from the lower bound."""
    op = value.owner
    if isinstance(op, arith.SubiOp):
        loop = induction_loop(op.lhs)
        return loop if loop is not None and op.rhs is loop.lb else None
    loop = induction_loop(value)
    return loop if loop is not None and constants.constant(loop.lb) == 0 else None


def _applied(op: Operation, value: Affine, number: int, swapped: bool) -> Affine | None:
    """Return the result of an operation on an affine value and a constant."""
    _, step, start, _ = value
    match op:
        case arith.AddiOp():
            return value._replace(start=start + number)
        case arith.SubiOp() if swapped:
            return value._replace(step=-step, start=number - start)
        case arith.SubiOp():
            return value._replace(start=start - number)
        case arith.MuliOp():
            return value._replace(step=step * number, start=start * number)
        case _:
            exact = number > 0 and step % number == 0 and value.is_natural
            return value._replace(step=step // number, start=start // number) if exact else None


# --- sums ------------------------------------------------------------------------------------------

Sum = Mapping[SSAValue | None, int]
"""The sum of values, each times a number; of `None` times one, for the constant."""


class Sums:
    """Integers as sums of induction variables and other values."""

    def __init__(self, constants: Constants):
        self._constants = constants
        self._known: dict[SSAValue, Sum] = {}

    def of(self, value: SSAValue, depth: int = 0) -> Sum:
        """A value as a sum; one that is calculated in another way is a summand itself."""
        found = self._known.get(value)
        if found is None:
            found = self._known[value] = self._summands(value, depth) or {value: 1}
        return found

    def _summands(self, value: SSAValue, depth: int) -> Sum | None:
        constant = self._constants.constant(value)
        if constant is not None:
            return {None: constant}
        op = value.owner
        total = Counter[SSAValue | None]()
        match op:
            case arith.IndexCastOp() if depth < LONGEST:
                return self.of(op.input, depth + 1)
            case arith.AddiOp() | arith.SubiOp() if depth < LONGEST:
                add_multiple(total, self.of(op.lhs, depth + 1), 1)
                add_multiple(total, self.of(op.rhs, depth + 1), 1 if isinstance(op, arith.AddiOp) else -1)
                return total
            case arith.MaxSIOp() if depth < LONGEST:
                # Offsets are kept from being negative, which most cannot be.
                floor, found = self._constants.constant(op.rhs), self.of(op.lhs, depth + 1)
                least = None if floor is None else self._least(found)
                return None if least is None or floor is None or least < floor else found
            case arith.MuliOp() if depth < LONGEST:
                factors = [self._constants.constant(each) for each in (op.lhs, op.rhs)]
                for other, factor in zip((op.rhs, op.lhs), factors, strict=True):
                    if factor is not None:
                        add_multiple(total, self.of(other, depth + 1), factor)
                        return total
                return None
            case _:
                return None

    def _least(self, values: Sum) -> int | None:
        """The least value of a sum of induction variables, as far as that is known."""
        least = 0
        for value, times in values.items():
            if value is None:
                least += times
                continue
            loop = induction_loop(value)
            start = None if loop is None else self._constants.constant(loop.lb)
            if start is None or times < 0:
                return None
            least += start * times
        return least


def add_multiple(total: Counter[SSAValue | None], more: Sum, times: int) -> None:
    """Add a multiple of a sum to a total."""
    for value, factor in more.items():
        total[value] += factor * times
