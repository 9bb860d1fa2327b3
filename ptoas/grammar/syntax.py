"""Parsing of a statement to its syntax tree, through the Lark grammar."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, cast

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from ptoas.dialects import pto
from ptoas.dialects.syntax_errors import explain_syntax
from ptoas.grammar import tree as t
from ptoas.grammar.tree_builder import TreeBuilder

TERMINALS = Path(pto.__file__).parent
"""The folder of the terminals that types share with statements."""


@cache
def grammar() -> Lark:
    """The parser of `pto.lark`, made when the first text is read."""
    text = Path(__file__).with_name("pto.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", lexer="contextual", start="statement", import_paths=[str(TERMINALS)])


TYPE_MARK = "!_<>"
"""Stands for a type in the shape of a statement. It is a type to the lexer, whatever comes behind it."""


@cache
def _parts() -> re.Pattern[str]:
    """A value, a type that begins with `!`, or what may hold the letters of one without being one."""
    value, type, string, angle = (
        grammar().get_terminal(name).pattern.to_regexp() for name in ("VALUE", "TYPE", "STRING", "ANGLE")
    )
    return re.compile(rf'(?=[%!"<])({value}|{type}(?!\s*=)|{string}|{angle})')


def _mark(part: str) -> str:
    """Replacement of a part in the shape: of a value without its name, of a type without its text."""
    if part[0] == "%":
        _, bang, memory = part.partition("!")
        return f"%{bang}{memory}"
    return TYPE_MARK if part[0] == "!" else part


def split_statement(text: str) -> tuple[list[str], list[str], str]:
    """The value names of a statement, its types, and its shape: the text without them.

    >>> split_statement("%a = tneg %b : !pto.tile<8x8xf32>")
    (['a', 'b'], ['!pto.tile<8x8xf32>'], '% = tneg % : !_<>')
    """
    pieces = _parts().split(text)
    names: list[str] = []
    types: list[str] = []
    for at in range(1, len(pieces), 2):
        part = pieces[at]
        if part[0] == "%":
            names.append(part[1:].partition("!")[0])
        elif part[0] == "!":
            types.append(part)
        pieces[at] = _mark(part)
    return names, types, "".join(pieces)


_NAMELESS_OR_STRING = re.compile(r'%(?![\w$.-]|#\d{1,4}(?!\w))|"(?:[^"\\\n]|\\.)*"')


def nameless_value(text: str) -> int | None:
    """The offset of the first `%` without a name, inside a type too; one inside a string is no value."""
    return next((match.start() for match in _NAMELESS_OR_STRING.finditer(text) if match[0] == "%"), None)


def place_in_text(text: str) -> Callable[[int], int]:
    """Convert an offset in the shape of a statement to one in its text."""
    starts: list[int] = []
    shifts = [0]
    for match in _parts().finditer(text):
        starts.append(match.start() - shifts[-1])
        shifts.append(shifts[-1] + len(match[0]) - len(_mark(match[0])))
    return lambda offset: offset + shifts[bisect_left(starts, offset)]


def parse_statement(text: str) -> t.Statement:
    """The tree of one statement; raises `SyntaxProblem`."""
    try:
        found = cast("Tree[Token]", cast(Any, grammar()).parse(text))
    except UnexpectedInput as error:
        raise explain_syntax(grammar(), text, error, "statement") from None
    parts = [(match.start(), match[0][0]) for match in _parts().finditer(text)]
    slots = {
        offset: at
        for sign in "%!"
        for at, offset in enumerate(start for start, first in parts if first == sign)
    }
    return TreeBuilder(slots).transform(found)


STRUCTURE = (
    "builtin.module",
    "module",
    "func.func",
    "scf.for",
    "scf.if",
    "scf.while",
    "scf.index_switch",
    "scf.execute_region",
    "pto.fusion_region",
    "cf.br",
    "cf.cond_br",
    "cf.switch",
)
"""Keywords at the beginning of a statement that pto.lark itself reads."""
