"""The grammar as parse tables, which are made when the package is installed.

Making a parser from pto.lark takes longer than the rest of a start-up; loading its tables takes a tenth of
that. They are Python modules inside the package, written by the build (hatch_build.py) and by `python -m
ptoas.grammar.tables`: nothing is unpickled, and nothing is written while the assembler runs. `_states` is
what a text is read by (driver.py), without Lark; `_tables` is for Lark's own parser, which says what is wrong
with a text, as its generator of stand-alone parsers writes them. If the grammar, or Lark for its own, is not
what they were made with, they are made from the grammar instead.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ptoas import private

if TYPE_CHECKING:
    from lark import Lark

GRAMMAR = Path(__file__).with_name("pto.lark")
STATES = Path(__file__).with_name("_states.py")
TABLES = Path(__file__).with_name("_tables.py")
_STARTS = ["statement", "type_body"]


def load_tables() -> private.Tables:
    """What a text is read by, if it is there and fits; else from the parser."""
    text = GRAMMAR.read_text(encoding="utf-8")
    kept = _written("_states", text)
    return private.tables_of(load_parser()) if kept is None else private.Tables(*kept.TABLES)


def load_parser() -> Lark:
    """Lark's parser, from its tables if they are there and fit."""
    text = GRAMMAR.read_text(encoding="utf-8")
    kept = _written("_tables", _origin(text))
    return make_parser(text) if kept is None else private.load_parser(kept.DATA, kept.MEMO, _plugins())


def _written(name: str, origin: str) -> Any:
    """A module that was written here, if it was made from this."""
    try:
        module: Any = import_module(f"ptoas.grammar.{name}")
    except ImportError:
        return None
    return module if origin == module.MADE_FROM else None


def _plugins() -> dict[str, Any]:
    """Lark's way to put another lexer into a grammar's parser."""
    from ptoas.grammar.lexer import StatementLexer

    return {"ContextualLexer": StatementLexer}


def make_parser(text: str) -> Lark:
    """Lark's parser, from the grammar."""
    from lark import Lark

    options: dict[str, Any] = {private.LEXER_OPTION: _plugins()}
    return Lark(text, parser="lalr", start=_STARTS, maybe_placeholders=True, **options)


def write_tables(tables: Path = TABLES, states: Path = STATES) -> None:
    """Write the modules that are looked for above."""
    from lark.grammar import Rule
    from lark.lexer import TerminalDef

    text = GRAMMAR.read_text(encoding="utf-8")
    parser = make_parser(text)
    data, memo = cast(Any, parser).memo_serialize([TerminalDef, Rule])
    data["options"][private.LEXER_OPTION] = {}  # a class is no data; it is given again on loading
    _write(tables, _origin(text), DATA=data, MEMO=memo)
    _write(states, text, TABLES=tuple(private.tables_of(parser)))


def _write(path: Path, origin: str, **values: object) -> None:
    lines = [f"{name} = {value!r}\n" for name, value in {"MADE_FROM": origin, **values}.items()]
    path.write_text(f'"""Made from pto.lark by ptoas.grammar.tables."""\n{"".join(lines)}', encoding="utf-8")


def _origin(text: str) -> str:
    from lark import __version__

    return f"// lark {__version__}\n{text}"


if __name__ == "__main__":
    write_tables()
