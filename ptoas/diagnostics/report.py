"""Findings of one module for any number of targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ptoas.diagnostics.codes import names_of
from ptoas.diagnostics.core import Diagnostic, Severity


@dataclass(frozen=True)
class Report:
    """Findings of one module: each finding once, with the targets it applies to.

    >>> import ptoas
    >>> module = ptoas.parse('''
    ... .arg %table : !pto.memref<64x32xf32>
    ... .arg %idx : !pto.tile<1x16xi32>
    ... %dst = mgather.row %table, %idx : !pto.memref<64x32xf32>, !pto.tile<1x16xi32> -> !pto.tile<16x32xf32>
    ... ''', filename="lookup.pto")
    >>> report = ptoas.verify_targets(module, ["cpu", "a5"])
    >>> report.ok, [d.code for d in report.errors], report.warnings
    (False, ['PTO-A301'], ())
    >>> report.for_target("a5").ok, report.count("cpu", ptoas.Severity.ERROR)
    (True, 1)
    >>> report.filtered(ignore=["PTO-A3"]).ok
    True
    """

    diagnostics: tuple[Diagnostic, ...]
    targets: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """True if there is no error."""
        return not any(d.is_error for d in self.diagnostics)

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The findings that make the program illegal."""
        return tuple(d for d in self.diagnostics if d.severity is Severity.ERROR)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """The findings that only deserve a look."""
        return tuple(d for d in self.diagnostics if d.severity is Severity.WARNING)

    def _repr_html_(self) -> str:
        from ptoas.diagnostics.html import report_html  # for notebooks only

        return report_html(self)

    def for_target(self, target: str) -> Report:
        """The findings that concern one target."""
        return Report(tuple(d for d in self.diagnostics if not d.targets or target in d.targets), (target,))

    def count(self, target: str, severity: Severity) -> int:
        """Count the findings of one severity for one target."""
        return sum(d.severity is severity for d in self.for_target(target).diagnostics)

    def filtered(
        self,
        select: Sequence[str] = (),
        ignore: Sequence[str] = (),
        werror: bool = False,
        severities: Sequence[tuple[str, str]] = (),
    ) -> Report:
        """Findings whose code starts with one of `select` (all, when empty) and with none of `ignore`.

        `severities` are prefixes of codes, each with a severity; the longest prefix of a code decides. With
        `werror`, warnings count as errors.
        """
        chosen = sorted(severities, key=lambda each: len(each[0]))
        kept: list[Diagnostic] = []
        for found in self.diagnostics:
            if (select and not _named(found.code, select)) or _named(found.code, ignore):
                continue
            own = [Severity(severity) for prefix, severity in chosen if _named(found.code, [prefix])]
            severity = own[-1] if own else found.severity
            severity = Severity.ERROR if werror and severity is Severity.WARNING else severity
            kept.append(found if severity is found.severity else replace(found, severity=severity))
        return Report(tuple(kept), self.targets)


def _named(code: str, beginnings: Sequence[str]) -> bool:
    """Return True if a code, or a former code of the same rule, has one of these prefixes."""
    if not beginnings:
        return False
    return any(name.startswith(tuple(beginnings)) for name in names_of(code))
