"""Arguments through which a program reaches other ranks: windows, and tables that say where they are.

A kernel finds a peer's memory by a distance: it loads two window addresses from a table, takes their
difference, and adds it to a pointer of its own. So a difference of two numbers out of one table makes the
table a context, and the argument behind the pointer a window.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType, i64
from xdsl.ir import SSAValue

from ptoas.analysis.guards import guarding_argument
from ptoas.analysis.integers import CASTS
from ptoas.analysis.knowledge import Knowledge
from ptoas.diagnostics import PtoasError
from ptoas.dialects.pto.comm import CollectiveOp
from ptoas.dialects.pto.scalar import AddPtrOp, LoadScalarOp
from ptoas.runner.argument_slice import ArgumentSlice, Edge, reachable_starts
from ptoas.runner.parameters import Parameter
from ptoas.runner.peer_numbers import PeerNumbers


class Peers:
    """The values of a program that lead to other ranks."""

    def __init__(self, slices: ArgumentSlice):
        self._slices = slices
        loads = [op for op in slices.operations if isinstance(op, LoadScalarOp) and op.result.type == i64]
        edges = list(_number_edges(slices)) if loads else []
        numbers = [(op.result, table) for op in loads for table in slices.memory(op.ptr)]
        loaded = reachable_starts(numbers, edges)
        none: set[Parameter] = set()
        differences = [
            (op.result, table)
            for op in slices.operations
            if isinstance(op, arith.SubiOp)
            for table in loaded.get(op.lhs, none) & loaded.get(op.rhs, none)
        ]
        self._distances = reachable_starts(differences, edges)
        """The tables of the window addresses, for a number that is a distance between windows."""

    def is_distance(self, value: SSAValue) -> bool:
        """Return True if a number of elements leads from one rank's window to another's."""
        return value in self._distances

    def mark(self) -> None:
        """Mark the parameters that are windows and those that are tables of windows."""
        for op in self._slices.operations:
            if isinstance(op, AddPtrOp) and self.is_distance(op.offset):
                for parameter in self._slices.memory(op.ptr):
                    parameter.is_window = True
                for parameter in self._distances[op.offset]:
                    parameter.is_context = True


def _number_edges(slices: ArgumentSlice) -> Iterator[Edge]:
    """Yield the edges of arithmetic and of values that are forwarded."""
    yield from ((name, value) for name, values in slices.forwarded.items() for value in values)
    for op in slices.operations:
        if op.name.startswith("arith."):
            yield from ((result, operand) for result in op.results for operand in op.operands)


RANK_NAMES = ("my_rank", "rank")
COUNT_NAMES = ("nranks", "num_ranks")


def alone(error: PtoasError, parameters: list[Parameter]) -> PtoasError:
    """Add a fix to the error of a rank that runs alone and reaches for the window of another one."""
    if not any(parameter.is_context for parameter in parameters):
        return error
    fix = "run it with --ranks N, because it accesses the memory of other ranks"
    return PtoasError(
        [replace(d, fix=fix) if d.code in REACHES and d.fix is None else d for d in error.diagnostics]
    )


REACHES = ("PTO-R102", "PTO-R103", "PTO-R106")
"""Codes of accesses outside of an argument."""


def mark_ranks(slices: ArgumentSlice, numbers: PeerNumbers) -> None:
    """Mark the scalars that are the number of the rank that runs, or how many ranks there are.

    By its name, or the name that a cast of it has (`%my_rank__idx = arith.index_cast %arg5`); or because it
    is compared with the root where a collective is called, or with the number of a peer.
    """
    knowledge = Knowledge()
    scalars = {value: each for value, each in slices.arguments.items() if _may_count(each)}
    for value, parameter in scalars.items():
        names = [parameter.name, *(cast.name_hint or "" for cast in _casts(value))]
        stems = {name.partition("__")[0] for name in names}
        parameter.is_rank = not stems.isdisjoint(RANK_NAMES)
        parameter.is_count = not stems.isdisjoint(COUNT_NAMES)
    if any(parameter.is_rank for parameter in scalars.values()):
        return
    for op in slices.operations:
        if isinstance(op, CollectiveOp):
            root = 0 if op.root is None else op.root.value.data
            argument = guarding_argument(op, root, knowledge.constant)
            if argument is not None and argument in scalars:
                scalars[argument].is_rank = True
    for own in numbers.own():
        if own in scalars:
            scalars[own].is_rank = True


def _may_count(parameter: Parameter) -> bool:
    return parameter.kind == "scalar" and isinstance(parameter.type, IntegerType | IndexType)


def _casts(value: SSAValue) -> Iterator[SSAValue]:
    for use in value.uses:
        if isinstance(use.operation, CASTS):
            yield use.operation.results[0]
