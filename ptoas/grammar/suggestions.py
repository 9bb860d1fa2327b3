"""Suggested edits of the front end: the intended word for a misspelled one."""

from __future__ import annotations

import re

from ptoas.diagnostics import Edit, Source, Span

_QUOTED = re.compile(r"`([^`]+)`")
_MEANT = re.compile(r"did you mean `([^`]+)`\?")
_WRITE = re.compile(r"write `([^`]+)`")
_TEXT = re.compile(r'write ("[^"]*") for a string')
_ALIKE = {"write a plain space": " ", "write nothing there": ""}
_OPCODE = re.compile(r"[\w$.]+")


def edits_of(
    code: str, message: str, fix: str | None, source: Source, offset: int, length: int
) -> tuple[Edit, ...]:
    """The edits of a finding of the front end; none where its fix names no text."""
    place = Span(source, offset, length)
    found = source.text[offset : offset + length]
    if code == "PTO-P051":
        return _second_of_two(place, found)
    if fix is None:
        return ()
    if (suggestion := _MEANT.fullmatch(fix)) is not None:
        return _instead(place, found, message, suggestion[1])
    if (quoted := _TEXT.fullmatch(fix)) is not None and found == quoted[1].strip('"'):
        return (Edit(place, quoted[1]),)
    if fix in _ALIKE:
        return (Edit(place, _ALIKE[fix]),)
    written = _WRITE.fullmatch(fix)
    if written is not None and message.startswith("found a ") and length == 1:
        return (Edit(place, written[1]),)  # a character that looks like another
    if written is not None and code == "PTO-P052":
        return _opcode(source, offset, written[1])
    return ()


def _instead(place: Span, found: str, message: str, replacement: str) -> tuple[Edit, ...]:
    """Replace the misspelled word at the place; the edit is safe if only capitals differ."""
    for word in _QUOTED.findall(message):
        both = (word.removeprefix("."), replacement.removeprefix("."))
        hits = list(re.finditer(rf"(?<![\w$.]){re.escape(both[0])}(?![\w$])", found))
        if not hits and found.endswith(both[0]):
            # An element type behind its shape: `16x32xf61`.
            hits = list(re.finditer(rf"{re.escape(both[0])}$", found))
        if len(hits) == 1:
            span = Span(place.source, place.offset + hits[0].start(), len(both[0]))
            return (Edit(span, both[1], safe=both[0].lower() == both[1].lower()),)
    return ()


def _opcode(source: Source, offset: int, replacement: str) -> tuple[Edit, ...]:
    """Replace the opcode around a suffix by one with its suffixes in order."""
    start = offset
    while start and _OPCODE.match(source.text[start - 1]):
        start -= 1
    match = _OPCODE.match(source.text, start)
    if match is None:
        return ()
    found = match.group()
    lead = "pto." if found.startswith("pto.") else ""
    if sorted(found.split(".")) != sorted((lead + replacement).split(".")):
        return ()
    return (Edit(Span(source, start, len(found)), lead + replacement),)


def _second_of_two(place: Span, found: str) -> tuple[Edit, ...]:
    """Remove the second of two equal entries, with the comma before it."""
    text = place.source.text
    line = text.rfind("\n", 0, place.offset) + 1
    before = text[line : place.offset]
    pattern = re.compile(r"\s*".join(map(re.escape, re.findall(r"\w+|[^\w\s]", found))))
    comma = re.search(r",\s*$", before)
    if "=" not in found or comma is None or not pattern.search(before):
        return ()
    start = line + comma.start()
    return (Edit(Span(place.source, start, place.offset + place.length - start), ""),)
