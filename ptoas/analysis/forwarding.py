"""Under which names a tile goes: loops hand it on from turn to turn, branches pick one of several."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue, Use

from ptoas.dialects.pto.views import SubviewOp, TAssignOp


def handed_from(value: SSAValue) -> list[SSAValue]:
    """Where a value of a loop or a branch comes from; nothing for any other value."""
    if isinstance(value, OpResult):
        op = value.owner
        if not isinstance(op, scf.ForOp | scf.IfOp | scf.WhileOp):
            return []
        sources = [last.operands[-len(op.results) + value.index] for last in _ends(op)]
        if isinstance(op, scf.ForOp):
            sources.append(op.iter_args[value.index])
        return sources
    block = value.owner
    op = block.parent_op() if isinstance(block, Block) else None
    assert isinstance(value, BlockArgument)
    if isinstance(op, scf.ForOp) and value.index > 0:
        at = value.index - 1
        return [op.iter_args[at], *(last.operands[at] for last in _ends(op))]
    if isinstance(op, scf.WhileOp):
        first, second = op.before_region.block, op.after_region.block
        if block is first and isinstance(second.last_op, scf.YieldOp):
            return [op.arguments[value.index], second.last_op.operands[value.index]]
        if block is second and isinstance(first.last_op, scf.ConditionOp):
            return [first.last_op.operands[value.index + 1]]
    return []


def _ends(op: scf.ForOp | scf.IfOp | scf.WhileOp) -> list[Operation]:
    """The operations that hand on a region's values to the operation's results."""
    if isinstance(op, scf.WhileOp):
        last = op.before_region.block.last_op
        return [] if last is None else [last]
    ends = [region.blocks[-1].last_op for region in op.regions if region.blocks]
    return [last for last in ends if isinstance(last, scf.YieldOp)]


def passed_on(use: Use) -> list[SSAValue]:
    """The values under which a use hands a tile on."""
    op, at = use.operation, use.index
    parent = op.parent_op()
    match op:
        case SubviewOp() | TAssignOp():
            return list(op.results)
        case scf.ForOp():
            return [op.body.block.args[at - 2], op.results[at - 3]] if at >= 3 else []
        case scf.WhileOp():
            return [op.before_region.block.args[at]]
        case scf.ConditionOp() if isinstance(parent, scf.WhileOp) and at > 0:
            return [parent.after_region.block.args[at - 1], parent.results[at - 1]]
        case scf.YieldOp() if isinstance(parent, scf.ForOp):
            return [parent.body.block.args[at + 1], parent.results[at]]
        case scf.YieldOp() if isinstance(parent, scf.WhileOp):
            return [parent.before_region.block.args[at]]
        case scf.YieldOp() if isinstance(parent, scf.IfOp):
            return [parent.results[at]]
        case _:
            return []
