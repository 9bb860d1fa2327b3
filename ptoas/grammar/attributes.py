"""Parsing of attributes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from math import prod
from typing import Any, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    BoolAttr,
    DictionaryAttr,
    Float64Type,
    FloatAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    Signedness,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    UnregisteredAttr,
    i64,
)
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from ptoas.diagnostics.spelling import did_you_mean, nearest
from ptoas.dialects.pto.core_enums import CORE_ENUM_ATTRIBUTES
from ptoas.dialects.pto.enums import ENUM_ATTRIBUTES, PtoEnumAttr
from ptoas.dialects.pto.type_parameters import whole_number
from ptoas.dialects.pto.type_text import TypeProblem, type_from_text, unexpected, xdsl_context
from ptoas.grammar import tree as t
from ptoas.grammar.problems import Consequence, StatementProblem, TypePlaceProblem
from ptoas.grammar.tree_builder import is_whole
from ptoas.ir.caches import memoize

_Enums = dict[str, type[PtoEnumAttr[Any]]]


def _by_name(enums: Iterable[type[PtoEnumAttr[Any]]]) -> _Enums:
    return {e.name.removeprefix("pto."): e for e in enums}


_ENUMS = _by_name(ENUM_ATTRIBUTES)


@cache
def _every_enum() -> _Enums:
    """All enumerations with their alternative names, including the rarely used ones of core interaction."""

    every = (*ENUM_ATTRIBUTES, *CORE_ENUM_ATTRIBUTES)
    return {name: e for e in every for name in e.other_names} | _by_name(every)


_ENUM_TEXT = re.compile(r"#pto(?:\.(\w+)\s*<\s*([\w.]+)\s*>|<\s*(\w+)\s+([\w.]+)\s*>)$")


_ALIAS = re.compile(r"![A-Za-z_][\w$]*(?![\w$.])")


class Aliases:
    """The aliases of types and attributes that a file defines."""

    def __init__(self) -> None:
        self.types: dict[str, Attribute] = {}
        self.attributes: dict[str, Attribute] = {}
        self.broken: set[str] = set()
        """Aliases whose definition is wrong: nothing is said about what uses them."""


class Resolver:
    """Convert the nodes of a statement to types and attributes, with the aliases of its file.

    `texts` are the types that the statement spells, by their numbers in its shape.
    """

    def __init__(self, aliases: Aliases, texts: Sequence[str], allow_unregistered: bool):
        self.aliases = aliases
        self.texts = texts
        self.allow_unregistered = allow_unregistered

    def type(self, node: t.TypeText) -> Attribute:
        text, aliases = self.text(node), self.aliases
        try:
            return aliases.types.get(text) or type_from_text(text, self.allow_unregistered)
        except TypeProblem as problem:
            if aliases.broken and not aliases.broken.isdisjoint(_ALIAS.findall(text)):
                raise Consequence("PTO-P021", problem.message) from None
            fix = problem.fix or (did_you_mean(text, aliases.types) if text[:1] == "!" else None)
            raise TypePlaceProblem(problem.message, node, problem.offset, problem.length, fix) from None

    def text(self, node: t.TypeText) -> str:
        """A type as the statement spells it."""
        return node.text if node.slot is None else self.texts[node.slot]

    def define_type(self, node: t.TypeAlias_) -> None:
        """Define an alias of a type; a wrong one counts as defined."""
        name = node.name.text
        self.aliases.broken.add(name)
        self.aliases.types[name] = self.type(node.type)
        self.aliases.broken.discard(name)

    def types(self, nodes: tuple[t.TypeText, ...]) -> list[Attribute]:
        return [self.type(node) for node in nodes]

    def attribute(self, node: t.AttributeNode, enum: type[PtoEnumAttr[Any]] | None = None) -> Attribute:
        """Return the attribute of a node; bare words are accepted for an expected enumeration."""
        match node:
            case t.Typed(value=t.Number() as number) if enum is not None:
                return self._member(node, number.text, enum)
            case t.Typed(value=t.Number() as number, type=type_node):
                return self.number(number, self.type(type_node) if type_node else None)
            case t.Typed(value=t.String() as string):
                return self._member(node, string.text, enum) if enum else StringAttr(string.text)
            case t.Typed(value=t.AttrText() as blob, type=type_node):
                return self._by_xdsl(
                    blob, f"{blob.text} : {self.text(type_node)}" if type_node else blob.text
                )
            case t.WordNode(text=("true" | "false") as text):
                return BoolAttr.from_bool(text == "true")
            case t.WordNode(text="unit"):
                return UnitAttr()
            case t.WordNode(text=text):
                if enum is None:
                    message, fix = f"`{text}` is not an attribute value", f'write "{text}" for a string'
                    raise StatementProblem("PTO-P022", message, node, fix)
                return self._member(node, text, enum)
            case t.Symbol(text=text):
                root, *nested = text.split("::")
                return SymbolRefAttr(root.strip('"'), [part.strip('"') for part in nested])
            case t.AttrText():
                return self._attr_text(node, enum)
            case t.ArrayNode(items=items):
                return ArrayAttr([self.attribute(item) for item in items])
            case t.Dict():
                return DictionaryAttr(self.dictionary(node))
            case t.TypeText():
                return self.type(node)
            case t.FunctionTypeNode(inputs=inputs, outputs=outputs):
                return FunctionType.from_lists(self.types(inputs), self.types(outputs))
            case _:
                raise AssertionError(node)

    def dictionary(
        self, node: t.Dict, enums: Mapping[str, type[PtoEnumAttr[Any]] | None] | None = None
    ) -> dict[str, Attribute]:
        """Return the entries of a dictionary; reject duplicate keys."""
        found: dict[str, Attribute] = {}
        for entry in node.entries:
            if entry.key in found:
                raise StatementProblem("PTO-P051", f"`{entry.key}` is given twice", entry)
            enum = enums.get(entry.key) if enums else None
            found[entry.key] = UnitAttr() if entry.value is None else self.attribute(entry.value, enum)
        return found

    def number(self, node: t.Number, type: Attribute | None) -> Attribute:
        """Return an integer or float attribute of the given type, or of the type of its literal."""
        text = node.text
        hexadecimal = text.lower().lstrip("+-").startswith("0x")
        if type is None:
            type = cast(Attribute, i64) if is_whole(text) else Float64Type()
        if isinstance(type, IntegerType | IndexType):
            if not is_whole(text):
                raise StatementProblem("PTO-P022", f"{type} needs a whole number, found `{text}`", node)
            return self._integer(node, whole_number(text), cast("IntegerType | IndexType", type))
        try:
            if isinstance(type, AnyFloat):
                if not hexadecimal:
                    return FloatAttr(float(text), type)
                raw = whole_number(text).to_bytes(type.size, "little")
                return FloatAttr(next(iter(type.iter_unpack(raw))), type)
        except (VerifyException, OverflowError, ValueError):
            raise StatementProblem("PTO-P022", f"`{text}` does not fit {type}", node) from None
        raise StatementProblem("PTO-P022", f"a number can't be of type {type}", node)

    def _integer(self, node: t.Number, value: int, type: IntegerType | IndexType) -> Attribute:
        width = type.width.data if isinstance(type, IntegerType) else 64
        lowest, highest = -(1 << width >> 1), (1 << width) - 1  # the bits may be meant as signed or unsigned
        if isinstance(type, IntegerType) and type.signedness.data is Signedness.UNSIGNED:
            lowest = 0
        if not lowest <= value <= highest:
            message = f"`{node.text}` does not fit {type}, which goes from {lowest} to {highest}"
            raise StatementProblem("PTO-P022", message, node)
        return IntegerAttr(value, cast(IndexType, type), truncate_bits=isinstance(type, IntegerType))

    def _member(self, node: t.Node, text: str, enum: type[PtoEnumAttr[Any]]) -> Attribute:
        found = enum.member(text)
        if found is not None:
            return enum(found)
        words = enum.spellings()
        name = enum.name.removeprefix("pto.")
        if len({word.rstrip("0123456789") for word in (*words, text)}) == 1:
            # Another number is not nearer than the rest.
            message = f"`{text}` is not a value of {name}; expected {words[0]} to {words[-1]}"
            raise StatementProblem("PTO-P022", message, node, f"there are {len(words)}: choose one of them")
        near = nearest(text.lower(), [w.lower() for w in words])
        message = f"`{text}` is not a value of {name}; expected one of {', '.join(words)}"
        fix = f"did you mean `{next(w for w in words if w.lower() == near)}`?" if near else None
        raise StatementProblem("PTO-P022", message, node, fix)

    def _attr_text(self, node: t.AttrText, enum: type[PtoEnumAttr[Any]] | None) -> Attribute:
        text = node.text
        if text in self.aliases.attributes:
            return self.aliases.attributes[text]
        if text.startswith("<"):
            if enum is None and self.allow_unregistered:
                return StringAttr(text)
            if enum is None:
                message = f"the kind of attribute `{text}` is unknown"
                raise StatementProblem("PTO-P022", message, node, "write its name: `#pto.pipe<...>`")
            return self._member(node, text[1:-1].strip(), enum)
        if (match := _ENUM_TEXT.match(text)) is not None:
            name, value = match[1] or match[3], match[2] or match[4]
            if (named := _ENUMS.get(name) or _every_enum().get(name)) is not None:
                if enum is not None and named is not enum and name not in enum.other_names:
                    short = enum.name.removeprefix("pto.")
                    raise StatementProblem("PTO-P022", f"expected #pto.{short}<...>, found `{text}`", node)
                return self._member(node, value, enum or named)
            if not self.allow_unregistered:
                fix = did_you_mean(name, _every_enum(), before="#pto.", after=f"<{value}>")
                raise StatementProblem("PTO-P022", f"unknown attribute `#pto.{name}`", node, fix)
        if "<" not in text and "." not in text:
            fix = f"define it before: `{text} = ...`"
            raise StatementProblem("PTO-P022", f"`{text}` is not defined", node, fix)
        return self._by_xdsl(node, text)

    def _by_xdsl(self, node: t.Node, text: str) -> Attribute:
        for alias, value in {**self.aliases.attributes, **self.aliases.types}.items():
            text = re.sub(re.escape(alias) + r"(?![\w.$-])", str(value).replace("\\", r"\\"), text)
        return _parse_by_xdsl(text, self.allow_unregistered, node)


MOST_BITS = 1024
MOST_ELEMENTS = 4096
"""xDSL makes numbers as wide, and arrays as long, as a few letters ask for; arrays that are written out may
be longer."""

_STRING = r'"(?:[^"\\]|\\.)*"'
_WIDTH = r"(?:(?<=[\d?]x)|(?<![\w.$]))[su]?i(\d+)(?![\w.$])"
_EXTENTS = r"<\s*((?:(?:\d+|\?)\s*x\s*)+)"


def _refuse_oversize(text: str, node: t.Node) -> None:
    bare = re.sub(_STRING, '""', text)
    for width in re.findall(_WIDTH, bare):
        if len(width) > 4 or int(width) > MOST_BITS:
            message = f"an integer has at most {MOST_BITS} bits, found {width}"
            raise StatementProblem("PTO-P022", message, node)
    for extents in re.findall(_EXTENTS, bare):
        digits = re.findall(r"\d+", extents)
        if sum(map(len, digits)) > 300 or prod(map(int, digits)) > max(MOST_ELEMENTS, len(text)):
            message = f"an array of {extents.rstrip(' x')}; at most {MOST_ELEMENTS:,} elements are read here"
            raise StatementProblem("PTO-P022", message, node)


def _parse_by_xdsl(text: str, allow_unregistered: bool, node: t.Node) -> Attribute:
    _refuse_oversize(text, node)
    try:
        found = _xdsl_attribute(text)
    except Exception as error:  # xDSL's parser has no one exception for a wrong text
        reason = unexpected(error) if isinstance(error, ParseError) else ""
        raise StatementProblem("PTO-P022", f"`{text}` is not a valid attribute{reason}", node) from None
    if isinstance(found, UnregisteredAttr) and not allow_unregistered:
        raise StatementProblem("PTO-P022", f"unknown attribute `{text}`", node)
    return found


@memoize
def _xdsl_attribute(text: str) -> Attribute:
    return Parser(xdsl_context(True), text).parse_attribute()
