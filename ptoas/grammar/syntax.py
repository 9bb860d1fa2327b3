"""Parsing of a statement to its syntax tree, through the Lark grammar."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, cast

from lark import Lark
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
    return Lark(
        text,
        parser="lalr",
        lexer="contextual",
        start="statement",
        import_paths=[str(TERMINALS)],
        transformer=TreeBuilder(),
    )


@cache
def terminal(name: str) -> re.Pattern[str]:
    """The pattern of a terminal of the grammar."""
    return re.compile(grammar().get_terminal(name).pattern.to_regexp())


def begins_container(text: str) -> bool:
    """Return True for the text of a module or function in its own form."""
    return bool(terminal("MODULE").match(text) or terminal("FUNC").match(text))


@cache
def _parts() -> re.Pattern[str]:
    """Pattern of values, of types that begin with `!`, and of strings and `<...>` with similar text."""
    value, type, string, angle = (terminal(name).pattern for name in ("VALUE", "TYPE", "STRING", "ANGLE"))
    return re.compile(rf'(?=[%!"<])({value}|{type}(?!\s*=)|{string}|{angle})')


def _numbered(text: str) -> tuple[list[str], list[str], list[str], list[str]]:
    """The value names of a statement, its types, its pieces, and these with numbers for names and types.

    `!_<0>` is a type to the lexer, whatever comes behind it.
    """
    pieces = _parts().split(text)
    numbered = pieces.copy()
    names: list[str] = []
    types: list[str] = []
    for at in range(1, len(pieces), 2):
        part = pieces[at]
        if part[0] == "%":
            name, bang, memory = part[1:].partition("!")
            numbered[at] = f"%{len(names)}{bang}{memory}"
            names.append(name)
        elif part[0] == "!":
            numbered[at] = f"!_<{len(types)}>"
            types.append(part)
    return names, types, pieces, numbered


def split_statement(text: str) -> tuple[list[str], list[str], str]:
    """The value names of a statement, its types, and its shape: the text with their numbers instead.

    >>> split_statement("%a = tneg %b : !pto.tile<8x8xf32>")
    (['a', 'b'], ['!pto.tile<8x8xf32>'], '%0 = tneg %1 : !_<0>')
    """
    names, types, _, numbered = _numbered(text)
    return names, types, "".join(numbered)


@cache
def _nameless_or_string() -> re.Pattern[str]:
    return re.compile(rf"%(?![\w$.-]|#\d{{1,4}}(?!\w))|{terminal('STRING').pattern}")


def nameless_value(text: str) -> int | None:
    """The offset of the first `%` without a name, inside a type too; one inside a string is no value."""
    return next((match.start() for match in _nameless_or_string().finditer(text) if match[0] == "%"), None)


def place_in_text(text: str) -> Callable[[int], int]:
    """Convert an offset in the shape of a statement to one in its text."""
    _, _, pieces, numbered = _numbered(text)
    starts = [*accumulate(map(len, numbered[:-1]), initial=0)]
    shifts = [
        *accumulate((len(old) - len(new) for old, new in zip(pieces, numbered, strict=True)), initial=0)
    ]
    return lambda offset: offset + shifts[bisect_left(starts, offset)]


def parse_statement(text: str) -> t.Statement:
    """The tree of one statement; raises `SyntaxProblem`."""
    try:
        return cast(Any, grammar()).parse(text)
    except UnexpectedInput as error:
        raise explain_syntax(grammar(), text, error, "statement") from None


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
