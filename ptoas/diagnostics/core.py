"""Diagnostics: severity, code, message, location, notes and fix.

Every stage reports through `Diagnostic`; `render` is the only module that turns one into text.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from ptoas.diagnostics.origins import OriginLocation


class Severity(StrEnum):
    """Severity of a finding; an error makes the exit code 1, a warning does not.

    >>> import ptoas
    >>> ptoas.Severity("warning")
    <Severity.WARNING: 'warning'>
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Source:
    """A text with a name; maps offsets to lines and columns.

    >>> import ptoas
    >>> source = ptoas.Source("tload\\ntstore", "copy.pto")
    >>> source.line_starts, source.position(8), source.line_text(2)
    ([0, 6], (2, 3), 'tstore')
    >>> source.add_origin(6, 12, ptoas.OriginLocation("model.py", 42, 7, '"model.py":42:7'))
    >>> str(source.origin_at(8)), source.origin_of_statement(0)
    ('model.py:42:7', None)
    """

    def __init__(self, text: str, filename: str = "<string>"):
        self.text = text
        self.filename = filename
        self._origins: dict[int, tuple[int, OriginLocation]] = {}
        """The end and the original location of each generated statement, by its start."""

    @cached_property
    def line_starts(self) -> list[int]:
        """The offset of each line's first character."""
        lengths = [len(line) + 1 for line in self.text.split("\n")]
        return [0, *accumulate(lengths[:-1])]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1."""
        line = bisect.bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def add_origin(self, start: int, end: int, origin: OriginLocation) -> None:
        """Record where the text from `start` to `end` was generated from."""
        self._origins[start] = (end, origin)

    def origin_at(self, offset: int) -> OriginLocation | None:
        """Return the origin of the innermost statement around an offset, as `loc(...)` gives it."""
        around = [start for start, (end, _) in self._origins.items() if start <= offset < end]
        return self._origins[max(around)][1] if around else None

    def origin_of_statement(self, start: int) -> OriginLocation | None:
        """Return the origin of the statement that starts at an offset."""
        _, origin = self._origins.get(start, (0, None))
        return origin

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
class Edit:
    """One change of a text: `span` is replaced by `text`.

    It is safe where nothing else can be meant and no meaning changes; a name that only resembles one is not.

    >>> import ptoas
    >>> span = ptoas.Span(ptoas.Source("TNEG %a", "negate.pto"), 0, 4)
    >>> ptoas.Edit(span, "tneg").safe
    True
    """

    span: Span
    text: str
    safe: bool = True


@dataclass(frozen=True)
class Diagnostic:
    """One finding. `code` is permanent; `targets` lists the affected targets (empty: all).

    >>> import ptoas
    >>> span = ptoas.Span(ptoas.Source("tnop", "a.pto"), 0, 4)
    >>> finding = ptoas.Diagnostic("PTO-P020", "there is no instruction tnop", span, fix="tneg")
    >>> finding.is_error, finding.severity.value, finding.span.line, finding.origin
    (True, 'error', 1, None)
    >>> print(finding)
    a.pto:1:1: error[PTO-P020]: there is no instruction tnop
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
    op: Operation | None = field(default=None, compare=False, repr=False)
    """The operation at fault, if any: of the checked module or, in a run, of the lowered one. It is not
    pickled."""
    edits: tuple[Edit, ...] = ()
    """The edits that together apply `fix`; empty if it needs a human decision."""

    @property
    def is_error(self) -> bool:
        """True if the finding makes the exit code 1."""
        return self.severity is Severity.ERROR

    @property
    def origin(self) -> OriginLocation | None:
        """The place in the file that the program was generated from, if the text gives it (D50)."""
        return self.span.source.origin_at(self.span.offset)

    def sort_key(self) -> tuple[str, int, str]:
        """The order of a file."""
        return (self.span.file, self.span.offset, self.code)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "op": None}

    def __str__(self) -> str:
        from ptoas.diagnostics.render import render_concise

        return render_concise(self)


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
        # What an exception is made of, so that it is made again in another process.
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        return "\n".join(map(str, self.diagnostics))

    def _render_traceback_(self) -> list[str]:
        """Show the findings with their source lines instead of a traceback in a notebook."""
        from ptoas.diagnostics.render import render

        return render(self).splitlines()


class UsageError(ValueError):
    """Raised when an option or an argument of a call is wrong: the caller's mistake, not the program's.

    >>> import ptoas
    >>> try:
    ...     ptoas.get_target("a6")
    ... except ptoas.UsageError as error:
    ...     print(error)
    there is no target 'a6'; the targets are cpu, a2a3, a5, a5-custom
    """
