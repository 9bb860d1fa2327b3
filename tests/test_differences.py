"""Every row of the pages of differences and of changes: its program gets the verdict of the row."""

from __future__ import annotations

import pytest

import ptoas
from docs.differences import CHANGES, CHAPTERS, Change, Difference

ROWS: list[Difference | Change] = [*(row for _, rows in CHAPTERS for row in rows), *CHANGES]


def codes(row: Difference | Change) -> set[str]:
    """The error codes of the program."""
    try:
        module = ptoas.parse(row.program)
        report = ptoas.verify(module, row.target)
        found = {finding.code for finding in report.diagnostics if finding.is_error}
        if not found:
            ptoas.lower(module, row.target)
    except ptoas.PtoasError as error:
        found = {finding.code for finding in error.diagnostics if finding.is_error}
    return found


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.subject)
def test_the_program_gets_its_verdict(row: Difference | Change) -> None:
    assert codes(row) == ({row.code} if row.code else set())


@pytest.mark.parametrize(
    "row", [row for _, rows in CHAPTERS for row in rows if row.contract], ids=lambda row: row.subject
)
def test_assembler_refuses_what_it_refuses(row: Difference) -> None:
    report = ptoas.verify(ptoas.parse(row.program), row.target, assembler="0.60")
    assert {finding.code for finding in report.errors} == {"PTO-T111"}
