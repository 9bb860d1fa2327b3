"""The library's way in: reports, targets, modules that no text has made."""

from __future__ import annotations

from dataclasses import replace

import pytest
from xdsl.dialects.builtin import ModuleOp, StringAttr, f32, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region

from ptoas.diagnostics import Severity
from ptoas.diagnostics.render import render
from ptoas.dialects.pto.enums import Coalesce, CoalesceAttr
from ptoas.dialects.pto.gather import MGatherOp
from ptoas.dialects.pto.types import MemRefType, TileType
from ptoas.grammar.parse import parse
from ptoas.targets import TARGETS, UnknownTargetError, get_target
from ptoas.targets.row import Unsupported
from ptoas.verifier.verify import verify, verify_targets

ROW = (
    ".arg %t : !pto.memref<64x32xf32>\n.arg %i : !pto.tile<1x16xi32>\n"
    "%d = mgather.row %t, %i : (!pto.memref<64x32xf32>, !pto.tile<1x16xi32>) -> !pto.tile<16x32xf32>"
)


def test_a_report() -> None:
    good = verify(parse(ROW), "a5")
    assert good.ok and not good.diagnostics and good.targets == ("a5",)
    bad = verify(parse(ROW, "row.pto"), "cpu")
    assert not bad.ok and [d.code for d in bad.errors] == ["PTO-A301"]
    (error,) = bad.errors
    assert error.targets == ("cpu",) and (error.span.file, error.span.line) == ("row.pto", 3)
    assert error.fix and "found row, expected elem" in error.message
    assert any("000, CPU Reference Form" in note.message for note in error.notes)


def test_a_finding_is_reported_once_with_all_its_targets() -> None:
    text = ROW.replace("1x16xi32", "1x16xi16")
    report = verify_targets(parse(text), ["a2a3", "a5"])
    (error,) = report.diagnostics
    assert error.code == "PTO-I101" and error.targets == ("a2a3", "a5")
    assert error.notes[-1].message.endswith("[000, Tile Constraints (A2/A3); 000, Tile Constraints (A5)]")
    assert report.for_target("a5").count("a5", Severity.ERROR) == 1


def test_the_same_mistake_on_two_lines_is_two_findings() -> None:
    text = ROW.replace("1x16xi32", "1x16xi16")
    text += "\n" + text.splitlines()[-1].replace("%d", "%e")
    assert [d.span.line for d in verify(parse(text), "a5").diagnostics] == [3, 4]


def test_operations_that_stand_in_one_place_share_a_finding() -> None:
    """A pass may make several operations of one; the target is named once."""
    module = parse(ROW.replace("1x16xi32", "1x16xi16"))
    (gather,) = [op for op in module.walk() if isinstance(op, MGatherOp)]
    again = gather.clone()
    again.location = gather.location
    assert gather.parent is not None
    gather.parent.insert_op_after(again, gather)
    (error,) = verify(module, "a5").diagnostics
    assert error.targets == ("a5",)


def test_targets_of_a_module() -> None:
    """D2: the named one, else all."""
    body = "func.func @f() {\n  return\n}"
    assert verify_targets(parse(body)).targets == tuple(TARGETS)
    named = f'module attributes {{pto.target_arch = "a3"}} {{\n{body}\n}}'
    assert verify_targets(parse(named)).targets == ("a2a3",)
    other = verify(parse(named), "a5")
    assert other.ok and [(d.code, d.severity) for d in other.diagnostics] == [("PTO-T103", Severity.NOTE)]
    unknown = verify_targets(parse(named.replace('"a3"', '"a6"')))
    assert unknown.targets == tuple(TARGETS) and {d.code for d in unknown.diagnostics} == {"PTO-T102"}


def test_wrong_arguments() -> None:
    with pytest.raises(UnknownTargetError):
        verify(parse(ROW), "a6")
    with pytest.raises(ValueError, match="auto"):
        verify(parse(ROW), "a5", sync="perhaps")


def function(name: str, *types: object) -> tuple[FuncOp, Block]:
    block = Block(arg_types=list(types))  # type: ignore[arg-type]
    return FuncOp(name, (list(types), []), Region(block)), block  # type: ignore[arg-type]


def test_a_module_that_no_text_has_made() -> None:
    func, block = function("f", MemRefType.of([64, 32], f32), TileType.of(i32, 1, 24))
    table, idx = block.args
    properties = {"coalesce": CoalesceAttr(Coalesce.Row)}
    gather = MGatherOp.create(
        operands=[table, idx], properties=properties, result_types=[TileType.of(f32, 16, 32)]
    )
    block.add_ops([gather, ReturnOp()])
    assert [d.code for d in verify(ModuleOp([func]), "a5").diagnostics] == ["PTO-A201"]


def test_declarations_are_checked_first() -> None:
    """An operation that breaks its own declaration is reported as such, and asked nothing else."""
    func, block = function("f", MemRefType.of([64, 32], i32), TileType.of(f32, 1, 16))
    gather = MGatherOp.create(operands=list(block.args), result_types=[TileType.of(f32, 16, 32)])
    block.add_ops([gather, ReturnOp()])
    found = verify(ModuleOp([func]), "a5").diagnostics
    assert found and {d.code for d in found} == {"PTO-P060"}


def test_declarations_are_not_checked_again_after_parsing() -> None:
    """`parsed` trusts the front end; without it, a module that was changed after parsing is checked."""
    module = parse(ROW)
    (gather,) = [op for op in module.walk() if isinstance(op, MGatherOp)]
    gather.properties["coalesce"] = StringAttr("row")
    assert {d.code for d in verify_targets(module, ["a5"]).diagnostics} == {"PTO-P060"}
    trusted = {d.code for d in verify_targets(module, ["a5"], parsed=True).diagnostics}
    assert "PTO-P060" not in trusted


def test_two_functions_of_one_name() -> None:
    functions = []
    for _ in range(2):
        func, block = function("same")
        block.add_op(ReturnOp())
        functions.append(func)
    assert [d.code for d in verify(ModuleOp(functions), "cpu").diagnostics] == ["PTO-P032"]


def test_an_instruction_that_a_target_does_not_have() -> None:
    a5 = get_target("a5")
    poorer = replace(a5, extra={MGatherOp: Unsupported("for this test")})
    (error,) = verify(parse(ROW), poorer).diagnostics
    assert error.code == "PTO-T105" and "for this test" in error.message


def test_select_ignore_and_werror() -> None:
    text = ROW.replace("mgather.row", "mgather").replace("1x16xi32", "16x32xi32")
    report = verify_targets(parse(text), ["cpu", "a5"])
    assert {d.code for d in report.diagnostics} == {"PTO-W101", "PTO-A201"}
    assert {d.code for d in report.filtered(select=["PTO-A"]).diagnostics} == {"PTO-A201"}
    ignored = report.filtered(ignore=["PTO-A201"])
    assert {d.code for d in ignored.diagnostics} == {"PTO-W101"} and ignored.ok
    assert not report.filtered(ignore=["PTO-A201"], werror=True).ok


def test_the_peak_is_shown_with_its_tiles() -> None:
    tile = "!pto.tile_buf<vec, 256x128xf32>"
    memory = "!pto.memref<256x128xf32>"
    text = (
        f"func.func @f(%x: {memory}) {{\n  %a = pto.alloc_tile : {tile}\n  %b = pto.alloc_tile : {tile}\n"
        f"  pto.tload ins(%x : {memory}) outs(%a : {tile})\n"
        f"  pto.tload ins(%x : {memory}) outs(%b : {tile})\n"
        f"  pto.tadd ins(%a, %b : {tile}, {tile}) outs(%a : {tile})\n  return\n}}"
    )
    (error,) = verify(parse(text), "a2a3").diagnostics
    assert error.code == "PTO-U103" and "262144" in error.message and "196608" in error.message
    table = error.notes[0].message
    assert "line 2" in table and "%a 256x128xf32" in table and "131072" in table and "line 3" in table


def test_a_hazard_names_both_lines_and_the_flag() -> None:
    tile, memory = "!pto.tile_buf<vec, 16x32xf32>", "!pto.memref<16x32xf32>"
    pair = "#pto.pipe<PIPE_V>, #pto.pipe<PIPE_MTE3>, #pto.event<EVENT_ID0>"
    text = (
        f"func.func @f(%x: {memory}, %s: f32) {{\n  %a = pto.alloc_tile : {tile}\n"
        f"  pto.tload ins(%x : {memory}) outs(%a : {tile})\n"
        f"  pto.tadds ins(%a, %s : {tile}, f32) outs(%a : {tile})\n"
        f"  pto.set_flag[{pair}]\n  pto.wait_flag[{pair}]\n"
        f"  pto.tstore ins(%a : {tile}) outs(%x : {memory})\n  return\n}}"
    )
    (error,) = verify(parse(text), "a5").diagnostics
    assert error.code == "PTO-F101" and error.span.line == 4 and "line 3" in error.message
    assert error.fix is not None and "PIPE_MTE2" in error.fix and "PIPE_V" in error.fix
    assert error.notes[0].span is not None and error.notes[0].span.line == 3


def test_the_table_of_a_note_keeps_its_lines() -> None:
    text = """
.arg %x : !pto.memref<256x512xf32>
%a = tload %x : (!pto.memref<256x512xf32>) -> !pto.tile<256x512xf32>
tstore %a, %x
"""
    report = verify(parse(text, "big.pto"), target="a5")
    (found,) = [d for d in report.diagnostics if d.code == "PTO-U103"]
    assert (
        "  = note: tiles live at the peak, in bytes:\n"
        "    line 3  %a 256x512xf32  524288\n"
        "            together        524288\n"
    ) in render(found)


def test_context_sensitive_operations_are_verified_one_by_one() -> None:
    """Two pointers from numbers, alike in all but their uses: the second is used where it may not be."""
    text = """func.func @f(%a: i64, %n: index) {
      %p = pto.inttoptr %a : i64 -> !pto.ptr<f32>
      %x = pto.load_scalar %p[%n] : !pto.ptr<f32> -> f32
      %q = pto.inttoptr %a : i64 -> !pto.ptr<f32>
      %r = pto.addptr %q, %n : !pto.ptr<f32> -> !pto.ptr<f32>
      return
    }"""
    found = [d for d in verify(parse(text), "a5").errors if d.code == "PTO-G304"]
    assert [d.span.line for d in found] == [4]


def test_one_attribute_under_two_names_is_two_things() -> None:
    """Eight bytes are a block, and no number of a counter; the same object says both."""
    session = "pto.comm.build_async_session(%t, %w : !pto.tile_buf<vec, 1x64xi32>, !pto.ptr<i8>)"
    text = "func.func @f(%t: !pto.tile_buf<vec, 1x64xi32>, %w: !pto.ptr<i8>) {\n"
    text += f"%a = {session} {{block_bytes = 8 : i32}} -> !pto.async_session\n"
    text += f"%b = {session} {{sync_id = 8 : i32}} -> !pto.async_session\nreturn\n}}\n"
    module = parse(text)
    first, second = [op for op in module.walk() if op.name == "pto.comm.build_async_session"]
    second.properties["sync_id"] = first.properties["block_bytes"]
    assert [error.code for error in verify(module, "a5").errors] == ["PTO-D112"]


def test_verdict_of_one_module_is_not_reused_for_another() -> None:
    """The same instruction with another address, in a module of its own, and in turns."""
    text = "%a = arith.constant {} : i64\n%t = pto.alloc_tile addr = %a : !pto.tile_buf<vec, 16x32xf32>"
    for address, wrong in ((64, False), (40, True), (64, False), (40, True)):
        report = verify(parse(text.format(address)), "a5")
        assert ("PTO-V103" in {d.code for d in report.errors}) is wrong


def test_a_write_that_others_may_have_read_is_not_lost() -> None:
    """Two loads of one tile: the first is for nothing, unless a fence lets someone look in between."""
    load = "pto.tload ins(%x : !pto.memref<16x32xf32>) outs(%a : !pto.tile_buf<vec, 16x32xf32>)"
    text = f"""func.func @f(%x: !pto.memref<16x32xf32>) {{
      %a = pto.alloc_tile : !pto.tile_buf<vec, 16x32xf32>
      {load}
      BETWEEN
      {load}
      pto.tstore ins(%a : !pto.tile_buf<vec, 16x32xf32>) outs(%x : !pto.memref<16x32xf32>)
      return
    }}"""
    for between, lost in (("", True), ("pto.fence.barrier_all #pto.fence_scope<all>", False)):
        report = verify(parse(text.replace("BETWEEN", between)), "a5")
        assert ("PTO-N102" in {d.code for d in report.warnings}) is lost, between
