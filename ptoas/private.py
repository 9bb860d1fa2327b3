"""Every private name of Lark and xDSL that is used, with the reason; a new version of either is tried here.

Each stands for something that has no public name.
"""
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from xdsl.ir import Attribute, Operation, OpResult, Region, SSAValue, SSAValues, Use

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from lark import Lark
    from xdsl.dialects.builtin import LocationAttr
    from xdsl.parser import AttrParser
    from xdsl.printer import Printer

Op = TypeVar("Op", bound=Operation)


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


def collect(op: Operation, found: list[Operation]) -> None:
    """Add all that is in an operation to a list, in the order of the text.

    xDSL's own walk goes through a generator and several calls for each operation; passes walk thirty times.
    """
    for region in op.regions:
        block = region._first_block
        while block is not None:
            inner = block._first_op
            while inner is not None:
                found.append(inner)
                if inner.regions:
                    collect(inner, found)
                inner = inner._next_op
            block = block._next_block


def operand(op: Operation, at: int) -> SSAValue:
    """The operand of a number. xDSL makes a view of all operands, and asks whether the number is a slice."""
    return _ITEM(op._operands, at)


_ITEM = cast(Any, tuple).__getitem__


def make_operation(
    cls: type[Op],
    operands: Sequence[SSAValue],
    result_types: Iterable[Attribute],
    properties: Mapping[str, Attribute],
    attributes: Mapping[str, Attribute],
    location: LocationAttr,
    regions: Sequence[Region] = (),
) -> Op:
    """An operation without successors that has all of its properties.

    `create` asks for defaults that are there, and tells operands and successors that they are no longer used
    by an operation that is new. A program is read once and copied once for each target: a tenth of both.
    """
    op = cls.__new__(cls)
    uses: list[Use] = []
    for index, operand in enumerate(operands):
        use = Use(op, index)
        first = operand.first_use
        if first is not None:
            use._next_use, first._prev_use = first, use
        operand.first_use = use
        uses.append(use)
    op._operands, op._operand_uses = SSAValues(operands), tuple(uses)
    op.results = SSAValues([OpResult(type, op, index) for index, type in enumerate(result_types)])
    op.properties, op.attributes = dict(properties), dict(attributes)
    op.location = location
    for region in regions:
        op.add_region(region)
    return op


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


def find_token(scanner: Any, text: str, at: int) -> Any:
    """The match of the token that begins at a place; the name of its last group is the token's."""
    for expression in scanner._mres:
        if (found := expression.match(text, at)) is not None:
            return found
    return None
