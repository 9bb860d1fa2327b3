"""Findings as HTML, for notebooks. Everything that comes from a program is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from ptoas.diagnostics.core import Diagnostic, Severity
from ptoas.diagnostics.render import render_full

if TYPE_CHECKING:
    from ptoas.diagnostics.report import Report

MOST_FINDINGS = 50

_COLOURS = {"error": "#d33a3a", "warning": "#b97a00", "note": "#3b76c4", "ok": "#3f8f3a"}


def preformatted(inner: str) -> str:
    return f'<pre style="line-height:1.35;overflow-x:auto">{inner}</pre>'


def _badge(kind: str, words: str) -> str:
    return f'<b style="color:{_COLOURS[kind]}">{escape(words)}</b>'


def findings_html(found: Iterable[Diagnostic]) -> str:
    """Findings, each with its line, its notes and its fix."""
    listed = list(found)
    blocks: list[str] = []
    for finding in listed[:MOST_FINDINGS]:
        head, _, rest = render_full(finding).partition("\n")
        kind = finding.severity.value
        blocks.append(preformatted(f"{_badge(kind, head)}\n{escape(rest)}"))
    left = len(listed) - MOST_FINDINGS
    return "".join(blocks) + (f"<div>and {left:,} more</div>" if left > 0 else "")


def report_html(report: Report) -> str:
    """A row a target, then the findings."""
    rows: list[str] = []
    for target in report.targets:
        errors, warnings = (report.count(target, kind) for kind in (Severity.ERROR, Severity.WARNING))
        verdict = _badge("ok", "ok") if not errors else _badge("error", "refused")
        rows.append(
            f"<tr><td>{escape(target)}</td><td>{verdict}</td><td>{errors}</td><td>{warnings}</td></tr>"
        )
    head = "<tr><th>target</th><th></th><th>errors</th><th>warnings</th></tr>"
    return f"<table>{head}{''.join(rows)}</table>{findings_html(report.diagnostics)}"
