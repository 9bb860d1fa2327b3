"""Findings as the protocol has them, and the edits that mend them."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types as lsp

from ptoas.diagnostics import Diagnostic, Severity
from ptoas.lsp.pages import href
from ptoas.lsp.places import range_of_span
from ptoas.targets import TARGETS

SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.NOTE: lsp.DiagnosticSeverity.Information,
}


def published(finding: Diagnostic, uri: str, targets: Sequence[str], docs: str | None) -> lsp.Diagnostic:
    """A finding, with the link to its page and the places that belong to it."""
    related = [
        lsp.DiagnosticRelatedInformation(lsp.Location(uri, range_of_span(note.span)), note.message)
        for note in finding.notes
        if note.span is not None and note.span.source is finding.span.source
    ]
    page = href(finding.code, docs)
    return lsp.Diagnostic(
        range_of_span(finding.span),
        _message(finding, targets),
        SEVERITIES[finding.severity],
        finding.code,
        None if page is None else lsp.CodeDescription(page),
        "ptoas",
        related_information=related or None,
        data={"targets": list(finding.targets)} if finding.targets else None,
    )


def _message(finding: Diagnostic, targets: Sequence[str]) -> str:
    """Render the message, fix and rule, and the targets unless all requested ones are affected."""
    some = [name for name in TARGETS if name in finding.targets]
    lines = [finding.message]
    if some and len(some) < len(targets):
        lines[0] += f" (on {', '.join(some)})"
    if finding.fix:
        lines.append(f"fix: {finding.fix}")
    lines += [f"note: {note.message}" for note in finding.notes if note.span is None]
    return "\n".join(lines)
