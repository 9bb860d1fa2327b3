"""The tokens of a statement, whether the grammar knows the statement or not: for editors.

They come from the parser's own lexer, asked for any token at every place. Where the parser would tell two
kinds apart by what it expects (an opcode from a word), the first of them stands here.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from ptoas.caches import remembered
from ptoas.grammar.syntax import grammar

UNKNOWN = "?"
"""The kind of a character that begins no token."""


class Scanned(NamedTuple):
    """A token: its kind as pto.lark calls it, and its place in the statement's text."""

    kind: str
    start: int
    end: int


@remembered
def scan(text: str) -> tuple[Scanned, ...]:
    """Every token of a text without comments.

    >>> [(each.kind, each.end) for each in scan("%b = tneg %a, ?")]
    [('RESULTS', 4), ('OPCODE', 9), ('VALUE', 12), ('COMMA', 13), ('QUESTION', 15)]
    """
    from lark.utils import TextSlice

    lexer = cast(Any, grammar()).parser.lexer.root_lexer
    match = lexer.scanner.match
    ignored = frozenset(lexer.ignore_types)
    piece = TextSlice(text, 0, len(text))
    found: list[Scanned] = []
    at = 0
    while at < len(text):
        matched = match(piece, at)
        if matched is None:
            found.append(Scanned(UNKNOWN, at, at + 1))
            at += 1
            continue
        value, kind = matched
        if kind not in ignored:
            found.append(Scanned(str(kind), at, at + len(value)))
        at += len(value)
    return tuple(found)
