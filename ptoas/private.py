"""Every private name of Lark that is used, with the reason; a new version of it is tried here. Those of xDSL
are in `private_ir.py`: the parse tables are made where there is no xDSL yet.

Each stands for something that has no public name.
"""
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from lark import Lark


LEXER_OPTION = "_plugins"
"""The option that puts another lexer into a Lark parser."""


def load_parser(tables: Any, memo: Any, plugins: dict[str, Any]) -> Lark:
    """A parser from its tables, as Lark's stand-alone parsers load it; its public way unpickles a file."""
    from lark import Lark

    return cast(Any, Lark)._load_from_dict(tables, memo, **{LEXER_OPTION: plugins})


class Action(NamedTuple):
    """What to do in a state of a parser when a token comes."""

    size: int
    """How many children a rule that is complete takes."""
    target: Any
    """The next state; of a rule, its name, under which the state before it knows the next."""
    make: Callable[[list[Any]], Any] | None
    """What the rule makes of its children; `None`: the token is taken."""


class Tables:
    """The tables of a Lark parser for one start symbol, a state at a time.

    Lark has no public way to its states. `kept` are the tokens that some rule keeps as a child.
    """

    def __init__(self, parser: Lark, start: str, transformer: object | None):
        inner = cast(Any, parser)
        table = inner.parser.parser._parse_table
        self.start: int = table.start_states[start]
        self.end: int = table.end_states[start]
        self._states = table.states
        self._lexers = inner.parser.lexer.lexers
        makes = inner._parse_tree_builder.create_callback
        self._callbacks = inner._callbacks if transformer is None else makes(transformer)
        self.kept = frozenset(
            symbol.name
            for rule in inner.rules
            for symbol in rule.expansion
            if symbol.is_term and not symbol.filter_out
        )

    def state(self, number: int) -> tuple[dict[str, Action], Callable[[str, int], Any]]:
        """The actions of a state by the names of tokens and rules, and what finds its next token."""
        from lark.parsers.lalr_analysis import Shift

        actions = {
            name: Action(0, arg, None)
            if action is Shift
            else Action(len(arg.expansion), arg.origin.name, self._callbacks[arg])
            for name, (action, arg) in self._states[number].items()
        }
        return actions, self._lexers[number].find if number in self._lexers else _nothing


def _nothing(text: str, at: int) -> None:
    """A state in which nothing but the end may come."""


def tables_of(parser: Lark, start: str, transformer: object | None) -> Tables:
    """The tables that a parser goes by."""
    return Tables(parser, start, transformer)


def token_finder(scanner: Any) -> Callable[[str, int], Any]:
    """What finds the token that begins at a place; the name of its match's last group is the token's."""
    expressions = [expression.match for expression in scanner._mres]
    if len(expressions) == 1:
        return expressions[0]

    def find(text: str, at: int) -> Any:
        return next((found for match in expressions if (found := match(text, at)) is not None), None)

    return find
