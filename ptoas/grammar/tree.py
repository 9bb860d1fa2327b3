"""The light tree of a statement: what the grammar saw, before anything is looked up.

A statement is parsed with its value names and types blanked, so that statements of one shape share one tree;
a `ValueNode` has the number of its name in the statement's list of names, a `TypeText` that of its text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, TypeAlias, cast

from typing_extensions import dataclass_transform


@dataclass_transform(frozen_default=True)
class Record:
    """A class whose annotations are its fields, as a frozen dataclass's are.

    It is not one because each of those costs a millisecond of start-up, and there are many here.
    """

    fields: ClassVar[tuple[str, ...]] = ()

    def __init__(self, *values: Any):
        self.__dict__.update(zip(self.fields, values, strict=False))

    def __init_subclass__(cls) -> None:
        cls.fields = (*cls.fields, *cls.__annotations__)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.__dict__.items())})"


class Node(Record):
    """A node with its span, in characters from the start of the statement."""

    start: int
    end: int


class ValueNode(Node):
    """`%name`, or `%name#1`: one of several results under one name."""

    slot: int
    number: int | None = None


class TypeText(Node):
    """A type as it is written; `angle` marks `<...>`, whose name the context gives.

    `slot` is the number of its text among the statement's types; None for one that is never blanked.
    """

    text: str
    angle: bool = False
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
    """`ins(%a, %b : T, U)`; without a name, `(...)`. A type list may also stand between the operands."""

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
    """`wait(%e, %f)` behind an instruction."""

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
    regions: int
    attributes: Dict | None
    type: FunctionTypeNode


class ModuleNode(Node):
    name: Symbol | None
    attributes: Dict | None


class FunctionNode(Node):
    visibility: str | None
    name: Symbol
    params: tuple[Param, ...]
    outputs: tuple[TypeText, ...]
    attributes: Dict | None
    has_body: bool


class For(Node):
    induction: ValueNode
    bounds: tuple[ValueNode, ValueNode, ValueNode]
    carried: tuple[tuple[ValueNode, ValueNode], ...]
    outputs: tuple[TypeText, ...]
    type: TypeText | None
    attributes: Dict | None


class If(Node):
    condition: ValueNode
    outputs: tuple[TypeText, ...]
    attributes: Dict | None


class While(Node):
    carried: tuple[tuple[ValueNode, ValueNode], ...]
    type: FunctionTypeNode
    attributes: Dict | None


class Switch(Node):
    """`scf.index_switch`: the body of each case, then that of none."""

    selector: ValueNode
    outputs: tuple[TypeText, ...]
    cases: tuple[Number, ...]
    attributes: Dict | None


class Execute(Node):
    """`scf.execute_region`, and `pto.fusion_region`, which says no more: instructions are not fused."""

    outputs: tuple[TypeText, ...]
    no_inline: bool
    attributes: Dict | None


class Successor(Node):
    """`^block(%a : T)`: a successor with its arguments."""

    label: WordNode
    values: tuple[ValueNode, ...]
    types: tuple[TypeText, ...]


class Branch(Node):
    """`cf.br`, `cf.cond_br` and `cf.switch`, whose first way is the default."""

    opcode: WordNode
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

    name: str


class AttrAlias(Node):
    name: str
    value: AttributeNode


class TypeAlias_(Node):
    name: str
    type: TypeText


class Label(Node):
    name: WordNode
    args: tuple[Binding, ...]


def with_types(node: Any, types: Sequence[str]) -> Any:
    """The tree of a shape with the types of one statement filled in; parts without types are shared."""
    if isinstance(node, TypeText):
        return node if node.slot is None else TypeText(node.start, node.end, types[node.slot])
    is_tuple = isinstance(node, tuple)
    parts = cast("tuple[Any, ...]", node if is_tuple else (*vars(cast(Record, node)).values(),))
    filled = tuple([with_types(part, types) if isinstance(part, _INNER) else part for part in parts])
    if filled == parts:
        return node
    return filled if is_tuple else type(node)(*filled)


_INNER = (tuple, Record)


def values_in(node: Any) -> Iterator[ValueNode]:
    """Every value below a node, in the order of the text."""
    if isinstance(node, tuple):
        for item in cast("tuple[Any, ...]", node):
            yield from values_in(item)
    elif isinstance(node, ValueNode):
        yield node
    elif isinstance(node, Record):
        for name in node.fields:
            yield from values_in(getattr(node, name))


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
