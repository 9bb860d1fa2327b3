"""Names of values and operations as their author wrote them.

xDSL keeps a name as a hint and cuts off a `_12` at its end, to number names itself. In PTO that is part of
the name: it comes back in messages, in what is printed and in C++.
"""

from __future__ import annotations

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation, SSAValue


def set_name(value: SSAValue, name: str | None) -> None:
    """Name a value without cutting off a number at the end of the name."""
    # The setter of `name_hint`, the only public way to name a value, makes `tile` of `tile_12`.
    value._name = name  # pyright: ignore[reportPrivateUsage]


def name_of(op: Operation) -> str:
    """Return the name of an operation, registered or not."""
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


def replace_keeping_name(value: SSAValue, new: SSAValue) -> None:
    """Replace `value` by `new`, which keeps its name."""
    name = new.name_hint
    value.replace_all_uses_with(new)
    set_name(new, name)


def defined(op: Operation) -> list[SSAValue]:
    """The results of an operation and the arguments of its blocks."""
    return [*op.results, *(arg for region in op.regions for block in region.blocks for arg in block.args)]
