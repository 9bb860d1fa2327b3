"""Trailing locations of statements: `loc("model.py":42:7)`, in every form and with aliases of MLIR.

They are taken off before a statement is parsed: statements that differ only in their locations then share one
entry of the statement cache.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ptoas.diagnostics import Source
from ptoas.diagnostics.origins import OriginLocation
from ptoas.grammar.layout import RawStatement

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\bloc\s*\(|[()]')
_LOCATION = re.compile(r"loc\s*\(")
"""The beginning of a location; a word boundary before it would make the search of a whole file slow."""
_ALIAS = re.compile(r"#([\w.$-]+)\s*=\s*loc\s*\((.*)\)\s*$", re.S)
_FILE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d{1,9}):(\d{1,9})')
_STRING_OR_ALIAS = re.compile(r'"(?:[^"\\]|\\.)*"|#([\w.$-]+)')
_ESCAPE = re.compile(r"\\([0-9A-Fa-f]{2}|.)")
_MAX_TEXT = 4096


def take_locations(source: Source, statements: Sequence[RawStatement]) -> Sequence[RawStatement]:
    """Move the locations of all statements to the source; return the statements without location aliases."""
    if _LOCATION.search(source.text) is None:
        return statements
    aliases: dict[str, str] = {}
    kept: list[RawStatement] = []
    for raw in statements:
        match = _ALIAS.match(raw.text)
        if match and trailing_location(raw.text) is not None:
            aliases[match[1]] = match[2]
        else:
            kept.append(raw)
    resolved = _Aliases(aliases)
    for raw in _nested(kept):
        start = trailing_location(raw.text)
        if start is None:
            continue
        text = raw.text[raw.text.index("(", start) + 1 : raw.text.rindex(")")]
        raw.text = raw.text[:start].rstrip()
        origin = resolved.origin(text)
        if origin is not None:
            source.add_origin(raw.start, raw.end, origin)
    return kept


def trailing_location(text: str) -> int | None:
    """Return the offset of the `loc(...)` that ends a statement, or None."""
    if not text.rstrip().endswith(")") or "loc" not in text:
        return None
    opened: list[int] = []
    last: tuple[int, int] | None = None
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token.endswith("("):
            opened.append(match.start() if token.startswith("loc") else -1)
        elif token == ")" and opened:
            start = opened.pop()
            last = (start, match.end()) if start >= 0 else None
    return last[0] if last is not None and not opened and not text[last[1] :].strip() else None


def _nested(statements: Sequence[RawStatement]) -> Iterator[RawStatement]:
    waiting = [*statements]
    while waiting:
        raw = waiting.pop()
        yield raw
        waiting.extend(inner for region in raw.regions for inner in region)


class _Aliases:
    """Definitions of location aliases; each is expanded once."""

    def __init__(self, definitions: dict[str, str]):
        self._definitions = definitions
        self._expanded: dict[str, str] = {}

    def origin(self, text: str) -> OriginLocation | None:
        """Return the innermost location: of a call site the callee, of fused locations the first."""
        expanded = self._expand(text)
        match = _FILE.search(expanded)
        if match is None:
            return None
        shown = expanded if len(expanded) <= _MAX_TEXT else match[0]
        return OriginLocation(_ESCAPE.sub(_unescape, match[1]), int(match[2]), int(match[3]), shown)

    def _expand(self, text: str) -> str:
        """Replace aliases by their definitions; a text that is too long is cut after its first location."""
        expanded = _STRING_OR_ALIAS.sub(self._definition, text)
        if len(expanded) <= _MAX_TEXT:
            return expanded
        match = _FILE.search(expanded)
        return "unknown" if match is None else match[0]

    def _definition(self, match: re.Match[str]) -> str:
        name = match[1]
        if name is None or name not in self._definitions:
            return match[0]
        if name not in self._expanded:
            self._expanded[name] = "unknown"  # an alias that refers to itself
            self._expanded[name] = self._expand(self._definitions[name])
        return self._expanded[name]


def _unescape(match: re.Match[str]) -> str:
    digits = match[1]
    return chr(int(digits, 16)) if len(digits) == 2 else digits
