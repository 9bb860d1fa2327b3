"""Above a program, where it will run: `verify` for all targets, function by function."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types as lsp

from ptoas.diagnostics import Diagnostic, Severity
from ptoas.lsp.document import SourceStatement
from ptoas.lsp.places import range_of
from ptoas.lsp.session import File
from ptoas.targets import TARGETS

VERIFY = "ptoas.verify"
"""The command that checks a file for all targets, shows the findings, and reports where it runs."""


@dataclass(frozen=True)
class Verdict:
    """Summarise the findings of a program or function for one target."""

    target: str
    errors: int
    warnings: int

    @property
    def text(self) -> str:
        if self.errors:
            return f"{self.target} ✗ {self.errors}"
        return f"{self.target} ! {self.warnings}" if self.warnings else f"{self.target} ✓"


def verdicts(file: File, function: SourceStatement | None = None) -> list[Verdict]:
    """The verdict of each target on a file, or on one of its functions."""
    findings = file.findings(tuple(TARGETS))
    if function is not None:
        findings = [d for d in findings if function.start <= d.span.offset <= function.end]
    return [Verdict(name, *_counts(findings, name)) for name in TARGETS]


def _counts(findings: list[Diagnostic], target: str) -> tuple[int, int]:
    here = [d for d in findings if not d.targets or target in d.targets]
    errors = sum(d.severity is Severity.ERROR for d in here)
    return errors, sum(d.severity is Severity.WARNING for d in here)


def code_lenses(file: File) -> list[lsp.CodeLens]:
    """One code lens above each function or bare program, resolved when visible."""
    document = file.document
    places = [each.start for each in document.functions]
    if not places and document.statements:
        places = [document.statements[0].start]
    return [
        lsp.CodeLens(range_of(document.source, at, at), data={"uri": file.uri, "at": at}) for at in places
    ]


def resolve(file: File, lens: lsp.CodeLens, at: int) -> lsp.CodeLens:
    function = next((each for each in file.document.functions if each.start == at), None)
    if file.document.problems:
        title = "has mistakes: see the problems"
    else:
        title = "verify: " + " · ".join(verdict.text for verdict in verdicts(file, function))
    lens.command = lsp.Command(title, VERIFY, "check for all targets", [file.uri])
    return lens


def summary(file: File) -> str:
    """Summarise the targets that accept and reject a file."""
    if file.document.problems:
        count = len(file.document.problems)
        return f"{count} mistake{'s' * (count != 1)} in the text; nothing was checked"
    found = verdicts(file)
    fine = [each.target for each in found if not each.errors]
    refused = [
        f"{each.target} ({each.errors} error{'s' * (each.errors != 1)})" for each in found if each.errors
    ]
    where = f"runs on {', '.join(fine)}" if fine else "runs on no target"
    return where + (f"; refused by {', '.join(refused)}" if refused else "")
