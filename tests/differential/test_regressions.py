# ruff: noqa: E501 - programs are text
"""Failures found by the random programs, each minimised."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ptoas
from ptoas.compiler.lower import lower
from ptoas.machine.memory import Bits
from tests.cpp.harness import Case, run_cases

TILE = "!pto.tile_buf<vec, 8x8xi32>"


def test_a_loop_may_hand_on_the_value_of_another_argument() -> None:
    """`%b` becomes `%a`, and `%a` becomes `%b + 1`: after two turns both have grown by one."""
    module = ptoas.parse(f"""
func.func @swap(%x: !pto.memref<8x8xi32>, %y: !pto.memref<8x8xi32>, %out: !pto.memref<8x8xi32>, %more: !pto.memref<8x8xi32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1 : i32
  %s = pto.tload %x : (!pto.memref<8x8xi32>) -> {TILE}
  %t = pto.tload %y : (!pto.memref<8x8xi32>) -> {TILE}
  %p, %q = scf.for %k = %c0 to %c2 step %c1 iter_args(%a = %s, %b = %t) -> ({TILE}, {TILE}) {{
    %n = pto.tadds %a, %one : ({TILE}, i32) -> {TILE}
    scf.yield %b, %n : {TILE}, {TILE}
  }}
  pto.tstore %p, %out : ({TILE}, !pto.memref<8x8xi32>) -> ()
  pto.tstore %q, %more : ({TILE}, !pto.memref<8x8xi32>) -> ()
  return
}}""")
    x, y = np.full((8, 8), 10, np.int32), np.full((8, 8), 20, np.int32)
    result = ptoas.run(module, {"x": x, "y": y}, target="a5")
    assert (result.outputs["out"] == 11).all()
    assert (result.outputs["more"] == 21).all()


def test_value_read_by_an_inner_loop_becomes_a_variable_of_the_outer_loop() -> None:
    text = f"""
func.func @last(%x: !pto.memref<8x8xi32>, %y: !pto.memref<8x8xi32>, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %s = pto.tload %x : (!pto.memref<8x8xi32>) -> {TILE}
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %s) -> ({TILE}) {{
    %q = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> ({TILE}) {{
      %t = pto.tadds %b, %one : ({TILE}, i32) -> {TILE}
      scf.yield %t : {TILE}
    }}
    scf.yield %q : {TILE}
  }}
  pto.tstore %r, %y : ({TILE}, !pto.memref<8x8xi32>) -> ()
  return
}}"""
    x = np.arange(64, dtype=np.int32).reshape(8, 8)
    result = ptoas.run(ptoas.parse(text), {"x": x, "n": 3}, target="a5")
    assert np.array_equal(result.outputs["y"], x + 9)


@pytest.mark.parametrize("handed", ["%idle", "%q"])
def test_a_value_that_is_carried_and_never_read_is_no_variable(handed: str) -> None:
    """Nor is one that the loops only hand each other: the inner one's result, from which only it starts."""
    module = ptoas.parse(f"""
func.func @idle(%x: !pto.memref<8x8xi32>, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = pto.tload %x : (!pto.memref<8x8xi32>) -> {TILE}
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%idle = %s) -> ({TILE}) {{
    pto.tstore %s, %x : ({TILE}, !pto.memref<8x8xi32>) -> ()
    %q = scf.for %j = %c0 to %n step %c1 iter_args(%idle_too = %idle) -> ({TILE}) {{
      pto.tstore %s, %x : ({TILE}, !pto.memref<8x8xi32>) -> ()
      scf.yield %idle_too : {TILE}
    }}
    scf.yield {handed} : {TILE}
  }}
  return
}}""")
    assert "idle" not in lower(module, "a5").partition("{")[2]


@pytest.mark.parametrize("layout", ["nd", "dn"])
def test_open_extents_of_an_argument_are_parameters_once(layout: str, tmp_path: Path) -> None:
    """The stride of a packed view with open extents is made of them; in dn it steps over the rows."""
    blayout = "row_major" if layout == "nd" else "col_major"
    tile = f"!pto.tile_buf<vec, 8x16xi32, blayout={blayout}>"
    text = f"""
.arg %x : !pto.memref<?x?xi32, {layout}>
.arg %out : !pto.memref<8x16xi32, {layout}>
%s = tload %x : (!pto.memref<?x?xi32, {layout}>) -> {tile}
tstore %s, %out : ({tile}, !pto.memref<8x16xi32, {layout}>)
"""
    cpp = lower(ptoas.parse(text, "open.pto"), "a2a3")
    assert cpp.count("int64_t x_dim1") == 1
    x = np.arange(128, dtype=np.int32).reshape(8, 16)
    assert run_cases([Case("open", text, "a2a3", arguments={"x": x})], tmp_path) == []


def test_of_two_writers_the_last_in_the_order_of_rows_stays() -> None:
    """A column-major tile lies in memory column by column; the scatter still goes row by row."""
    tile, index = "!pto.tile_buf<vec, 8x2xi32, blayout=col_major>", "!pto.memref<8x2xi32, dn>"
    module = ptoas.parse(f"""
.arg %x : {index}
.arg %i : {index}
.arg %table : !pto.memref<4x4xi32>
%s = tload %x : ({index}) -> {tile}
%t = tload %i : ({index}) -> {tile}
mscatter.elem %table, %s, %t : (!pto.memref<4x4xi32>, {tile}, {tile})
""")
    values, table = np.arange(16, dtype=np.int32).reshape(8, 2), np.zeros((4, 4), np.int32)
    arguments = {"x": values, "i": np.full((8, 2), 5, np.int32), "table": table}
    result = ptoas.run(module, arguments, target="a5")
    assert result.outputs["table"].reshape(-1)[5] == 15
    arguments["i"] = np.array([[5, 6]] * 7 + [[6, 5]], np.int32)
    result = ptoas.run(module, arguments, target="a5")
    assert result.outputs["table"].reshape(-1)[5:7].tolist() == [15, 14]


@pytest.mark.parametrize("form", ["asm", "ssa", "dps", "generic"])
def test_a_constant_of_an_unsigned_tile_can_be_written_and_read(form: str) -> None:
    text = """
.arg %out : !pto.memref<1x8xui32>
.const %k = 4294967295 : ui32
%d = texpands %k : (ui32) -> !pto.tile<1x8xui32>
tstore %d, %out : (!pto.tile<1x8xui32>, !pto.memref<1x8xui32>)
"""
    module = ptoas.parse(text, "unsigned.pto")
    again = ptoas.parse(ptoas.print_module(module, form=form), "unsigned.pto")
    assert (ptoas.run(again, {}, target="a5").outputs["out"] == 0xFFFFFFFF).all()


def test_one_column_of_indices_is_never_elements_on_a5_custom() -> None:
    """Document 002: an index tile of one column makes a gather of rows, whatever the text says."""
    tile, index = "!pto.tile_buf<vec, 16x1xui16>", "!pto.tile_buf<vec, 16x1xi32>"
    gather = f".arg %m : !pto.memref<4x13xui16>\n.arg %i : {index}\n%d = mgather.MODE %m, %i : (!pto.memref<4x13xui16>, {index}) -> {tile}\n"
    report = ptoas.verify(ptoas.parse(gather.replace("MODE", "elem")), "a5-custom")
    assert [d.code for d in report.errors] == ["PTO-A207"]
    assert ptoas.verify(ptoas.parse(gather.replace("MODE", "row")), "a5-custom").ok


def test_the_simulator_converts_as_a_cast_does() -> None:
    """A conversion keeps the low bits of a number that is too large, and rounds to nearest in every mode."""
    module = ptoas.parse("""
.arg %x : !pto.memref<1x8xi32>
.arg %y : !pto.memref<1x8xf32>
.arg %low : !pto.memref<1x8xi8>
.arg %near : !pto.memref<1x8xbf16>
%a = tload %x : (!pto.memref<1x8xi32>) -> !pto.tile_buf<vec, 1x8xi32>
%b = tcvt %a : (!pto.tile_buf<vec, 1x8xi32>) -> !pto.tile_buf<vec, 1x32xi8, valid=1x8>
tstore %b, %low : (!pto.tile_buf<vec, 1x32xi8, valid=1x8>, !pto.memref<1x8xi8>)
%c = tload %y : (!pto.memref<1x8xf32>) -> !pto.tile_buf<vec, 1x8xf32>
%d = tcvt %c {rmode = #pto<round_mode CEIL>} : (!pto.tile_buf<vec, 1x8xf32>) -> !pto.tile_buf<vec, 1x16xbf16, valid=1x8>
tstore %d, %near : (!pto.tile_buf<vec, 1x16xbf16, valid=1x8>, !pto.memref<1x8xbf16>)
""")
    x, y = np.full((1, 8), 300, np.int32), np.full((1, 8), 1.001, np.float32)
    result = ptoas.run(module, {"x": x, "y": y}, target="cpu")
    assert (result.outputs["low"] == 300 - 256).all()
    assert (result.outputs["near"].astype(np.float32) == 1.0).all()


def test_forgetting_clears_what_was_written_and_touches_nothing_else() -> None:
    bits = Bits(1 << 20)
    bits.written[64:96] = True
    bits.top = 96
    bits.forget()
    assert not bits.written[:128].any()
    assert bits.top == 0
