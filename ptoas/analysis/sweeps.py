"""Sweeps: accesses to global memory that move on with each iteration of a loop.

The first byte of such an access is a linear function of the number of the iteration. From that of another one
with the same slope follows that they do not meet in different iterations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import NamedTuple

from xdsl.dialects import scf
from xdsl.ir import OpResult, SSAValue

from ptoas.analysis.affine import Sum, Sums, add_multiple
from ptoas.analysis.knowledge import Knowledge, is_view
from ptoas.analysis.structure import enclosing_loops
from ptoas.dialects.pto import scalar, views
from ptoas.dialects.pto.types import DYNAMIC


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
        self._sums = Sums(knowledge)
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
                        add_multiple(first, self._sums.of(offset), stride)
                case views.MakeTensorViewOp() as op:
                    at = op.ptr
                case scalar.AddPtrOp() as op:
                    add_multiple(first, self._sums.of(op.offset), 1)
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
