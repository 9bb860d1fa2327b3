"""Ways to make a program smaller, for test-case reduction; the result may compute something else.

Each change is made in place, and returns False if it does not apply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.irdl import OptOperandDef
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from ptoas.dialects.pto.instruction import PtoOp

Change = Callable[[ModuleOp], bool]
"""A change of a module, which finds its place by the number of an operation in the module's walk."""


def delete(numbers: Sequence[int]) -> Change:
    """Delete operations, and all operations that use their results or call them."""

    def apply(module: ModuleOp) -> bool:
        ops = list(module.walk())
        unused: dict[Operation, None] = {}
        for number in numbers:
            _with_users(ops[number], ops, unused)
        if not unused or any(op.has_trait(IsTerminator) for op in unused):
            return False
        inside = {inner for op in unused for inner in op.walk() if inner is not op}
        for op in reversed([op for op in ops if op in unused and op not in inside]):
            Rewriter.erase_op(op, safe_erase=False)
        return True

    return apply


def _with_users(op: Operation, ops: Sequence[Operation], found: dict[Operation, None]) -> None:
    waiting = [op]
    while waiting:
        each = waiting.pop()
        if each not in found:
            found[each] = None
            if isinstance(each, func.FuncOp):
                name = each.sym_name.data
                waiting += [
                    call
                    for call in ops
                    if isinstance(call, func.CallOp) and call.callee.string_value() == name
                ]
            inner = [value for one in each.walk() for value in one.results]
            waiting += [use.operation for value in inner for use in value.uses]


def _at(number: int, change: Callable[[Operation], bool]) -> Change:
    """Apply a change to the operation of this number."""
    return lambda module: change(list(module.walk())[number])


def _inline(op: Operation, region: int) -> bool:
    """Replace a loop by one iteration, or a branch by one of its regions."""
    match op:
        case scf.ForOp():
            arguments: Sequence[SSAValue] = (op.lb, *op.iter_args)
        case scf.IfOp() | scf.IndexSwitchOp() | scf.ExecuteRegionOp():
            arguments = ()
        case _:
            return False
    blocks = op.regions[region].blocks
    if len(blocks) != 1:
        return False
    _replace_by_block(op, blocks[0], arguments)
    return True


def _replace_by_block(op: Operation, block: Block, arguments: Sequence[SSAValue]) -> None:
    end = block.last_op
    assert end is not None, "the block of a structured operation has a terminator"
    Rewriter.inline_block(block, InsertPoint.before(op), arguments)
    for result, value in zip(op.results, end.operands, strict=True):
        result.replace_all_uses_with(value)
    Rewriter.erase_op(end)
    Rewriter.erase_op(op)


def _set_constant(op: Operation, value: int) -> bool:
    """Give an integer constant another value."""
    assert isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr)
    Rewriter.replace_op(op, arith.ConstantOp(IntegerAttr(value, op.value.type)))
    return True


def _drop_attribute(op: Operation, name: str) -> bool:
    """Remove an attribute or property of an operation."""
    return (op.attributes.pop(name, None) or op.properties.pop(name, None)) is not None


def _drop_operand(op: Operation, name: str) -> bool:
    """Remove an optional operand of an instruction."""
    assert isinstance(op, PtoOp)
    slots = [slot for slot, _ in type(op).get_irdl_definition().operands]
    operands = [[] if slot == name else _listed(getattr(op, slot)) for slot in slots]
    sizes = {"operandSegmentSizes", "resultSegmentSizes"}
    new = type(op).build(
        operands=operands,
        result_types=[[result.type] for result in op.results],
        properties={key: value for key, value in op.properties.items() if key not in sizes},
        attributes=dict(op.attributes),
    )
    Rewriter.replace_op(op, new)
    return True


def _listed(value: SSAValue | Sequence[SSAValue] | None) -> list[SSAValue]:
    if value is None:
        return []
    return [value] if isinstance(value, SSAValue) else list(value)


def _drop_argument(op: Operation, at: int) -> bool:
    """Remove an unused argument of a function that is not called."""
    assert isinstance(op, func.FuncOp)
    argument = op.body.block.args[at]
    if argument.uses or op.arg_attrs is not None:
        return False
    op.body.block.erase_arg(argument)
    op.update_function_type()
    return True


def changes(module: ModuleOp) -> Iterator[Change]:
    """List the single changes of a module other than deletions, the most effective first."""
    ops = list(enumerate(module.walk()))
    for number, op in ops:
        for region in range(
            len(op.regions) if isinstance(op, scf.ForOp | scf.IfOp | scf.IndexSwitchOp) else 0
        ):
            yield _at(number, partial(_inline, region=region))
    for number, op in ops:
        if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
            value = op.value.value.data
            for smaller in dict.fromkeys((1, 2, value // 2)):
                if 0 < smaller < value:
                    yield _at(number, partial(_set_constant, value=smaller))
    for number, op in ops:
        if isinstance(op, func.FuncOp) and op.body.blocks:
            for at in range(len(op.body.block.args)):
                yield _at(number, partial(_drop_argument, at=at))
        if isinstance(op, PtoOp):
            definition = type(op).get_irdl_definition()
            for name, kind in definition.operands:
                if isinstance(kind, OptOperandDef) and getattr(op, name) is not None:
                    yield _at(number, partial(_drop_operand, name=name))
        for name in (*op.attributes, *op.properties):
            yield _at(number, partial(_drop_attribute, name=name))
