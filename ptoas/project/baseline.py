"""Known findings of a project: `verify --baseline FILE` reports only those that are not in the file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from ptoas.diagnostics import Diagnostic, PtoasError, Source, Span
from ptoas.diagnostics.files import read_plain, write_text
from ptoas.diagnostics.fingerprints import fingerprints
from ptoas.diagnostics.report import Report
from ptoas.project.verdicts import FileReport

CODE = "PTO-E962"
_VERSION = 1


def read_baseline(path: str) -> frozenset[str]:
    """The fingerprints in a file; raises `PtoasError` (PTO-E962) if it is no baseline."""
    try:
        data: Any = json.loads(read_plain(path))
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from None
    except ValueError:
        raise _unreadable(path, "it is not JSON") from None
    table = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    findings = table.get("findings")
    if table.get("version") != _VERSION or not isinstance(findings, dict):
        raise _unreadable(path, "it is not a baseline")
    return frozenset(cast("dict[str, str]", findings))


def write_baseline(path: str, reports: Sequence[FileReport]) -> int:
    """Write the findings of all files; return their number."""
    found = {
        fingerprint: f"{d.code} {Path(d.span.file).as_posix()}:{d.span.line}"
        for report in reports
        for d, fingerprint in zip(
            report.report.diagnostics, fingerprints(report.report.diagnostics), strict=True
        )
    }
    write_text(path, json.dumps({"version": _VERSION, "findings": found}, indent=2) + "\n")
    return len(found)


def without_known(report: FileReport, known: frozenset[str]) -> FileReport:
    """The report without the findings of a baseline."""
    found = report.report.diagnostics
    new = tuple(d for d, each in zip(found, fingerprints(found), strict=True) if each not in known)
    return replace(report, report=Report(new, report.report.targets))


def _unreadable(path: str, reason: str) -> PtoasError:
    fix = f"write it with --update-baseline {path}"
    return PtoasError(
        [Diagnostic(CODE, f"can't read the baseline {path}: {reason}", Span(Source("", path), 0), fix=fix)]
    )
