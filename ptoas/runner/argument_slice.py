"""Dependences of a program's values, followed to and from the arguments of its entry.

Sizes, index data and bounds of generated arguments are all inferred from these edges.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import TypeVar

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from ptoas.analysis.forwarding import forwarded_values, trace
from ptoas.analysis.structure import functions, walk
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.memory import TLoadOp
from ptoas.dialects.pto.pointers import PointerCastOp
from ptoas.dialects.pto.scalar import AddPtrOp
from ptoas.dialects.pto.views import MakeTensorViewOp, PartitionViewOp
from ptoas.runner.parameters import Parameter

T = TypeVar("T", bound=Hashable)

Edge = tuple[SSAValue, SSAValue]
"""A value, and one that it follows from."""


def reachable_starts(starts: Iterable[tuple[SSAValue, T]], edges: Iterable[Edge]) -> dict[SSAValue, set[T]]:
    """Return the labels of the starts from which edges lead to each value."""
    users: dict[SSAValue, list[SSAValue]] = {}
    for value, source in edges:
        users.setdefault(source, []).append(value)
    by_label: dict[T, list[SSAValue]] = {}
    for value, label in starts:
        by_label.setdefault(label, []).append(value)
    found: dict[SSAValue, set[T]] = {}
    for label, values in by_label.items():
        for value in trace(
            ((value, label) for value in values),
            lambda value, label: [(user, label) for user in users.get(value, ())],
        ):
            found.setdefault(value, set()).add(label)
    return found


class ArgumentSlice:
    """Backward slices of all functions that a module has, and the parameters that they end in."""

    def __init__(self, module: ModuleOp, entry: func.FuncOp, parameters: Iterable[Parameter]):
        bodies = {function.sym_name.data: function for function in functions(module)}
        self.operations = [op for function in bodies.values() for op in walk(function)]
        arguments = entry.body.block.args
        self.arguments: dict[SSAValue, Parameter] = {arguments[each.at]: each for each in parameters}
        """The parameters by the entry's arguments."""
        self.forwarded: dict[SSAValue, list[SSAValue]] = {}
        """Values forwarded under another name, in another region or function."""
        self._written: dict[SSAValue, list[SSAValue]] = {}
        """Operands that the contents of a tile or a view follow from."""
        for op in self.operations:
            for each in forwarded_values(op, bodies):
                self.forwarded.setdefault(each.name, []).append(each.value)
            if isinstance(op, PtoOp):
                for value in (value for slot in op.OUTS for value in op.operands_of(slot)):
                    self._written.setdefault(value, []).extend(o for o in op.operands if o is not value)
        pairs = (
            (argument, self.forwarded.get(argument, []))
            for function in bodies.values()
            for argument in function.body.blocks[0].args
        )
        self.callers: dict[SSAValue, SSAValue] = {
            argument: values[0] for argument, values in pairs if len(values) == 1
        }
        """The operands passed to the arguments of functions with one call site."""
        self._memory = reachable_starts(self.arguments.items(), self._memory_edges())

    def _memory_edges(self) -> Iterator[Edge]:
        yield from ((name, value) for name, values in self.forwarded.items() for value in values)
        for op in self.operations:
            match op:
                case MakeTensorViewOp() | AddPtrOp():
                    yield op.results[0], op.ptr
                case PointerCastOp():
                    yield op.results[0], op.operands[0]
                case PartitionViewOp():
                    yield op.result, op.source
                case TLoadOp():
                    # A tile that was loaded carries what it was loaded from, for finding index arguments.
                    yield op.destination, op.mem
                case _:
                    pass

    def memory(self, value: SSAValue) -> set[Parameter]:
        """Return the parameters whose bytes a pointer, view or tile refers to, or was loaded from."""
        return self._memory.get(value, set())

    def backward(
        self, values: Iterable[SSAValue], until: type[Operation] | None = None
    ) -> dict[SSAValue, None]:
        """Return all values that these are calculated from, themselves included, up to results of `until`."""

        def step(value: SSAValue, _: None) -> Iterator[tuple[SSAValue, None]]:
            owner = value.owner
            yield from ((source, None) for source in self.forwarded.get(value, ()))
            yield from ((source, None) for source in self._written.get(value, ()))
            if isinstance(owner, Operation) and not (until and isinstance(owner, until)):
                yield from ((operand, None) for operand in owner.operands)

        return trace(((value, None) for value in values), step)

    def parameters(self, values: Iterable[SSAValue]) -> set[Parameter]:
        """Return the parameters that the backward slice of some values ends in."""
        return {parameter for value in self.backward(values) for parameter in self.memory(value)}
