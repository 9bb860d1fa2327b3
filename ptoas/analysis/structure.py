"""Structure of a function: order, loops and calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TypeVar, cast

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from ptoas.dialects.pto.enums import KernelKind, KernelKindAttr

Op = TypeVar("Op", bound=Operation)

LOOPS = (scf.ForOp, scf.WhileOp, scf.ParallelOp)
"""Operations whose regions run any number of times."""


def walk(top: Operation) -> list[Operation]:
    """An operation and all that is in it, in the order of the text, as a list: it stays the same while a pass
    inserts and erases, and several analyses can share it."""
    return list(top.walk())


def walk_of(top: Operation, *kinds: type[Op]) -> list[Op]:
    """Yield an operation and its nested operations that are of one of these kinds."""
    return of_kinds(walk(top), *kinds)


def of_kinds(ops: Sequence[Operation], *kinds: type[Op]) -> list[Op]:
    """Return the operations of these classes; each class is tested once, because abstract classes are
    slow to test."""
    wanted = {kind for kind in set(map(type, ops)) if is_of(kind, kinds)}
    return cast("list[Op]", [op for op in ops if op.__class__ in wanted] if wanted else [])


@cache
def is_of(kind: type[Operation], kinds: tuple[type[Operation], ...]) -> bool:
    """Return True if operations of a class are of one of some kinds."""
    return issubclass(kind, kinds)


def functions(module: ModuleOp) -> list[func.FuncOp]:
    """Functions of the module, and of modules in it, that have a body, in their order."""
    found: list[func.FuncOp] = []
    for op in module.body.ops:
        kind = op.__class__
        if kind is func.FuncOp:
            function = cast(func.FuncOp, op)
            if function.body.first_block is not None:
                found.append(function)
        elif issubclass(kind, ModuleOp):
            found += functions(cast(ModuleOp, op))
    return found


Bodies = Mapping[func.FuncOp, Sequence[Operation]]
"""Functions, each with all operations in it, in the order of the text."""


def bodies_of(module: ModuleOp) -> Bodies:
    """The functions of a module, walked once for all analyses of a pass; stale where a pass has inserted or
    erased operations."""
    return {function: walk(function)[1:] for function in functions(module)}


def calls_of(module: ModuleOp) -> dict[func.FuncOp, set[str]]:
    """The functions of a module, each with the names of those that it calls."""
    return calls_in(bodies_of(module))


def calls_in(bodies: Bodies) -> dict[func.FuncOp, set[str]]:
    """Functions, each with the names of those that it calls."""
    return {
        function: {op.callee.string_value() for op in of_kinds(ops, func.CallOp)}
        for function, ops in bodies.items()
    }


def reached(calls: dict[func.FuncOp, set[str]], kernels: Iterable[func.FuncOp]) -> set[func.FuncOp]:
    """Return functions with their direct and indirect callees."""
    by_name = {function.sym_name.data: function for function in calls}
    found = set(kernels)
    work = list(found)
    while work:
        for name in calls[work.pop()] & by_name.keys():
            callee = by_name[name]
            if callee not in found:
                found.add(callee)
                work.append(callee)
    return found


def kernels_of(calls: dict[func.FuncOp, set[str]]) -> dict[func.FuncOp, list[func.FuncOp]]:
    """The launched functions, each with all functions that it calls.

    These are the functions without callers, each first in its list; for functions that call each other in a
    cycle, all of them.
    """
    if not any(calls.values()):
        return {function: [function] for function in calls}
    called = {name for function, names in calls.items() for name in names - {function.sym_name.data}}
    outer = [function for function in calls if function.sym_name.data not in called]
    found = reached(calls, outer)
    kernels = [*outer, *(function for function in calls if function not in found)]
    inside = {kernel: reached(calls, [kernel]) for kernel in kernels}
    return {
        kernel: [kernel, *(each for each in calls if each in inside[kernel] and each is not kernel)]
        for kernel in kernels
    }


def callees_first(bodies: Mapping[func.FuncOp, set[str]]) -> list[func.FuncOp]:
    """Functions, with the names of those that each calls, callees first."""
    by_name = {f.sym_name.data: f for f in bodies}
    ordered: list[func.FuncOp] = []
    seen: set[str] = set()
    work = [(name, False) for name in reversed(by_name)]
    while work:
        name, is_ready = work.pop()
        if is_ready:
            ordered.append(by_name[name])
        elif name not in seen:
            seen.add(name)
            callees = bodies[by_name[name]] & by_name.keys()
            work += [(name, True), *((callee, False) for callee in sorted(callees, reverse=True))]
    return ordered


def kind_of(function: func.FuncOp) -> KernelKind | None:
    """Return the kernel kind declared by a function or its module."""
    op: Operation | None = function
    while op is not None:
        kind = op.attributes.get(KernelKindAttr.name)
        if isinstance(kind, KernelKindAttr):
            return kind.data
        op = op.parent_op()
    return None


def ancestor_in(block: Block, op: Operation) -> Operation:
    """The operation of `block` that is `op` or contains it."""
    at: Operation | None = op
    while at is not None and at.parent is not block:
        at = at.parent_op()
    assert at is not None, "the operation lies outside the block"
    return at


class Order:
    """Operations numbered as written; those of a region lie between their owner's `start` and `end`."""

    def __init__(self, function: func.FuncOp, ops: Sequence[Operation] | None = None):
        """`ops` is all that is in the function, in its order, where that is known already."""
        ops = walk(function)[1:] if ops is None else ops
        self.start = {op: at for at, op in enumerate(ops)}
        self.end = dict(self.start)
        # What is inside ends last at its last operation: each owner of regions is asked, the innermost first.
        for op in reversed(ops):
            if op.regions:
                lasts = [block.last_op for region in op.regions for block in region.blocks]
                self.end[op] = max([self.end[op], *(self.end[last] for last in lasts if last is not None)])


def ancestors(op: Operation) -> Iterator[Operation]:
    """Operations of its function around `op`, innermost first."""
    at = op.parent_op()
    while at is not None and not isinstance(at, func.FuncOp):
        yield at
        at = at.parent_op()


def enclosing_loops(op: Operation) -> Iterator[Operation]:
    """Loops around `op`, innermost first."""
    return (around for around in ancestors(op) if is_loop(around.__class__))


@cache
def is_loop(kind: type[Operation]) -> bool:
    """Return True if the regions of such operations run any number of times."""
    return issubclass(kind, LOOPS)
