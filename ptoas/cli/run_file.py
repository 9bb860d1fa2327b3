"""The command `run` after the run: write, compare and check outputs, then report."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from ptoas.compiler.run import check_against, check_file
from ptoas.diagnostics import Diagnostic, PtoasError, Source, UsageError
from ptoas.diagnostics.render import to_json
from ptoas.runner.compare import Comparison
from ptoas.runner.describe import Described, table
from ptoas.runner.options import Result
from ptoas.runner.reference import Reference
from ptoas.runner.report import check_expected, format_result, result_json, write_output


@dataclass(frozen=True)
class OutputRequest:
    """Requested uses of the outputs, from the options."""

    outputs: tuple[str, ...] = ()
    expected: tuple[str, ...] = ()
    rtol: float | None = None
    atol: float | None = None
    source: Source | None = None
    """The program whose RUN-CHECK comments are to hold."""
    references: Mapping[str, Reference] = field(default_factory=dict[str, Reference])
    """Functions that the outputs are compared with, by how the user named them."""
    allow_python: bool = False

    def refuse_for_several(self, directory: str | None) -> None:
        """Reject options that name one file or directory: several targets have several outputs."""
        if self.outputs:
            raise UsageError("--out writes the outputs of one target; --target all has several")
        if directory is not None:
            raise UsageError("--save and --load go with one target; --target all has several")


@dataclass
class RunReport:
    """Run a file on one target or on each, and compare the outputs."""

    results: list[Result]
    comparison: Comparison | None = None
    errors: list[Diagnostic] = field(default_factory=list[Diagnostic])
    checks: int = 0
    """Number of RUN-CHECK comments that passed."""

    @property
    def ok(self) -> bool:
        """True if a target ran the program, and nothing is wrong or differs."""
        return bool(self.results) and not self.errors and (self.comparison is None or self.comparison.equal)

    @property
    def warnings(self) -> list[Diagnostic]:
        """Each warning once, with the targets that it concerns."""
        found: dict[tuple[str, str, int], Diagnostic] = {}
        for warning in (each for result in self.results for each in result.warnings):
            key = (warning.code, warning.message, warning.span.offset)
            seen = found.get(key)
            more = [name for name in warning.targets if seen is not None and name not in seen.targets]
            found[key] = warning if seen is None else replace(seen, targets=(*seen.targets, *more))
        return list(found.values())


def build_report(
    results: list[Result], request: OutputRequest, comparison: Comparison | None = None
) -> RunReport:
    """Write, compare and check outputs; an error in one does not stop the check of the others."""
    report = RunReport(results, comparison)
    for text in request.outputs:
        write_output(results[0], text)
    for result in results:
        for text in request.expected:
            with _collecting(report, result):
                check_expected(result, text, request.rtol or 0.0, request.atol or 0.0)
        for spec, reference in request.references.items():
            with _collecting(report, result):
                check_against(result, reference, spec, request.rtol, request.atol)
        if request.source is not None:
            with _collecting(report, result):
                report.checks += check_file(request.source, result, allow_python=request.allow_python)
    return report


@contextmanager
def _collecting(report: RunReport, result: Result) -> Generator[None, None, None]:
    try:
        yield
    except PtoasError as error:
        report.errors += [replace(finding, targets=(result.target,)) for finding in error.diagnostics]


def as_text(report: RunReport) -> str:
    """Outputs, traces and figures; of several targets first whether they agree."""
    if report.comparison is None:
        return format_result(report.results[0])
    parts = [report.comparison.text()]
    for result in report.results:
        if result.trace or result.stats is not None or result.printed:
            parts.append("\n".join([f"--- {result.target}", *result.printed, format_result(result)]))
    return "\n".join(parts)


def described(rows: list[Described], as_json: bool) -> str:
    """The arguments of a run, as a table or as data."""
    return json.dumps([asdict(row) for row in rows], indent=2) if as_json else table(rows)


def in_short(report: RunReport) -> str:
    """Summarise a run: outputs and number of checks that held."""
    outputs = (
        f"{name} {'x'.join(map(str, a.shape))}x{a.dtype}"
        for r in report.results
        for name, a in r.outputs.items()
    )
    words = ", ".join(outputs) or "no output"
    return f"{words}; {report.checks} checks held" if report.checks else words


def as_json(report: RunReport) -> dict[str, Any]:
    """The same as data; errors are under `errors`."""
    errors = [to_json(finding) for finding in report.errors]
    if report.comparison is None:
        return {**result_json(report.results[0]), "errors": errors}
    return {
        "targets": {
            outcome.target: {"errors": [to_json(finding) for finding in outcome.errors]}
            if outcome.result is None
            else {**result_json(outcome.result), "errors": []}
            for outcome in report.comparison.outcomes
        },
        "equal": report.comparison.equal,
        "differences": [difference.text() for difference in report.comparison.differences],
        "errors": errors,
    }
