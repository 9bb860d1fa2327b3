"""Checking: every instruction is judged by itself, and a finding names the part that is to blame."""

from __future__ import annotations

from itertools import permutations

import pytest
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, f32, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region

from ptoas.diagnostics import Diagnostic, Severity
from ptoas.dialects.pto.gather import MGatherOp
from ptoas.dialects.pto.types import MemRefType, TileType
from ptoas.grammar.parse import parse
from ptoas.verifier.verify import Report, verify, verify_targets

# --- instructions that look alike ----------------------------------------------------------------

ARGUMENTS = """.arg %table : !pto.memref<64x32xf32>
.arg %gaps : !pto.memref<64x32xf32, strides=[40, 1]>
.arg %idx : !pto.tile<1x16xi32>
.arg %short : !pto.tile<1x16xi16>
"""


def gather(name: str, table: str = "table", idx: str = "idx", mode: str = "row", rows: int = 16) -> str:
    """Types are those of the arguments."""
    return f"%{name} = mgather.{mode} %{table}, %{idx} -> !pto.tile<{rows}x32xf32>"


LEGAL = gather("a")
OTHERS = {
    "the index": (gather("b", idx="short"), "PTO-I101"),
    "the table": (gather("b", table="gaps"), "PTO-A214"),
    "the result": (gather("b", rows=8), "PTO-A201"),
    "the mode": (gather("b", mode="elem"), "PTO-A203"),
}


@pytest.mark.parametrize("what", OTHERS)
@pytest.mark.parametrize("first", [True, False])
def test_instructions_that_differ_in_one_thing_are_judged_apart(what: str, first: bool) -> None:
    illegal, code = OTHERS[what]
    lines = [illegal, LEGAL] if first else [LEGAL, illegal]
    found = verify(parse(ARGUMENTS + "\n".join(lines)), "a5").diagnostics
    assert {(d.code, d.span.line) for d in found} >= {(code, 5 if first else 6)}
    assert {d.span.line for d in found} == {5 if first else 6}


@pytest.mark.parametrize(("first", "second", "line"), [("c8", "c9", 8), ("c9", "c8", 7)])
def test_operands_of_other_extents_are_judged_apart(first: str, second: str, line: int) -> None:
    """Of one type, but with another number of valid rows."""
    tile = "!pto.tile_buf<vec, 16x32xf32, valid=?x?>"
    memory = "!pto.memref<8x32xf32>"
    text = f"""func.func @f(%x: {memory}) {{
%c8 = arith.constant 8 : index
%c9 = arith.constant 9 : index
%c32 = arith.constant 32 : index
%a = pto.alloc_tile valid_row = %{first} valid_col = %c32 : {tile}
%b = pto.alloc_tile valid_row = %{second} valid_col = %c32 : {tile}
pto.tload ins(%x : {memory}) outs(%a : {tile})
pto.tload ins(%x : {memory}) outs(%b : {tile})
return
}}"""
    assert [(d.code, d.span.line) for d in verify(parse(text), "a5").diagnostics] == [("PTO-M104", line)]


# --- declarations --------------------------------------------------------------------------------


def function(*types: object) -> tuple[ModuleOp, Block]:
    block = Block(arg_types=list(types))  # type: ignore[arg-type]
    func = FuncOp("f", (list(types), []), Region(block))  # type: ignore[arg-type]
    return ModuleOp([func]), block


def gathers(*operands: tuple[MemRefType, TileType, TileType]) -> ModuleOp:
    """One gather for each table, index and result."""
    module, block = function(*(type for table, idx, _ in operands for type in (table, idx)))
    for n, (_, _, result) in enumerate(operands):
        block.add_op(MGatherOp.create(operands=block.args[2 * n : 2 * n + 2], result_types=[result]))
    block.add_op(ReturnOp())
    return module


SOUND = MemRefType.of([64, 32], f32), TileType.of(i32, 1, 16), TileType.of(f32, 16, 32)
OTHER_TABLE = MemRefType.of([64, 32], i32), *SOUND[1:]
OTHER_RESULT = *SOUND[:2], TileType.of(i32, 16, 32)


def broken(module: ModuleOp) -> int:
    """Findings; operations without a place in a text share theirs."""
    return sum(d.code == "PTO-P060" for d in verify(module, "a5").diagnostics)


@pytest.mark.parametrize("other", [OTHER_TABLE, OTHER_RESULT], ids=["table", "result"])
def test_invalid_statement_is_reported_each_time(other: tuple[MemRefType, TileType, TileType]) -> None:
    """The element types of table and result differ; what was found sound before says nothing of it."""
    assert broken(gathers(SOUND)) == 0
    once = broken(gathers(other))
    assert once and broken(gathers(other)) == once
    for order in permutations([SOUND, other, other]):
        assert broken(gathers(*order)) == once


def test_function_rules_are_skipped_after_a_broken_operation() -> None:
    """Another function is."""
    tile = TileType.of(i32, 1, 9)
    good, bad = function(tile)[0], gathers(OTHER_TABLE)
    assert [d.code for d in verify(good, "a5").diagnostics] == ["PTO-V101"]
    (func,) = bad.body.ops
    assert isinstance(func, FuncOp)
    func.body.block.insert_arg(tile, 0)
    assert {d.code for d in verify(bad, "a5").diagnostics} == {"PTO-P060"}
    (other,) = good.body.ops
    other.detach()
    bad.body.block.add_op(other)
    assert {d.code for d in verify(bad, "a5").diagnostics} == {"PTO-P060", "PTO-P032", "PTO-V101"}


def test_each_further_function_of_one_name_points_to_the_first() -> None:
    same = "func.func @f() {\n  return\n}\n"
    module = parse(same.replace("@f", "@g"))
    for line in (1, 4, 7):
        again = parse("\n" * (line - 1) + same, "same.pto")
        (func,) = again.body.ops
        module.body.block.add_op(func.clone())
    found = verify(module, "cpu").diagnostics
    assert [d.code for d in found] == ["PTO-P032"] * 2
    assert [d.span.line for d in found] == [4, 7]
    assert [d.notes[0].span.line for d in found if d.notes[0].span] == [1, 1]


def test_functions_of_modules_inside_are_checked() -> None:
    inner = "module {\nfunc.func @f() {\n  %t = pto.alloc_tile : !pto.tile_buf<vec, 1x9xi32>\n  return\n}\n}"
    assert [d.code for d in verify(parse(f"module {{\n{inner}\n}}"), "a5").diagnostics] == ["PTO-V101"]


def test_other_things_in_a_module_are_passed_over() -> None:
    module, block = function(TileType.of(i32, 1, 9))
    block.add_op(ReturnOp())
    module.body.block.insert_op_before(ConstantOp(IntegerAttr(1, i32)), module.body.block.first_op)
    assert [d.code for d in verify(module, "a5").diagnostics] == ["PTO-V101"]


# --- options -------------------------------------------------------------------------------------


def test_core_types_are_printed_on_request() -> None:
    """D4: on cpu only with `--aicore`."""
    text = (
        ".arg %t : !pto.memref<64x32xf8E4M3FN>\n.arg %i : !pto.tile<16x32xi32>\n"
        "%d = mgather.elem %t, %i -> !pto.tile<16x32xf8E4M3FN>"
    )
    module = parse(text)
    assert not verify(module, "cpu").ok and verify(module, "cpu", aicore=True).ok
    assert not verify_targets(module, ["cpu"]).ok and verify_targets(module, ["cpu"], aicore=True).ok


def test_portability_is_a_matter_of_several_targets() -> None:
    module = parse(ARGUMENTS + LEGAL.replace("mgather.row", "mgather"))
    assert not verify(module, "a5").diagnostics
    assert "PTO-W101" in {d.code for d in verify_targets(module, ["cpu", "a5"]).diagnostics}


# --- reports -------------------------------------------------------------------------------------


def report() -> Report:
    span = verify(parse(ARGUMENTS + OTHERS["the index"][0]), "a5").diagnostics[0].span
    findings = [
        Diagnostic("PTO-I101", "an error of both", span, targets=("cpu", "a5")),
        Diagnostic("PTO-I101", "an error of one", span, targets=("a5",)),
        Diagnostic("PTO-W101", "a warning", span, Severity.WARNING, targets=("cpu",)),
        Diagnostic("PTO-T103", "a note", span, Severity.NOTE),
    ]
    return Report(tuple(findings), ("cpu", "a5"))


def codes(found: Report) -> list[str]:
    return [d.code[4:] for d in found.diagnostics]


def test_a_report_for_one_target() -> None:
    found = report()
    assert codes(found.for_target("cpu")) == ["I101", "W101", "T103"] and found.for_target("cpu").targets == (
        "cpu",
    )
    assert codes(found.for_target("a5")) == ["I101", "I101", "T103"]
    counts = [
        found.count(t, s) for t in ("cpu", "a5") for s in (Severity.ERROR, Severity.WARNING, Severity.NOTE)
    ]
    assert counts == [1, 1, 1, 2, 0, 1]
    assert [d.code for d in found.errors] == ["PTO-I101", "PTO-I101"]
    assert [d.code for d in found.warnings] == ["PTO-W101"]


def test_a_report_is_filtered_by_the_beginnings_of_codes() -> None:
    found = report()
    assert codes(found.filtered()) == codes(found) and found.filtered().targets == ("cpu", "a5")
    assert codes(found.filtered(select=["PTO-A", "PTO-T"])) == ["I101", "I101", "T103"]
    assert codes(found.filtered(ignore=["PTO-A", "PTO-T"])) == ["W101"]
    # A code of old names the rule that it became part of.
    assert codes(found.filtered(select=["PTO-A"], ignore=["PTO-A101"])) == []


def test_only_warnings_become_errors() -> None:
    severities = {d.code: d.severity for d in report().filtered(werror=True).diagnostics}
    assert severities.pop("PTO-T103") is Severity.NOTE
    assert set(severities.values()) == {Severity.ERROR}
    assert [d.severity for d in report().filtered().diagnostics][2] is Severity.WARNING


ZERO = "gatherOob = #pto<gather_oob zero>"


@pytest.mark.parametrize(("change", "part"), [("operand", "%dst"), ("attribute", ZERO)])
def test_the_part_that_breaks_a_declaration_is_blamed(change: str, part: str) -> None:
    """Of a gather that was changed after it was read."""
    table, idx, dst = "!pto.memref<64x32xf32>", "!pto.tile<16x32xi32>", "!pto.tile<16x32xf32>"
    text = (
        f"func.func @f(%table: {table}, %idx: {idx}, %dst: {dst}) {{\n"
        f"pto.mgather ins(%table, %idx : {table}, {idx}) outs(%dst : {dst}) {{{ZERO}}}\nreturn\n}}"
    )
    module = parse(text)
    (op,) = [op for op in module.walk() if isinstance(op, MGatherOp)]
    if change == "operand":
        op.operands[2] = op.operands[1]
    else:
        op.properties["gatherOob"] = StringAttr("zero")
    (found,) = verify(module, "a5").diagnostics
    assert found.code == "PTO-P060"
    assert text[found.span.offset :][: found.span.length] == part


# --- places --------------------------------------------------------------------------------------

TILE = "!pto.tile_buf<vec, 16x32xf32>"
MEMORY = "!pto.memref<16x32xf32>"


def blamed(text: str, code: str, target: str = "a5") -> str:
    """The part of a text that a finding underlines."""
    (found,) = [d for d in verify(parse(text), target).diagnostics if d.code == code]
    return text[found.span.offset :][: found.span.length]


@pytest.mark.parametrize(
    ("line", "code", "target", "part"),
    [
        (gather("b"), "PTO-A301", "cpu", "row"),
        ("%b = mgather.row %table, %idx -> !pto.tile<16x9xf32>", "PTO-I105", "a5", "!pto.tile<16x9xf32>"),
        (gather("b", idx="short"), "PTO-I101", "a5", "%short"),
        (
            "%b = mgather.row %table, %short : (!pto.memref<64x32xf32>, !pto.tile<1x16xi16>) -> "
            "!pto.tile<16x32xf32>",
            "PTO-I101",
            "a5",
            "!pto.tile<1x16xi16>",
        ),
        ("tassign %idx {address = 4112 : i64}", "PTO-V103", "a5", "address = 4112 : i64"),
    ],
    ids=["attribute", "result", "operand", "type of an operand", "address"],
)
def test_the_part_of_an_instruction_that_is_to_blame(line: str, code: str, target: str, part: str) -> None:
    assert blamed(ARGUMENTS + line, code, target) == part


@pytest.mark.parametrize(
    ("line", "code", "target", "part"),
    [
        (f"%t = pto.alloc_tile addr = %c40 : {TILE}", "PTO-V103", "a5", "%c40"),
        (
            "%t = pto.alloc_tile : !pto.tile_buf<vec, 1x9xi32>",
            "PTO-V101",
            "a5",
            "!pto.tile_buf<vec, 1x9xi32>",
        ),
        (f"%t = pto.alloc_tile : {TILE.replace('vec', 'scale_left')}", "PTO-V102", "a2a3", ""),
        (
            "%v = pto.make_tensor_view %p, shape = [%c40, %c40], strides = [%c40, %m1] : "
            "!pto.tensor_view<?x?xf32>",
            "PTO-V201",
            "a5",
            "%m1",
        ),
    ],
    ids=["operand", "result", "statement", "one of several operands"],
)
def test_the_part_of_a_statement_that_is_to_blame(line: str, code: str, target: str, part: str) -> None:
    constants = "%c40 = arith.constant 40 : index\n%m1 = arith.constant -1 : index\n"
    head = f"func.func @f(%p: !pto.ptr<f32>) {{\n{constants}"
    assert blamed(f"{head}{line}\nreturn\n}}", code, target) == (part or line)


WRONG = "!pto.tile_buf<vec, 1x9xi32>"


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        (f"func.func @f(%a: {TILE}, // %b: one\n  %b: {WRONG}) {{\n  return\n}}", 2, 7),
        (f"module {{\n  func.func @f() {{ return\n  }}\n  func.func @g(%b: {WRONG}) {{ return }}\n}}", 4, 20),
        (f".target a5\n.arg %a : {TILE}\n# .arg %b : none\n.arg %b : {WRONG}\ntprint %a", 4, 11),
    ],
)
def test_argument_violation_points_at_its_type(text: str, line: int, column: int) -> None:
    assert blamed(text, "PTO-V101") == WRONG
    (found,) = (d for d in verify(parse(text), "a5").diagnostics if d.code == "PTO-V101")
    assert (found.span.line, found.span.column) == (line, column)


def test_an_argument_of_the_generic_form_is_blamed_where_the_function_begins() -> None:
    head = '"func.func"() <{sym_name = "f", function_type = (' + WRONG + ") -> ()}> ({"
    text = f'{head}\n^bb0(%b: {WRONG}):\n  "func.return"() : () -> ()\n}}) : () -> ()'
    assert blamed(text, "PTO-V101") == head


def test_what_is_read_too_early_is_blamed_where_it_is_read() -> None:
    text = (
        f"func.func @f(%x: {MEMORY}) {{\n%t = pto.alloc_tile : {TILE}\n"
        f"pto.tstore ins(%t : {TILE}) outs(%x : {MEMORY})\nreturn\n}}"
    )
    (found,) = verify(parse(text), "a5").diagnostics
    assert found.code == "PTO-U106" and found.span.line == 3
    assert text[found.span.offset :][: found.span.length] == "%t"
    made, statement = found.notes
    assert made.span is not None and made.span.line == 2 and statement.span is None
