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
class _Path:
    """Path from a peer's number back to a value."""

    values_per_peer: int = 1
    """Number of values per peer."""
    limit: int = NOWHERE
    """Maximum number of peers: the size of the arrays that are indexed with it."""
    plain: bool = True
    """True if it is only added to on its path."""


class PeerNumbers:
    """The values that numbers of peers are calculated from."""

    def __init__(self, slices: ArgumentSlice):
        """Follow the offsets of words of tables backwards; `Peers` has marked the tables."""
        self._slices = slices
        self._constant = Knowledge().constant
        self.loaded: dict[Parameter, _Path] = {}
        """Parameters whose elements are numbers of peers."""
        self._tables = [
            op
            for op in slices.operations
            if isinstance(op, LoadScalarOp) and any(table.is_context for table in slices.memory(op.ptr))
        ]
        starts = [(op.offset, self._limited(op.offset, _Path())) for op in self._tables]
        self.paths = trace(starts, self._step)

    def _step(self, value: SSAValue, path: _Path) -> Iterator[tuple[SSAValue, _Path]]:
        sources = [(source, path) for source in self._slices.forwarded.get(value, ())]
        if isinstance(value.owner, Operation) and value.owner not in self._tables:
            sources += self._before(value.owner, path)
        for source, label in sources:
            yield source, self._limited(source, label)

    def _limited(self, value: SSAValue, path: _Path) -> _Path:
        sizes = [
            use.operation.array_type.shape[use.index - 1] // path.values_per_peer
            for use in value.uses
            if isinstance(use.operation, LocalArrayGetOp | LocalArraySetOp) and use.index > 0
            if use.index <= len(use.operation.indices)
        ]
        return _Path(path.values_per_peer, min([path.limit, *sizes]), path.plain)

    def _before(self, op: Operation, path: _Path) -> Iterator[tuple[SSAValue, _Path]]:
        match op:
            case LoadScalarOp():
                for parameter in self._slices.memory(op.ptr):
                    self.loaded.setdefault(parameter, path)
            case _ if isinstance(op, (*CASTS, *_SUMS)):
                yield from ((operand, path) for operand in op.operands)
            case _ if isinstance(op, (*_QUOTIENTS, *_REMAINDERS, arith.MuliOp)):
                number = self._constant(op.operands[1])
                values_per_peer = path.values_per_peer * (
                    number if number and isinstance(op, _QUOTIENTS) else 1
                )
                yield op.operands[0], _Path(values_per_peer, path.limit, plain=False)
            case _:
                pass

    def own(self) -> Iterator[SSAValue]:
        """Yield what a loop over peers compares their numbers with, without casts and remainders."""
        for op in self._slices.operations:
            if not isinstance(op, arith.CmpiOp) or op.predicate.value.data not in (EQUAL, NOT_EQUAL):
                continue
            for counted, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
                if counted in self.paths and _is_counted(counted):
                    yield _bare(other)

    def mark(self, scalars: Mapping[SSAValue, Parameter]) -> None:
        """Mark the parameters that peers count from, and those that hold their numbers."""
        for value, path in self.paths.items():
            parameter = scalars.get(value)
            if parameter is not None and path.plain and not (parameter.is_rank or parameter.is_count):
                parameter.suggest(0, "the numbers of peers count from it")
        for parameter, path in self.loaded.items():
            parameter.peers_apart, parameter.peers_most = path.values_per_peer, path.limit


def _is_counted(value: SSAValue) -> bool:
    """Return True for an argument of a loop's body."""
    return isinstance(value, BlockArgument) and isinstance(value.block.parent_op(), scf.ForOp)


def _bare(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, (*CASTS, *_REMAINDERS)):
        value = value.owner.operands[0]
    return value
