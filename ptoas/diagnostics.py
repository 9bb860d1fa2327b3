"""What is wrong with a program, where, and what to do about it.

Every stage reports through `Diagnostic`; this module is the only one that turns one into text.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class Severity(str, Enum):
    """How bad a finding is: an error makes the exit code 1, a warning does not.

    >>> import ptoas
    >>> ptoas.Severity("warning")
    <Severity.WARNING: 'warning'>
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Source:
    """One text with a name, able to tell line and column of an offset.

    >>> import ptoas
    >>> source = ptoas.Source("tload\\ntstore", "copy.pto")
    >>> source.line_starts, source.position(8), source.line_text(2)
    ([0, 6], (2, 3), 'tstore')
    """

    def __init__(self, text: str, filename: str = "<string>"):
        self.text = text
        self.filename = filename
        self._line_starts: list[int] | None = None

    @property
    def line_starts(self) -> list[int]:
        """The offset of each line's first character."""
        if self._line_starts is None:
            starts = [0]
            find = self.text.find
            at = find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = find("\n", at + 1)
            self._line_starts = starts
        return self._line_starts

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1."""
        line = bisect.bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line_text(self, line: int) -> str:
        """A line without its end; empty where there is no such line."""
        starts = self.line_starts
        if not 1 <= line <= len(starts):
            return ""
        end = starts[line] - 1 if line < len(starts) else len(self.text)
        return self.text[starts[line - 1] : end].rstrip("\r")


@dataclass(frozen=True)
class Span:
    """A stretch of a source: where a caret goes.

    >>> import ptoas
    >>> span = ptoas.Span(ptoas.Source("tload\\ntstore %a", "copy.pto"), 6, 9)
    >>> span.file, span.line, span.column
    ('copy.pto', 2, 1)
    """

    source: Source = field(compare=False, repr=False)
    offset: int
    length: int = 1

    @property
    def file(self) -> str:
        """The name of the source."""
        return self.source.filename

    @property
    def line(self) -> int:
        """The line it starts on, from 1."""
        return self.source.position(self.offset)[0]

    @property
    def column(self) -> int:
        """The column it starts at, from 1."""
        return self.source.position(self.offset)[1]


@dataclass(frozen=True)
class Note:
    """A second place, or a second thought, that helps to read a diagnostic.

    >>> import ptoas
    >>> ptoas.Note("%idx was last written by tload at line 6").span is None
    True
    """

    message: str
    span: Span | None = None


@dataclass(frozen=True)
class Diagnostic:
    """One finding. `code` is permanent; `targets` says for whom it holds (empty: for all).

    >>> import ptoas
    >>> span = ptoas.Span(ptoas.Source("tnop", "a.pto"), 0, 4)
    >>> finding = ptoas.Diagnostic("PTO-P020", "there is no instruction tnop", span, fix="tneg")
    >>> finding.is_error, finding.severity.value, finding.span.line
    (True, 'error', 1)
    >>> sorted([finding], key=ptoas.Diagnostic.sort_key) == [finding]
    True
    """

    code: str
    message: str
    span: Span
    severity: Severity = Severity.ERROR
    notes: tuple[Note, ...] = ()
    fix: str | None = None
    targets: tuple[str, ...] = ()

    @property
    def is_error(self) -> bool:
        """Whether it makes the exit code 1."""
        return self.severity is Severity.ERROR

    def sort_key(self) -> tuple[str, int, str]:
        """The order of a file."""
        return (self.span.file, self.span.offset, self.code)


class PtoasError(Exception):
    """Raised when a program can't be used; carries every diagnostic, in source order.

    >>> import ptoas
    >>> try:
    ...     ptoas.parse("%b = tneg %a : !pto.tile<8x8xf32>", "negate.pto")
    ... except ptoas.PtoasError as error:
    ...     print(error)
    ...     print([d.code for d in error.diagnostics])
    negate.pto:1:11: error[PTO-P030]: `%a` is not defined
    ['PTO-P030']
    """

    def __init__(self, diagnostics: Sequence[Diagnostic]):
        self.diagnostics: tuple[Diagnostic, ...] = tuple(sorted(diagnostics, key=Diagnostic.sort_key))
        super().__init__("\n".join(render_concise(d) for d in self.diagnostics))


# --- rendering -----------------------------------------------------------------------------------

_COLOURS = {Severity.ERROR: "1;31", Severity.WARNING: "1;33", Severity.NOTE: "1;36"}
_LONGEST_LINE = 160
_LONGEST_MESSAGE = 1000


def _paint(text: str, style: str, colour: bool) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if colour else text


def visible(text: str) -> str:
    """Text of a file or of its name, safe for a terminal: what can't be seen is spelt out.

    A program could otherwise colour, move or rewrite what is printed, or turn its direction around.

    >>> visible("a\\x1b[31mb\\u202ec")
    'a\\\\x1b[31mb\\\\u202ec'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _said(text: str) -> str:
    """A message as it is printed; a name in it may be as long as the file."""
    shown = visible(text[: _LONGEST_MESSAGE + 1])
    return shown if len(shown) <= _LONGEST_MESSAGE else shown[: _LONGEST_MESSAGE - 3] + "..."


def _one_line(text: str) -> str:
    return _said(" ".join(text.split()))


def _place(span: Span) -> str:
    return f"{visible(span.file)}:{span.line}:{span.column}"


def _excerpt(span: Span, colour: bool, style: str) -> list[str]:
    """The source line with carets under the span; a long line is shown around the span."""
    line, column = span.source.position(span.offset)
    text = span.source.line_text(line)
    start = column - 1
    length = max(1, min(span.length, len(text) - start))
    lead = ""
    if len(text) > _LONGEST_LINE:
        first = max(0, start - _LONGEST_LINE // 3)
        lead = "..." if first else ""
        text, start = text[first : first + _LONGEST_LINE], start - first
        length = max(1, min(length, len(text) - start))
    # One character stays one column, so that the carets stand where they should.
    text = "".join(c if c.isprintable() else " " for c in text)
    gutter = str(line)
    blank = " " * len(gutter)
    carets = _paint("^" * length, style, colour)
    return [f"{blank} |", f"{gutter} | {lead}{text}", f"{blank} | {' ' * (len(lead) + start)}{carets}"]


def render(diagnostic: Diagnostic, colour: bool = False) -> str:
    """The full form: headline, place, source line with carets, notes, fix."""
    d = diagnostic
    style = _COLOURS[d.severity]
    where = f" [{', '.join(d.targets)}]" if d.targets else ""
    head = _paint(f"{d.severity.value}[{d.code}]", style, colour)
    lines = [f"{head}{where}: {_said(d.message)}", f"  --> {_place(d.span)}"]
    lines += _excerpt(d.span, colour, style)
    for note in d.notes:
        first, *more = note.message.split("\n")
        lines.append(f"  = note: {_said(first)}")
        # Indented, so that no name in a table can pass for a line of the report.
        lines += [f"    {_said(line)}" for line in more]
        if note.span is not None:
            lines.append(f"  --> {_place(note.span)}")
            lines += _excerpt(note.span, colour, _COLOURS[Severity.NOTE])
    if d.fix is not None:
        lines.append(f"  = {_paint('fix', '1;32', colour)}: {_said(d.fix)}")
    return "\n".join(lines)


def render_concise(diagnostic: Diagnostic) -> str:
    """One line: file:line:column: severity[code]: message."""
    d = diagnostic
    where = f" [{', '.join(d.targets)}]" if d.targets else ""
    return f"{_place(d.span)}: {d.severity.value}[{d.code}]{where}: {_one_line(d.message)}"


def to_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """A diagnostic as plain data, the same in every machine-readable format."""

    def place(span: Span) -> dict[str, Any]:
        return {"file": span.file, "line": span.line, "column": span.column, "length": span.length}

    d = diagnostic
    return {
        "severity": d.severity.value,
        "code": d.code,
        "message": d.message,
        **place(d.span),
        "targets": list(d.targets),
        "notes": [{"message": n.message, **(place(n.span) if n.span else {})} for n in d.notes],
        "fix": d.fix,
    }


def render_json(diagnostics: Iterable[Diagnostic]) -> str:
    import json

    return json.dumps([to_json(d) for d in diagnostics], indent=2)


def render_github(diagnostic: Diagnostic) -> str:
    """A workflow command that GitHub shows as an annotation on the line."""

    def escape(text: str) -> str:
        lines = "\n".join(_said(line) for line in text.replace("\r\n", "\n").split("\n"))
        return lines.replace("%", "%25").replace("\n", "%0A")

    def escape_property(text: str) -> str:
        return escape(text).replace(":", "%3A").replace(",", "%2C")

    d = diagnostic
    kind = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}[d.severity]
    body = d.message + (f" (fix: {d.fix})" if d.fix else "")
    return (
        f"::{kind} file={escape_property(d.span.file)},line={d.span.line},col={d.span.column},"
        f"endColumn={d.span.column + d.span.length},title={escape_property(d.code)}::{escape(body)}"
    )
