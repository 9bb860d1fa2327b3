"""The syntax tree of a statement: a node for each rule of the grammar, before any name is resolved.

The names of values and the types of a statement are replaced by numbers before it is parsed, so that
statements of one shape share one tree. A `ValueNode` has the number of its name in the statement's list of
names, a `TypeText` that of its text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from typing_extensions import dataclass_transform


@dataclass_transform()
class Record:
    """Base class whose subclasses are dataclasses that compare by identity."""

    def __init_subclass__(cls) -> None:
        dataclass(eq=False)(cls)


class Node(Record):
    """A node with its span, in characters from the start of the statement."""

    start: int
    end: int


class ValueNode(Node):
    """`%name`, or `%name#1`: one of several results under one name."""

    slot: int


class TypeText(Node):
    """A type; for `<...>` the context gives the name.

    `slot` is the number of its text among the statement's types; None if `text` is its text.
    """

    text: str
    slot: int | None = None


class WordNode(Node):
    text: str


class Number(Node):
    text: str


class String(Node):
    text: str


class Symbol(Node):
    """`@name`, without its `@` and quotes."""

    text: str


class AttrText(Node):
    """`#pto.layout<nd>`, `#alias`, `<PIPE_ALL>` or `dense<...>`, read when it is known what is wanted."""

    text: str


class Typed(Node):
    """An attribute's value with its type: `1 : i32`."""

    value: Number | String | AttrText
    type: TypeText | None


class ArrayNode(Node):
    items: tuple[AttributeNode, ...]


class FunctionTypeNode(Node):
    inputs: tuple[TypeText, ...]
    outputs: tuple[TypeText, ...]


class Entry(Node):
    """`key = value`; a key alone is a unit attribute."""

    key: str
    value: AttributeNode | None


class Dict(Node):
    entries: tuple[Entry, ...]


class Indexed(Node):
    """`%value[%i, %j]`."""

    base: ValueNode
    items: tuple[Item, ...]


class Keyed(Node):
    """`addr = %a`, `shape = [%m, %n]`, `#atomic=add`."""

    key: str
    value: Item


class GroupNode(Node):
    """`ins(%a, %b : T, U)`; without a name, `(...)`. A type list may also occur between the operands."""

    name: str
    items: tuple[Item, ...]
    types: tuple[TypeText, ...]


class Listing(Node):
    """`sizes [8, 64]`; without a name, `[...]`."""

    name: str
    items: tuple[Item, ...]


class RegionMark(Node):
    """Placeholder of a region that was cut out."""


AttributeNode: TypeAlias = (
    "Typed | WordNode | Symbol | AttrText | ArrayNode | Dict | TypeText | FunctionTypeNode"
)
Item: TypeAlias = "ValueNode | Indexed | Keyed | GroupNode | Listing | Symbol | Number | String | AttrText | WordNode | Dict | RegionMark"  # noqa: E501


class ResultNode(Node):
    """`%name` or `%name:2` on the left of `=`."""

    slot: int
    count: int


class Binding(Node):
    """`%name: type`."""

    value: ValueNode
    type: TypeText


class Param(Node):
    """A function's parameter; in a declaration it may have no name."""

    value: ValueNode | None
    type: TypeText
    attributes: Dict | None


class Typing(Node):
    """The types after `:`. `parenthesised` distinguishes `(T, T)` from `T, T`; `cast` is `T to U`."""

    inputs: tuple[TypeText, ...] | None
    outputs: tuple[TypeText, ...] | None
    parenthesised: bool = False
    cast: bool = False


class Waits(Node):
    """`wait(%e, %f)` after an instruction."""

    events: tuple[ValueNode, ...]


class InstructionNode(Node):
    opcode: WordNode
    items: tuple[Item, ...]
    typing: Typing | None
    trailing: Dict | None
    waits: Waits | None = None
    record: WordNode | None = None
    """Its word `record`."""

    @property
    def events(self) -> tuple[ValueNode, ...]:
        """The events that it waits for."""
        return () if self.waits is None else self.waits.events

    @property
    def clauses(self) -> Node | None:
        """Start of its clauses."""
        return self.waits or self.record


class Generic(Node):
    name: String
    operands: tuple[ValueNode, ...]
    successors: tuple[WordNode, ...]
    properties: Dict | None
    regions: tuple[RegionMark, ...]
    attributes: Dict | None
    type: FunctionTypeNode


class ModuleNode(Node):
    name: Symbol | None
    attributes: Dict | None
    body: RegionMark


class FunctionNode(Node):
    visibility: WordNode | None
    name: Symbol
    params: tuple[Param, ...]
    outputs: tuple[TypeText, ...]
    attributes: Dict | None
    body: RegionMark | None


class For(Node):
    induction: ValueNode
    lower: ValueNode
    upper: ValueNode
    step: ValueNode
    carried: tuple[tuple[ValueNode, ValueNode], ...]
    outputs: tuple[TypeText, ...]
    type: TypeText | None
    body: RegionMark
    attributes: Dict | None


class If(Node):
    condition: ValueNode
    outputs: tuple[TypeText, ...]
    body: RegionMark
    otherwise: RegionMark | None
    attributes: Dict | None


class While(Node):
    carried: tuple[tuple[ValueNode, ValueNode], ...]
    type: FunctionTypeNode
    before: RegionMark
    after: RegionMark
    attributes: Dict | None


class Switch(Node):
    """`scf.index_switch`: the body of each case, then the default's."""

    selector: ValueNode
    attributes: Dict | None
    outputs: tuple[TypeText, ...]
    cases: tuple[Number, ...]
    default: RegionMark


class Execute(Node):
    """`scf.execute_region`, and `pto.fusion_region`, which says no more: instructions are not fused."""

    outputs: tuple[TypeText, ...]
    no_inline: WordNode | None
    body: RegionMark
    attributes: Dict | None


class Successor(Node):
    """`^block(%a : T)`: a successor with its arguments."""

    label: WordNode
    values: tuple[ValueNode, ...] = ()
    types: tuple[TypeText, ...] = ()


class Branch(Node):
    """`cf.br`, `cf.cond_br` and `cf.switch`, whose first way is the default."""

    chooser: ValueNode | None
    type: TypeText | None
    cases: tuple[Number, ...]
    ways: tuple[Successor, ...]
    attributes: Dict | None


class Arg(Node):
    value: ValueNode
    type: TypeText


class Const(Node):
    value: ValueNode
    literal: AttributeNode


class TargetName(Node):
    """`.target a5`: the value of `pto.target_arch` of the module."""

    name: WordNode | String


class AttrAlias(Node):
    name: WordNode
    value: AttributeNode


class TypeAlias_(Node):
    name: WordNode
    type: TypeText


class Label(Node):
    name: WordNode
    args: tuple[Binding, ...]


_INNER = (tuple, Record)


def values_in(node: Any) -> Iterator[ValueNode]:
    """Every value below a node, in the order of the text."""
    if isinstance(node, ValueNode):
        yield node
    elif isinstance(node, _INNER):
        for part in cast("tuple[Any, ...]", node if isinstance(node, tuple) else (*vars(node).values(),)):
            yield from values_in(part)


Operation: TypeAlias = (
    "InstructionNode | Generic | ModuleNode | FunctionNode | For | If | While | Switch | Execute | Branch"
)
Body: TypeAlias = "Operation | Arg | Const | TargetName | AttrAlias | TypeAlias_ | Label"


class Statement(Record):
    """A whole statement: results and body."""

    results: tuple[ResultNode, ...]
    body: Body
    event: ResultNode | None = None
    """The last name of an instruction with `record`; it is none of `results`."""
