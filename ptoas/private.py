"""Every private name of Lark that is used, with the reason; a new version of it is tried here. Those of xDSL
are in `private_ir.py`: the parse tables are made where there is no xDSL yet.

Each stands for something that has no public name.
"""
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

if TYPE_CHECKING:
    from lark import Lark


LEXER_OPTION = "_plugins"
"""The option that puts another lexer into a Lark parser."""


def load_parser(tables: Any, memo: Any, plugins: dict[str, Any]) -> Lark:
    """A parser from its tables, as Lark's stand-alone parsers load it; its public way unpickles a file."""
    from lark import Lark

    return cast(Any, Lark)._load_from_dict(tables, memo, **{LEXER_OPTION: plugins})


class Tables(NamedTuple):
    """What a Lark parser goes by, as plain data; it has no public way to it."""

    tokens: tuple[tuple[str, str], ...]
    """Names and regular expressions, in the order in which they are tried."""
    kept: tuple[str, ...]
    """The tokens that some rule keeps as a child."""
    starts: tuple[tuple[str, int, int], ...]
    """The symbols that a text may be, each with its first state and its last."""
    rules: tuple[tuple[str, int, str, bool, Children | None], ...]
    """What a rule is called, how many children it takes, what makes a node of them, whether a single child
    stands for itself; and which children are left, if not all."""
    states: tuple[tuple[tuple[str, int], ...], ...]
    """For each token and each rule that may come the next state; or, below 0, `~` the number of the rule that
    is complete."""


Children: TypeAlias = "tuple[tuple[tuple[int, bool, int], ...], int]"
"""The children that are left: the number of each, whether it is a list to be put in, and how many that are
missing stand before it; and how many missing ones come last."""


def tables_of(parser: Lark) -> Tables:
    """The tables of a parser."""
    from lark.parsers.lalr_analysis import Shift

    inner = cast(Any, parser)
    table = inner.parser.parser._parse_table
    lexer = inner.parser.lexer.root_lexer
    assert lexer.scanner and not lexer.callback, "a word that is two tokens is told apart by its state alone"
    numbers = {rule: number for number, rule in enumerate(inner.rules)}
    return Tables(
        tuple((str(terminal.name), terminal.pattern.to_regexp()) for terminal in lexer.scanner.terminals),
        tuple(
            sorted(
                {
                    str(s.name)
                    for rule in inner.rules
                    for s in rule.expansion
                    if s.is_term and not s.filter_out
                }
            )
        ),
        tuple((name, table.start_states[name], table.end_states[name]) for name in table.start_states),
        tuple(map(_rule, inner.rules)),
        tuple(
            tuple(
                (str(name), arg if action is Shift else ~numbers[arg])
                for name, (action, arg) in table.states[number].items()
            )
            for number in range(len(table.states))
        ),
    )


def _rule(rule: Any) -> tuple[str, int, str, bool, Children | None]:
    """A rule as Lark's own trees are made by it."""
    from lark import parse_tree_builder

    options, builder = rule.options, cast(Any, parse_tree_builder)
    found = builder.maybe_create_child_filter(
        rule.expansion, options.keep_all_tokens, False, options.empty_indices
    )
    children = None
    if found is not None:
        left, *last = found.args
        children = tuple((at, put_in, *(missing or [0])) for at, put_in, *missing in left), sum(last)
    name = rule.alias or options.template_source or rule.origin.name
    return (
        str(rule.origin.name),
        len(rule.expansion),
        str(name),
        bool(options.expand1 and not rule.alias),
        children,
    )
