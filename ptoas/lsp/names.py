"""Occurrences of values, functions, blocks, and aliases of types and attributes.

It goes by tokens and bodies, as the reader does, so that a text with mistakes has names too.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from xdsl.ir import SSAValue

from ptoas.lsp.document import Document, SourceStatement, SourceToken


class Kind(StrEnum):
    VALUE = "value"
    FUNCTION = "function"
    TYPE = "alias of a type"
    ATTRIBUTE = "alias of an attribute"
    BLOCK = "block"


MARKS = {Kind.VALUE: "%", Kind.FUNCTION: "@", Kind.TYPE: "!", Kind.ATTRIBUTE: "#", Kind.BLOCK: "^"}
"""The character before a name."""


@dataclass(frozen=True)
class NameOccurrence:
    """An occurrence of a name, including its sigil."""

    start: int
    end: int


@dataclass(eq=False)
class Name:
    """A thing with a name: where it is defined, if it is, and all its places."""

    kind: Kind
    text: str
    """Without its mark."""
    definition: NameOccurrence | None = None
    statement: SourceStatement | None = None
    """The one that defines it."""
    places: list[NameOccurrence] = field(default_factory=list[NameOccurrence])
    argument: bool = False
    """True for an argument of a function or of a bare program."""

    @property
    def shown(self) -> str:
        return MARKS[self.kind] + self.text

    def value(self, document: Document, number: int = 0) -> SSAValue | None:
        """The value behind the name of one, in the version of the text that defines it; of several results
        under one name, one by its number."""
        if self.kind is not Kind.VALUE or self.definition is None or self.statement is None:
            return None
        for text in (self.text, f"{self.text}#{number}"):
            found = document.value(text, self.statement.start, self.definition.start)
            if found is not None:
                return found
        return None


_RESULT = re.compile(r"%([\w$.-]*)(?::\d+)?")
_TYPE_ALIAS = re.compile(r"!(?!pto\.|llvm\.)([A-Za-z_][\w$-]*)(?![\w.<])")
_ATTR_ALIAS = re.compile(r"#(?!pto[.<])([A-Za-z_][\w$-]*)(?![\w.<])")
_SYMBOL = re.compile(r"@([\w$.-]+)")


class NameIndex:
    """All names of a document."""

    def __init__(self, document: Document):
        self.document = document
        self.all: list[Name] = []
        self._globals: dict[tuple[Kind, str], Name] = {}
        self._region(document.top, {}, {})
        self._places = sorted(
            ((place.start, place.end, name) for name in self.all for place in name.places),
            key=lambda each: each[:2],
        )
        self._starts = [start for start, _, _ in self._places]

    def at(self, offset: int) -> tuple[Name, NameOccurrence] | None:
        """The name at an offset, or that ends there."""
        at = bisect_right(self._starts, offset) - 1
        for start, end, name in reversed(self._places[max(0, at - 1) : at + 1]):
            if start <= offset <= end:
                return name, NameOccurrence(start, end)
        return None

    def of_kind(self, *kinds: Kind) -> Iterator[Name]:
        return (name for name in self.all if name.kind in kinds)

    # --- how they are found

    def _new(self, kind: Kind, text: str) -> Name:
        name = Name(kind, text)
        self.all.append(name)
        return name

    def _global(self, kind: Kind, text: str) -> Name:
        key = kind, text
        if key not in self._globals:
            self._globals[key] = self._new(kind, text)
        return self._globals[key]

    def _region(
        self, statements: list[SourceStatement], values: dict[str, Name], blocks: dict[str, Name]
    ) -> None:
        """Follow the statements of one body; `values` are the names known before it."""
        for statement in statements:
            if statement.tokens and statement.tokens[0].kind == "LABEL":
                blocks[statement.tokens[0].text] = self._new(Kind.BLOCK, statement.tokens[0].text[1:])
        for statement in statements:
            isolated = bool(statement.tokens) and statement.tokens[0].kind in ("FUNC", "MODULE")
            inner = {} if isolated else dict(values)
            self._statement(statement, values, inner, blocks)
            for region in statement.regions:
                self._region(region, dict(inner), dict(blocks))

    def _statement(
        self,
        statement: SourceStatement,
        values: dict[str, Name],
        inner: dict[str, Name],
        blocks: dict[str, Name],
    ) -> None:
        tokens = statement.tokens
        results: list[SourceToken] = []
        head = tokens[0].kind if tokens else ""
        for at, token in enumerate(tokens):
            match token.kind:
                case "RESULTS" if at == 0:
                    results.append(token)
                case "RESULTS":
                    *uses, bound = _RESULT.finditer(token.text)
                    for use in uses:
                        self._use(statement, token.start + use.start(), use.group(1), values)
                    scope = values if head == "DOT_CONST" else inner
                    self._bind(statement, token.start + bound.start(), bound.group(1), scope)
                case "VALUE":
                    text = token.text[1:].partition("!")[0].partition("#")[0]
                    binds = head in ("DOT_ARG", "DOT_CONST", "LABEL")
                    if head == "FUNC" and at + 1 < len(tokens) and tokens[at + 1].kind == "COLON":
                        self._bind(statement, token.start, text, inner, argument=True)
                    elif binds:
                        self._bind(statement, token.start, text, values, argument=head == "DOT_ARG")
                    else:
                        self._use(statement, token.start, text, values)
                case "LABEL":
                    self._block(statement, token, blocks, at == 0)
                case "SYMBOL" if head != "MODULE":
                    self._symbols(statement, token, head == "FUNC")
                case _:
                    self._aliases(statement, token, at == 0)
        for token in results:
            for result in _RESULT.finditer(token.text):
                self._bind(statement, token.start + result.start(), result.group(1), values)

    def _bind(
        self,
        statement: SourceStatement,
        start: int,
        text: str,
        values: dict[str, Name],
        argument: bool = False,
    ) -> None:
        known = values.get(text)
        name = known if known is not None and known.definition is None else self._new(Kind.VALUE, text)
        values[text] = name
        name.definition, name.statement, name.argument = (
            NameOccurrence(start, start + len(text) + 1),
            statement,
            argument,
        )
        name.places.append(name.definition)

    def _use(self, statement: SourceStatement, start: int, text: str, values: dict[str, Name]) -> None:
        place = NameOccurrence(start, start + len(text) + 1)
        name = values.get(text)
        if name is None:
            # A destination that the statement makes, or a name that nothing defines so far.
            name = values[text] = self._new(Kind.VALUE, text)
            if self.document.value(text, statement.start, start) is not None:
                name.definition, name.statement = place, statement
        name.places.append(place)

    def _block(
        self, statement: SourceStatement, token: SourceToken, blocks: dict[str, Name], defines: bool
    ) -> None:
        name = blocks.get(token.text)
        if name is None:
            name = blocks[token.text] = self._new(Kind.BLOCK, token.text[1:])
        place = NameOccurrence(token.start, token.end)
        name.places.append(place)
        if defines:
            name.definition, name.statement = place, statement

    def _symbols(self, statement: SourceStatement, token: SourceToken, defines: bool) -> None:
        for match in _SYMBOL.finditer(token.text):
            name = self._global(Kind.FUNCTION, match.group(1))
            place = NameOccurrence(token.start + match.start(), token.start + match.end())
            name.places.append(place)
            if defines and name.definition is None:
                name.definition, name.statement = place, statement

    def _aliases(self, statement: SourceStatement, token: SourceToken, first: bool) -> None:
        if token.kind not in ("TYPE", "ATTR", "TYPE_ALIAS", "ATTR_ALIAS", "BLOB"):
            return
        if token.kind == "ATTR_ALIAS" and not first:
            return  # `#atomic=add` names an attribute of the instruction
        for kind, pattern in ((Kind.TYPE, _TYPE_ALIAS), (Kind.ATTRIBUTE, _ATTR_ALIAS)):
            for match in pattern.finditer(token.text):
                name = self._global(kind, match.group(1))
                place = NameOccurrence(token.start + match.start(), token.start + match.end())
                name.places.append(place)
                if first and token.kind in ("TYPE_ALIAS", "ATTR_ALIAS") and name.definition is None:
                    name.definition, name.statement = place, statement
