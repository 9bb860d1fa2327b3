"""Parsing of a statement to its syntax tree, through the Lark grammar."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from functools import cache
from itertools import accumulate
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


_NAME = re.compile(r"%([\w$.-]*(?:#\d{1,4}(?!\w))?)")
_NAME_OR_STRING = re.compile(r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"|%[\w$.-]*(?:#\d{1,4}(?!\w))?')


def value_offsets(text: str) -> dict[int, int]:
    """The offset and number of each value name of a statement; a `%` inside a string is none."""
    offsets: dict[int, int] = {}
    for match in _NAME_OR_STRING.finditer(text):
        if text[match.start()] == "%":
            offsets[match.start()] = len(offsets)
    return offsets


def value_names(text: str) -> list[str]:
    """The value names of a statement, in order, without `%`; `x#1` is a name too."""
    return [m[1:] for m in _NAME_OR_STRING.findall(text) if m[0] == "%"]


def split_names(text: str) -> tuple[list[str], str]:
    """The value names of a statement, and the statement without them: what statements of one shape share."""
    if '"' not in text:
        pieces = _NAME.split(text)
        return pieces[1::2], "%".join(pieces[::2])
    blank = _NAME_OR_STRING.sub(lambda m: "%" if m.group()[0] == "%" else m.group(), text)
    return value_names(text), blank


def with_names(text: str) -> Callable[[int], int]:
    """Convert an offset in the statement without names to one in its text."""
    names, blank = split_names(text)
    starts = list(value_offsets(blank))
    shifts = list(accumulate(map(len, names), initial=0))
    return lambda offset: offset + shifts[bisect_left(starts, offset)]


def parse_statement(text: str) -> t.Statement:
    """The tree of one statement; raises `SyntaxProblem`."""
    try:
        found = cast("Tree[Token]", cast(Any, grammar()).parse(text))
    except UnexpectedInput as error:
        raise explain_syntax(grammar(), text, error, "statement") from None
    return TreeBuilder(value_offsets(text)).transform(found)


STRUCTURE = (
    "builtin.module",
    "module",
    "func.func",
    "scf.for",
    "scf.if",
    "scf.while",
    "scf.index_switch",
    "scf.execute_region",
    "cf.br",
    "cf.cond_br",
    "cf.switch",
)
"""Keywords at the beginning of a statement that pto.lark itself reads."""
