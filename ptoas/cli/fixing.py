"""The command `verify --fix`: apply fixes as long as they help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ptoas.diagnostics import Diagnostic, Source
from ptoas.diagnostics.edits import applied, can_fix
from ptoas.project.verdicts import FileReport
from ptoas.project.verify_files import VerifyOptions, verify_source

MOST_ROUNDS = 10
"""A fix may uncover the next finding; more than this is going round in circles."""


UNORDERED = {"PTO-F101", "PTO-F107"}
"""Accesses that no flag or barrier orders."""

MISUSED = {"PTO-F102", "PTO-F103", "PTO-F104"}
"""Flags that are not set and awaited in turn."""


@dataclass(frozen=True)
class Fixed:
    """Result of fixing one file."""

    before: str
    after: str
    done: tuple[Diagnostic, ...] = ()

    @property
    def changed(self) -> bool:
        return self.before != self.after


def fix_source(source: Source, options: VerifyOptions, unsafe: bool = False) -> Fixed:
    """Return the text with its fixes. One that would bring up an error that was not there is left out."""
    text, done = source.text, list[Diagnostic]()
    report = verify_source(source, options)
    for _ in range(MOST_ROUNDS):
        applicable = [d for d in report.report.diagnostics if can_fix(d, unsafe, report.report.targets)]
        progress = False
        for batch in (applicable, *([d] for d in applicable)):
            new, taken = applied(text, batch)
            if not taken or new == text:
                continue
            after = verify_source(Source(new, source.filename), options)
            if _is_better(report, after, taken):
                text, report, progress = new, after, True
                done += taken
                break
        if not progress:
            break
    return Fixed(source.text, text, tuple(done))


def _is_better(before: FileReport, after: FileReport, fixed: Sequence[Diagnostic]) -> bool:
    """Return True if the fix introduced no error.

    Missing flags are reported one behind the other, and one that is taken away may leave accesses without
    order: that is fixed next. Of a text that could not be parsed, only what was to be fixed has to be gone:
    all else was not checked.
    """
    if not before.readable:
        left = Counter((d.code, d.message) for d in after.report.errors)
        once = Counter((d.code, d.message) for d in before.report.errors)
        return after.readable or all(left[key] < once[key] for key in {(d.code, d.message) for d in fixed})
    new = _errors(after.report.errors) - _errors(before.report.errors)
    if not new or not after.readable:
        return after.readable
    fewer = _misused(before) - _misused(after)
    codes = {finding.code for finding in fixed}
    return {code for code, _ in new} <= UNORDERED and (
        (codes <= UNORDERED and fewer >= 0) or (codes <= MISUSED and fewer > 0)
    )


def _misused(report: FileReport) -> int:
    return sum(finding.code in MISUSED for finding in report.report.diagnostics)


def _errors(diagnostics: Sequence[Diagnostic]) -> Counter[tuple[str, str]]:
    return Counter((d.code, target) for d in diagnostics for target in d.targets or ("",))
