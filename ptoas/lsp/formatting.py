"""Formatting: what `ptoas fmt` would change, as edits of whole lines, so that the rest stays where it is."""

from __future__ import annotations

from difflib import SequenceMatcher

from lsprotocol import types as lsp

from ptoas.diagnostics import PtoasError
from ptoas.grammar.format import format_text
from ptoas.lsp.document import Document
from ptoas.lsp.places import units


def formatting(document: Document, lines: tuple[int, int] | None = None) -> list[lsp.TextEdit]:
    """The edits that put a text into style, or those that touch the lines from one to another; none where it
    can't be taken apart, which is a finding of its own."""
    text = document.source.text
    try:
        formatted = format_text(text, document.source.filename)
    except PtoasError:
        return []
    before, after = text.split("\n"), formatted.split("\n")
    edits: list[lsp.TextEdit] = []
    for what, first, last, new_first, new_last in SequenceMatcher(None, before, after, False).get_opcodes():
        outside = lines is not None and (last < lines[0] or first > lines[1])
        if what != "equal" and not outside:
            edits.append(_lines(before, first, last, after[new_first:new_last]))
    return edits


def _lines(before: list[str], first: int, last: int, new: list[str]) -> lsp.TextEdit:
    """Return the edit that replaces lines; the last line of a text has no line end."""
    if last < len(before):
        where = lsp.Range(lsp.Position(first, 0), lsp.Position(last, 0))
        return lsp.TextEdit(where, "".join(f"{line}\n" for line in new))
    end = lsp.Position(len(before) - 1, units(before[-1]))
    if first == 0:
        return lsp.TextEdit(lsp.Range(lsp.Position(0, 0), end), "\n".join(new))
    start = lsp.Position(first - 1, units(before[first - 1]))
    return lsp.TextEdit(lsp.Range(start, end), "".join(f"\n{line}" for line in new))
