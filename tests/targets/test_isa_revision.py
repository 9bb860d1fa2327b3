# ruff: noqa: E501 - programs are text, and their lines are as long as they are
"""Deciding sources: the documents, with a warning where the headers of August 2026 require more (D28)."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import ptoas
from ptoas.cli.main import main

STRICTER = """
.arg %table : !pto.memref<64x32xf32>
.arg %idx : !pto.tile<1x16xi32, valid=1x?>
%dst = mgather.row %table, %idx : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32, valid=1x?>) -> !pto.tile<16x32xf32>
"""
LARGER = """
.arg %s : !pto.tile<16x32xi64>
.arg %i : !pto.tile<16x32xi32>
%dst = tgather %s, %i : (!pto.tile<16x32xi64>, !pto.tile<16x32xi32>) -> !pto.tile<16x32xi64>
"""


def found(text: str, isa: str | None) -> list[tuple[str, str]]:
    report = ptoas.verify(ptoas.parse(text), "a5", isa=isa)
    return [(d.code, d.severity.value) for d in report.diagnostics]


def test_header_requirement_is_a_warning_until_the_headers_decide() -> None:
    assert found(STRICTER, None) == [("PTO-A215", "warning")]
    assert found(STRICTER, "2026.08") == [("PTO-A215", "error")]
    assert found(STRICTER, "doc") == []
    (note,) = ptoas.verify(ptoas.parse(STRICTER), "a5").warnings[0].notes
    assert "header" in note.message


def test_what_the_header_takes_besides_is_refused_and_the_fix_names_it() -> None:
    assert found(LARGER, None) == found(LARGER, "doc") == [("PTO-I101", "error")]
    assert found(LARGER, "2026.08") == []
    (finding,) = ptoas.verify(ptoas.parse(LARGER), "a5").errors
    assert finding.fix is not None and "--isa 2026.08" in finding.fix


def test_lower_and_run_take_the_revision_too() -> None:
    heard: list[str] = []
    text = ptoas.lower(ptoas.parse(STRICTER), "a5", on_warnings=lambda all: heard.extend(d.code for d in all))
    assert heard == ["PTO-A215"] and "MGATHER<Coalesce::Row>" in text
    for use in (ptoas.lower, ptoas.compile):
        with pytest.raises(ptoas.PtoasError, match="PTO-A215"):
            use(ptoas.parse(STRICTER), "a5", isa="2026.08")
        with pytest.raises(ptoas.PtoasError, match="PTO-I101"):
            use(ptoas.parse(LARGER), "a5")
        use(ptoas.parse(LARGER), "a5", isa="2026.08")
    with pytest.raises(ptoas.UsageError, match="there is no ISA revision '2025'"):
        ptoas.verify(ptoas.parse(LARGER), "a5", isa="2025")


def test_the_commands_have_the_option(tmp_path: Path) -> None:
    path = tmp_path / "wide.pto"
    path.write_text(LARGER)
    for command in ("verify", "run", "lower"):
        call = [command, str(path), "--target", "a5"]
        assert CliRunner().invoke(main, call).exit_code == 1
        assert CliRunner().invoke(main, [*call, "--isa", "2026.08"]).exit_code == 0
