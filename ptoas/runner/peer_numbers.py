"""Arguments from which the numbers of peers are computed.

A peer's number is what a word of the table of windows is looked up with. Followed backwards it comes from a
loop over all peers, from an argument that it counts from, or from numbers in memory (a table of experts, so
many of them a rank). Whoever leaves itself out compares the number with its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from xdsl.dialects import arith, func, scf
from xdsl.ir import BlockArgument, Operation, SSAValue

from ptoas.analysis.forwarding import forwarded_values
from ptoas.analysis.guards import EQUAL, NOT_EQUAL
from ptoas.analysis.integers import CASTS
from ptoas.analysis.knowledge import Knowledge
from ptoas.dialects.pto.arrays import LocalArrayGetOp, LocalArraySetOp
from ptoas.dialects.pto.scalar import LoadScalarOp
from ptoas.runner.parameters import Parameter

_SUMS = (arith.AddiOp, arith.MaxSIOp, arith.MinSIOp, arith.MaxUIOp, arith.MinUIOp)
_QUOTIENTS = (arith.DivSIOp, arith.DivUIOp)
_REMAINDERS = (arith.RemSIOp, arith.RemUIOp)

NOWHERE = 1 << 30


@dataclass(frozen=True)
class _Way:
    """Path from a peer's number back to a value."""

    apart: int = 1
    """Number of values per peer."""
    limit: int = NOWHERE
    """Maximum number of peers: the size of the arrays that are indexed with it."""
    plain: bool = True
    """True if the path contains additions only."""


@dataclass
class PeerNumbers:
    """The values that numbers of peers are calculated from."""

    behind: Mapping[SSAValue, set[int]]
    """The parameters that a pointer may refer to."""
    constant: Callable[[SSAValue], int | None] = field(default_factory=lambda: Knowledge().constant)
    ways: dict[SSAValue, _Way] = field(default_factory=dict[SSAValue, _Way])
    loaded: dict[int, _Way] = field(default_factory=dict[int, _Way])
    """Parameters whose elements are numbers of peers."""

    def follow(
        self,
        functions: Mapping[str, func.FuncOp],
        operations: list[Operation],
        parameters: list[Parameter],
    ) -> None:
        words = [op for op in operations if isinstance(op, LoadScalarOp)]
        tables = [op for op in words if any(parameters[at].is_context for at in self._arguments(op))]
        if not tables:
            return
        given: dict[SSAValue, list[SSAValue]] = {}
        for op in operations:
            for each in forwarded_values(op, functions):
                given.setdefault(each.name, []).append(each.value)
        waiting = [(op.offset, _Way()) for op in tables]
        while waiting:
            value, way = waiting.pop()
            way = self._limited(value, way)
            if value in self.ways:
                continue
            self.ways[value] = way
            waiting += [(source, way) for source in given.get(value, ())]
            if isinstance(value.owner, Operation) and value.owner not in tables:
                waiting += self._before(value.owner, way)

    def _arguments(self, op: LoadScalarOp) -> set[int]:
        return self.behind.get(op.ptr, set())

    def _limited(self, value: SSAValue, way: _Way) -> _Way:
        rooms = [
            use.operation.array_type.shape[use.index - 1] // way.apart
            for use in value.uses
            if isinstance(use.operation, LocalArrayGetOp | LocalArraySetOp) and use.index > 0
            if use.index <= len(use.operation.indices)
        ]
        return _Way(way.apart, min([way.limit, *rooms]), way.plain)

    def _before(self, op: Operation, way: _Way) -> Iterator[tuple[SSAValue, _Way]]:
        match op:
            case LoadScalarOp():
                for at in self._arguments(op):
                    self.loaded.setdefault(at, way)
            case _ if isinstance(op, (*CASTS, *_SUMS)):
                yield from ((operand, way) for operand in op.operands)
            case _ if isinstance(op, (*_QUOTIENTS, *_REMAINDERS, arith.MuliOp)):
                number = self.constant(op.operands[1])
                apart = way.apart * (number if number and isinstance(op, _QUOTIENTS) else 1)
                yield op.operands[0], _Way(apart, way.limit, plain=False)
            case _:
                pass

    def own(self, operations: list[Operation]) -> Iterator[SSAValue]:
        """The number with which a loop over peers compares their numbers, under casts and remainders."""
        for op in operations:
            if not isinstance(op, arith.CmpiOp) or op.predicate.value.data not in (EQUAL, NOT_EQUAL):
                continue
            for counted, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
                if counted in self.ways and _is_counted(counted):
                    yield _bare(other)

    def mark(self, scalars: Mapping[SSAValue, Parameter], parameters: list[Parameter]) -> None:
        """Say of the parameters which of them peers count from, and which hold their numbers."""
        for value, way in self.ways.items():
            parameter = scalars.get(value)
            if parameter is not None and way.plain and not (parameter.is_rank or parameter.is_count):
                parameter.suggestion, parameter.reason = 0, "the numbers of peers count from it"
        for at, way in self.loaded.items():
            parameters[at].peers_apart, parameters[at].peers_most = way.apart, way.limit


def _is_counted(value: SSAValue) -> bool:
    """Return True if it is the iteration number of a loop."""
    return isinstance(value, BlockArgument) and isinstance(value.block.parent_op(), scf.ForOp)


def _bare(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, (*CASTS, *_REMAINDERS)):
        value = value.owner.operands[0]
    return value
