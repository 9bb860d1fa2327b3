"""Values forwarded under another name by `scf`, `func`, `arith.select` and windows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple, TypeVar, cast

from xdsl.dialects import arith, func, scf
from xdsl.ir import Block, Operation, Region, SSAValue, Use

from ptoas.dialects.pto.multi_tile import MultiTileGetOp
from ptoas.dialects.pto.views import AliasOp, SubviewOp, TAssignOp

_CONTROL = (arith.__name__, func.__name__, scf.__name__)
NO_FUNCTIONS: Mapping[str, func.FuncOp] = MappingProxyType({})

Label = TypeVar("Label")


class ForwardedValue(NamedTuple):
    """Operand number `at` of `op` is known as `name`, too."""

    op: Operation
    at: int
    name: SSAValue

    @property
    def value(self) -> SSAValue:
        return self.op.operands[self.at]


@cache
def forwards_values(kind: type[Operation]) -> bool:
    """Most operations do not; asking a class once is quicker than asking every operation ten times."""
    return kind.__module__ in _CONTROL or issubclass(kind, AliasOp | SubviewOp | TAssignOp | MultiTileGetOp)


def forwarded_values(
    op: Operation, functions: Mapping[str, func.FuncOp] = NO_FUNCTIONS
) -> Iterator[ForwardedValue]:
    """All that an operation hands on, what the ends of its regions hand on included.

    A call hands on only to the `functions` that are given, by their names; without them it ends what is
    followed.
    """
    if not forwards_values(op.__class__):
        return
    match op:
        case AliasOp() | SubviewOp() | TAssignOp():
            yield from _each(op, 0, op.results)
        case MultiTileGetOp():
            for at, _ in enumerate(op.source):
                yield ForwardedValue(op, at, op.result)
        case arith.SelectOp():
            yield ForwardedValue(op, 1, op.result)
            yield ForwardedValue(op, 2, op.result)
        case scf.ForOp():
            carried = op.body.block.args[1:]
            yield from _each(op, 3, carried)
            for end in _ends(op.body, scf.YieldOp):
                yield from _each(end, 0, carried)
                yield from _each(end, 0, op.results)
            yield from _each(op, 3, op.results)
        case scf.IfOp() | scf.IndexSwitchOp() | scf.ExecuteRegionOp():
            for region in op.regions:
                for end in _ends(region, scf.YieldOp):
                    yield from _each(end, 0, op.results)
        case scf.WhileOp():
            before, after = op.before_region.block.args, op.after_region.block.args
            yield from _each(op, 0, before)
            for end in _ends(op.before_region, scf.ConditionOp):
                yield from _each(end, 1, after)
                yield from _each(end, 1, op.results)
            for end in _ends(op.after_region, scf.YieldOp):
                yield from _each(end, 0, before)
        case func.CallOp():
            callee = functions.get(op.callee.string_value())
            if callee is not None and callee.body.blocks:
                yield from _each(op, 0, callee.body.blocks[0].args)
                for end in _ends(callee.body, func.ReturnOp):
                    yield from _each(end, 0, op.results)
        case _:
            pass


def _each(op: Operation, first: int, names: Iterable[SSAValue]) -> Iterator[ForwardedValue]:
    """The operands of `op` from number `first` on, in turn."""
    for (at, _), name in zip(enumerate(op.operands[first:], first), names, strict=False):
        yield ForwardedValue(op, at, name)


def _ends(region: Region, kind: type[Operation]) -> Iterator[Operation]:
    for block in region.blocks:
        if isinstance(block.last_op, kind):
            yield block.last_op


def handed_from(value: SSAValue) -> list[SSAValue]:
    """Values forwarded to this one inside its function; empty if it is not forwarded."""
    owner = value.owner
    op = cast(Block, owner).parent_op() if owner.__class__ is Block else cast(Operation, owner)
    if op is None or not forwards_values(op.__class__):
        return []
    return [each.value for each in forwarded_values(op) if each.name is value]


def passed_on(use: Use) -> list[SSAValue]:
    """The names under which one use of a value hands it on, inside its function."""
    op = use.operation
    if not forwards_values(op.__class__):
        return []
    holder = op.parent_op() if isinstance(op, scf.YieldOp | scf.ConditionOp) else op
    if holder is None:
        return []
    return [each.name for each in forwarded_values(holder) if each.op is op and each.at == use.index]


def underlying_values(value: SSAValue) -> tuple[SSAValue, ...]:
    """The underlying values of this one: several where the program chooses.

    Loops make circles, so each value is visited once.
    """
    seen: set[SSAValue] = set()
    found: dict[SSAValue, None] = {}
    stack = [value]
    while stack:
        at = stack.pop()
        if at in seen:
            continue
        seen.add(at)
        sources = handed_from(at)
        if not sources:
            found[at] = None
        stack += reversed(sources)
    return tuple(found)


def trace(
    starts: Iterable[tuple[SSAValue, Label]],
    step: Callable[[SSAValue, Label], Iterable[tuple[SSAValue, Label]]],
) -> dict[SSAValue, Label]:
    """Return every value that steps from these lead to, with the first label that it was reached with."""
    found: dict[SSAValue, Label] = {}
    waiting = list(starts)
    while waiting:
        value, label = waiting.pop()
        if value not in found:
            found[value] = label
            waiting += step(value, label)
    return found
