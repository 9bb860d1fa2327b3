"""Findings that can be put right: their edits, applied to a text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ptoas.diagnostics.core import Diagnostic, Edit


def can_fix(diagnostic: Diagnostic, unsafe: bool = False, targets: Sequence[str] = ()) -> bool:
    """Return True if a finding carries edits that are safe to apply automatically.

    What is wrong on some of the `targets` that a program is checked for may be needed on the others, so that
    an edit is safe only where the finding speaks of all of them.
    """
    if not diagnostic.edits:
        return False
    everywhere = not diagnostic.targets or set(targets) <= set(diagnostic.targets)
    return unsafe or (everywhere and all(edit.safe for edit in diagnostic.edits))


def apply_fixes(
    text: str, findings: Iterable[Diagnostic], *, unsafe: bool = False, targets: Sequence[str] = ()
) -> str:
    """The text with every fix that does not get in the way of one before it; `unsafe`: with doubtful ones.

    >>> import ptoas
    >>> text = "%b = TNEG %a : !pto.tile<8x8xf32>"
    >>> try:
    ...     ptoas.parse(".arg %a : !pto.tile<8x8xf32>\\n" + text)
    ... except ptoas.PtoasError as error:
    ...     print(ptoas.apply_fixes(".arg %a : !pto.tile<8x8xf32>\\n" + text, error.diagnostics))
    .arg %a : !pto.tile<8x8xf32>
    %b = tneg %a : !pto.tile<8x8xf32>
    """
    return applied(text, [d for d in findings if can_fix(d, unsafe, targets)])[0]


def applied(text: str, findings: Iterable[Diagnostic]) -> tuple[str, list[Diagnostic]]:
    """The text with these fixes, and those that could be applied; a fix is applied whole or not at all."""
    taken: list[Edit] = []
    done: list[Diagnostic] = []
    for finding in findings:
        new = [edit for edit in finding.edits if edit not in taken]
        if not any(_meet(edit, other) for edit in new for other in taken):
            taken += new
            done.append(finding)
    for edit in sorted(taken, key=lambda edit: edit.span.offset, reverse=True):
        start = edit.span.offset
        text = text[:start] + edit.text + text[start + edit.span.length :]
    return text, done


def _meet(one: Edit, other: Edit) -> bool:
    """Return True if two edits change the same text; two insertions at one position do."""
    first, second = sorted((one.span, other.span), key=lambda span: (span.offset, span.length))
    return first.offset + first.length > second.offset or first.offset == second.offset
