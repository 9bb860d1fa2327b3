"""Contents of tiles that an instruction overwrites although it only reads or works in them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from xdsl.ir import Operation, SSAValue

from ptoas.analysis.function import FunctionFacts, value_name
from ptoas.diagnostics import Severity
from ptoas.dialects.pto.comm import StagedOp
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import TileType
from ptoas.targets.row import Row
from ptoas.targets.rule import Related, Violation, Violations, target_rule
from ptoas.targets.rules.examples import kernel
from ptoas.targets.target import Target, rows_of

_TILE = "!pto.tile_buf<vec, 16x32xi32>"
_REMAINDER = f"pto.trem ins(%a, %b : {_TILE}, {_TILE}) outs(%d : {_TILE})"
_ARGS = f"%a: {_TILE}, %b: {_TILE}, %d: {_TILE}"


@target_rule(
    "PTO-Q301",
    source="device headers: TREM, TREMS and TQUANT of A2/A3 calculate in their sources and in tmp",
    reason="The tile holds intermediate results, possibly of another type.",
    failing=kernel(_REMAINDER, f"pto.tadd ins(%a, %d : {_TILE}, {_TILE}) outs(%d : {_TILE})", args=_ARGS),
    passing=kernel(f"pto.tadd ins(%a, %b : {_TILE}, {_TILE}) outs(%d : {_TILE})", _REMAINDER, args=_ARGS),
    on="a2a3",
)
def overwritten_operand_is_not_read(facts: FunctionFacts, target: Target) -> Violations:
    """A source that an instruction overwrites, or its scratch tile, must be written again before it is read.
    It is a warning for the staging tile of a transfer between ranks, which holds the last chunk."""
    if not any(_works_in_tiles(kind, target) for kind in facts.by_class):
        return
    gone: dict[SSAValue, PtoOp] = {}
    touches = dict(facts.touches(target))
    for op in facts.ops:
        here = touches.get(op, ())
        for value, write, operand in here if gone else ():
            if write or not isinstance(value.type, TileType):
                continue
            root = facts.root(value)
            if root not in gone or not _follows(gone[root], op):
                continue
            yield Violation(
                f"`{value_name(root)}` is read after `{gone[root].mnemonic()}` has overwritten it",
                op=op,
                slot=("operand", operand),
                part="value",
                related=(Related("overwritten here", gone[root]),),
                fix="read it before, or copy it first",
                severity=Severity.WARNING if isinstance(gone[root], StagedOp) else None,
            )
            del gone[root]
        for value, write, _ in here if gone else ():
            if write and isinstance(value.type, TileType):
                gone.pop(facts.root(value), None)
        if not isinstance(op, PtoOp):
            # A callee, or the next turn of a loop, may write them.
            for each in op.operands if gone else ():
                if isinstance(each.type, TileType):
                    gone.pop(facts.root(each), None)
        elif _works_in_tiles(op.__class__, target):
            gone |= dict.fromkeys(_worked_in(op, facts, target), op)


@cache
def _works_in_tiles(kind: type[Operation], target: Target) -> bool:
    """Return True if any form of an instruction may overwrite a tile that is not its destination."""
    scratch = kind.SCRATCH if issubclass(kind, PtoOp) else ()
    return any({*row.clobbers, *scratch} - {*row.ignores} for row in rows_of(kind, target))


def _worked_in(op: PtoOp, facts: FunctionFacts, target: Target) -> Iterator[SSAValue]:
    """The tiles whose contents are undefined after the instruction."""
    row = target.row(op)
    if not isinstance(row, Row):
        return
    results = {facts.root(value) for slot in op.OUTS for value in op.values_of(slot)}
    for slot in {*row.clobbers, *op.SCRATCH} - {*row.ignores}:
        for value in op.operands_of(slot):
            if isinstance(value.type, TileType) and facts.root(value) not in results:
                yield facts.root(value)


def _follows(first: Operation, second: Operation) -> bool:
    """Return True if the second operation certainly runs after the first, whose block encloses it."""
    block = second.parent
    while block is not None:
        if block is first.parent:
            return True
        around = block.parent_op()
        block = around.parent if around is not None else None
    return False
