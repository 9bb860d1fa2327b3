"""Verification results of many files and their summary, independent of the compiler."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from ptoas.diagnostics import Diagnostic, Severity
from ptoas.diagnostics.codes import CODES
from ptoas.diagnostics.edits import can_fix
from ptoas.diagnostics.render import visible
from ptoas.diagnostics.report import Report
from ptoas.project.pool import map_files, worker_count


@dataclass(frozen=True)
class FileReport:
    """Result of one file. A file that cannot be read or parsed was checked for no target."""

    path: str
    report: Report
    readable: bool = True
    unnamed: bool = False
    """Neither the options nor the program name a target, so it was checked for all (D2)."""

    @property
    def ok(self) -> bool:
        return self.report.ok

    def of_errors(self) -> FileReport:
        """Return the report without findings that are not errors."""
        return replace(self, report=Report(self.report.errors, self.report.targets))


def reports_of(
    files: Sequence[str], check: Callable[[str], FileReport], jobs: int | str = 1
) -> list[FileReport]:
    """Apply `check` to files and return the results in order."""
    return list(map_files(check, files, worker_count(jobs, len(files)), unchecked))


def unchecked(problem: Diagnostic) -> FileReport:
    """Return the report of a file that was checked for no target."""
    return FileReport(problem.span.file, Report((problem,), ()), readable=False)


UNREADABLE = "syntax"
"""The column of files that can't be read or parsed, which are checked for no target."""

_ORDER = ("cpu", "a2a3", "a5", "a5-custom")
"""The columns of a table; targets of other packages follow."""


def in_order(targets: Iterable[str]) -> tuple[str, ...]:
    """Targets as the documents list them."""
    found = list(dict.fromkeys(targets))
    return (*(name for name in _ORDER if name in found), *(name for name in found if name not in _ORDER))


def unfound(problems: Iterable[Diagnostic]) -> list[FileReport]:
    """Report paths that cannot be checked."""
    return [unchecked(problem) for problem in problems]


def all_diagnostics(reports: Iterable[FileReport]) -> list[Diagnostic]:
    return [diagnostic for report in reports for diagnostic in report.report.diagnostics]


def exit_code(reports: Iterable[FileReport]) -> int:
    """0 when nothing is wrong, 1 when there is an error."""
    return 0 if all(report.ok for report in reports) else 1


def matrix_targets(reports: Sequence[FileReport]) -> tuple[str, ...]:
    """The columns of the matrix: every target that some file was checked for; none that can't be read was."""
    return in_order(target for report in reports if report.readable for target in report.report.targets)


def cell(report: FileReport, target: str, ascii_only: bool = False) -> str:
    """A mark, and how many errors or else warnings there are."""
    fine, bad, doubtful = ("ok", "x", "!") if ascii_only else ("✓", "✗", "!")
    if target == UNREADABLE:
        count = len(report.report.errors)
        return fine if report.readable else f"{bad} {count}" if count else "known"
    if not report.readable or target not in report.report.targets:
        return "-"
    errors = report.report.count(target, Severity.ERROR)
    warnings = report.report.count(target, Severity.WARNING)
    return f"{bad} {errors}" if errors else f"{doubtful} {warnings}" if warnings else fine


_STYLES = {"✓": "32", "ok": "32", "✗": "31", "x": "31", "!": "33"}


def render_matrix(reports: Sequence[FileReport], colour: bool = False, ascii_only: bool = False) -> str:
    """Render a table: a row for each file, a column for each target, a mark and a count in each cell."""
    columns = matrix_targets(reports)
    if not all(report.readable for report in reports):
        columns = (UNREADABLE, *columns)
    rows = [["file", *columns]]
    for report in reports:
        rows.append([visible(report.path), *(cell(report, column, ascii_only) for column in columns)])
    widths = [max(len(row[number]) for row in rows) for number in range(len(columns) + 1)]
    lines: list[str] = []
    for number, row in enumerate(rows):
        parts = [row[0].ljust(widths[0])]
        for text, width in zip(row[1:], widths[1:], strict=True):
            padded = text.ljust(width)
            style = _STYLES.get(text.split(" ")[0])
            painted = colour and number and style
            parts.append(f"\x1b[{style}m{padded}\x1b[0m" if painted else padded)
        lines.append("  ".join(parts).rstrip())
    return "\n".join(lines)


def summary(reports: Sequence[FileReport], fixed: bool = False) -> str:
    """Summarise files, errors, warnings and fixes, and mention if no target was named.

    If the files were `fixed`, only unsafe fixes are left.
    """
    found = all_diagnostics(reports)
    words = [(len(reports), "file"), (sum(d.is_error for d in found), "error")]
    words.append((sum(d.severity is Severity.WARNING for d in found), "warning"))
    counts = ", ".join(f"{n} {word}{'s' * (n != 1)}" for n, word in words)
    counts += _fixable(reports, fixed)
    unnamed = [report.path for report in reports if report.unnamed]
    if not unnamed:
        return counts
    files_name = f"{visible(unnamed[0])} names" if len(unnamed) == 1 else f"{len(unnamed)} files name"
    return (
        f"{counts}\n{files_name} no target and none was asked for: checked for all; --target a5 asks for one"
    )


def _fixable(reports: Sequence[FileReport], fixed: bool) -> str:
    """`; 2 fixable with --fix, 1 more with --unsafe-fixes`; empty without such findings."""
    found = [(d, each.report.targets) for each in reports for d in each.report.diagnostics]
    safe = sum(can_fix(d, False, targets) for d, targets in found)
    unsafe = sum(can_fix(d, True, targets) for d, targets in found) - safe
    parts = [f"{safe} fixable with --fix"] if safe and not fixed else []
    parts += [f"{unsafe} {'more' if parts else 'fixable'} with --fix --unsafe-fixes"] if unsafe else []
    return f"; {', '.join(parts)}" if parts else ""


def statistics(reports: Sequence[FileReport]) -> str:
    """A line for each code, the most frequent first: its count, its title and the number of files."""
    found = all_diagnostics(reports)
    counts = Counter(d.code for d in found)
    files = {code: len({d.span.file for d in found if d.code == code}) for code in counts}
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    width = len(str(max(counts.values(), default=0)))
    lines = [
        f"{count:>{width}}  {code}  {CODES[code].title} ({files[code]} file{'s' * (files[code] != 1)})"
        for code, count in rows
    ]
    return "\n".join([*lines, summary(reports)])


WRITTEN_FOR_ANOTHER = "PTO-T103"


def without_repeated_notes(found: Sequence[Diagnostic]) -> tuple[list[Diagnostic], str | None]:
    """Replace many notes that programs name another target by one line."""
    notes = [d for d in found if d.code == WRITTEN_FOR_ANOTHER and d.severity is Severity.NOTE]
    files = {d.span.file for d in notes}
    if len(files) < 2:
        return list(found), None
    line = f"{len(files)} files are written for another target than some that they were checked for"
    return [d for d in found if d not in notes], f"{line} [{WRITTEN_FOR_ANOTHER}]"


def sorted_once(reports: Iterable[FileReport]) -> list[Diagnostic]:
    """Every diagnostic of every file, in the order of files and places; targets in the order of the table."""
    return [
        replace(d, targets=in_order(d.targets)) if len(d.targets) > 1 else d for d in all_diagnostics(reports)
    ]
