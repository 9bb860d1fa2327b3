# ruff: noqa: E501 - programs are text
"""Every check with a program that trips it and one that just does not."""

from __future__ import annotations

import numpy as np
import pytest

from ptoas.diagnostics.data import load_data
from ptoas.machine.machine import Checks
from tests.machine.support import execute, failing


def test_every_code_explains_itself() -> None:
    for code, entry in load_data("codes/run").items():
        assert code.startswith("PTO-R") and entry["title"] and entry["explanation"].endswith(".")


def test_the_names_of_checks() -> None:
    assert Checks.of("all") == Checks()
    assert Checks.of("none") == Checks(False, False, False, False, False)
    assert Checks.of("mem, init") == Checks(True, True, False, False, False)
    with pytest.raises(ValueError, match="speed"):
        Checks.of("mem,speed")


# --- uninitialised bytes -------------------------------------------------------------------------

INIT = """
func.func @main(%m: !pto.memref<2x5xf32>, %out: !pto.memref<2xCOLSxf32>) {
  %a = pto.alloc_tile : !pto.tile_buf<vec, 2x8xf32, valid=2x5>
  %b = pto.alloc_tile : !pto.tile_buf<vec, 2x8xf32, valid=2x5>
  pto.tload ins(%m : !pto.memref<2x5xf32>) outs(%a : !pto.tile_buf<vec, 2x8xf32, valid=2x5>)
  pto.tadd ins(%a, SOURCE : !pto.tile_buf<vec, 2x8xf32, valid=2x5>, !pto.tile_buf<vec, 2x8xf32, valid=2x5>)
    outs(%b : !pto.tile_buf<vec, 2x8xf32, valid=2x5>)
  return
}
""".replace("COLS", "5")


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
def test_read_of_uninitialised_memory_is_an_error(target: str) -> None:
    found = failing("PTO-R201", INIT.replace("SOURCE", "%b"), target=target)
    assert "tadd reads %b" in found.message and "[0, 0]" in found.message and found.span.line == 6
    assert "no instruction of this run writes" in found.notes[0].message
    execute(INIT.replace("SOURCE", "%a"), target=target)
    execute(INIT.replace("SOURCE", "%b"), target=target, checks="mem,race,budget")


PARTLY = """
func.func @main(%m: !pto.memref<2x5xf32>, %out: !pto.memref<2xCOLSxf32>) {
  %z = arith.constant 0 : i64
  %a = pto.alloc_tile addr = %z : !pto.tile_buf<vec, 2x8xf32, valid=2x5>
  %b = pto.alloc_tile addr = %z : !pto.tile_buf<vec, 2x8xf32, valid=2xCOLS>
  pto.tload ins(%m : !pto.memref<2x5xf32>) outs(%a : !pto.tile_buf<vec, 2x8xf32, valid=2x5>)
  pto.tstore ins(%b : !pto.tile_buf<vec, 2x8xf32, valid=2xCOLS>) outs(%out : !pto.memref<2xCOLSxf32>)
  return
}
"""


def test_tiles_at_one_address_share_what_was_written() -> None:
    """D22: a tile counts as written when its bytes were, through whichever tile; here but for one column."""
    found = failing("PTO-R201", PARTLY.replace("COLS", "6"))
    assert "[0, 5]" in found.message and "8 of 48 bytes" in found.message
    assert "tload at line 6" in found.notes[0].message
    mem = np.arange(10, dtype=np.float32).reshape(2, 5)
    assert np.array_equal(execute(PARTLY.replace("COLS", "5"), {"m": mem}).outputs["out"], mem)


def test_a_tile_of_each_turn_starts_unwritten() -> None:
    """Tiles placed by the compiler are new in every turn of a loop, whatever their bytes held before."""
    text = """
func.func @main(%m: !pto.memref<1x8xf32>, %out: !pto.memref<1x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c2 step %c1 {
    %t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
    %first = arith.cmpi CMP, %i, %c0 : index
    scf.if %first {
      pto.tload ins(%m : !pto.memref<1x8xf32>) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
    }
    pto.barrier #pto.pipe<PIPE_ALL>
    pto.tstore ins(%t : !pto.tile_buf<vec, 1x8xf32>) outs(%out : !pto.memref<1x8xf32>)
    pto.barrier #pto.pipe<PIPE_ALL>
  }
  return
}
"""
    failing("PTO-R201", text.replace("CMP", "eq"))
    execute(text.replace("CMP", "uge"))


def test_a_gather_reads_only_what_it_chooses() -> None:
    text = """
func.func @main(%m: !pto.memref<1x8xf32>, %i: !pto.tile<1x8xi32>) {
  %z = arith.constant 0 : i64
  %n = arith.constant 64 : i64
  %d0 = arith.constant 4096 : i64
  %half = pto.alloc_tile addr = %z : !pto.tile_buf<vec, 1x8xf32>
  %src = pto.alloc_tile addr = %z : !pto.tile_buf<vec, 2x8xf32>
  %d = pto.alloc_tile addr = %d0 : !pto.tile_buf<vec, 1x8xf32>
  pto.tload ins(%m : !pto.memref<1x8xf32>) outs(%half : !pto.tile_buf<vec, 1x8xf32>)
  pto.tgather ins(%src, %i : !pto.tile_buf<vec, 2x8xf32>, !pto.tile<1x8xi32>) outs(%d : !pto.tile_buf<vec, 1x8xf32>)
  return
}
"""
    idx = np.array([[7, 6, 5, 4, 3, 2, 1, 0]], np.int32)
    execute(text, {"i": idx})
    idx[0, 3] = 8
    failing("PTO-R201", text, {"i": idx})


# --- budget --------------------------------------------------------------------------------------

BUDGET = """
func.func @main(%m: !pto.memref<1x8xf32>, %table: !pto.memref<8x8xf32>, %idx: !pto.memref<1x8xi32>, %a: i64) {
  %b = arith.constant 4096 : i64
  %c = arith.constant 8192 : i64
  %t = pto.alloc_tile addr = %a : !pto.tile_buf<vec, 1x8xf32>
  %i = pto.alloc_tile addr = %b : !pto.tile_buf<vec, 1x8xi32>
  %d = pto.alloc_tile addr = %c : !pto.tile_buf<vec, 8x8xf32>
  pto.tload ins(%m : !pto.memref<1x8xf32>) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
  pto.tload ins(%idx : !pto.memref<1x8xi32>) outs(%i : !pto.tile_buf<vec, 1x8xi32>)
  pto.mgather ins(%table, %i : !pto.memref<8x8xf32>, !pto.tile_buf<vec, 1x8xi32>) outs(%d : !pto.tile_buf<vec, 8x8xf32>)
    {coalesce = #pto<coalesce row>}
  return
}
"""
KB = 1024


@pytest.mark.parametrize(
    ("target", "limit", "code"), [("a2a3", 192 * KB, "PTO-R104"), ("a5", 216 * KB, "PTO-R401")]
)
def test_tiles_fit_the_memory(target: str, limit: int, code: str) -> None:
    execute(BUDGET, {"a": limit - 32}, target)
    found = failing(code, BUDGET, {"a": limit}, target)
    assert str(limit + 32) in found.message and str(limit) in found.message and found.span.line == 5


def test_the_memory_itself_ends() -> None:
    failing("PTO-R104", BUDGET, {"a": 256 * KB}, checks="none")
    execute(BUDGET, {"a": 256 * KB - 32}, checks="none")


def test_a_large_gather_asks_for_dynamic_memory() -> None:
    text = """
func.func @main(%table: !pto.memref<8xCOLSxf32>, %i: !pto.tile<1x8xi32>) {
  %d = pto.alloc_tile : !pto.tile_buf<vec, 8xCOLSxf32>
  pto.mgather ins(%table, %i : !pto.memref<8xCOLSxf32>, !pto.tile<1x8xi32>) outs(%d : !pto.tile_buf<vec, 8xCOLSxf32>)
    {coalesce = #pto<coalesce row>}
  return
}
"""
    fits = (128 * KB - 32) // 32 // 8 * 8
    assert not execute(text.replace("COLS", str(fits))).warnings
    (warning,) = execute(text.replace("COLS", str(fits + 8))).warnings
    assert warning.code == "PTO-R402" and not warning.is_error


def test_a_large_scatter_asks_for_dynamic_memory() -> None:
    text = """
func.func @main(%table: !pto.memref<8xCOLSxf32>, %i: !pto.tile<1x8xi32>, %s: !pto.tile<8xCOLSxf32>) {
  pto.mscatter ins(%s, %i : !pto.tile<8xCOLSxf32>, !pto.tile<1x8xi32>) outs(%table : !pto.memref<8xCOLSxf32>)
    {coalesce = #pto<coalesce row>, scatterConflict = #pto<scatter_conflict last>}
  return
}
"""
    fits = (128 * KB - 32) // 32 // 8 * 8
    assert not execute(text.replace("COLS", str(fits))).warnings
    (warning,) = execute(text.replace("COLS", str(fits + 8))).warnings
    assert warning.code == "PTO-R402" and not warning.is_error


# --- places of tiles -----------------------------------------------------------------------------


def test_run_checks_a_dynamic_address() -> None:
    text = """
func.func @main(%m: !pto.memref<1x8xf32>, %at: i64, %out: !pto.memref<1x8xf32>) {
  %t = pto.alloc_tile addr = %at : !pto.tile_buf<vec, 1x8xf32>
  pto.tload ins(%m : !pto.memref<1x8xf32>) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
  pto.tstore ins(%t : !pto.tile_buf<vec, 1x8xf32>) outs(%out : !pto.memref<1x8xf32>)
  return
}
"""
    mem = np.arange(8, dtype=np.float32).reshape(1, 8)
    assert np.array_equal(execute(text, {"m": mem, "at": 4096}).outputs["out"], mem)
    failing("PTO-R104", text, {"m": mem, "at": 1 << 30})
    failing("PTO-R104", text, {"m": mem, "at": -32})


VALID = """
func.func @main(%m: !pto.memref<2x3xf32>, %r: index, %c: index, %out: !pto.memref<2x3xf32>) {
  %t = pto.alloc_tile valid_row = %r valid_col = %c : !pto.tile_buf<vec, 2x8xf32, valid=?x?>
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  pto.set_validshape %t, %c2, %c3 : !pto.tile_buf<vec, 2x8xf32, valid=?x?>
  pto.tload ins(%m : !pto.memref<2x3xf32>) outs(%t : !pto.tile_buf<vec, 2x8xf32, valid=?x?>)
  pto.tstore ins(%t : !pto.tile_buf<vec, 2x8xf32, valid=?x?>) outs(%out : !pto.memref<2x3xf32>)
  return
}
"""


def test_valid_extents_fit_the_tile() -> None:
    mem = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert np.array_equal(execute(VALID, {"m": mem, "r": 2, "c": 8}).outputs["out"], mem)
    assert "[2, 9]" in failing("PTO-R107", VALID, {"m": mem, "r": 2, "c": 9}).message


def test_windows_of_a_tile() -> None:
    text = """
func.func @main(%t: !pto.tile<4x16xf32>, %r: index, %out: !pto.memref<2x8xf32>) {
  %c8 = arith.constant 8 : index
  %w = pto.subview %t[%r, %c8] sizes [2, 8] : !pto.tile<4x16xf32> -> !pto.tile_buf<vec, 2x8xf32>
  pto.tstore ins(%w : !pto.tile_buf<vec, 2x8xf32>) outs(%out : !pto.memref<2x8xf32>)
  return
}
"""
    tile = np.arange(64, dtype=np.float32).reshape(4, 16)
    assert np.array_equal(execute(text, {"t": tile, "r": 2}).outputs["out"], tile[2:4, 8:])
    failing("PTO-R107", text, {"t": tile, "r": 3})


def test_an_operation_from_elsewhere_can_not_be_run() -> None:
    text = "func.func private @other(%x: i32)\nfunc.func @main(%x: i32) {\n  func.call @other(%x) : (i32) -> ()\n  return\n}\n"
    failing("PTO-R505", text, {"x": 1})
