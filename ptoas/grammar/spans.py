"""Source spans of operations and of the parts of their statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import StringIO

from xdsl.ir import Attribute, Operation

from ptoas.diagnostics import Source, Span
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.slots import slot_places
from ptoas.grammar.layout import blank_comments, ignore_diagnostics
from ptoas.grammar.printer import FormPrinter
from ptoas.grammar.syntax import place_in_text
from ptoas.ir.location import InsertedLocation, PartOffsets, PythonLocation, SourceLocation, TextRange


def span_of(op: Operation) -> Span:
    """The first line of the statement, or the line of Python, that made `op`; what neither made is shown as
    it prints."""
    location: Attribute = op.location
    if isinstance(location, InsertedLocation):
        location = location.origin
    if isinstance(location, PythonLocation):
        return location.span
    if not isinstance(location, SourceLocation):
        text = _printed(op)
        return Span(Source(text, _made(op)), 0, len(text.partition("\n")[0]))
    text = location.source.text[location.start : location.end]
    first_line = text.split("\n", 1)[0].rstrip()
    return Span(location.source, location.start, max(1, len(first_line)))


def _made(op: Operation) -> str:
    """The substitute for a file's name: `<pto.tadd in @kernel>`."""
    parent = op.parent_op()
    while parent is not None and parent.name != "func.func":
        parent = parent.parent_op()
    where = "" if parent is None else f" in @{parent.properties['sym_name']}"
    return f"<{op.name}{where}>".replace('"', "")


def _printed(op: Operation) -> str:
    """The text of an operation; of one with bodies, the part before them."""
    for form in ("ssa" if op.results else "dps", "generic"):
        out = StringIO()
        try:
            FormPrinter(out, form).print_op(op)
        except Exception:  # what breaks its declaration has no text but the generic one
            continue
        return out.getvalue().partition("\n")[0] if op.regions else out.getvalue()
    return op.name


def _part(location: SourceLocation, node: TextRange) -> Span:
    """Return a part of a statement in the source; its offsets are counted without the names of values."""
    text = location.source.text[location.start : location.end]
    place = place_in_text(blank_comments(text, ignore_diagnostics))
    start, end = place(node.start), place(node.end)
    return Span(location.source, location.start + start, max(1, end - start))


def _location(op: Operation) -> tuple[SourceLocation, PartOffsets] | None:
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
    by_slot: Mapping[str, Sequence[TextRange | None]] = getattr(places, kept)
    slot, at = _slot_of(op, index)
    nodes = by_slot.get(slot, ())
    if slot not in by_slot:
        nodes, at = by_slot.get("", ()), index
    node = nodes[at] if at < len(nodes) else None
    return None if node is None else _part(location, node)


def _slot_of(op: Operation, index: int) -> tuple[str, int]:
    """The slot of an operand, and its number there."""
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
    return _part(found[0], found[1].results[index])


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
    return span_of(op) if found is None or node is None else _part(found[0], node)
