"""Where an operation came from: its statement in the source, and the parts of that statement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from xdsl.ir import BuiltinAttribute, Operation

from ptoas.diagnostics import Source, Span

if TYPE_CHECKING:
    from xdsl.dialects.builtin import LocationAttr
    from xdsl.printer import Printer

_NOWHERE = Source("", "<module>")


class SourceLocation(BuiltinAttribute):
    """A statement's place. It is kept on the operation and survives cloning; it costs no parse.

    Finer places (an operand, an attribute, a type) are found by reading the statement again, which
    happens only when there is something to report.
    """

    name = "builtin.source_location"
    source: Source
    start: int
    end: int

    def __init__(self, source: Source, start: int, end: int):
        set_field: Any = object.__setattr__
        set_field(self, "source", source)
        set_field(self, "start", start)
        set_field(self, "end", end)

    @staticmethod
    def at(source: Source, start: int, end: int) -> LocationAttr:
        """A location as xDSL wants it: its own kinds of location are closed to subclasses."""
        return cast("LocationAttr", SourceLocation(source, start, end))

    def print_builtin(self, printer: Printer) -> None:
        line, column = self.source.position(self.start)
        printer.print_string(f'loc("{self.source.filename}":{line}:{column})')


def span_of(op: Operation) -> Span:
    """The first line of the statement that made `op`."""
    location = op.location
    if not isinstance(location, SourceLocation):
        return Span(_NOWHERE, 0, 1)
    text = location.source.text[location.start : location.end]
    first_line = text.split("\n", 1)[0].rstrip()
    return Span(location.source, location.start, max(1, len(first_line)))


def operand_span(op: Operation, index: int) -> Span:
    """The text of one operand; the statement when the operand is not written there."""
    from ptoas.grammar.spans import find_operand

    return find_operand(op, index) or span_of(op)


def operand_type_span(op: Operation, index: int) -> Span:
    """The type that the statement gives one operand; the operand when it gives none."""
    from ptoas.grammar.spans import find_operand_type

    return find_operand_type(op, index) or operand_span(op, index)


def result_type_span(op: Operation, index: int = 0) -> Span:
    """The type that the statement gives one result; the statement when it gives none."""
    from ptoas.grammar.spans import find_result_type

    return find_result_type(op, index) or span_of(op)


def argument_type_span(func: Operation, index: int) -> Span:
    """The type of a function's argument; the function when it is not written there."""
    from ptoas.grammar.spans import find_argument_type

    return find_argument_type(func, index) or span_of(func)


def field_span(op: Operation, name: str) -> Span:
    """An attribute as it is written, in the dictionary or as a suffix of the opcode."""
    from ptoas.grammar.spans import find_field

    return find_field(op, name) or span_of(op)
