"""How a program reaches other ranks: which arguments are windows, which the tables that say where they are.

A kernel finds a peer's memory by a distance: it loads two window addresses from a table, takes their
difference, and adds it to a pointer of its own. So a difference of two numbers out of one table makes the
table a context, and the argument behind the pointer a window.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue

from ptoas.analysis.forwarding import handings
from ptoas.dialects.pto.scalar import AddPtrOp, LoadScalarOp
from ptoas.runner.parameters import Parameter

Tables = frozenset[int]
"""Numbers of parameters."""

NONE: Tables = frozenset()


@dataclass(frozen=True)
class Origin:
    """Where a number comes from: the tables that it was loaded from, and those that it is a distance of."""

    loaded: Tables = NONE
    distance: Tables = NONE

    def __or__(self, other: Origin) -> Origin:
        return Origin(self.loaded | other.loaded, self.distance | other.distance)


UNKNOWN = Origin()


class Peers:
    """What of a program's values leads to other ranks."""

    def __init__(
        self,
        functions: Mapping[str, func.FuncOp],
        operations: list[Operation],
        behind: Mapping[SSAValue, set[int]],
    ):
        """`behind`: the parameters that a pointer stands for."""
        self._behind = behind
        self._origins: dict[SSAValue, Origin] = {}
        pairs = [(each.name, each.value) for op in operations for each in handings(op, functions)]
        tables = [op for op in operations if isinstance(op, LoadScalarOp) and _is_address(op)]
        if not tables:
            return
        numbers = [op for op in operations if op.name.startswith("arith.")]
        for op in tables:
            self._learn(op.result, Origin(frozenset(behind.get(op.ptr, ()))))
        while any([*(self._number(op) for op in numbers), *(self._learn(n, self.of(v)) for n, v in pairs)]):
            pass

    def of(self, value: SSAValue) -> Origin:
        return self._origins.get(value, UNKNOWN)

    def is_distance(self, value: SSAValue) -> bool:
        """Whether a number of elements leads from one rank's window to another's."""
        return bool(self.of(value).distance)

    def _learn(self, value: SSAValue, news: Origin) -> bool:
        known = self.of(value)
        whole = known | news
        if whole == known:
            return False
        self._origins[value] = whole
        return True

    def _number(self, op: Operation) -> bool:
        found = UNKNOWN
        for operand in op.operands:
            found |= self.of(operand)
        if isinstance(op, arith.SubiOp):
            both = self.of(op.lhs).loaded & self.of(op.rhs).loaded
            found |= Origin(distance=both)
        return any([self._learn(result, found) for result in op.results])

    def mark(self, operations: list[Operation], parameters: list[Parameter]) -> None:
        """Say of the parameters which are windows and which are tables."""
        for op in operations:
            if isinstance(op, AddPtrOp) and self.is_distance(op.offset):
                for at in self._windows(op):
                    parameters[at].is_window = True
                for at in self.of(op.offset).distance:
                    parameters[at].is_context = True

    def _windows(self, op: AddPtrOp) -> Iterator[int]:
        yield from self._behind.get(op.ptr, ())


def _is_address(op: LoadScalarOp) -> bool:
    return op.result.type == i64
