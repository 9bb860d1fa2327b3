"""Access to other ranks: arguments that are windows, and tables with their addresses.

A kernel finds a peer's memory by a distance: it loads two window addresses from a table, takes their
difference, and adds it to a pointer of its own. So a difference of two numbers out of one table makes the
table a context, and the argument behind the pointer a window.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IndexType, IntegerType, i64
from xdsl.ir import Operation, SSAValue

from ptoas.analysis.forwarding import forwarded_values
from ptoas.analysis.guards import guarding_argument
from ptoas.analysis.integers import CASTS
from ptoas.analysis.knowledge import Knowledge
from ptoas.diagnostics import PtoasError
from ptoas.dialects.pto.comm import CollectiveOp
from ptoas.dialects.pto.scalar import AddPtrOp, LoadScalarOp
from ptoas.runner.parameters import Parameter
from ptoas.runner.peer_numbers import PeerNumbers

Tables = frozenset[int]
"""Numbers of parameters."""

NONE: Tables = frozenset()


@dataclass(frozen=True)
class Origin:
    """Origin of a number: the tables it was loaded from, and those it is a distance of."""

    loaded: Tables = NONE
    distance: Tables = NONE

    def __or__(self, other: Origin) -> Origin:
        return Origin(self.loaded | other.loaded, self.distance | other.distance)


UNKNOWN = Origin()


class Peers:
    """Values of a program that lead to other ranks."""

    def __init__(
        self,
        functions: Mapping[str, func.FuncOp],
        operations: list[Operation],
        behind: Mapping[SSAValue, set[int]],
    ):
        """Analyse a program; `behind` are the parameters that a pointer may refer to."""
        self._behind = behind
        self._origins: dict[SSAValue, Origin] = {}
        pairs = [(each.name, each.value) for op in operations for each in forwarded_values(op, functions)]
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
        """Return True if a number of elements leads from one rank's window to another's."""
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


RANK_NAMES = ("my_rank", "rank")
COUNT_NAMES = ("nranks", "num_ranks")


def alone(error: PtoasError, parameters: list[Parameter]) -> PtoasError:
    """An error of one rank that runs by itself: where it counts from its own window to another's, ranks are
    missing."""
    if not any(parameter.is_context for parameter in parameters):
        return error
    fix = "it reaches the memory of other ranks: run it with --ranks N"
    return PtoasError(
        [replace(d, fix=fix) if d.code in REACHES and d.fix is None else d for d in error.diagnostics]
    )


REACHES = ("PTO-R102", "PTO-R103", "PTO-R106")
"""Code of an access outside of an argument."""


def mark_ranks(
    entry: func.FuncOp, operations: list[Operation], parameters: list[Parameter], numbers: PeerNumbers
) -> None:
    """Say of the scalars which is the number of the rank that runs, and which is how many there are.

    By its name, or the name that a cast of it has (`%my_rank__idx = arith.index_cast %arg5`); or because it
    is compared with the root where a collective is called, or with the number of a peer.
    """
    knowledge = Knowledge()
    values = entry.body.blocks[0].args
    arguments: dict[SSAValue, Parameter] = {values[parameter.at]: parameter for parameter in parameters}
    scalars = {value: each for value, each in arguments.items() if _may_count(each)}
    for value, parameter in scalars.items():
        names = [parameter.name, *(cast.name_hint or "" for cast in _casts(value))]
        stems = {name.partition("__")[0] for name in names}
        parameter.is_rank = not stems.isdisjoint(RANK_NAMES)
        parameter.is_count = not stems.isdisjoint(COUNT_NAMES)
    if any(parameter.is_rank for parameter in parameters):
        return
    for op in operations:
        if isinstance(op, CollectiveOp):
            root = 0 if op.root is None else op.root.value.data
            argument = guarding_argument(op, root, knowledge.constant)
            if argument is not None and argument in scalars:
                scalars[argument].is_rank = True
    for own in numbers.own(operations):
        if own in scalars:
            scalars[own].is_rank = True


def _may_count(parameter: Parameter) -> bool:
    return parameter.kind == "scalar" and isinstance(parameter.type, IntegerType | IndexType)


def _casts(value: SSAValue) -> Iterator[SSAValue]:
    for use in value.uses:
        if isinstance(use.operation, CASTS):
            yield use.operation.results[0]


def _is_address(op: LoadScalarOp) -> bool:
    return op.result.type == i64
