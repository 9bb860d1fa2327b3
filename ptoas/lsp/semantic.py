"""Semantic tokens."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types as lsp

from ptoas.dialects.pto import OVERLOADS
from ptoas.grammar.instructions import opcode_class
from ptoas.lsp.document import Document, SourceStatement, SourceToken
from ptoas.lsp.names import Kind
from ptoas.lsp.places import units
from ptoas.lsp.session import Version

LEGEND = lsp.SemanticTokensLegend(
    [
        "comment",
        "keyword",
        "function",
        "variable",
        "parameter",
        "type",
        "enumMember",
        "property",
        "number",
        "string",
        "macro",
        "label",
        "decorator",
    ],
    ["declaration", "defaultLibrary"],
)

DECLARATION, LIBRARY = 1, 2

_WORDS = (
    "DOT_ARG DOT_CONST DOT_TARGET MODULE FUNC FOR IF WHILE INDEX_SWITCH EXECUTE_REGION FUSION_REGION "
    "BR COND_BR SWITCH CASE DEFAULT NO_INLINE VISIBILITY ITER_ARGS ATTRIBUTES TO STEP ELSE DO "
    "CLAUSE LIST_KEY"
)
KINDS: dict[str, str] = {
    **dict.fromkeys(_WORDS.split(), "keyword"),
    "TYPE": "type",
    "SCALAR": "type",
    "ANGLE": "type",
    "TYPE_ALIAS": "type",
    "ATTR": "enumMember",
    "ATTR_ALIAS": "property",
    "HASHKEY": "property",
    "BLOB": "enumMember",
    "KEY": "property",
    "WORD": "enumMember",
    "OPCODE": "enumMember",
    "NUMBER": "number",
    "STRING": "string",
    "LABEL": "label",
    "LOC": "comment",
}

Coloured = tuple[int, int, str, int]
"""First and last character, token type, and modifiers as bits."""


def semantic_tokens(version: Version, first: int = 0, last: int | None = None) -> lsp.SemanticTokens:
    """Tokens between two offsets, each counted from the one before."""
    document = version.document
    source = document.source
    data: list[int] = []
    line = column = row = 0
    text, starts, plain = source.text, [*source.line_starts, len(source.text) + 1], source.text.isascii()
    types = {name: at for at, name in enumerate(LEGEND.token_types)}
    for start, end, kind, more in sorted(_all(version, first, len(source.text) if last is None else last)):
        for piece_start, piece_end in _lines(text, start, end):
            while starts[row + 1] <= piece_start:
                row += 1
            at, length = piece_start - starts[row], piece_end - piece_start
            if not plain:
                at, length = units(text[starts[row] : piece_start]), units(text[piece_start:piece_end])
            data += [row - line, at - (column if row == line else 0), length, types[kind], more]
            line, column = row, at
    return lsp.SemanticTokens(data)


def _all(version: Version, first: int, last: int) -> Iterator[Coloured]:
    named: dict[int, tuple[int, str, int]] = {}
    for name in version.names.all:
        kind = {Kind.VALUE: "parameter" if name.argument else "variable", Kind.FUNCTION: "function"}.get(
            name.kind
        )
        kind = kind or {Kind.BLOCK: "label", Kind.TYPE: "type"}.get(name.kind, "property")
        for place in name.places:
            named[place.start] = place.end, kind, DECLARATION if place == name.definition else 0
    for start, (end, kind, more) in named.items():
        if first <= start < last:
            yield start, end, kind, more
    for statement in version.document.statements:
        if statement.end < first or statement.start > last:
            continue
        for token in statement.tokens:
            if token.text and first <= token.start < last and token.start not in named:
                yield from _token(statement, token, named)
    yield from _comments(version.document, first, last)


def _token(
    statement: SourceStatement, token: SourceToken, named: dict[int, tuple[int, str, int]]
) -> Iterator[Coloured]:
    if token.kind in ("RESULTS", "VALUE", "SYMBOL"):
        return
    inner = (
        sorted(start for start in named if token.start < start < token.end) if "!" in token.text[1:] else []
    )
    kind, more = KINDS.get(token.kind), 0
    if token is statement.opcode and token.kind in ("OPCODE", "CLAUSE", "WORD"):
        known = opcode_class(token.text, []) is not None
        kind, more = ("function", LIBRARY) if known or token.text in OVERLOADS else ("macro", 0)
        if ("." in token.text and not known) or token.text in ("return", "call"):
            kind = "keyword"
    if kind is None:
        return
    at = token.start
    for start in inner:
        yield at, start, kind, more
        at = named[start][0]
    yield at, token.end, kind, more


def _comments(document: Document, first: int, last: int) -> Iterator[Coloured]:
    """Return the offsets at which the text differs from the text without comments."""
    text, blanked = document.source.text, document.blanked
    if text is blanked:
        return
    for start, end in _lines(text, first, last):
        line, bare = text[start:end], blanked[start:end]
        if line != bare:
            at = next(k for k, (one, other) in enumerate(zip(line, bare, strict=True)) if one != other)
            yield start + at, start + len(line.rstrip()), "comment", 0


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Split a range of the text at ends of lines."""
    line_end = text.find("\n", start, end)
    if line_end < 0 and start < end:
        yield start, end
        return
    while start < end:
        line_end = text.find("\n", start, end)
        stop = end if line_end < 0 else line_end
        if text[start:stop].strip():
            lead = len(text[start:stop]) - len(text[start:stop].lstrip())
            yield start + lead, start + len(text[start:stop].rstrip())
        start = stop + 1
