"""Branches that only one rank takes: `scf.if` of a comparison of an argument with a constant."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from xdsl.dialects import arith, func, scf
from xdsl.ir import BlockArgument, Operation, SSAValue

from ptoas.analysis.integers import CASTS
from ptoas.analysis.kinds import function_of
from ptoas.analysis.structure import ancestors, walk

EQUAL, NOT_EQUAL = 0, 1
"""Predicates of `arith.cmpi`."""

Constant = Callable[[SSAValue], int | None]


def is_guarded_by(op: Operation, number: int, constant: Constant) -> bool:
    """Return True if `op` is reached only if some argument equals `number`, here or at every call."""
    return _guarded(op, number, constant, frozenset())


def guarding_argument(op: Operation, number: int, constant: Constant) -> BlockArgument | None:
    """The argument of its function whose being `number` lets `op` be reached, if there is one."""
    for branch, inner in _branches_around(op):
        if not isinstance(branch.cond.owner, arith.CmpiOp):
            continue
        found = [_argument(side) for side in branch.cond.owner.operands]
        argument = next((each for each in found if each is not None), None)
        if argument is not None and _chooses(branch, inner, number, constant):
            return argument
    return None


def _guarded(op: Operation, number: int, constant: Constant, seen: frozenset[str]) -> bool:
    if any(_chooses(branch, inner, number, constant) for branch, inner in _branches_around(op)):
        return True
    function = function_of(op)
    if function is None or function.sym_name.data in seen:
        return False
    calls = _calls(function)
    seen |= {function.sym_name.data}
    return bool(calls) and all(_guarded(call, number, constant, seen) for call in calls)


def _branches_around(op: Operation) -> Iterator[tuple[scf.IfOp, Operation]]:
    """The branches around `op`, each with the operation in it that is `op` or contains it."""
    for inner, outer in pairwise((op, *ancestors(op))):
        if isinstance(outer, scf.IfOp):
            yield outer, inner


def _chooses(branch: scf.IfOp, inner: Operation, number: int, constant: Constant) -> bool:
    """Return True if the branch that contains `inner` is taken only for that number."""
    predicate = EQUAL if inner.parent_region() is branch.true_region else NOT_EQUAL
    return _compares(branch.cond, predicate, number, constant)


def _compares(condition: SSAValue, predicate: int, number: int, constant: Constant) -> bool:
    comparison = condition.owner
    if isinstance(comparison, arith.AndIOp) and predicate == EQUAL:
        return any(_compares(side, predicate, number, constant) for side in comparison.operands)
    if not isinstance(comparison, arith.CmpiOp) or comparison.predicate.value.data != predicate:
        return False
    sides = (comparison.lhs, comparison.rhs)
    return any(_argument(a) is not None and constant(b) == number for a, b in (sides, sides[::-1]))


def _argument(value: SSAValue) -> BlockArgument | None:
    """The argument of a function that a value is, under its casts."""
    while isinstance(value.owner, CASTS):
        value = value.owner.operands[0]
    if isinstance(value, BlockArgument) and isinstance(value.block.parent_op(), func.FuncOp):
        return value
    return None


def _calls(function: func.FuncOp) -> list[func.CallOp]:
    module = function.parent_op()
    name = function.sym_name.data
    if module is None:
        return []
    return [op for op in walk(module) if isinstance(op, func.CallOp) and op.callee.string_value() == name]
