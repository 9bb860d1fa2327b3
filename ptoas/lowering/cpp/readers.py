"""Which values something reads in the end: what loops and branches only hand on needs no variable."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import func, scf
from xdsl.ir import Block, Operation, SSAValue


def read_values(function: func.FuncOp) -> set[SSAValue]:
    """The values of a function that an instruction reads, itself or by a name that it has elsewhere."""
    sources: dict[SSAValue, list[SSAValue]] = {}
    work: list[SSAValue] = []
    for op in function.walk():
        work += _read_by(op)
        for value, source in _handed_on(op):
            sources.setdefault(value, []).append(source)
    found = set(work)
    while work:
        for source in sources.get(work.pop(), ()):
            if source not in found:
                found.add(source)
                work.append(source)
    return found


def _read_by(op: Operation) -> Iterator[SSAValue]:
    """Operands that are not only given another name."""
    match op:
        case scf.ForOp():
            yield from op.operands[:3]
        case scf.ConditionOp():
            yield op.operands[0]
        case scf.YieldOp() if isinstance(op.parent_op(), scf.ForOp | scf.IfOp):
            pass
        case _:
            yield from op.operands


def _handed_on(op: Operation) -> Iterator[tuple[SSAValue, SSAValue]]:
    """Names for values, each with a value that it may stand for."""
    match op:
        case scf.ForOp():
            carried = op.body.block.args[1:]
            yield from zip(op.results, carried, strict=True)
            yield from zip(carried, op.iter_args, strict=True)
            yield from zip(carried, terminator(op.body.block).operands, strict=True)
        case scf.IfOp():
            for region in op.regions:
                if region.blocks:
                    yield from zip(op.results, terminator(region.block).operands, strict=True)
        case scf.WhileOp():
            handed = terminator(op.before_region.block).operands[1:]
            yield from zip(op.results, handed, strict=True)
            yield from zip(op.after_region.block.args, handed, strict=True)
        case _:
            pass


def terminator(block: Block) -> Operation:
    last = block.last_op
    assert last is not None
    return last
