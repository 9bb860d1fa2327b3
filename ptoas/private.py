"""Every private name of Lark and xDSL that is used, with the reason; a new version of either is tried here.

Each stands for something that has no public name.
"""
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from lark import Lark
    from xdsl.ir import SSAValue
    from xdsl.parser import AttrParser
    from xdsl.printer import Printer


def set_name(value: SSAValue, name: str | None) -> None:
    """Name a value, the whole of the name.

    xDSL's `name_hint` cuts off a `_12` at its end, to number names itself; in PTO that is part of the name.
    """
    value._name = name


def names_of(printer: Printer) -> dict[SSAValue, str]:
    """The names that a printer has given so far; its own way to give them numbers what the author named."""
    return printer._ssa_values


def symbol_body(parser: AttrParser) -> str:
    """The text up to the `>` that closes a dialect's type; xDSL's scan minds strings and `->`."""
    return parser._parse_dialect_symbol_body()


def declared_operands(cls: type) -> dict[str, object]:
    """The operands that a class itself declares, with their constraints.

    xDSL's definition of an operation is made after its class, so that a class could not refuse it.
    """
    from xdsl.irdl.operations import _OperandFieldDef

    fields = {name: field for name, field in vars(cls).items() if isinstance(field, _OperandFieldDef)}
    return {name: field.param for name, field in fields.items()}


LEXER_OPTION = "_plugins"
"""The option that puts another lexer into a Lark parser."""


def load_parser(tables: Any, memo: Any, plugins: dict[str, Any]) -> Lark:
    """A parser from its tables, as Lark's stand-alone parsers load it; its public way unpickles a file."""
    from lark import Lark

    return cast(Any, Lark)._load_from_dict(tables, memo, **{LEXER_OPTION: plugins})
