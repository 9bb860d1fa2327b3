"""Which values something reads in the end: what loops and branches only hand on needs no variable."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.ir import Block, Operation, SSAValue

from ptoas.analysis.forwarding import handings
from ptoas.analysis.structure import walk


def read_values(function: func.FuncOp) -> set[SSAValue]:
    """The values of a function that an instruction reads, itself or by a name that it has elsewhere."""
    ops = walk(function)
    handed = [each for op in ops if op.regions for each in handings(op)]
    sources: dict[SSAValue, list[SSAValue]] = {}
    for each in handed:
        sources.setdefault(each.name, []).append(each.value)
    only_named = {(each.op, each.at) for each in handed}
    work = [value for op in ops for at, value in enumerate(op.operands) if (op, at) not in only_named]
    found = set(work)
    while work:
        for source in sources.get(work.pop(), ()):
            if source not in found:
                found.add(source)
                work.append(source)
    return found


def terminator(block: Block) -> Operation:
    last = block.last_op
    assert last is not None
    return last
