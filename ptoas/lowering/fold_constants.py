"""Replace integer arithmetic on constants by its result.

Before:

    %a = arith.constant 4 : index
    %b = arith.constant 8 : index
    %c = arith.muli %a, %b : index

After:

    %c = arith.constant 32 : index

Floating-point arithmetic stays as it is written: its rounding belongs to the machine that runs it. A function
that only a branch not taken has called goes with that branch; it would look like a kernel of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ptoas.analysis.constants import Constants
from ptoas.analysis.integers import integer_op
from ptoas.analysis.structure import calls_of, of_kinds, reached, walk
from ptoas.ir.names import set_name


@dataclass(frozen=True)
class FoldConstantsPass(ModulePass):
    """Integer constants folded, branches on constants taken."""

    name = "fold-constants"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        constants = Constants()
        ops = walk(op)
        before = calls_of(op) if of_kinds(ops, func.CallOp) else {}
        for inner in ops:
            if inner.parent is None and inner is not op:
                continue
            if inner.regions and isinstance(inner, scf.IfOp):
                _take_branch(inner, constants)
            elif len(inner.results) == 1 and integer_op(inner) is not None:
                _fold(inner, constants)
        if any(before.values()):
            _drop_uncalled(before, calls_of(op))


def _drop_uncalled(before: dict[func.FuncOp, set[str]], after: dict[func.FuncOp, set[str]]) -> None:
    """Without the functions that calls have led to, and do not lead to any more."""
    called = {name for names in before.values() for name in names}
    kernels = [function for function in after if function.sym_name.data not in called]
    for function in reached(before, kernels) - reached(after, kernels):
        Rewriter.erase_op(function, safe_erase=False)


def _fold(op: Operation, constants: Constants) -> None:
    result = op.results[0]
    value = constants.constant(result)
    if value is None:
        return
    type = cast("IntegerType | IndexType", result.type)
    constant = arith.ConstantOp.create(
        result_types=[type], properties={"value": _attribute(value, type)}, location=op.location
    )
    set_name(constant.result, result.name_hint)
    Rewriter.replace_op(op, constant, safe_erase=False)


def _attribute(value: int, type: IntegerType | IndexType) -> IntegerAttr:
    if isinstance(type, IntegerType) and type.width.data == 1:
        return IntegerAttr(-1 if value else 0, type)
    return IntegerAttr(value, type)


def _take_branch(op: scf.IfOp, constants: Constants) -> None:
    condition = constants.constant(op.cond)
    if condition is None:
        return
    region = op.true_region if condition else op.false_region
    if not region.blocks:
        Rewriter.erase_op(op)
        return
    block = region.block
    terminator = block.last_op
    assert terminator is not None
    values = list(terminator.operands)
    Rewriter.erase_op(terminator)
    Rewriter.inline_block(block, InsertPoint.before(op))
    for result, value in zip(op.results, values, strict=True):
        result.replace_all_uses_with(value)
    Rewriter.erase_op(op)
