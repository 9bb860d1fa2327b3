"""Statements in the notation of Python or C++, with the statement to write instead.

Only statements that the grammar refuses are compared with these patterns.
"""

from __future__ import annotations

import re

from ptoas.grammar import tree as t
from ptoas.grammar.problems import StatementProblem

_LOOP = "write `scf.for %i = %first to %end step %step { ... }`; the bounds are values of `arith.constant`"
_BRANCH = "write `scf.if %condition { ... } else { ... }`; the condition is a value of type i1"

_NOTATIONS = (
    (r"(?:scf\.)?for\b.*?\bin\b[^{\n]*", "this is a loop of Python", _LOOP),
    (r"while\b[^{\n]*", "this is a loop of Python or C++", _LOOP),
    (r"(?:el)?if\b[^{\n]*|else\s*:", "this is a branch of Python or C++", _BRANCH),
    (r"--[^\n]*|/\*[^\n]*", "this is no comment", "begin a comment with `//`, or with `#` and a blank"),
)
"""Patterns of the beginning of a statement, each with what it is and what to write instead."""

_ARITHMETIC = re.compile(
    r"%?(?P<to>\w+)\s*=\s*%?(?P<a>[A-Za-z_]\w*)\s*(?P<sign>[-+*/])\s*%?(?P<b>\w+)\s*;?\s*$"
)
_OPERATIONS = {"+": "tadd", "-": "tsub", "*": "tmul", "/": "tdiv"}

_NUMBER = re.compile(r"%?(?P<to>\w+)\s*=\s*(?P<number>-?[\d.]+)\s*;?\s*$")

_SLICE = re.compile(r"%(?P<view>\w+)\[[^\]]*:[^\]]*\]")

_DEFINED = re.compile(r"%([\w$.-]+)\s*=(?!=)")


def foreign_notation(text: str) -> StatementProblem | None:
    """The problem of a statement that is written as in another language; None if it is not.

    >>> foreign_notation("%c = %a + %b").fix
    'write `%c = tadd %a, %b`'
    """
    for pattern, message, fix in _NOTATIONS:
        if (match := re.match(pattern, text)) is not None:
            return StatementProblem("PTO-P010", message, t.Node(0, len(match.group().rstrip())), fix)
    if (match := _ARITHMETIC.match(text)) is not None:
        to, a, sign, b = match.group("to", "a", "sign", "b")
        is_number = b[0].isdigit()
        written = f"%{to} = {_OPERATIONS[sign]}{'s' if is_number else ''} %{a}, {b if is_number else f'%{b}'}"
        return _rewritten("arithmetic with tiles is an instruction", match, written)
    if (match := _NUMBER.match(text)) is not None:
        to, number = match.group("to", "number")
        type = "f32" if "." in number else "index"
        return _rewritten("a number needs a type", match, f"%{to} = arith.constant {number} : {type}")
    if (match := _SLICE.search(text)) is not None:
        part = f"partition_view %{match['view']}, offsets = [0, 0], sizes = [8, 32]"
        message, fix = "this is a slice of NumPy", f"take a part before: `%part = {part}`"
        return StatementProblem("PTO-P010", message, t.Node(match.start(), match.end()), fix)
    return None


def _rewritten(message: str, found: re.Match[str], statement: str) -> StatementProblem:
    """A statement with its replacement, which is also the edit."""
    place = t.Node(0, len(found.group().rstrip()))
    problem = StatementProblem("PTO-P010", message, place, f"write `{statement}`")
    problem.edit = (place, statement)
    return problem


def defined_names(text: str) -> list[str]:
    """The names that the lines of a text would define."""
    return _DEFINED.findall(text)
