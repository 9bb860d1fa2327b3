"""The terminals of the grammar, for those who need tokens without a parse: editors and the formatter.

`scan` finds the tokens of a text, whether the grammar knows the statement or not. Terminals are tried in the
order of Lark's basic lexer. Where the parser tells two of them apart by what it expects (an opcode from a
word), the first of them stands here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from lark.lexer import TerminalDef

from ptoas.dialects.pto.type_parameters import grammar as type_grammar
from ptoas.grammar.syntax import grammar

UNKNOWN = "?"
"""The kind of a character that begins no token."""


class Scanned(NamedTuple):
    """A token: its kind as pto.lark calls it, and its place in the text."""

    kind: str
    start: int
    end: int


def scan(text: str) -> Iterator[Scanned]:
    """Every token of a text without comments.

    >>> [(each.kind, each.end) for each in scan("%b = tneg %a, ?")]
    [('RESULTS', 4), ('OPCODE', 9), ('VALUE', 12), ('COMMA', 13), ('QUESTION', 15)]
    """
    for match in _pattern().finditer(text):
        kind = match.lastgroup
        if kind is None:
            yield Scanned(UNKNOWN, *match.span())
        elif not kind.startswith(_IGNORED):
            yield Scanned(kind, *match.span())


_IGNORED = "__IGNORE"
"""Lark's names of ignored terminals."""


@cache
def terminals() -> dict[str, str]:
    """The regular expression of each terminal by its name, in the order in which they are tried."""
    every = {each.name: each for each in (*type_grammar().terminals, *grammar().terminals)}
    ranked = sorted(every.values(), key=_rank)
    return {each.name: each.pattern.to_regexp() for each in ranked}


@cache
def _pattern() -> re.Pattern[str]:
    """Any token, or a single character."""
    groups = [f"(?P<{name}>{pattern})" for name, pattern in terminals().items()]
    return re.compile("|".join([*groups, r"[\s\S]"]))


def _rank(terminal: TerminalDef) -> tuple[int, int, int, str]:
    pattern = terminal.pattern
    return -terminal.priority, -pattern.max_width, -len(pattern.value), terminal.name
