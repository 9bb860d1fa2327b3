"""The grammar as parse tables, which are made when the package is installed.

Making a parser from pto.lark takes longer than the rest of a start-up; loading its tables takes a tenth of
that. They are a Python module inside the package, written by the build (hatch_build.py) and by `python -m
ptoas.grammar.tables`, as Lark's own generator of stand-alone parsers writes them: nothing is unpickled, and
nothing is written while the assembler runs. If the grammar or Lark is not what the tables were made with, the
parser is made from the grammar instead.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, cast

import lark
from lark import Lark

from ptoas import private
from ptoas.grammar.lexer import StatementLexer

GRAMMAR = Path(__file__).with_name("pto.lark")
TABLES = Path(__file__).with_name("_tables.py")
_STARTS = ["statement", "type_body"]
_PLUGINS = {"ContextualLexer": StatementLexer}
"""Lark's way to put another lexer into a grammar's parser."""


def load_parser() -> Lark:
    """The parser, from its tables if they are there and fit."""
    text = GRAMMAR.read_text(encoding="utf-8")
    try:
        tables: Any = import_module("ptoas.grammar._tables")
    except ImportError:
        return make_parser(text)
    if _origin(text) != tables.MADE_FROM:
        return make_parser(text)
    return private.load_parser(tables.DATA, tables.MEMO, _PLUGINS)


def make_parser(text: str) -> Lark:
    """The parser, from the grammar."""
    options: dict[str, Any] = {private.LEXER_OPTION: _PLUGINS}
    return Lark(text, parser="lalr", start=_STARTS, maybe_placeholders=True, **options)


def write_tables(path: Path = TABLES) -> None:
    """Write the module that `load_parser` looks for."""
    from lark.grammar import Rule
    from lark.lexer import TerminalDef

    text = GRAMMAR.read_text(encoding="utf-8")
    parser = cast(Any, make_parser(text))
    data, memo = parser.memo_serialize([TerminalDef, Rule])
    data["options"][private.LEXER_OPTION] = {}  # a class is no data; it is given again on loading
    path.write_text(
        '"""Made from pto.lark by ptoas.grammar.tables."""\n'
        f"MADE_FROM = {_origin(text)!r}\nDATA = {data!r}\nMEMO = {memo!r}\n",
        encoding="utf-8",
    )


def _origin(text: str) -> str:
    return f"// lark {lark.__version__}\n{text}"


if __name__ == "__main__":
    write_tables()
