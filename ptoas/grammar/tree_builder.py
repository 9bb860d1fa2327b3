"""Conversion of the parse of a statement to its syntax tree: one method a rule of the grammar."""

from __future__ import annotations

import re
from typing import Any, cast

from lark import Token, Transformer

from ptoas.grammar import tree as t

_RESULT = re.compile(r"%[\w$.-]*(?::(\d+))?")


def token_span(token: Token) -> tuple[int, int]:
    return cast(int, token.start_pos), cast(int, token.end_pos)


def _types(children: list[Any]) -> Any:
    """The first tuple among the children (result types, or pairs of values), empty if there is none."""
    return next((cast("tuple[Any, ...]", c) for c in children if isinstance(c, tuple)), ())


def _only(children: list[Any], *kinds: type) -> list[Any]:
    return [c for c in children if isinstance(c, kinds)]


def _first(children: list[Any], *kinds: type) -> Any:
    return next((c for c in children if isinstance(c, kinds)), None)


def _extent(children: list[Any]) -> tuple[int, int]:
    """The span from the first to the last child with a position."""
    start, end = None, 0
    for child in children:
        if isinstance(child, Token):
            begin, stop = token_span(child)
        elif isinstance(child, t.Node):
            begin, stop = child.start, child.end
        else:
            continue
        start = begin if start is None else min(start, begin)
        end = max(end, stop)
    return start or 0, end


class TreeBuilder(Transformer[Token, t.Statement]):
    """Makes the nodes of a statement: a method for each rule of the grammar, and for each kind of token that
    is a node by itself.

    `slots` gives the number of the value name, or of the type, that starts at an offset.
    """

    def __init__(self, slots: dict[int, int]):
        super().__init__()
        self.slots = slots

    # --- statements

    def statement(self, c: list[Any]) -> t.Statement:
        body: Any = _first(c, t.Node)
        results = _types(c[:1])
        if results and isinstance(body, t.InstructionNode) and body.record is not None:
            return t.Statement(results[:-1], body, results[-1])
        return t.Statement(results, body)

    def RESULTS(self, token: Token) -> tuple[t.ResultNode, ...]:
        start = token_span(token)[0]
        return tuple(
            t.ResultNode(
                start + m.start(), start + m.end(), self.slots[start + m.start()], int(m.group(1) or 1)
            )
            for m in _RESULT.finditer(token)
        )

    def VALUE(self, token: Token) -> t.ValueNode:
        start, end = token_span(token)
        name = token.partition("!")[0]
        _, hash_mark, number = name.partition("#")
        return t.ValueNode(start, end, self.slots[start], int(number) if hash_mark else None)

    def REGION(self, token: Token) -> t.RegionMark:
        return t.RegionMark(*token_span(token))

    def SYMBOL(self, token: Token) -> t.Symbol:
        parts = [match.group(1) for match in _SYMBOL_PART.finditer(token)]
        names = [_unescape(part[1:-1]) if part.startswith('"') else part for part in parts]
        return t.Symbol(*token_span(token), "::".join(names))

    def STRING(self, token: Token) -> t.String:
        return t.String(*token_span(token), _unescape(token[1:-1]))

    def NUMBER(self, token: Token) -> t.Number:
        return t.Number(*token_span(token), str(token))

    def WORD(self, token: Token) -> t.WordNode:
        return t.WordNode(*token_span(token), str(token))

    OPCODE = WORD
    LABEL = WORD

    def ATTR(self, token: Token) -> t.AttrText:
        return t.AttrText(*token_span(token), str(token))

    BLOB = ATTR
    ANGLE = ATTR

    def TYPE(self, token: Token) -> t.TypeText:
        start, end = token_span(token)
        return t.TypeText(start, end, str(token), False, self.slots.get(start))

    def SCALAR(self, token: Token) -> t.TypeText:
        return t.TypeText(*token_span(token), str(token))

    def HASHKEY(self, token: Token) -> t.Keyed:
        start, end = token_span(token)
        key, _, value = token[1:].partition("=")
        value = value.strip()
        return t.Keyed(start, end, key.strip(), t.WordNode(end - len(value), end, value))

    def arg(self, c: list[Any]) -> t.Arg:
        return t.Arg(*_extent(c), _first(c, t.ValueNode), _first(c, t.TypeText))

    def const(self, c: list[Any]) -> t.Const:
        return t.Const(*_extent(c), c[1], c[2])

    def target(self, c: list[Any]) -> t.TargetName:
        return t.TargetName(*_extent(c[1:]), c[1].text)

    def attr_alias(self, c: list[Any]) -> t.AttrAlias:
        return t.AttrAlias(*token_span(c[0]), str(c[0]), c[1])

    def type_alias(self, c: list[Any]) -> t.TypeAlias_:
        return t.TypeAlias_(*token_span(c[0]), str(c[0]), c[1])

    def label(self, c: list[Any]) -> t.Label:
        return t.Label(c[0].start, c[0].end, c[0], tuple(_only(c, t.Binding)))

    def module(self, c: list[Any]) -> t.ModuleNode:
        return t.ModuleNode(*_extent(c), _first(c, t.Symbol), _first(c, t.Dict))

    def function(self, c: list[Any]) -> t.FunctionNode:
        tokens = {x.type: x for x in _only(c, Token)}
        visibility = tokens.get("VISIBILITY")
        outputs = _types(c)
        return t.FunctionNode(
            *_extent(c),
            str(visibility) if visibility else None,
            _first(c, t.Symbol),
            tuple(_only(c, t.Param)),
            outputs,
            _first(c, t.Dict),
            _first(c, t.RegionMark) is not None,
        )

    def for_loop(self, c: list[Any]) -> t.For:
        values = _only(c, t.ValueNode)
        tuples = _only(c, tuple)
        carried = next((x for x in tuples if x and isinstance(x[0], tuple)), ())
        outputs = next((x for x in tuples if x and isinstance(x[0], t.TypeText)), ())
        return t.For(
            *_extent(c),
            values[0],
            (values[1], values[2], values[3]),
            carried,
            outputs,
            _first(c, t.TypeText),
            _first(c, t.Dict),
        )

    def if_else(self, c: list[Any]) -> t.If:
        outputs = _types(c)
        return t.If(*_extent(c), _first(c, t.ValueNode), outputs, _first(c, t.Dict))

    def while_loop(self, c: list[Any]) -> t.While:
        carried = _types(c)
        return t.While(*_extent(c), carried, _first(c, t.FunctionTypeNode), _first(c, t.Dict))

    def switch(self, c: list[Any]) -> t.Switch:
        cases = tuple(_only(c, t.Number))
        return t.Switch(*_extent(c), _first(c, t.ValueNode), _types(c), cases, _first(c, t.Dict))

    def execute(self, c: list[Any]) -> t.Execute:
        no_inline = any(x.type == "NO_INLINE" for x in _only(c, Token))
        return t.Execute(*_extent(c), _types(c), no_inline, _first(c, t.Dict))

    def branch(self, c: list[Any]) -> t.Branch:
        opcode = t.WordNode(*token_span(c[0]), str(c[0]))
        cases = tuple(_only(c, t.Number))
        ways = tuple(_only(c, t.Successor))
        chooser, type = _first(c, t.ValueNode), _first(c, t.TypeText)
        return t.Branch(*_extent(c), opcode, chooser, type, cases, ways, _first(c, t.Dict))

    def successor(self, c: list[Any]) -> t.Successor:
        types: tuple[t.TypeText, ...] = tuple(_first(c, list) or ())
        return t.Successor(*_extent(c), c[0], tuple(_only(c, t.ValueNode)), types)

    def generic(self, c: list[Any]) -> t.Generic:
        dicts = _only(c, t.Dict)
        properties = next((x for x in c if isinstance(x, _Properties)), None)
        successors = next((x for x in c if isinstance(x, _Successors)), None)
        regions = next((x for x in c if isinstance(x, int)), 0)
        return t.Generic(
            *_extent(c),
            c[0],
            tuple(_only(c, t.ValueNode)),
            successors.labels if successors else (),
            properties.dict if properties else None,
            regions,
            dicts[0] if dicts else None,
            _first(c, t.FunctionTypeNode),
        )

    def properties(self, c: list[Any]) -> _Properties:
        return _Properties(c[0])

    def successors(self, c: list[Any]) -> _Successors:
        return _Successors(tuple(c))

    def regions(self, c: list[Any]) -> int:
        return len(c)

    def instruction(self, c: list[Any]) -> t.InstructionNode:
        extent = _extent(c)
        record = c.pop() if isinstance(c[-1], _Record) else None
        waits = c.pop() if isinstance(c[-1], t.Waits) else None
        typing = _first(c, t.Typing)
        at = c.index(typing) if typing is not None else len(c)
        trailing = _first(c[at:], t.Dict)
        return t.InstructionNode(*extent, c[0], tuple(c[1:at]), typing, trailing, waits, record)

    def waits(self, c: list[Any]) -> t.Waits:
        return t.Waits(*_extent(c), tuple(_only(c, t.ValueNode)))

    def RECORD(self, token: Token) -> _Record:
        return _Record(*token_span(token), str(token))

    def typing(self, c: list[Any]) -> t.Typing:
        inputs = next((x for x in c if isinstance(x, _Inputs)), None)
        outputs: Any = _types(c) if any(isinstance(x, tuple) for x in c) else None
        if inputs is None:
            return t.Typing(*_extent(list(outputs or ())), None, outputs)
        outs = inputs.outputs if inputs.outputs is not None else outputs
        return t.Typing(
            *_extent([*inputs.types, *(outs or ())]),
            inputs.types,
            outs,
            inputs.parenthesised,
            inputs.outputs is not None,
        )

    def param(self, c: list[Any]) -> t.Param:
        binding = _first(c, t.Binding)
        attributes = _first(c, t.Dict)
        if binding is None:
            return t.Param(*_extent(c), None, _first(c, t.TypeText), attributes)
        return t.Param(binding.start, binding.end, binding.value, binding.type, attributes)

    def binding(self, c: list[Any]) -> t.Binding:
        return t.Binding(*_extent(c[:2]), c[0], c[1])

    def carried(self, c: list[Any]) -> tuple[Any, ...]:
        return tuple(_only(c, tuple))

    def assign(self, c: list[Any]) -> tuple[t.ValueNode, t.ValueNode]:
        return c[0], c[1]

    # --- items

    def indexed(self, c: list[Any]) -> t.Indexed:
        return t.Indexed(*_extent(c), c[0], tuple(c[1:-1]))

    def keyed(self, c: list[Any]) -> t.Keyed:
        return t.Keyed(*_extent(c), str(c[0]), c[1])

    def group(self, c: list[Any]) -> t.GroupNode:
        return self._group(str(c[0]), c, c[1:])

    def anonymous_group(self, c: list[Any]) -> t.GroupNode:
        return self._group("", c, c)

    def _group(self, name: str, children: list[Any], parts: list[Any]) -> t.GroupNode:
        items: list[Any] = []
        types: list[t.TypeText] = []
        colon = False
        for part in parts:
            if isinstance(part, Token):
                colon = True
            elif isinstance(part, t.TypeText):
                types.append(part)
            elif colon and isinstance(part, t.AttrText) and part.text.startswith("<"):
                types.append(t.TypeText(part.start, part.end, part.text, True))
            else:
                # `%a : T, %b : U`: after a type list the operands go on.
                items.append(part)
        return t.GroupNode(*_extent(children), name, tuple(items), tuple(types))

    def listing(self, c: list[Any]) -> t.Listing:
        return t.Listing(*_extent(c), str(c[0]), tuple(c[1:]))

    def anonymous_listing(self, c: list[Any]) -> t.Listing:
        return t.Listing(*_extent(c), "", tuple(c))

    # --- types

    def angle_type(self, c: list[Any]) -> t.TypeText:
        return t.TypeText(c[0].start, c[0].end, c[0].text, True)

    def types(self, c: list[Any]) -> list[t.TypeText]:
        return _only(c, t.TypeText)

    def signature(self, c: list[Any]) -> _Inputs:
        return _Inputs(tuple(c[0]) if c else (), False)

    def parenthesised(self, c: list[Any]) -> _Inputs:
        return _Inputs(tuple(c[0]) if c else (), True)

    def cast(self, c: list[Any]) -> _Inputs:
        return _Inputs((c[0],), False, (c[2],))

    def outs(self, c: list[Any]) -> tuple[t.TypeText, ...]:
        if not c:
            return ()
        return (c[0],) if isinstance(c[0], t.TypeText) else tuple(c[0])

    def function_type(self, c: list[Any]) -> t.FunctionTypeNode:
        inputs: tuple[t.TypeText, ...] = (
            tuple(_only(cast("list[Any]", c[0]), t.TypeText)) if isinstance(c[0], list) else ()
        )
        return t.FunctionTypeNode(*_extent([*inputs, *c[-1]]), inputs, c[-1])

    # --- attributes

    def dict(self, c: list[Any]) -> t.Dict:
        entries = tuple(_only(c, t.Entry))
        return t.Dict(*_extent(list(entries)), entries)

    def entry(self, c: list[Any]) -> t.Entry:
        key = str(c[0]) if isinstance(c[0], Token) else c[0].text
        return t.Entry(*_extent(c), key, c[1])

    def typed(self, c: list[Any]) -> t.Typed:
        return t.Typed(*_extent(c), c[0], c[1])

    def array(self, c: list[Any]) -> t.ArrayNode:
        items = tuple(x for x in c if x is not None)
        return t.ArrayNode(*_extent(list(items)), items)


class _Inputs:
    def __init__(
        self,
        types: tuple[t.TypeText, ...],
        parenthesised: bool,
        outputs: tuple[t.TypeText, ...] | None = None,
    ):
        self.types, self.parenthesised, self.outputs = types, parenthesised, outputs


class _Record(t.WordNode):
    """The word `record` behind an instruction, where any other word is an item."""


class _Properties:
    def __init__(self, dict: t.Dict):
        self.dict = dict


class _Successors:
    def __init__(self, labels: tuple[t.WordNode, ...]):
        self.labels = labels


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
