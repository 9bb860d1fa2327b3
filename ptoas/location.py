"""Where an operation came from: its statement in the source, and the parts of that statement."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from io import StringIO
from typing import TYPE_CHECKING, cast

from xdsl.ir import BuiltinAttribute, Operation

from ptoas.diagnostics import Source, Span

if TYPE_CHECKING:
    from xdsl.dialects.builtin import LocationAttr
    from xdsl.printer import Printer

    from ptoas.grammar.tree import Node


class Places:
    """Where the parts of a statement stand, counted in its text without the names of values.

    So all statements of one shape share one of these. Operands are kept by slot, which passes leave in place
    when they add or take away others; those of operations outside PTO are all under "".
    """

    def __init__(
        self,
        op: str,
        operands: Mapping[str, Sequence[Node]],
        types: Mapping[str, Sequence[Node | None]],
        results: Sequence[Node] = (),
        fields: Mapping[str, Node] | None = None,
    ):
        self.op, self.operands, self.types = op, operands, types
        self.results, self.fields = results, fields or {}
        self.text: str | None = None
        """The statement that they are counted in, where others differ from it in their types."""


class SourceLocation(BuiltinAttribute):
    """A statement's place. It is kept on the operation and survives cloning."""

    name = "builtin.source_location"
    source: Source
    start: int
    end: int
    places: Places | None
    arguments: Sequence[Span]
    """The types of a function's arguments."""

    def __init__(
        self,
        source: Source,
        start: int,
        end: int,
        places: Places | None = None,
        arguments: Sequence[Span] = (),
    ):
        # An attribute is frozen; this way round that is the cheapest, and every statement has a location.
        parts = vars(self)
        parts["source"], parts["start"], parts["end"] = source, start, end
        parts["places"], parts["arguments"] = places, arguments

    def print_builtin(self, printer: Printer) -> None:
        line, column = self.source.position(self.start)
        printer.print_string(f'loc("{self.source.filename}":{line}:{column})')

    def span(self, node: Node) -> Span:
        """A part of the statement, in the source."""
        start, end = self._place(node.start), self._place(node.end)
        return Span(self.source, self.start + start, max(1, end - start))

    @cached_property
    def _place(self) -> Callable[[int], int]:
        """Where in the statement's text a part stands, which is counted without names: much may be found of
        one statement."""
        from ptoas.grammar.alike import moved
        from ptoas.grammar.layout import blank_comments, say_nothing
        from ptoas.grammar.syntax import split_names, with_names

        text = blank_comments(self.source.text[self.start : self.end], say_nothing)
        place, there = with_names(text), None if self.places is None else self.places.text
        if there is None:
            return place
        here = split_names(text)[1]
        return lambda offset: place(moved(offset, there, here))


class PythonLocation(BuiltinAttribute):
    """The line of a Python program that built an operation."""

    name = "builtin.python_location"
    span: Span

    def __init__(self, span: Span):
        object.__setattr__(self, "span", span)  # attributes are frozen

    def print_builtin(self, printer: Printer) -> None:
        printer.print_string(f'loc("{self.span.file}":{self.span.line}:{self.span.column})')


located = cast("Callable[..., LocationAttr]", SourceLocation)
"""A location as xDSL wants it: its own kinds of location are closed to subclasses."""


def span_of(op: Operation) -> Span:
    """The first line of the statement, or the line of Python, that made `op`; what neither made is shown as
    it prints."""
    location = op.location
    if isinstance(location, PythonLocation):
        return location.span
    if not isinstance(location, SourceLocation):
        text = _printed(op)
        return Span(Source(text, _made(op)), 0, len(text.partition("\n")[0]))
    text = location.source.text[location.start : location.end]
    first_line = text.split("\n", 1)[0].rstrip()
    return Span(location.source, location.start, max(1, len(first_line)))


def _made(op: Operation) -> str:
    """What takes the place of a file's name: `<pto.tadd in @kernel>`."""
    parent = op.parent_op()
    while parent is not None and parent.name != "func.func":
        parent = parent.parent_op()
    where = "" if parent is None else f" in @{parent.properties['sym_name']}"
    return f"<{op.name}{where}>".replace('"', "")


def _printed(op: Operation) -> str:
    """The text of an operation; of one with bodies, what stands before them."""
    from ptoas.grammar.printer import FormPrinter

    for form in ("ssa" if op.results else "dps", "generic"):
        out = StringIO()
        try:
            FormPrinter(out, form).print_op(op)
        except Exception:  # what breaks its declaration has no text but the generic one
            continue
        return out.getvalue().partition("\n")[0] if op.regions else out.getvalue()
    return op.name


def _location(op: Operation) -> tuple[SourceLocation, Places] | None:
    location = op.location
    if not isinstance(location, SourceLocation) or location.places is None:
        return None
    return location, location.places


def _operand_part(op: Operation, index: int, kept: str) -> Span | None:
    """An operand, or its type, in the statement that made this operation and no other."""
    found = _location(op)
    if found is None or found[1].op != op.name:
        return None
    location, places = found
    by_slot: Mapping[str, Sequence[Node | None]] = getattr(places, kept)
    slot, at = _slot_of(op, index)
    nodes = by_slot.get(slot, ())
    if slot not in by_slot:
        nodes, at = by_slot.get("", ()), index
    node = nodes[at] if at < len(nodes) else None
    return None if node is None else location.span(node)


def _slot_of(op: Operation, index: int) -> tuple[str, int]:
    """The slot of an operand, and its number there."""
    from ptoas.dialects.pto.instruction import PtoOp
    from ptoas.dialects.pto.slots import slot_places

    if isinstance(op, PtoOp):
        for name, places in slot_places(op).items():
            if index in places:
                return name, index - places.start
    return "", index


def operand_span(op: Operation, index: int) -> Span:
    """The text of one operand; the statement when the operand is not written there."""
    return _operand_part(op, index, "operands") or span_of(op)


def operand_type_span(op: Operation, index: int) -> Span:
    """The type that the statement gives one operand; the operand when it gives none."""
    return _operand_part(op, index, "types") or operand_span(op, index)


def result_type_span(op: Operation, index: int = 0) -> Span:
    """The type that the statement gives one result; the statement when it gives none."""
    found = _location(op)
    if found is None or index >= len(found[1].results):
        return span_of(op)
    return found[0].span(found[1].results[index])


def argument_type_span(func: Operation, index: int) -> Span:
    """The type of a function's argument; the function when it is not written there."""
    location = func.location
    if not isinstance(location, SourceLocation) or index >= len(location.arguments):
        return span_of(func)
    return location.arguments[index]


def field_span(op: Operation, name: str) -> Span:
    """An attribute as it is written: in the dictionary, at its place, or as a suffix of the opcode."""
    found = _location(op)
    node = None if found is None else found[1].fields.get(name)
    return span_of(op) if found is None or node is None else found[0].span(node)
