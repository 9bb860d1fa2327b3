"""The clauses `wait(...)` and `record` in every form, beside operations of their own."""

from __future__ import annotations

import re

import pytest

import ptoas
from ptoas.grammar.printer import FORMS
from ptoas.lowering import prepare

TILE = "!pto.tile<vec, 16x32xf32>"
BUFFER = "!pto.tile_buf<vec, 16x32xf32>"
MEMORY = "!pto.memref<16x32xf32>"

PROGRAM = f"""\
.arg %x : {MEMORY}
.arg %out : {MEMORY}
%a, %e = tload %x : ({MEMORY}) -> {TILE} record
%b, %f = tload %x : ({MEMORY}) -> {TILE} record
%c, %g = tadd %a, %b : ({TILE}, {TILE}) -> {TILE} wait(%e, %f) record
tstore %c, %out : ({TILE}, {MEMORY}) wait(%g)
"""

LINES = {
    "asm": f"%c, %g = tadd %a, %b : ({TILE}, {TILE}) -> {TILE} wait(%e, %f) record",
    "ssa": f"%c, %g = pto.tadd %a, %b : ({TILE}, {TILE}) -> {TILE} wait(%e, %f) record",
    "dps": f"%g = pto.tadd ins(%a, %b : {BUFFER}, {BUFFER}) outs(%c : {BUFFER}) wait(%e, %f) record",
    "generic": '%g = "pto.record"() : () -> !pto.event',
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_spells_events_and_reads_them_back(form: str) -> None:
    module = ptoas.parse(PROGRAM, "program.pto")
    text = ptoas.print_module(module, form)
    assert LINES[form] in map(str.strip, text.splitlines())
    again = ptoas.parse(text, "program.pto")
    assert ptoas.print_module(again, form) == text
    assert ptoas.print_module(again, "dps") == ptoas.print_module(module, "dps")


def test_formatting_keeps_the_clauses() -> None:
    text = "%a,%e=tload %x  record\ntstore %a , %out wait( %e )\n"
    assert ptoas.format_text(text) == "%a, %e = tload %x record\ntstore %a, %out wait(%e)\n"


def test_comments_stay_beside_their_statement() -> None:
    text = PROGRAM.replace("%c, %g", "# before\n%c, %g").replace(
        "wait(%e, %f) record", "wait(%e, %f) record  # beside"
    )
    assert ptoas.print_module(ptoas.parse(text, "program.pto"), "asm", comments=True) == text.rstrip("\n")


def test_an_event_that_a_pass_has_numbered_is_an_operation_of_its_own() -> None:
    lowered = prepare(ptoas.parse(PROGRAM, "program.pto"), "a5")
    text = ptoas.print_module(lowered, "dps")
    assert "%f = pto.record {event_id = #pto.event<EVENT_ID1>}" in text
    assert " wait(%e, %f)\n" in text
    assert ptoas.print_module(ptoas.parse(text, "program.pto"), "dps") == text


@pytest.mark.parametrize(
    ("statement", "code", "part"),
    [
        (f"%d = tload %x : ({MEMORY}) -> {TILE} record", "PTO-P041", "record"),
        (f"%d, %h:2 = tload %x : ({MEMORY}) -> {TILE} record", "PTO-P041", "record"),
        (f"tstore %c, %out : ({TILE}, {MEMORY}) wait(%h)", "PTO-P030", "%h"),
        (f"tstore %c, %out : ({TILE}, {MEMORY}) wait(%g, %c)", "PTO-P040", "%c"),
        ("pto.barrier <PIPE_ALL> wait(%g)", "PTO-P053", "wait"),
        ("%h = pto.barrier <PIPE_ALL> record", "PTO-P053", "record"),
    ],
)
def test_a_wrong_clause_is_named(statement: str, code: str, part: str) -> None:
    with pytest.raises(ptoas.PtoasError) as caught:
        ptoas.parse(PROGRAM + statement, "program.pto")
    (found,) = caught.value.diagnostics
    assert found.code == code
    assert found.span is not None
    assert statement[found.span.column - 1 :][: found.span.length] == part


def test_the_type_that_is_missing_is_proposed_before_the_clauses() -> None:
    text = ".arg %s : f32\n" + PROGRAM + "%d, %h = texpands %s  wait(%g) record"
    with pytest.raises(ptoas.PtoasError) as caught:
        ptoas.parse(text, "program.pto")
    (found,) = caught.value.diagnostics
    assert found.fix is not None and found.fix.endswith("wait(%g) record`")
    assert re.search(r" -> !pto.tile[^`]* wait\(%g\) record", found.fix)
