"""Places of a text as the protocol counts them: lines and UTF-16 units, both from 0."""

from __future__ import annotations

from lsprotocol import types as lsp

from ptoas.diagnostics import Source, Span


def position_of(source: Source, offset: int) -> lsp.Position:
    """Return the position of an offset; offsets past the end are clamped.

    >>> position_of(Source("tload\\n\U0001d465 = 1"), 8)
    1:3
    """
    offset = max(0, min(offset, len(source.text)))
    line, column = source.position(offset)
    before = source.text[offset - column + 1 : offset]
    return lsp.Position(line - 1, column - 1 if before.isascii() else units(before))


def offset_of(source: Source, position: lsp.Position) -> int:
    """The character at a place; a place after a line's end is that end.

    >>> offset_of(Source("tload\\n\U0001d465 = 1"), lsp.Position(1, 3))
    8
    """
    starts = source.line_starts
    if position.line >= len(starts):
        return len(source.text)
    start = starts[position.line]
    line = source.line_text(position.line + 1)
    if line.isascii():
        return start + min(position.character, len(line))
    units = 0
    for at, char in enumerate(line):
        if units >= position.character:
            return start + at
        units += 2 if ord(char) > 0xFFFF else 1
    return start + len(line)


def range_of(source: Source, start: int, end: int) -> lsp.Range:
    return lsp.Range(position_of(source, start), position_of(source, end))


def range_of_span(span: Span) -> lsp.Range:
    """The place of a span; one that covers several lines ends with its first, where the caret goes."""
    end = span.offset + max(1, span.length)
    line_end = span.source.text.find("\n", span.offset, end)
    if line_end > span.offset:
        end = line_end
    return range_of(span.source, span.offset, end)


def units(text: str) -> int:
    """Return the length of a text in UTF-16 code units."""
    return sum(2 if ord(char) > 0xFFFF else 1 for char in text)
