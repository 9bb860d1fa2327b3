"""Lark's syntax errors in words."""

from __future__ import annotations

import re
import unicodedata
from typing import Any, cast

from lark import Lark, Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from ptoas.diagnostics.spelling import did_you_mean


class SyntaxProblem(Exception):
    """A statement (or a type) that the grammar does not know; offsets count from its start."""

    def __init__(self, message: str, offset: int, length: int = 1, fix: str | None = None):
        super().__init__(message)
        self.message, self.offset, self.length, self.fix = message, offset, length, fix


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
"""Look-alike characters that word processors and input methods insert."""

_CHUNK = re.compile(r"%[\w$.-]*|[!#@-]*[\w.$]+(?:-[\w.$]+)*|[!#@-]+|.", re.S)
"""The found text in a message: a value, or a word with the marks before it, `16x32xf32`, `#!expect`."""

_NO_VALUE = re.compile(r"\s*(?:\.(?:arg|const)\s+)?([A-Za-z_][\w$]*)\s*(?:=(?!=)|:)")
"""The beginning of a statement that defines a name without its `%`."""

_NO_EQUAL = re.compile(r"\s*(?P<name>%[\w$.]+)\s+(?P<word>[A-Za-z_][\w.]*)")
"""The beginning of a statement whose result and instruction have no `=` between them."""

_TYPE_NAMES = ("tile", "tile_buf", "memref", "ptr", "tensor_view", "partition_tensor_view", "group")

DIRECTIVES = (".arg", ".const", ".target")
_DIRECTIVE_FIXES = {".arch": "write `.target a5`"}


def explain_syntax(parser: Lark, text: str, error: UnexpectedInput, what: str) -> SyntaxProblem:
    """Return the parser's complaint in words; token names stay out of it."""
    if (bare := _NO_VALUE.match(text)) is not None and "%" not in bare[1]:
        start, name = bare.start(1), bare[1]
        message = f"`{name}` is no value: the name of a value begins with `%`"
        return SyntaxProblem(message, start, len(name), f"did you mean `%{name}`?")
    if what == "statement" and (bare := _NO_EQUAL.match(text)) is not None:
        message = f"`=` is missing between `{bare['name']}` and `{bare['word']}`"
        fix = f"write `{bare['name']} = {bare['word']}`"
        return SyntaxProblem(message, bare.start("name"), bare.end() - bare.start("name"), fix)
    if isinstance(error, UnexpectedToken):
        token = cast(Token, cast(Any, error).token)
        found = f"the {what} ends" if token.type == "$END" else f"found `{_shorten(str(token))}`"
        offset = len(text.rstrip()) if token.type == "$END" else cast(int, token.start_pos)
        length = 1 if token.type == "$END" else len(token)
        expected = error.accepts or error.expected
    elif isinstance(error, UnexpectedCharacters):
        offset = cast(int, cast(Any, error).pos_in_stream)
        word = _CHUNK.match(text, offset)
        found_text = word.group() if word else text[offset : offset + 1]
        if (intended := _LOOK_ALIKES.get(text[offset])) is not None:
            name = unicodedata.name(text[offset], "a character").lower()
            return SyntaxProblem(f"found a {name}, U+{ord(text[offset]):04X}", offset, 1, f"write {intended}")
        if directive := re.match(r"\.\w+", text[offset:]):
            length = directive.end()
            fix = _DIRECTIVE_FIXES.get(directive.group()) or did_you_mean(directive.group(), DIRECTIVES)
            known = ", ".join(DIRECTIVES)
            return SyntaxProblem(
                f"unknown directive `{directive.group()}`; there are {known}", offset, length, fix
            )
        found, length = f"found `{_shorten(found_text)}`", len(found_text)
        expected = _accepted(parser, text[:offset]) or error.allowed or set[str]()
    else:
        return SyntaxProblem(f"the {what} is not complete", max(0, len(text.rstrip()) - 1))
    named = {_PHRASES[name] for name in expected if name in _PHRASES}
    phrases = sorted((f"{p} of the {what}" if p == "the end" else p for p in named), key=_by_weight)
    if not phrases or len(phrases) > 2 * _MOST_PHRASES:
        word = text[offset : offset + length]
        is_operand = word.startswith("%") or word[:1].isdigit()
        if "COMMA" in expected and is_operand and _shorten(word) == word:
            return SyntaxProblem(f"a `,` is missing before `{word}`", offset, length, f"write `, {word}`")
        return SyntaxProblem(f"{found}, which is not valid here", offset, length)
    shown = phrases[:_MOST_PHRASES]
    listed = shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"
    word = text[offset : offset + length]
    fix = f"did you mean `!pto.{word}`?" if word in _TYPE_NAMES and "a type" in named else None
    if named == {"a value (`%name`)"} and word.isdigit():
        fix = f"give the number a name before: `%c{word} = arith.constant {word} : index`"
    return SyntaxProblem(f"{found}, expected {listed}", offset, length, fix)


def _accepted(parser: Lark, text: str) -> set[str]:
    """Return the terminals that may follow a text, the end included; Lark lists those of the lexer only.

    Empty if the text ends with a token that is one only in front of what follows it.
    """
    following = cast(Any, parser).parse_interactive(text)
    try:
        following.exhaust_lexer()
    except UnexpectedInput:
        return set()
    return following.accepts()


def _by_weight(phrase: str) -> tuple[bool, str]:
    """Punctuation last: `a type` tells more than `` `(` ``."""
    return phrase.startswith("`"), phrase


def _shorten(text: str) -> str:
    text = " ".join(text.split()).replace("\x00", "{")  # a region's mark stands where its `{` was
    return text if len(text) <= 40 else text[:37] + "..."
