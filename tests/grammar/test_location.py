"""Locations of the parts of an operation: spans point at their text."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp, UnknownLoc
from xdsl.ir import Operation

import ptoas
from ptoas import build
from ptoas.diagnostics import Span
from ptoas.dialects.pto.elementwise import TAddOp
from ptoas.dialects.pto.views import AllocTileOp
from ptoas.grammar.spans import (
    argument_type_span,
    field_span,
    operand_span,
    operand_type_span,
    result_type_span,
    span_of,
)
from ptoas.ir.clone import clone

T = "!pto.tile<8x16xf32>"
I = "!pto.tile<1x8xi32>"  # noqa: E741
M = "!pto.memref<64x16xf32>"
PRELUDE = f".arg %table_12 : {M}\n.arg %i : {I}\n.arg %a : {T}\n.arg %a_1 : {T}\n"


def last_op(text: str) -> Operation:
    module = ptoas.parse(PRELUDE + text)
    block = list(module.walk())[1].regions[0].block
    return list(block.ops)[-2]


def text_of(span: Span) -> str:
    return span.source.text[span.offset : span.offset + span.length]


OPERANDS = {
    "assembly": (f"%d = mgather.row.clamp %table_12, %i : {M}, {I} -> {T}", ["%table_12", "%i"]),
    "the destination first": (f"tadd %a, %a_1, %a_1 : ({T}, {T}, {T})", ["%a_1", "%a_1", "%a"]),
    "one value twice": (f"%d = tadd %a_1, %a_1 : {T}", ["%a_1", "%a_1"]),
    "DPS": (f"tadd ins(%a, %a_1 : {T}, {T}) outs(%a : {T})", ["%a", "%a_1", "%a"]),
    "a literal": ("%d = tadds %a, 1.5 : " + T, ["%a", "1.5"]),
    "a window": (f"%d = tload %table_12[0, 0] : {M} -> {T}", ["%table_12[0, 0]"]),
    "generic": (f'%d = "pto.tneg"(%a_1) : ({T}) -> {T}', ["%a_1"]),
    "arithmetic": ("%x = arith.constant 1 : i32\n%y = arith.addi %x, %x : i32", ["%x", "%x"]),
    "a comment inside": (f"tadd ins(%a, // not %b\n  %a_1 : {T}, {T}) outs(%a : {T})", ["%a", "%a_1", "%a"]),
}


@pytest.mark.parametrize(("text", "expected"), OPERANDS.values(), ids=OPERANDS)
def test_operands(text: str, expected: list[str]) -> None:
    op = last_op(text)
    assert [text_of(operand_span(op, at)) for at in range(len(op.operands))] == expected


def test_equal_texts_have_distinct_locations() -> None:
    op = last_op(f"%d = tadd %a_1, %a_1 : {T}")
    first, second = (operand_span(op, at).offset for at in (0, 1))
    assert second - first == len("%a_1, ")


def test_types_of_operands_and_results() -> None:
    op = last_op(f"%d = mgather.row %table_12, %i : {M}, {I} -> {T}")
    assert [text_of(operand_type_span(op, at)) for at in (0, 1)] == [M, I]
    assert text_of(result_type_span(op)) == T
    one_for_all = last_op(f"%d = tadd %a, %a : {T}")
    assert text_of(operand_type_span(one_for_all, 0)) == "%a"
    assert text_of(result_type_span(one_for_all)) == T


def test_attributes() -> None:
    op = last_op(f"%d = mgather.row %table_12, %i {{gatherOob = clamp}} : {M}, {I} -> {T}")
    assert text_of(field_span(op, "coalesce")) == "row"
    assert text_of(field_span(op, "gatherOob")) == "gatherOob = clamp"
    assert text_of(field_span(last_op("barrier <PIPE_ALL>"), "pipe")) == "<PIPE_ALL>"


def test_statements_of_one_shape_have_places_of_their_own() -> None:
    text = f"%d = tneg %a : {T}\n%longer = tneg %d : {T}\n%e = tneg %longer : {T}"
    assert text_of(operand_span(last_op(text), 0)) == "%longer"
    assert text_of(result_type_span(last_op(text))) == T


@pytest.mark.parametrize(
    "text",
    [
        f".arg %x : f32\n.arg %longer : {T}\n%d = tneg %longer",
        f"module {{\n  func.func @f(%x: f32, %longer: {T} {{pto.a}}) {{\n    return\n  }}\n}}",
    ],
)
def test_types_of_arguments(text: str) -> None:
    (func,) = ptoas.parse(text).body.block.ops
    assert [text_of(argument_type_span(func, at)) for at in (0, 1)] == ["f32", T]


def test_locations_follow_a_clone_with_moved_operands() -> None:
    """A pass that takes the destination away leaves the others where they are."""
    module = clone(ptoas.parse(f"{PRELUDE}tadd %a, %a_1, %a : ({T}, {T}, {T})"))
    (op,) = (op for op in module.walk() if isinstance(op, TAddOp))
    assert text_of(operand_span(op, 0)) == "%a_1"


def test_an_operation_that_inherits_a_location_has_no_operands_there() -> None:
    module = ptoas.parse(f"{PRELUDE}tadd %new, %a, %a_1 : ({T}, {T}, {T})")
    (alloc,) = (op for op in module.walk() if isinstance(op, AllocTileOp))
    assert text_of(operand_span(alloc, 0)).startswith("tadd %new")


def test_built_operation_is_located_in_its_printed_text() -> None:
    module = ptoas.parse(f"{PRELUDE}%d = tadd %a, %a_1 : {T}", "add.pto")
    (op,) = (op for op in module.walk() if isinstance(op, TAddOp))
    built = TAddOp.create(operands=op.operands, result_types=op.result_types)
    span = span_of(built)
    tile = "!pto.tile<vec, 8x16xf32>"
    assert span.source.filename == "<pto.tadd>"
    assert text_of(span) == f"%0 = pto.tadd %a, %a_1 : ({tile}, {tile}) -> {tile}"
    assert text_of(span_of(ModuleOp([]))) == "module {"


def test_a_finding_about_what_was_built_names_the_line_of_python() -> None:
    made = build.module("a5")
    with made.function("kernel", x="16x32xf32") as f, f.loop(0, 4):
        f.tcvt(f.tload(f.x), "16x32xi8")
    (finding,) = ptoas.verify(made.module).diagnostics
    assert finding.span.file == __file__ and text_of(finding.span) == 'f.tcvt(f.tload(f.x), "16x32xi8")'


def test_a_finding_about_what_has_no_location_names_the_operation() -> None:
    made = build.module("a5")
    with made.function("kernel", x="16x32xf32") as f, f.loop(0, 4):
        f.tcvt(f.tload(f.x), "16x32xi8")
    for op in made.module.walk():
        op.location = UnknownLoc()
    (finding,) = ptoas.verify(made.module).diagnostics
    assert str(finding).startswith(
        "<pto.tcvt in @kernel>:1:1: error[PTO-E311] [a5]: no conversion from f32 to i8"
    )
    assert " = pto.tcvt " in ptoas.render([finding], "full")


def test_invalid_operation_is_located_in_its_printed_text() -> None:
    assert text_of(span_of(TAddOp.create())) == '"pto.tadd"() : () -> ()'
