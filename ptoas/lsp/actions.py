"""Fixes: the edits that findings carry, one by one and all that are certain."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from lsprotocol import types as lsp

from ptoas.diagnostics import Diagnostic, Edit
from ptoas.diagnostics.edits import applied, can_fix
from ptoas.lsp.places import range_of
from ptoas.lsp.publish import published
from ptoas.lsp.session import File

FIX_ALL = "source.fixAll.ptoas"
KINDS = (lsp.CodeActionKind.QuickFix, FIX_ALL)


def code_actions(
    file: File, first: int, last: int, targets: Sequence[str], only: Sequence[str] | None, docs: str | None
) -> list[lsp.CodeAction]:
    """Return quick fixes for findings between two offsets, and a fix-all action if it is safe."""
    findings = [d for d in file.findings(tuple(targets)) if d.edits]
    found: list[lsp.CodeAction] = []
    if _requested(lsp.CodeActionKind.QuickFix, only):
        here = (d for d in findings if d.span.offset <= last and first <= d.span.offset + d.span.length)
        found += [_fix(file, finding, targets, docs) for finding in here]
    if _requested(FIX_ALL, only):
        sure = [d for d in findings if can_fix(d, targets=targets)]
        _, done = applied(file.document.source.text, sure)
        edits = dict.fromkeys(edit for finding in done for edit in finding.edits)
        if edits and (len(done) > 1 or only):
            title = (
                f"Apply the {len(done)} fixes that are certain" if len(done) > 1 else "Apply the certain fix"
            )
            found.append(lsp.CodeAction(title, FIX_ALL, edit=_edit(file, edits)))
    return found


def _requested(kind: str, only: Sequence[str] | None) -> bool:
    """Return True if the client requested this kind; `source` matches all kinds with that prefix."""
    return only is None or any(kind == each or kind.startswith(f"{each}.") for each in only)


def _fix(file: File, finding: Diagnostic, targets: Sequence[str], docs: str | None) -> lsp.CodeAction:
    sure = can_fix(finding, targets=targets)
    return lsp.CodeAction(
        _title(finding) + ("" if sure else " (not certain)"),
        lsp.CodeActionKind.QuickFix,
        [published(finding, file.uri, targets, docs)],
        sure,
        edit=_edit(file, finding.edits),
    )


def _title(finding: Diagnostic) -> str:
    """Phrase the fix of a finding as an action title."""
    title = (finding.fix or f"mend {finding.code}").strip()
    suggestion = re.fullmatch(r"did you mean (`[^`]+`)\?", title)
    title = f"change to {suggestion[1]}" if suggestion else title
    return title[:1].upper() + title[1:]


def _edit(file: File, edits: Iterable[Edit]) -> lsp.WorkspaceEdit:
    source = file.document.source
    texts = [
        lsp.TextEdit(range_of(source, edit.span.offset, edit.span.offset + edit.span.length), edit.text)
        for edit in edits
    ]
    return lsp.WorkspaceEdit({file.uri: texts})
