"""Names of values and operations as their author wrote them.

xDSL keeps a name as a hint and cuts off a `_12` at its end, to number names itself. In PTO that is part of
the name: it comes back in messages, in what is printed and in C++.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.ir import Operation, SSAValue

from ptoas.analysis.structure import walk
from ptoas.private_ir import BranchedError, copied
from ptoas.private_ir import set_name as set_name


def name_of(op: Operation) -> str:
    """The name of an operation, also of one that no dialect knows."""
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


def replace_keeping_name(value: SSAValue, new: SSAValue) -> None:
    """Let `new` stand wherever `value` did, under the name that `new` has."""
    name = new.name_hint
    value.replace_all_uses_with(new)
    set_name(new, name)


def copy_module(module: ModuleOp, *, branched: bool = True) -> ModuleOp:
    """A clone whose values keep their names; `BranchedError` for bodies of several blocks, unless these are
    expected."""
    try:
        return copied(module, {})
    except (BranchedError, KeyError) as error:
        if isinstance(error, BranchedError) and not branched:
            raise
        # Blocks that name each other, or a value before its definition: xDSL's own way minds both.
        copy = module.clone()
    for op, other in zip(walk(module), walk(copy), strict=True):
        for value, twin in zip(defined(op), defined(other), strict=True):
            set_name(twin, value.name_hint)
    return copy


def defined(op: Operation) -> list[SSAValue]:
    """The results of an operation and the arguments of its blocks."""
    return [*op.results, *(arg for region in op.regions for block in region.blocks for arg in block.args)]
