"""Resolution of the parts of a statement: values, blocks, attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from xdsl.ir import Attribute, Block, SSAValue

from ptoas.grammar import tree as t
from ptoas.grammar.problems import Poisoned, StatementProblem, UndefinedName

if TYPE_CHECKING:
    from ptoas.grammar.build import Builder


def value_of(builder: Builder, node: t.ValueNode, names: list[str]) -> SSAValue:
    found = builder.values.get(names[node.slot])
    if found is None:
        raise UndefinedName(node)
    if not isinstance(found, SSAValue):
        raise Poisoned
    return cast(SSAValue, found)


def attributes_of(builder: Builder, node: t.Dict | None) -> dict[str, Attribute]:
    return builder.resolver.dictionary(node) if node is not None else {}


def block_of(builder: Builder, label: t.WordNode) -> Block:
    block = builder.blocks.get(label.text)
    if block is None:
        raise StatementProblem("PTO-P030", f"there is no block `{label.text}`", label)
    return block
