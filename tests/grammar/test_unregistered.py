"""Unknown instructions are preserved in every form, if allowed."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp, UnregisteredOp

import ptoas
from ptoas.compiler.forms import print_module
from ptoas.grammar.printer import FORMS, bare_function

HEAD = """.arg %a : !pto.tile<8x16xf32>
.arg %b : !pto.tile<8x16xf32>
.arg %m : !pto.memref<8x16xf32>
.arg %n : index
"""
T = "!pto.tile<8x16xf32>"

LINES = {
    "assembly, result": f"%r = tnew %a, %b : ({T}, {T}) -> {T}",
    "assembly, one type": f"%r = tnew %a, %b : {T}",
    "assembly, no result": f"tnew %a, %b : ({T}, {T})",
    "assembly, no types": "tnew %a, %b",
    "prefix": f"%r = pto.tnew %a : ({T}) -> {T}",
    "dotted": f"%r = pto.tmatmul.acc %a, %b : ({T}, {T}) -> {T}",
    "DPS": f"pto.tnew ins(%a, %b : {T}, {T}) outs(%a : {T})",
    "DPS, attributes": f"pto.tnew ins(%a : {T}) outs(%b : {T}) "
    '{mode = #pto.layout<nd>, n = 3 : i32, s = "x"}',
    "DPS, attributes inside": f"pto.tnew ins(%a, {{mode = 1 : i32}} : {T}) outs(%b : {T})",
    "DPS, two outputs": f"pto.tnew ins(%a : {T}) outs(%b, %a : {T}, {T})",
    "outs only": f"pto.tnew outs(%a : {T})",
    "literals": "tnew %a, 3, 2.5, @tile(0x10)",
    "a literal with a key": "tnew %a, size = 3, kind = word",
    "attributes behind the types": f"%r = tnew %a : ({T}) -> {T} {{k = 1 : i32}}",
    "keys": f"%r = pto.tnew %a, offsets = [%n, %n], size = %n : {T}",
    "indexed": f"%r = tnew %m[%n, %n] : {T}",
    "clauses": f"pto.comm.tnew(%m, recv(%a), group(%m, %m) : !pto.memref<8x16xf32>, {T}, "
    "!pto.memref<8x16xf32>, !pto.memref<8x16xf32>)",
    "brackets": "pto.new_flag[#pto.pipe<PIPE_V>, <PIPE_MTE2>]",
    "another dialect": "%r = math.exp %n : index",
    "generic": f'%r = "pto.tnew"(%a, %b) {{k = 1 : i32}} : ({T}, {T}) -> {T}',
    "generic, properties": f'%r = "pto.tnew"(%a) <{{k = 1 : i32}}> : ({T}) -> {T}',
    "generic, region": '"pto.section"() ({\n  "pto.inner"(%n) : (index) -> ()\n}) : () -> ()',
    "region": "pto.section.vector {\n  pto.inner ins(%n : index)\n}",
    "new part of a known instruction": f"pto.tadd ins(%a, %b, %b : {T}, {T}, {T}) outs(%a : {T})",
    "new attribute of a known instruction": f"pto.tadd ins(%a, %b : {T}, {T}) outs(%a : {T}) {{precise}}",
    "several results": f"%r:2 = pto.tnew %a : ({T}) -> ({T}, {T})\npto.tnew %r#1, %r#0",
}


def read_back(module: ModuleOp, form: str) -> ModuleOp:
    function = bare_function(module) if form == "asm" else None
    name = f"{function.sym_name.data}.pto" if function else "k.mlir"
    return ptoas.parse(print_module(module, form), name, allow_unregistered=True)


@pytest.mark.parametrize("kind", LINES)
def test_kept_and_printed(kind: str) -> None:
    module = ptoas.parse(HEAD + LINES[kind], "k.pto", allow_unregistered=True)
    module.verify()
    converted = "known instruction" in kind  # which `ssa` and `dps` would convert
    for form in ("asm", "generic") if converted else FORMS:
        again = read_back(module, form)
        assert again.is_structurally_equivalent(module), print_module(module, form)


@pytest.mark.parametrize("kind", [k for k in LINES if "new attribute" not in k])
def test_refused_when_not_allowed(kind: str) -> None:
    """And nothing that an earlier, more tolerant reading kept makes a difference."""
    ptoas.parse(HEAD + LINES[kind], "k.pto", allow_unregistered=True)
    with pytest.raises(ptoas.PtoasError) as caught:
        ptoas.parse(HEAD + LINES[kind], "k.pto")
    assert {d.code for d in caught.value.diagnostics} <= {"PTO-P020", "PTO-P040", "PTO-P041"}


def test_unregistered_operation_keeps_operands_and_attributes() -> None:
    text = HEAD + LINES["DPS, attributes"]
    module = ptoas.parse(text, "k.pto", allow_unregistered=True)
    (op,) = [op for op in module.walk() if isinstance(op, UnregisteredOp)]
    assert op.op_name.data == "pto.tnew"
    assert [operand.name_hint for operand in op.operands] == ["a", "b"]
    assert str(op.attributes["n"]) == "3 : i32"
    assert "pto.tnew ins(%a : !pto.tile_buf<vec, 8x16xf32>) outs(%b : " in print_module(module, "dps")


def test_unknown_types_and_attributes() -> None:
    text = (
        "func.func @f(%a: !pto.async<x, 3>, %b: !other.thing) attributes {pto.mode = #pto.speed<fast>} {\n"
        "%c = pto.wait %a : (!pto.async<x, 3>) -> !pto.async<x, 3>\nreturn\n}"
    )
    module = ptoas.parse(text, allow_unregistered=True)
    for form in FORMS:
        assert read_back(module, form).is_structurally_equivalent(module)
    with pytest.raises(ptoas.PtoasError):
        ptoas.parse(text)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("tnew %nope", "PTO-P030"),
        (f"pto.tnew ins(%a : !pto.tile<8x32xf32>) outs(%b : {T})", "PTO-P042"),
        ("tnew %a, %b : (", "PTO-P012"),
        ("%a = tnew %b : !pto.tile<8x16xf32>", "PTO-P031"),
        (f"%r:3 = tnew %b : ({T}) -> {T}", "PTO-P041"),
        ("%r = tnew %b {k = 1, k = 2}", "PTO-P051"),
        (f"pto.tnew ins(%a : {T}, {T}) outs(%b : {T})", "PTO-P041"),
        (f"tnew %a, %b : (!pto.tile<8x32xf32>, {T})", "PTO-P042"),
    ],
)
def test_unregistered_operation_is_still_parsed_strictly(line: str, code: str) -> None:
    with pytest.raises(ptoas.PtoasError) as caught:
        ptoas.parse(HEAD + line, "k.pto", allow_unregistered=True)
    assert [d.code for d in caught.value.diagnostics] == [code]


@pytest.mark.parametrize(
    ("opcode", "name"),
    [("tgemv.mx", "pto.tgemv.mx"), ("pto.tgemv.mx", "pto.tgemv.mx"), ("tensor.splat", "tensor.splat")],
)
def test_a_dot_belongs_to_a_dialect_or_to_a_suffix(opcode: str, name: str) -> None:
    module = ptoas.parse(f".arg %a : i32\n{opcode} %a : i32\n", allow_unregistered=True)
    assert [op.op_name.data for op in module.walk() if isinstance(op, UnregisteredOp)] == [name]


def test_an_unreadable_type_of_an_operand_that_has_one_is_wrong_in_every_form() -> None:
    """Kept, it would be printed with the operand's own type, and then be another program."""
    line = f"pto.tneg ins(%a : {T}) outs(%a : !pto.tile_buf<vec, 16x99999999999999999999xf32>)"
    with pytest.raises(ptoas.PtoasError) as caught:
        ptoas.parse(f"func.func @k(%a: {T}) {{\n  {line}\n  return\n}}\n", allow_unregistered=True)
    (found,) = caught.value.diagnostics
    assert (found.code, found.span.line) == ("PTO-P021", 2)


def test_a_function_does_not_end_in_an_unknown_operation() -> None:
    """In its own form a `return` is put behind that, so that the generic form has to have one too."""
    body = '({\n  "func.ruturn"() : () -> ()\n})'
    generic = f'"func.func"() <{{sym_name = "k", function_type = () -> ()}}> {body} : () -> ()'
    with pytest.raises(ptoas.PtoasError) as caught:
        ptoas.parse(f"module {{\n{generic}\n}}\n", allow_unregistered=True)
    (found,) = caught.value.diagnostics
    assert (found.code, found.span.line) == ("PTO-P060", 2)
    assert "ends in `func.ruturn`" in found.message or "needs a terminator" in found.message
    module = ptoas.parse("func.func @k() {\n  func.ruturn\n}\n", allow_unregistered=True)
    assert print_module(module, "dps").count("return") == 1


@pytest.mark.parametrize(
    ("line", "code", "column"),
    [
        # One type too many, with and without a comma.
        (f"pto.tsubs ins(%a, %s : {T}, f32, f32) outs(%a : {T})", "PTO-P041", 26),
        (f"pto.tsubs ins(%a, %s : {T}{T}, f32) outs(%a : {T})", "PTO-P041", 26),
        # The operands of a load in the order of a store.
        (f"tload %m, %a : (!pto.memref<8x16xf32>, {T})", "PTO-P040", 9),
    ],
)
def test_a_known_instruction_is_not_kept_with_a_part_lost(line: str, code: str, column: int) -> None:
    """Kept without what is wrong about it, it would be read as the known instruction that it is not."""
    text = f"func.func @k(%a: {T}, %s: f32, %m: !pto.memref<8x16xf32>) {{\n  {line}\n  return\n}}\n"
    with pytest.raises(ptoas.PtoasError) as caught:
        ptoas.parse(text, allow_unregistered=True)
    (found,) = caught.value.diagnostics
    assert (found.code, found.span.line, found.span.column) == (code, 2, column)


def test_kept_functions_have_names_of_their_own() -> None:
    body = '({\n  "func.end"() : () -> ()\n})'
    generic = f'"func.func"() <{{sym_name = "f", unknown = 1 : i32}}> {body} : () -> ()'
    with pytest.raises(ptoas.PtoasError) as caught:
        ptoas.parse(f"module {{\n{generic}\n{generic}\n}}\n", allow_unregistered=True)
    assert [(d.code, d.span.line) for d in caught.value.diagnostics] == [("PTO-P032", 5)]


def test_a_wrong_statement_with_a_literal_is_reported() -> None:
    """A literal is an operation of its own, so that the statement can't be kept as one unknown operation."""
    line = f"%b = tadds %a, 3.0 : ({T}, f32) -> !pto.tile<8x16xf16>"
    with pytest.raises(ptoas.PtoasError) as caught:
        ptoas.parse(f".arg %a : {T}\n{line}\n%c = tneg %b : !pto.tile<8x16xf16>\n", allow_unregistered=True)
    assert [found.code for found in caught.value.diagnostics] == ["PTO-P060"]
