"""Arguments that numbers of peers are calculated from.

A peer's number is what a word of the table of windows is looked up with. Followed backwards it comes from a
loop over all peers, from an argument that it counts from, or from numbers in memory (a table of experts, so
many of them a rank). Whoever leaves itself out compares the number with its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.ir import BlockArgument, Operation, SSAValue

from ptoas.analysis.forwarding import trace
from ptoas.analysis.guards import EQUAL, NOT_EQUAL
from ptoas.analysis.integers import CASTS
from ptoas.analysis.knowledge import Knowledge
from ptoas.dialects.pto.arrays import LocalArrayGetOp, LocalArraySetOp
from ptoas.dialects.pto.scalar import LoadScalarOp
from ptoas.runner.argument_slice import ArgumentSlice
from ptoas.runner.parameters import Parameter

_SUMS = (arith.AddiOp, arith.MaxSIOp, arith.MinSIOp, arith.MaxUIOp, arith.MinUIOp)
_QUOTIENTS = (arith.DivSIOp, arith.DivUIOp)
_REMAINDERS = (arith.RemSIOp, arith.RemUIOp)

NOWHERE = 1 << 30


@dataclass(frozen=True)
class _Way:
    """Path from a peer's number back to a value."""

    values_per_peer: int = 1
    """Number of values per peer."""
    limit: int = NOWHERE
    """Maximum number of peers: the size of the arrays that are indexed with it."""
    plain: bool = True
    """True if it is only added to on its way."""


class PeerNumbers:
    """The values that numbers of peers are calculated from."""

    def __init__(self, slices: ArgumentSlice, parameters: list[Parameter]):
        """Follow the offsets of words of tables backwards; `Peers` has marked the tables."""
        self._slices = slices
        self._constant = Knowledge().constant
        self.loaded: dict[int, _Way] = {}
        """Parameters whose elements are numbers of peers."""
        self._tables = [
            op
            for op in slices.operations
            if isinstance(op, LoadScalarOp) and any(parameters[at].is_context for at in slices.memory(op.ptr))
        ]
        starts = [(op.offset, self._limited(op.offset, _Way())) for op in self._tables]
        self.ways = trace(starts, self._step)

    def _step(self, value: SSAValue, way: _Way) -> Iterator[tuple[SSAValue, _Way]]:
        sources = [(source, way) for source in self._slices.forwarded.get(value, ())]
        if isinstance(value.owner, Operation) and value.owner not in self._tables:
            sources += self._before(value.owner, way)
        for source, label in sources:
            yield source, self._limited(source, label)

    def _limited(self, value: SSAValue, way: _Way) -> _Way:
        rooms = [
            use.operation.array_type.shape[use.index - 1] // way.values_per_peer
            for use in value.uses
            if isinstance(use.operation, LocalArrayGetOp | LocalArraySetOp) and use.index > 0
            if use.index <= len(use.operation.indices)
        ]
        return _Way(way.values_per_peer, min([way.limit, *rooms]), way.plain)

    def _before(self, op: Operation, way: _Way) -> Iterator[tuple[SSAValue, _Way]]:
        match op:
            case LoadScalarOp():
                for at in self._slices.memory(op.ptr):
                    self.loaded.setdefault(at, way)
            case _ if isinstance(op, (*CASTS, *_SUMS)):
                yield from ((operand, way) for operand in op.operands)
            case _ if isinstance(op, (*_QUOTIENTS, *_REMAINDERS, arith.MuliOp)):
                number = self._constant(op.operands[1])
                values_per_peer = way.values_per_peer * (
                    number if number and isinstance(op, _QUOTIENTS) else 1
                )
                yield op.operands[0], _Way(values_per_peer, way.limit, plain=False)
            case _:
                pass

    def own(self, operations: list[Operation]) -> Iterator[SSAValue]:
        """Yield what a loop over peers compares their numbers with, without casts and remainders."""
        for op in operations:
            if not isinstance(op, arith.CmpiOp) or op.predicate.value.data not in (EQUAL, NOT_EQUAL):
                continue
            for counted, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
                if counted in self.ways and _is_counted(counted):
                    yield _bare(other)

    def mark(self, scalars: Mapping[SSAValue, Parameter], parameters: list[Parameter]) -> None:
        """Mark the parameters that peers count from, and those that hold their numbers."""
        for value, way in self.ways.items():
            parameter = scalars.get(value)
            if parameter is not None and way.plain and not (parameter.is_rank or parameter.is_count):
                parameter.suggestion, parameter.reason = 0, "the numbers of peers count from it"
        for at, way in self.loaded.items():
            parameters[at].peers_apart, parameters[at].peers_most = way.values_per_peer, way.limit


def _is_counted(value: SSAValue) -> bool:
    """Return True for the induction variable of a loop."""
    return isinstance(value, BlockArgument) and isinstance(value.block.parent_op(), scf.ForOp)


def _bare(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, (*CASTS, *_REMAINDERS)):
        value = value.owner.operands[0]
    return value
