"""Names of values and operations as their author wrote them.

xDSL keeps a name as a hint and cuts off a `_12` at its end, to number names itself. In PTO that is part of
the name: it comes back in messages, in what is printed and in C++.
"""

from __future__ import annotations

from typing import TypeVar

from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.ir import Block, Operation, Region, SSAValue

from ptoas.analysis.structure import walk
from ptoas.private_ir import make_operation
from ptoas.private_ir import set_name as set_name

_Op = TypeVar("_Op", bound=Operation)


def name_of(op: Operation) -> str:
    """The name of an operation, also of one that no dialect knows."""
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


def replace_keeping_name(value: SSAValue, new: SSAValue) -> None:
    """Let `new` stand wherever `value` did, under the name that `new` has."""
    name = new.name_hint
    value.replace_all_uses_with(new)
    set_name(new, name)


def copy_module(module: ModuleOp) -> ModuleOp:
    """A clone whose values keep their names."""
    try:
        return _copied(module, {})
    except (_BranchedError, KeyError):
        # Blocks that name each other, or a value before its definition: xDSL's own way minds both.
        copy = module.clone()
    for op, other in zip(walk(module), walk(copy), strict=True):
        for value, twin in zip(defined(op), defined(other), strict=True):
            set_name(twin, value.name_hint)
    return copy


class _BranchedError(Exception):
    """A body of several blocks."""


def _copied(op: _Op, values: dict[SSAValue, SSAValue]) -> _Op:
    """A copy of an operation, in one pass over it; `values` has the copies of what stands before it. xDSL's
    clone makes each operation without its operands and then walks all of them again, twice."""
    operands = [values[operand] for operand in op.operands]
    regions: list[Region] = []
    for region in op.regions:
        blocks = list(region.blocks)
        if len(blocks) > 1:
            raise _BranchedError
        regions.append(Region([_copied_block(block, values) for block in blocks]))
    types = [result.type for result in op.results]
    copy = make_operation(op.__class__, operands, types, op.properties, op.attributes, op.location, regions)
    for value, twin in zip(op.results, copy.results, strict=True):
        values[value] = twin
        set_name(twin, value.name_hint)
    return copy


def _copied_block(block: Block, values: dict[SSAValue, SSAValue]) -> Block:
    copy = Block(arg_types=[argument.type for argument in block.args])
    for argument, twin in zip(block.args, copy.args, strict=True):
        values[argument] = twin
        twin.location = argument.location
        set_name(twin, argument.name_hint)
    copy.add_ops([_copied(op, values) for op in block.ops])
    return copy


def defined(op: Operation) -> list[SSAValue]:
    """The results of an operation and the arguments of its blocks."""
    return [*op.results, *(arg for region in op.regions for block in region.blocks for arg in block.args)]
