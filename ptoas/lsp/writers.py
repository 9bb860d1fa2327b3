"""Last writer of a value's memory before a given statement."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Block, Operation, SSAValue

from ptoas.analysis.effects import touched
from ptoas.analysis.forwarding import underlying_values
from ptoas.analysis.structure import enclosing_loops
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.slots import accesses
from ptoas.lsp.document import Document, SourceStatement


@dataclass(frozen=True)
class Writers:
    """The last writer before a place, and the last of an earlier pass of a loop around both."""

    last: Operation | None
    earlier: Operation | None


def written(op: Operation) -> list[SSAValue]:
    """The values whose memory an operation writes."""
    if not isinstance(op, PtoOp):
        return []
    return [touched(op, access.operand) for access in accesses(op) if access.write]


def last_writers(document: Document, value: SSAValue, statement: SourceStatement) -> Writers:
    """Return the last statement before `statement`, in text order, that wrote `value`."""
    roots = set(underlying_values(value))
    writers: list[tuple[int, Operation]] = []
    for each in document.scope_of(statement):
        op = document.op_at(each)
        if op is not None and not roots.isdisjoint(
            root for v in written(op) for root in underlying_values(v)
        ):
            writers.append((each.start, op))
    before = [op for start, op in writers if start < statement.start]
    here = document.op_at(statement)
    loop = next(enclosing_loops(here), None) if here is not None else None
    after = [op for start, op in writers if start >= statement.start and loop and loop.is_ancestor(op)]
    return Writers(before[-1] if before else None, after[-1] if after else None)


def is_argument(value: SSAValue) -> bool:
    """Return True if the value is supplied by the caller."""
    owner = value.owner
    outer = owner.parent_op() if isinstance(owner, Block) else None
    return isinstance(owner, Block) and (outer is None or outer.name == "func.func")
