"""Sweeps: accesses to global memory that move on with each iteration of a loop.

The first byte of such an access is a linear function of the number of the iteration. From that of another one
with the same slope follows that they do not meet in different iterations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from typing import NamedTuple

from xdsl.dialects import arith, scf
from xdsl.ir import OpResult, SSAValue

from ptoas.analysis.affine import induction_loop
from ptoas.analysis.knowledge import Knowledge, is_view
from ptoas.analysis.structure import enclosing_loops
from ptoas.dialects.pto import scalar, views
from ptoas.dialects.pto.types import DYNAMIC

DEEPEST = 16
"""Operations between an offset and what it is calculated from that are followed back."""

Sum = Mapping[SSAValue | None, int]
"""The sum of values, each times a number; of `None` times one, for the constant."""


class Sweep(NamedTuple):
    """The elements from `base + step * i + start` on in iteration `i` of a loop."""

    loop: scf.ForOp
    base: Hashable
    step: int
    start: int
    size: int
    period: int = 1
    """Iterations that are told apart: this one and those before it."""

    def may_meet(self, age: int, second: object) -> bool:
        """Return False if an access in some earlier iteration and a second one now are certainly apart."""
        if age == 0 or not isinstance(second, Sweep) or self[:3] != second[:3]:
            return True
        ahead = second.start - self.start + self.step
        return ahead < self.size if self.step > 0 else ahead + second.size > 0

    def subsumes(self, earlier: object, _age: int) -> bool:
        """Return True if whatever overlaps an earlier access overlaps this one, too."""
        return earlier is self


class Sweeps:
    """The sweeps of the views of one function."""

    def __init__(self, knowledge: Knowledge):
        self._knowledge = knowledge
        self._sums: dict[SSAValue, Sum] = {}
        self._known: dict[SSAValue, Sweep | None] = {}

    def of(self, view: SSAValue) -> Sweep | None:
        if view not in self._known:
            self._known[view] = self._find(view) if is_view(view.type.__class__) else None
        return self._known[view]

    def _find(self, view: SSAValue) -> Sweep | None:
        facts = self._knowledge.view(view)
        if 0 in facts.shape or DYNAMIC in (*facts.shape, *facts.own_strides):
            return None
        first = Counter[SSAValue | None]()
        at = view
        while isinstance(at, OpResult):
            match at.op:
                case views.PartitionViewOp() as op:
                    at = op.source
                    for offset, stride in zip(op.offsets, self._knowledge.view(at).own_strides, strict=True):
                        if stride == DYNAMIC:
                            return None
                        _add(first, self.sum_of(offset), stride)
                case views.MakeTensorViewOp() as op:
                    at = op.ptr
                case scalar.AddPtrOp() as op:
                    _add(first, self.sum_of(op.offset), 1)
                    at = op.ptr
                case _:
                    break
        size = 1 + sum(
            (extent - 1) * stride for extent, stride in zip(facts.shape, facts.own_strides, strict=True)
        )
        return self._sweep(view, at, first, size)

    def _sweep(self, view: SSAValue, root: SSAValue, first: Sum, size: int) -> Sweep | None:
        """The sweep of the innermost loop whose induction variable is a summand."""
        around = enclosing_loops(view.op) if isinstance(view, OpResult) else ()
        loops = (each for each in around if isinstance(each, scf.ForOp))
        loop = next((each for each in loops if first.get(each.body.block.args[0])), None)
        if loop is None:
            return None
        induction = loop.body.block.args[0]
        others = {value: times for value, times in first.items() if value not in (induction, None) and times}
        by = self._knowledge.constant(loop.step)
        if by is None or by <= 0 or any(value and loop.is_ancestor(value.owner) for value in others):
            return None
        return Sweep(loop, (root, frozenset(others.items())), first[induction] * by, first.get(None, 0), size)

    def sum_of(self, value: SSAValue, depth: int = 0) -> Sum:
        """A value as a sum; one that is calculated in another way is a summand itself."""
        found = self._sums.get(value)
        if found is None:
            found = self._sums[value] = self._summands(value, depth) or {value: 1}
        return found

    def _summands(self, value: SSAValue, depth: int) -> Sum | None:
        constant = self._knowledge.constant(value)
        if constant is not None:
            return {None: constant}
        op = value.owner
        total = Counter[SSAValue | None]()
        match op:
            case arith.IndexCastOp() if depth < DEEPEST:
                return self.sum_of(op.input, depth + 1)
            case arith.AddiOp() | arith.SubiOp() if depth < DEEPEST:
                _add(total, self.sum_of(op.lhs, depth + 1), 1)
                _add(total, self.sum_of(op.rhs, depth + 1), 1 if isinstance(op, arith.AddiOp) else -1)
                return total
            case arith.MaxSIOp() if depth < DEEPEST:
                # Offsets are kept from being negative, which most cannot be.
                floor, found = self._knowledge.constant(op.rhs), self.sum_of(op.lhs, depth + 1)
                least = None if floor is None else self._least(found)
                return None if least is None or floor is None or least < floor else found
            case arith.MuliOp() if depth < DEEPEST:
                factors = [self._knowledge.constant(each) for each in (op.lhs, op.rhs)]
                for other, factor in zip((op.rhs, op.lhs), factors, strict=True):
                    if factor is not None:
                        _add(total, self.sum_of(other, depth + 1), factor)
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
            start = None if loop is None else self._knowledge.constant(loop.lb)
            if start is None or times < 0:
                return None
            least += start * times
        return least


def _add(total: Counter[SSAValue | None], more: Sum, times: int) -> None:
    for value, factor in more.items():
        total[value] += factor * times
