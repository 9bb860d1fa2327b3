"""Suggested edits of rules, in terms of operations; the location maps them to the text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from xdsl.ir import Operation

from ptoas.diagnostics import Edit, Source, Span
from ptoas.grammar.spans import field_span
from ptoas.ir.location import SourceLocation

Kind = Literal["remove", "before", "after", "replace", "place", "word", "opcode", "drop field"]


@dataclass(frozen=True)
class Fixit:
    """A change of the statement that a violation blames.

    `remove` takes the statement away; `before` and `after` put a line beside it; `replace` writes another in
    its stead. `place` writes `text` where the caret stands, `word` writes it for the word `old` there, and
    `opcode` for the word `old` of the statement; `drop field` takes away the attribute `old`.
    """

    kind: Kind
    text: str = ""
    old: str = ""
    safe: bool = True
    op: Operation | None = None
    """Another operation than the one to blame."""


def edits_of(fixits: Fixit | tuple[Fixit, ...], op: Operation, place: Span) -> tuple[Edit, ...]:
    """The edits of changes; none where a statement of its own is missing for one of the operations."""
    changes = fixits if isinstance(fixits, tuple) else (fixits,)
    edits = [_edits_of(change, op if change.op is None else change.op, place) for change in changes]
    return tuple(edit for each in edits for edit in each) if all(edits) else ()


def _edits_of(fixit: Fixit, op: Operation, place: Span) -> tuple[Edit, ...]:
    location = op.location
    if not isinstance(location, SourceLocation):
        return ()
    if not op.regions and (location.places is None or location.places.op != op.name):
        return ()  # a statement that makes several operations, or a shorthand
    statement = Span(location.source, location.start, location.end - location.start)
    match fixit.kind:
        case "remove":
            edit = Edit(_line_of(statement), "", fixit.safe)
        case "before":
            edit = Edit(Span(location.source, location.start, 0), _before(fixit.text, statement), fixit.safe)
        case "after":
            end = Span(location.source, _end_of_line(statement), 0)
            edit = Edit(end, f"\n{_indent(statement)}{fixit.text}", fixit.safe)
        case "replace":
            edit = Edit(statement, fixit.text, fixit.safe)
        case "place":
            if place.length >= statement.length or place.source is not location.source:
                return ()
            edit = Edit(place, fixit.text, fixit.safe)
        case "word":
            return _word(fixit, place)
        case "opcode":
            return _word(fixit, statement)
        case "drop field":
            return _field(fixit, field_span(op, fixit.old), statement)
    return (edit,)


def _text_before(statement: Span) -> str:
    """The text before a statement in its line."""
    text = statement.source.text
    return text[text.rfind("\n", 0, statement.offset) + 1 : statement.offset]


def _indent(statement: Span) -> str:
    before = _text_before(statement)
    return before[: len(before) - len(before.lstrip())]


def _is_first(statement: Span) -> bool:
    return not _text_before(statement).strip()


def _before(text: str, statement: Span) -> str:
    return f"{text}\n{_indent(statement)}" if _is_first(statement) else f"{text}; "


def _end_of_line(statement: Span) -> int:
    """The end of a statement, with its trailing comment."""
    text, end = statement.source.text, statement.offset + statement.length
    comment = re.compile(r"[ \t]*;?[ \t]*((#|//)[^\n]*)?(?=\n|$)").match(text, end)
    return end if comment is None else comment.end()


def _line_of(statement: Span) -> Span:
    """A statement with the line that it leaves empty; a comment beside it stays."""
    text, start, end = statement.source.text, statement.offset, statement.offset + statement.length
    rest = re.compile(r"[ \t]*;?[ \t]*").match(text, end)
    end = rest.end() if rest is not None else end
    if _is_first(statement) and text[end : end + 1] in ("\n", ""):
        start = text.rfind("\n", 0, start) + 1
        end = min(end + 1, len(text))
    return Span(statement.source, start, end - start)


def _word(fixit: Fixit, place: Span) -> tuple[Edit, ...]:
    text = place.source.text[place.offset : place.offset + place.length]
    hits = list(re.finditer(rf"\b{re.escape(fixit.old)}\b", text))
    if len(hits) != 1:
        return ()
    span = Span(place.source, place.offset + hits[0].start(), len(fixit.old))
    return (Edit(span, fixit.text, fixit.safe),)


def _field(fixit: Fixit, entry: Span, statement: Span) -> tuple[Edit, ...]:
    """An entry of a dictionary, with the comma or the brackets to remove with it."""
    source: Source = entry.source
    text, start, end = source.text, entry.offset, entry.offset + entry.length
    if entry.length >= statement.length or not text[start:end].startswith(fixit.old):
        return ()
    before = re.search(r",\s*$", text[statement.offset : start])
    if before is not None:
        start = statement.offset + before.start()
    elif (after := re.compile(r"\s*,\s*").match(text, end)) is not None:
        end = after.end()
    elif (alone := re.search(r"\s*\{\s*$", text[statement.offset : start])) is not None:
        start, end = statement.offset + alone.start(), text.index("}", end) + 1
    return (Edit(Span(source, start, end - start), "", fixit.safe),)
