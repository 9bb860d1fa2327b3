"""The formats of findings, from a diagnostic, a report, an error or a list."""

from __future__ import annotations

import json

import pytest

import ptoas
from ptoas.diagnostics import Diagnostic, Note, Source, Span
from ptoas.diagnostics.render import render_full

PROGRAM = """.arg %a : !pto.tile<8x8xf32>
.arg %i : !pto.tile<1x8xi32>
.arg %t : !pto.memref<8x8xf32>
%b = mgather.row %t, %i : (!pto.memref<8x8xf32>, !pto.tile<1x8xi32>) -> !pto.tile<8x8xf32>
"""
CONCISE = "p.pto:4:14: error[PTO-A301] [cpu]: mode: found row, expected elem"


def report() -> ptoas.Report:
    return ptoas.verify(ptoas.parse(PROGRAM, "p.pto"), "cpu")


def test_a_report_an_error_a_list_and_a_finding_say_the_same() -> None:
    (finding,) = report().diagnostics
    for found in (finding, report(), ptoas.PtoasError([finding]), [finding], iter([finding])):
        assert ptoas.render(found, "concise") == CONCISE


def test_machines_get_one_document_whatever_is_found() -> None:
    (one,) = json.loads(ptoas.render(report(), "json"))
    assert (one["code"], one["line"], one["column"], one["targets"]) == ("PTO-A301", 4, 14, ["cpu"])
    assert json.loads(ptoas.render([], "json")) == []
    (run,) = json.loads(ptoas.render(report(), "sarif"))["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["PTO-A301"]
    assert ptoas.render(report(), "github").startswith("::error file=p.pto,line=4,col=14,")


def test_findings_in_full_are_a_blank_line_apart() -> None:
    (finding,) = report().diagnostics
    once = ptoas.render(finding)
    assert ptoas.render([finding, finding]) == f"{once}\n\n{once}"
    assert "\x1b[" in ptoas.render(finding, colour=True)


def test_an_unknown_format_is_wrong_usage() -> None:
    with pytest.raises(ptoas.UsageError, match="no format 'xml'; the formats are full, concise, json"):
        ptoas.render([], "xml")


def test_target_defaults_to_that_of_the_module() -> None:
    """A row gather is legal on a5 and not on cpu."""
    assert ptoas.verify(ptoas.parse(".target a5\n" + PROGRAM)).targets == ("a5",)
    nowhere = ptoas.parse(PROGRAM)
    assert ptoas.verify(nowhere).targets == ("cpu", "a2a3", "a5", "a5-custom")
    for call in (ptoas.lower, ptoas.run, ptoas.compile):
        with pytest.raises(ptoas.UsageError, match=r"no target: the module has no pto\.target_arch"):
            call(nowhere)


# --- labels -----------------------------------------------------------------------------------------


def labelled(*notes: Note, line: int = 3) -> str:
    source = Source("".join(f"line {at}\n" for at in range(1, 41)), "p.pto")
    spans = {at: Span(source, source.line_starts[at - 1], 4) for at in range(1, 41)}
    placed = tuple(Note(note.message, spans[note.span.offset] if note.span else None) for note in notes)
    return render_full(Diagnostic("PTO-P001", "wrong", spans[line], notes=placed))


def at(line: int) -> Span:
    return Span(Source(""), line)


def test_a_note_near_the_finding_is_a_label_of_its_snippet() -> None:
    assert labelled(Note("set here", at(1)), Note("and here", at(4)), Note("why")).splitlines() == [
        "error[PTO-P001]: wrong",
        "  --> p.pto:3:1",
        "  |",
        "1 | line 1",
        "  | ---- set here",
        "...",
        "3 | line 3",
        "  | ^^^^",
        "4 | line 4",
        "  | ---- and here",
        "  = note: why",
    ]


def test_labels_of_one_line_follow_the_finding() -> None:
    assert labelled(Note("same line", at(3))).splitlines()[3:] == [
        "3 | line 3",
        "  | ^^^^",
        "  | ---- same line",
    ]


def test_a_note_far_from_the_finding_has_its_own_snippet() -> None:
    assert labelled(Note("far away", at(40))).splitlines()[5:] == [
        "  = note: far away",
        "  --> p.pto:40:1",
        "   |",
        "40 | line 40",
        "   | ^^^^",
    ]
