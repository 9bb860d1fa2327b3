"""Diagnostics as text: for a person, for a terminal, for GitHub, as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ptoas.diagnostics.core import Diagnostic, Edit, Note, Severity, Source, Span, UsageError
from ptoas.diagnostics.origins import OriginLocation

FORMATS = ("full", "concise", "json", "sarif", "github")


class HasDiagnostics(Protocol):
    """A report, or an error."""

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]: ...


def render(
    found: Diagnostic | HasDiagnostics | Iterable[Diagnostic], format: str = "full", *, colour: bool = False
) -> str:
    """Findings as text: a diagnostic, a report, an error, or any number of diagnostics.

    `full` shows the source line, the notes and the fix, `concise` one line each, `github` the workflow
    commands of GitHub; `json` and `sarif` are one document whatever is found. Only `full` has colours.

    >>> import ptoas
    >>> module = ptoas.parse(".arg %a : !pto.tile<8x8xf64>\\n%b = tneg %a : !pto.tile<8x8xf64>", "negate.pto")
    >>> report = ptoas.verify(module, "a5")
    >>> print(ptoas.render(report, "concise"))  # doctest: +ELLIPSIS
    negate.pto:2:16: error[PTO-I101] [a5]: ...
    >>> print(ptoas.render(report.errors[0]))  # doctest: +ELLIPSIS
    error[PTO-I101] [a5]: ...
      --> negate.pto:2:16
      |
    2 | %b = tneg %a : !pto.tile<8x8xf64>
      |                ^^^^^^^^^^^^^^^^^^
      ...
    """
    match found:
        case Diagnostic():
            diagnostics = [found]
        case Iterable():
            diagnostics = list(found)
        case _:
            diagnostics = list(found.diagnostics)
    if format == "json":
        return render_json(diagnostics)
    if format == "sarif":
        from ptoas.diagnostics.sarif import render_sarif

        return render_sarif(diagnostics)
    each: dict[str, Callable[[Diagnostic], str]] = {
        "full": lambda diagnostic: render_full(diagnostic, colour),
        "concise": render_concise,
        "github": render_github,
    }
    if format not in each:
        raise UsageError(f"there is no format {format!r}; the formats are {', '.join(FORMATS)}")
    return ("\n\n" if format == "full" else "\n").join(map(each[format], diagnostics))


_COLOURS = {Severity.ERROR: "1;31", Severity.WARNING: "1;33", Severity.NOTE: "1;36"}
_SNIPPET_LINES = 12
"""Lines between a finding and a note that is shown in the same snippet."""
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


def _shortened(text: str) -> str:
    """Shorten a message for printing; a name in it may be as long as the file."""
    shown = visible(text[: _LONGEST_MESSAGE + 1])
    return shown if len(shown) <= _LONGEST_MESSAGE else shown[: _LONGEST_MESSAGE - 3] + "..."


def _one_line(text: str) -> str:
    return _shortened(" ".join(text.split()))


def _place(span: Span) -> str:
    return f"{visible(span.file)}:{span.line}:{span.column}"


@dataclass(frozen=True)
class _Label:
    """A span of a snippet with its underline: `^` for the finding itself, `-` for a second place."""

    span: Span
    mark: str
    style: str
    text: str = ""


def _snippet(labels: Sequence[_Label], colour: bool) -> list[str]:
    """The source lines of some labels of one source, each line once, with the labels under it.

    The first label decides which part of a long line is shown. Empty lines are left out.
    """
    lines: dict[int, list[_Label]] = {}
    for label in labels:
        lines.setdefault(label.span.line, []).append(label)
    shown = [line for line in sorted(lines) if labels[0].span.source.line_text(line).strip()]
    if not shown:
        return []
    width = len(str(shown[-1]))
    blank = f"{'':{width}} |"
    rows = [blank]
    for at, line in enumerate(shown):
        if at and line > shown[at - 1] + 1:
            rows.append("...")
        text, first, is_cut = _visible_part(lines[line][0].span)
        lead = "..." if first else ""
        # One character stays one column, so that underlines are aligned.
        shown_text = "".join(c if c.isprintable() else " " for c in text)
        rows.append(f"{line:>{width}} | {lead}{shown_text}" + "..." * is_cut)
        for label in lines[line]:
            start = label.span.column - 1 - first
            length = max(1, min(label.span.length, len(text) - start))
            if 0 <= start <= len(text):
                marks = f"{label.mark * length} {_shortened(label.text)}".rstrip()
                rows.append(f"{blank} {' ' * (len(lead) + start)}{_paint(marks, label.style, colour)}")
    return rows


def _visible_part(span: Span) -> tuple[str, int, bool]:
    """The line of a span, or of a long line the part around it; its first column; True if it is cut there."""
    text, start = span.source.line_text(span.line), span.column - 1
    if len(text) <= _LONGEST_LINE:
        return text, 0, False
    first = max(0, start - _LONGEST_LINE // 3)
    return text[first : first + _LONGEST_LINE], first, first + _LONGEST_LINE < len(text)


def _origin_span(origin: OriginLocation) -> Span:
    """Return a span of the line that a statement was generated from; its text may be withheld."""
    text = origin.line_text()
    before = "\n" * (origin.line - 1) if text else ""
    return Span(Source(before + text, origin.file), len(before) + min(origin.column - 1, len(text)))


def render_full(diagnostic: Diagnostic, colour: bool = False) -> str:
    """The full form: headline, place, source lines with labels, notes, fix.

    Notes about places near the finding are labels of its snippet; others have a snippet of their own.
    """
    d = diagnostic
    style = _COLOURS[d.severity]
    where = f" [{', '.join(d.targets)}]" if d.targets else ""
    head = _paint(f"{d.severity.value}[{d.code}]", style, colour)
    # What has no text, such as a file that is missing, has no lines either.
    place = _place(d.span) if d.span.source.text else visible(d.span.file)
    lines = [f"{head}{where}: {_shortened(d.message)}"]
    if (origin := d.origin) is not None:
        lines.append(f"  --> {visible(str(origin))}")
        lines += _snippet([_Label(_origin_span(origin), "^", style)], colour)
        lines.append("  = note: the statement generated from it")
    lines.append(f"  --> {place}")
    labels = [_Label(d.span, "^", style)]
    others: list[Note] = []
    for note in d.notes:
        if note.span is not None and _is_near(note.span, d.span) and "\n" not in note.message:
            labels.append(_Label(note.span, "-", _COLOURS[Severity.NOTE], note.message))
        else:
            others.append(note)
    lines += _snippet(labels, colour)
    for note in others:
        first, *more = note.message.split("\n")
        lines.append(f"  = note: {_shortened(first)}")
        # Indented, so that no name in a table can pass for a line of the report.
        lines += [f"    {_shortened(line)}" for line in more]
        if note.span is not None:
            lines.append(f"  --> {_place(note.span)}")
            lines += _snippet([_Label(note.span, "^", _COLOURS[Severity.NOTE])], colour)
    if d.fix is not None:
        lines.append(f"  = {_paint('fix', '1;32', colour)}: {_shortened(d.fix)}")
    return "\n".join(lines)


def _is_near(span: Span, primary: Span) -> bool:
    """True if a note fits into the snippet of a finding: in the same file, at most some lines away."""
    # A finding from another process has a copy of the source for each of its spans.
    same = span.file == primary.file and span.source.text == primary.source.text
    return same and abs(span.line - primary.line) <= _SNIPPET_LINES


def render_concise(diagnostic: Diagnostic) -> str:
    """One line: file:line:column: severity[code]: message."""
    d = diagnostic
    where = f" [{', '.join(d.targets)}]" if d.targets else ""
    place, generated = _place(d.span), ""
    if (origin := d.origin) is not None:
        place, generated = visible(str(origin)), f" ({place})"
    return f"{place}: {d.severity.value}[{d.code}]{where}: {_one_line(d.message)}{generated}"


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
        **({} if d.origin is None else {"origin": _origin_json(d.origin)}),
        "targets": list(d.targets),
        "notes": [{"message": n.message, **(place(n.span) if n.span else {})} for n in d.notes],
        "fix": d.fix,
        "edits": [_edit_json(edit) for edit in d.edits],
    }


def _origin_json(origin: OriginLocation) -> dict[str, Any]:
    return {"file": origin.file, "line": origin.line, "column": origin.column}


def _edit_json(edit: Edit) -> dict[str, Any]:
    """An edit by lines and columns from 1; the end is the place after its last character."""
    source, start, end = edit.span.source, edit.span.offset, edit.span.offset + edit.span.length
    (line, column), (end_line, end_column) = source.position(start), source.position(end)
    place = {"line": line, "column": column, "end_line": end_line, "end_column": end_column}
    return {"file": edit.span.file, **place, "text": edit.text, "safe": edit.safe}


def render_json(diagnostics: Iterable[Diagnostic]) -> str:
    import json

    return json.dumps([to_json(d) for d in diagnostics], indent=2)


def render_github(diagnostic: Diagnostic) -> str:
    """A workflow command that GitHub shows as an annotation on the line."""

    def escape(text: str) -> str:
        lines = "\n".join(_shortened(line) for line in text.replace("\r\n", "\n").split("\n"))
        return lines.replace("%", "%25").replace("\n", "%0A")

    def escape_property(text: str) -> str:
        return escape(text).replace(":", "%3A").replace(",", "%2C")

    d = diagnostic
    where = d.origin or d.span
    end = where.column + (d.span.length if d.origin is None else 1)
    kind = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}[d.severity]
    body = d.message + (f" (fix: {d.fix})" if d.fix else "")
    return (
        f"::{kind} file={escape_property(where.file)},line={where.line},col={where.column},"
        f"endColumn={end},title={escape_property(d.code)}::{escape(body)}"
    )
