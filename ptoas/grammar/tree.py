"""The light tree of a statement: what the grammar saw, before anything is looked up.

A statement is parsed with its value names blanked, so that statements of one shape share one tree; a `Value`
then is a number, the position of its name in the statement's list of names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Node:
    """Where a piece of the statement stands, in characters from its start."""

    start: int
    end: int


@dataclass(frozen=True)
class Value(Node):
    """`%name`, or `%name#1`: one of several results under one name."""

    slot: int
    number: int | None = None


@dataclass(frozen=True)
class TypeText(Node):
    """A type as it is written; `angle` marks `<...>`, whose name the context gives."""

    text: str
    angle: bool = False


@dataclass(frozen=True)
class Word(Node):
    text: str


@dataclass(frozen=True)
class Number(Node):
    text: str


@dataclass(frozen=True)
class String(Node):
    text: str


@dataclass(frozen=True)
class Symbol(Node):
    """`@name`, without its `@` and quotes."""

    text: str


@dataclass(frozen=True)
class AttrText(Node):
    """`#pto.layout<nd>`, `#alias`, `<PIPE_ALL>` or `dense<...>`, read when it is known what is wanted."""

    text: str


@dataclass(frozen=True)
class Typed(Node):
    """An attribute's value with its type: `1 : i32`."""

    value: Number | String | AttrText
    type: TypeText | None


@dataclass(frozen=True)
class ArrayNode(Node):
    items: tuple[AttributeNode, ...]


@dataclass(frozen=True)
class FunctionTypeNode(Node):
    inputs: tuple[TypeText, ...]
    outputs: tuple[TypeText, ...]


@dataclass(frozen=True)
class Entry(Node):
    """`key = value`; a key alone is a unit attribute."""

    key: str
    value: AttributeNode | None


@dataclass(frozen=True)
class Dict(Node):
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class Indexed(Node):
    """`%value[%i, %j]`."""

    base: Value
    items: tuple[Item, ...]


@dataclass(frozen=True)
class Keyed(Node):
    """`addr = %a`, `shape = [%m, %n]`, `#atomic=add`."""

    key: str
    value: Item


@dataclass(frozen=True)
class Group(Node):
    """`ins(%a, %b : T, U)`; without a name, `(...)`. A type list may also stand between the operands."""

    name: str
    items: tuple[Item, ...]
    types: tuple[TypeText, ...]


@dataclass(frozen=True)
class Listing(Node):
    """`sizes [8, 64]`; without a name, `[...]`."""

    name: str
    items: tuple[Item, ...]


@dataclass(frozen=True)
class RegionMark(Node):
    pass


AttributeNode: TypeAlias = "Typed | Word | Symbol | AttrText | ArrayNode | Dict | TypeText | FunctionTypeNode"
Item: TypeAlias = "Value | Indexed | Keyed | Group | Listing | Symbol | Number | String | AttrText | Word | Dict | RegionMark"  # noqa: E501


@dataclass(frozen=True)
class Result(Node):
    """`%name` or `%name:2` on the left of `=`."""

    slot: int
    count: int


@dataclass(frozen=True)
class Binding(Node):
    """`%name: type`."""

    value: Value
    type: TypeText


@dataclass(frozen=True)
class Param(Node):
    """A function's parameter; in a declaration it may have no name."""

    value: Value | None
    type: TypeText
    attributes: Dict | None


@dataclass(frozen=True)
class Typing(Node):
    """What follows `:`. `parenthesised` tells `(T, T)` from `T, T`; `cast` is `T to U`."""

    inputs: tuple[TypeText, ...] | None
    outputs: tuple[TypeText, ...] | None
    parenthesised: bool = False
    cast: bool = False


@dataclass(frozen=True)
class Instruction(Node):
    opcode: Word
    items: tuple[Item, ...]
    typing: Typing | None
    trailing: Dict | None


@dataclass(frozen=True)
class Generic(Node):
    name: String
    operands: tuple[Value, ...]
    successors: tuple[Word, ...]
    properties: Dict | None
    regions: int
    attributes: Dict | None
    type: FunctionTypeNode


@dataclass(frozen=True)
class Module(Node):
    name: Symbol | None
    attributes: Dict | None


@dataclass(frozen=True)
class Function(Node):
    visibility: str | None
    name: Symbol
    params: tuple[Param, ...]
    outputs: tuple[TypeText, ...]
    attributes: Dict | None
    has_body: bool


@dataclass(frozen=True)
class For(Node):
    induction: Value
    bounds: tuple[Value, Value, Value]
    carried: tuple[tuple[Value, Value], ...]
    outputs: tuple[TypeText, ...]
    type: TypeText | None
    attributes: Dict | None


@dataclass(frozen=True)
class If(Node):
    condition: Value
    outputs: tuple[TypeText, ...]
    attributes: Dict | None


@dataclass(frozen=True)
class While(Node):
    carried: tuple[tuple[Value, Value], ...]
    type: FunctionTypeNode
    attributes: Dict | None


@dataclass(frozen=True)
class Arg(Node):
    value: Value
    type: TypeText


@dataclass(frozen=True)
class Const(Node):
    value: Value
    literal: AttributeNode


@dataclass(frozen=True)
class AttrAlias(Node):
    name: str
    value: AttributeNode


@dataclass(frozen=True)
class TypeAlias_(Node):
    name: str
    type: TypeText


@dataclass(frozen=True)
class Label(Node):
    name: Word
    args: tuple[Binding, ...]


Operation: TypeAlias = "Instruction | Generic | Module | Function | For | If | While"
Body: TypeAlias = "Operation | Arg | Const | AttrAlias | TypeAlias_ | Label"


@dataclass(frozen=True)
class Statement:
    results: tuple[Result, ...]
    body: Body
