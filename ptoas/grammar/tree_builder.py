"""Lark's transformer from the rules of the grammar to the nodes of the syntax tree."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, cast

from lark import Token, Transformer

from ptoas.grammar import tree as t

_NODES: dict[str, type[t.Node]] = {
    "arg": t.Arg,
    "array": t.ArrayNode,
    "attr_alias": t.AttrAlias,
    "binding": t.Binding,
    "const": t.Const,
    "dict": t.Dict,
    "execute": t.Execute,
    "for": t.For,
    "function": t.FunctionNode,
    "function_type": t.FunctionTypeNode,
    "generic": t.Generic,
    "if": t.If,
    "indexed": t.Indexed,
    "instruction": t.InstructionNode,
    "label": t.Label,
    "module": t.ModuleNode,
    "param": t.Param,
    "successor": t.Successor,
    "switch": t.Switch,
    "target": t.TargetName,
    "type_alias": t.TypeAlias_,
    "typed": t.Typed,
    "waits": t.Waits,
    "while": t.While,
}
"""The nodes whose fields are the parts of their rule, in the order of the text."""

_NUMBERED = re.compile(r"%(\d{1,9})?[\w$.-]*(?::(\d+))?")
_NUMBERED_TYPE = re.compile(r"!_<(\d+)>")


def _extent(parts: Iterable[Any]) -> tuple[int, int]:
    """The span from the first to the last part that has a position."""
    start, end = None, 0
    for part in parts:
        if isinstance(part, Token):
            begin, stop = part.start_pos or 0, part.end_pos or 0
        elif isinstance(part, t.Node):
            begin, stop = part.start, part.end
        elif isinstance(part, tuple) and part:
            begin, stop = _extent(cast("tuple[Any, ...]", part))
        else:
            continue
        start = begin if start is None else min(start, begin)
        end = max(end, stop)
    return start or 0, end


class TreeBuilder(Transformer[Token, t.Statement]):
    """Transformer to the nodes of a statement: `__default__` for most rules, methods for the others.

    Value names and types have been replaced by their numbers. A text in which they have not is parsed for its
    errors alone; the numbers of its nodes mean nothing.
    """

    def __default__(self, data: str, children: list[Any], meta: Any) -> Any:
        if data not in _NODES:
            # A rule whose children Lark puts into the rule around it.
            return cast(Any, super()).__default__(data, children, meta)
        fields = [child for child in children if not isinstance(child, Token)]
        return _NODES[data](*_extent(children), *fields)

    def statement(self, c: list[Any]) -> t.Statement:
        results, body = (c[0] or (), c[1]) if len(c) == 2 else ((), c[0])
        if results and isinstance(body, t.InstructionNode) and body.record is not None:
            return t.Statement(results[:-1], body, results[-1])
        return t.Statement(results, body)

    # --- tokens

    def RESULTS(self, token: Token) -> tuple[t.ResultNode, ...]:
        start = token.start_pos or 0
        return tuple(
            t.ResultNode(start + m.start(), start + m.end(), int(m[1] or 0), int(m[2] or 1))
            for m in _NUMBERED.finditer(token)
        )

    def VALUE(self, token: Token) -> t.ValueNode:
        match = _NUMBERED.match(token)
        return t.ValueNode(*_extent((token,)), int(match[1] or 0) if match else 0)

    def TYPE(self, token: Token) -> t.TypeText:
        match = _NUMBERED_TYPE.fullmatch(token)
        return t.TypeText(*_extent((token,)), str(token), int(match[1]) if match else None)

    def WORD(self, token: Token) -> t.WordNode:
        return t.WordNode(*_extent((token,)), str(token))

    ATTR_ALIAS = CLAUSE = KEY = LABEL = LIST_KEY = NO_INLINE = OPCODE = RECORD = TYPE_ALIAS = VISIBILITY = (
        WORD
    )

    def ATTR(self, token: Token) -> t.AttrText:
        return t.AttrText(*_extent((token,)), str(token))

    ANGLE = BLOB = ATTR

    def NUMBER(self, token: Token) -> t.Number:
        return t.Number(*_extent((token,)), str(token))

    def REGION(self, token: Token) -> t.RegionMark:
        return t.RegionMark(*_extent((token,)))

    def SCALAR(self, token: Token) -> t.TypeText:
        return t.TypeText(*_extent((token,)), str(token))

    def STRING(self, token: Token) -> t.String:
        return t.String(*_extent((token,)), _unescape(token[1:-1]))

    def SYMBOL(self, token: Token) -> t.Symbol:
        parts = [match[1] for match in _SYMBOL_PART.finditer(token)]
        names = [_unescape(part[1:-1]) if part.startswith('"') else part for part in parts]
        return t.Symbol(*_extent((token,)), "::".join(names))

    def HASHKEY(self, token: Token) -> t.Keyed:
        start, end = _extent((token,))
        key, _, value = token[1:].partition("=")
        value = value.strip()
        return t.Keyed(start, end, key.strip(), t.WordNode(end - len(value), end, value))

    # --- parts of rules

    def list(self, c: list[Any]) -> tuple[Any, ...]:
        return tuple(c)

    def opt(self, c: list[Any]) -> Any:
        return c[-1] if c else None

    def seq(self, c: list[Any]) -> tuple[Any, ...]:
        return c[-1] if c else ()

    def cases(self, c: list[Any]) -> tuple[t.Number, ...]:
        return tuple(each for each in c if isinstance(each, t.Number))

    # --- rules whose nodes have other fields

    def unnamed(self, c: list[Any]) -> t.Param:
        return t.Param(*_extent(c), None, c[0], c[1])

    def fusion(self, c: list[Any]) -> t.Execute:
        return t.Execute(*_extent(c), c[3], None, c[1], c[2])

    def branch(self, c: list[Any]) -> t.Branch:
        chooser = next((x for x in c if isinstance(x, t.ValueNode)), None)
        type = next((x for x in c if isinstance(x, t.TypeText)), None)
        ways = tuple(x for x in c if isinstance(x, t.Successor))
        return t.Branch(*_extent(c), chooser, type, self.cases(c), ways, c[-1])

    def signature(self, c: list[Any]) -> tuple[Any, ...]:
        return c[0], False, None

    def parenthesised(self, c: list[Any]) -> tuple[Any, ...]:
        return c[0], True, None

    def cast(self, c: list[Any]) -> tuple[Any, ...]:
        return (c[0],), False, (c[2],)

    def typing(self, c: list[Any]) -> t.Typing:
        inputs, parenthesised, target = c[0]
        outputs = c[1] if target is None else target
        return t.Typing(*_extent((inputs, outputs)), inputs, outputs, parenthesised, target is not None)

    def result_typing(self, c: list[Any]) -> t.Typing:
        return t.Typing(*_extent(c), None, c[0])

    def keyed(self, c: list[Any]) -> t.Keyed:
        return t.Keyed(*_extent(c), c[0].text, c[1])

    def entry(self, c: list[Any]) -> t.Entry:
        return t.Entry(*_extent(c), c[0].text, c[1])

    def listing(self, c: list[Any]) -> t.Listing:
        return t.Listing(*_extent(c), c[0].text if c[0] else "", c[1])

    def group(self, c: list[Any]) -> t.GroupNode:
        items: list[Any] = []
        types: list[t.TypeText] = []
        colon = False
        for part in c[1:]:
            if isinstance(part, Token):
                colon = True
            elif isinstance(part, t.TypeText):
                types.append(part)
            elif colon and isinstance(part, t.AttrText) and part.text.startswith("<"):
                types.append(self.angle_type([part]))
            else:
                # `%a : T, %b : U`: after a type list the operands go on.
                items.append(part)
        return t.GroupNode(*_extent(c), c[0].text if c[0] else "", tuple(items), tuple(types))

    def angle_type(self, c: list[Any]) -> t.TypeText:
        return t.TypeText(c[0].start, c[0].end, c[0].text)


def is_whole(text: str) -> bool:
    """Return True if a literal has neither a point nor an exponent."""
    return "x" in text.lower() or text.lstrip("+-").isdigit()


_SYMBOL_PART = re.compile(r'@([\w$.-]+|"(?:[^"\\]|\\.)*")', re.S)
_SIMPLE_ESCAPES = {b"n": b"\n", b"t": b"\t", b'"': b'"', b"\\": b"\\"}


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text

    def replace(match: re.Match[bytes]) -> bytes:
        code = match.group(1)
        return bytes([int(code, 16)]) if len(code) == 2 else _SIMPLE_ESCAPES.get(code, code)

    return re.sub(rb"(?s)\\([0-9A-Fa-f]{2}|.)", replace, text.encode()).decode("utf-8", "replace")
