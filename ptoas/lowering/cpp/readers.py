"""Values with an eventual reader: values only passed through loops and branches need no variable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from xdsl.ir import Block, Operation, SSAValue

from ptoas.analysis.forwarding import forwarded_values


def read_values(ops: Sequence[Operation]) -> set[SSAValue]:
    """The values that an instruction among the operations of a function reads, itself or by a name that it
    has elsewhere."""
    forwarded = [each for op in ops if op.regions for each in forwarded_values(op)]
    sources: dict[SSAValue, list[SSAValue]] = {}
    for each in forwarded:
        sources.setdefault(each.name, []).append(each.value)
    only_named: dict[Operation, set[int]] = {}
    for each in forwarded:
        only_named.setdefault(each.op, set()).add(each.at)
    found: set[SSAValue] = set()
    for op in ops:
        operands = op.operands
        if operands:
            named = only_named.get(op)
            found.update(operands if named is None else _without(operands, named))
    work = list(found)
    while work:
        for source in sources.get(work.pop(), ()):
            if source not in found:
                found.add(source)
                work.append(source)
    return found


def _without(values: Iterable[SSAValue], places: set[int]) -> Iterator[SSAValue]:
    return (value for at, value in enumerate(values) if at not in places)


def terminator(block: Block) -> Operation:
    last = block.last_op
    assert last is not None
    return last
