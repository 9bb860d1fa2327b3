"""Value ranges of indices that the program computes itself, up to the gather or scatter that uses them.

A gather in two stages picks indices out of a tile that the program filled (`tci`, arithmetic with constants)
and gathers with those. Where all that is known before it runs, so is an index that is out of bounds.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import cache

from xdsl.ir import Block, Operation, SSAValue

from ptoas.analysis.function import FunctionFacts, ValueAccess, value_name
from ptoas.diagnostics import Severity
from ptoas.dialects.pto import elementwise as e
from ptoas.dialects.pto import tile_scalar as s
from ptoas.dialects.pto.enums import GatherOOB
from ptoas.dialects.pto.expand import TExpandSOp
from ptoas.dialects.pto.gather import MGatherOp, TGatherOp
from ptoas.dialects.pto.movement import TMovOp
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.targets.row import Row
from ptoas.targets.rule import Related, Violation, Violations, target_rule
from ptoas.targets.specs import tile_type
from ptoas.targets.target import Target

Range = tuple[int, int]
Known = dict[SSAValue, tuple[Range, Operation]]
"""The least and the greatest number in a tile, and the instruction that wrote them."""


_SOURCES = (e.TCIOp, TExpandSOp)
"""Instructions that compute indices from constants only."""

_ARITHMETIC: dict[type[Operation], Callable[[int, int], int]] = {
    s.TAddSOp: operator.add,
    s.TSubSOp: operator.sub,
    s.TMulSOp: operator.mul,
    s.TMaxSOp: max,
    s.TMinSOp: min,
}
_USERS = (TGatherOp, MGatherOp)
_FOLLOWED = (*_SOURCES, TMovOp, *_USERS, *_ARITHMETIC)


@target_rule(
    "PTO-N104",
    source="D13",
    reason="An index at or beyond the capacity is undefined behaviour for a gather that does not clamp.",
    on="a2a3 a5",
    severity=Severity.WARNING,
)
def computed_indices_are_in_range(facts: FunctionFacts, target: Target) -> Violations:
    """Indices that a program computes from constants must be less than the capacity they are used with."""
    if not any(kind in facts.by_class for kind in _SOURCES):
        return
    users = [
        op
        for kind in _USERS
        for op in facts.by_class.get(kind, ())
        if _used(op, facts, target)[1] is not None
    ]
    if not users:
        return
    touches = dict(facts.touches(target))
    for block in dict.fromkeys(op.parent for op in users if op.parent is not None):
        yield from _in_block(block, facts, target, touches)


def _in_block(
    block: Block, facts: FunctionFacts, target: Target, touches: Mapping[Operation, tuple[ValueAccess, ...]]
) -> Violations:
    known: Known = {}
    for op in block.ops:
        if not known and op.__class__ not in _SOURCES:
            continue  # Of what others make of nothing, nothing is known.
        if op.regions or op.name == "func.call":
            known.clear()
            continue
        used, capacity, made = None, None, None
        if _is_followed(op.__class__):
            used, capacity = _used(op, facts, target)
            made = _made(op, facts, known)
        found = known.get(facts.root(used)) if used is not None else None
        if used is not None and found is not None and capacity is not None:
            (least, most), made_by = found
            if least < 0 or most >= capacity:
                yield Violation(
                    f"indices in `{value_name(used)}`: found {least} to {most}, expected 0 to {capacity - 1}",
                    op=op,
                    related=(Related("computed here", made_by),),
                )
        for value, write, _ in touches.get(op, ()):
            if write and isinstance(value.type, TileType):
                root = facts.root(value)
                known.pop(root, None)
                if made is not None and value.type == root.type:
                    known[root] = made, op


@cache
def _is_followed(kind: type[Operation]) -> bool:
    """Return True if the instruction uses indices, or computes numbers from numbers."""
    return issubclass(kind, _FOLLOWED)


def _used(op: Operation, facts: FunctionFacts, target: Target) -> tuple[SSAValue | None, int | None]:
    """The tile whose indices an instruction uses as they are, and how many there are to choose from."""
    if isinstance(op, TGatherOp) and op.form == "index":
        source = tile_type(op.src)
        return op.indices, source.rows * source.cols
    if not isinstance(op, MGatherOp) or not isinstance(target.row(op), Row):
        return None, None
    if target.value(op, "gatherOob") not in (None, GatherOOB.Undefined):
        return None, None
    table = facts.knowledge.view(op.mem)
    mode = target.value(op, "coalesce")
    return op.idx, target.model(op).capacity(table.shape5, table.layout, mode)


def _made(op: Operation, facts: FunctionFacts, known: Known) -> Range | None:
    """The value range of the numbers that an instruction writes."""

    def of(value: SSAValue) -> Range | None:
        found = known.get(facts.root(value))
        return None if found is None else found[0]

    constant = facts.knowledge.constant
    match op:
        case e.TCIOp():
            start, type = constant(op.start), tile_type(op.destination)
            if start is None or type.valid_cols == DYNAMIC:
                return None
            last = type.valid_cols - 1
            down = op.descending is not None and bool(op.descending.value.data)
            return (start - last, start) if down else (start, start + last)
        case TExpandSOp():
            number = constant(op.scalar)
            return None if number is None else (number, number)
        case TMovOp():
            return of(op.src)
        case TGatherOp() if op.form == "index":
            return of(op.src)
        case s.TAddSOp() | s.TSubSOp() | s.TMulSOp() | s.TMaxSOp() | s.TMinSOp():
            before, number = of(op.src), constant(op.scalar)
            if before is None or number is None:
                return None
            ends = [_ARITHMETIC[op.__class__](end, number) for end in before]
            return min(ends), max(ends)
        case _:
            return None
