"""From the text of a statement to its light tree, through the Lark grammar."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, cast

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from ptoas.diagnostics.spelling import did_you_mean
from ptoas.grammar import tree as t
from ptoas.grammar.tree_builder import TreeBuilder, token_span


class SyntaxProblem(Exception):
    """A statement (or a type) that the grammar does not know; offsets count from its start."""

    def __init__(self, message: str, offset: int, length: int = 1, fix: str | None = None):
        super().__init__(message)
        self.message, self.offset, self.length, self.fix = message, offset, length, fix


@cache
def grammar() -> Lark:
    """The parser of `pto.lark`, made when the first text is read."""
    text = Path(__file__).with_name("pto.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", lexer="contextual", start=["statement", "type_body"])


_NAME = re.compile(r"%([\w$.-]*(?:#\d{1,4}(?!\w))?)")
_NAME_OR_STRING = re.compile(r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"|%[\w$.-]*(?:#\d{1,4}(?!\w))?')


def value_offsets(text: str) -> dict[int, int]:
    """Where each value name of a statement starts, and its number; a `%` inside a string is none."""
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
    """From an offset of the statement without names, as the tree has it, to one of its text."""
    names, blank = split_names(text)
    starts = list(value_offsets(blank))
    shifts = list(accumulate(map(len, names), initial=0))
    return lambda offset: offset + shifts[bisect_left(starts, offset)]


def parse_statement(text: str) -> t.Statement:
    """The tree of one statement; raises `SyntaxProblem`."""
    return TreeBuilder(value_offsets(text)).transform(_parse(text, "statement"))


def parse_type_body(text: str) -> Tree[Token]:
    """The parameters between the angle brackets of a `!pto` type; raises `SyntaxProblem`."""
    return _parse(text, "type_body")


def _parse(text: str, start: str) -> Tree[Token]:
    try:
        return cast(Any, grammar()).parse(text, start=start)
    except UnexpectedInput as error:
        raise _explain(text, error, "type" if start == "type_body" else "statement") from None


_PHRASES = {
    "VALUE": "a value (`%name`)",
    "RESULTS": "a result (`%name =`)",
    "COLON": "`:`",
    "COMMA": "`,`",
    "EQUAL": "`=`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "LSQB": "`[`",
    "RSQB": "`]`",
    "LBRACE": "`{`",
    "RBRACE": "`}`",
    "LESSTHAN": "`<`",
    "MORETHAN": "`>`",
    "__ANON_0": "`->`",
    "REGION": "a body `{ ... }`",
    "OPCODE": "an instruction",
    "SYMBOL": "a name (`@name`)",
    "STRING": "a string",
    "NUMBER": "a number",
    "SCALAR": "a type",
    "TYPE": "a type",
    "ANGLE": "a type",
    "ATTR": "an attribute",
    "HASHKEY": "an attribute",
    "BLOB": "an attribute",
    "KEY": "a name",
    "WORD": "a name",
    "CLAUSE": "a name",
    "TO": "`to`",
    "STEP": "`step`",
    "ELSE": "`else`",
    "DO": "`do`",
    "CASE": "`case`",
    "DEFAULT": "`default`",
    "ATTRIBUTES": "`attributes`",
    "ITER_ARGS": "`iter_args`",
    "SHAPE": "a shape (`16x32xf32`)",
    "DIMS": "extents (`9x?`)",
    "QUESTION": "`?`",
    "COUNT": "a count",
    "LABEL": "a block (`^name`)",
    "$END": "the end",
}
_MOST_PHRASES = 4


_LOOK_ALIKES = {
    "\u00a0": "a plain space",
    "\u3000": "a plain space",
    "\u200b": "nothing there",
    "\uff1a": "`:`",
    "\uff0c": "`,`",
    "\uff1b": "`;`",
    "\uff1d": "`=`",
    "\uff05": "`%`",
    "\uff08": "`(`",
    "\uff09": "`)`",
    "\u201c": '`"`',
    "\u201d": '`"`',
    "\u2192": "`->`",
    "\u2013": "`-`",
    "\u2212": "`-`",
}
"""Characters that word processors and input methods put where others are meant."""

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
"""What pto.lark itself reads at the beginning of a statement."""

DIRECTIVES = (".arg", ".const", ".target")
_DIRECTIVE_FIXES = {".arch": "write `.target a5`"}


def _explain(text: str, error: UnexpectedInput, what: str) -> SyntaxProblem:
    """The parser's complaint in words; token names stay out of it."""
    if isinstance(error, UnexpectedToken):
        token = cast(Token, cast(Any, error).token)
        found = f"the {what} ends" if token.type == "$END" else f"found `{_shorten(str(token))}`"
        offset = len(text.rstrip()) if token.type == "$END" else token_span(token)[0]
        length = 1 if token.type == "$END" else len(token)
        expected = error.accepts or error.expected
    elif isinstance(error, UnexpectedCharacters):
        offset = cast(int, cast(Any, error).pos_in_stream)
        word = re.match(r"[\w.$!#@%-]+|.", text[offset:], re.S)
        found_text = word.group() if word else text[offset : offset + 1]
        if (meant := _LOOK_ALIKES.get(text[offset])) is not None:
            name = unicodedata.name(text[offset], "a character").lower()
            return SyntaxProblem(f"found a {name}, U+{ord(text[offset]):04X}", offset, 1, f"write {meant}")
        if directive := re.match(r"\.\w+", text[offset:]):
            length = directive.end()
            fix = _DIRECTIVE_FIXES.get(directive.group()) or did_you_mean(directive.group(), DIRECTIVES)
            known = ", ".join(DIRECTIVES)
            return SyntaxProblem(
                f"unknown directive `{directive.group()}`; there are {known}", offset, length, fix
            )
        found, length = f"found `{_shorten(found_text)}`", len(found_text)
        expected = error.allowed or set[str]()
    else:
        return SyntaxProblem(f"the {what} is not complete", max(0, len(text.rstrip()) - 1))
    named = {_PHRASES[name] for name in expected if name in _PHRASES}
    phrases = sorted((f"{p} of the {what}" if p == "the end" else p for p in named), key=_by_weight)
    if not phrases or len(phrases) > 2 * _MOST_PHRASES:
        return SyntaxProblem(f"{found}, which can't stand here", offset, length)
    shown = phrases[:_MOST_PHRASES]
    wanted = shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"
    return SyntaxProblem(f"{found}, expected {wanted}", offset, length)


def _by_weight(phrase: str) -> tuple[bool, str]:
    """Punctuation last: `a type` tells more than `` `(` ``."""
    return phrase.startswith("`"), phrase


def _shorten(text: str) -> str:
    text = " ".join(text.split()).replace("\x00", "{")  # a region's mark stands where its `{` was
    return text if len(text) <= 40 else text[:37] + "..."
