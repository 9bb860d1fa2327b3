"""Arguments that are left out: places that are counted back from what memory holds, extents that run out."""

from __future__ import annotations

import pytest

import ptoas

BACK = """func.func @window(%pos: !pto.ptr<i32>, %table: !pto.ptr<f32>, %out: !pto.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %back = arith.constant -15 : index
  %read = pto.load_scalar %pos[%c0] : !pto.ptr<i32> -> i32
  %at = arith.index_cast %read : i32 to index
  scf.for %i = %c0 to %c16 step %c1 {
    %near = arith.addi %at, %i : index
    %place = arith.addi %near, %back : index
    %x = pto.load_scalar %table[%place] : !pto.ptr<f32> -> f32
    pto.store_scalar %x, %out[%i] : !pto.ptr<f32>, f32
  }
  return
}
"""

REST = """!tile = !pto.tile_buf<vec, 16x16xf32, valid=?x16>
!part = !pto.partition_tensor_view<?x16xf32>
func.func @rest(%x: !pto.ptr<f32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %all = pto.make_tensor_view %x, shape = [%n, %c16], strides = [%c16, %c1] : !pto.tensor_view<?x?xf32>
  %turns = arith.constant 4 : index
  scf.for %i = %c0 to %turns step %c1 {
    %at = arith.muli %i, %c16 : index
    %left = arith.subi %n, %at : index
    %rows = arith.minsi %left, %c16 : index
    %t = pto.alloc_tile valid_row = %rows : !tile
    %part = pto.partition_view %all, offsets = [%at, %c0], sizes = [%rows, %c16]
      : !pto.tensor_view<?x?xf32> -> !part
    pto.tload ins(%part : !part) outs(%t : !tile)
    pto.tstore ins(%t : !tile) outs(%part : !part)
  }
  return
}
"""


def test_generated_position_is_large_enough_for_its_offsets() -> None:
    """The 16 elements that end at a position: the least position that has 15 before it."""
    result = ptoas.run(ptoas.parse(BACK), {}, target="a5", generate=True)
    assert result.arguments["pos"].ravel()[0] == 15
    assert (result.outputs["out"].ravel()[:16] == result.arguments["table"].ravel()[:16]).all()


def test_a_loop_that_counts_back_begins_far_enough() -> None:
    """Its last turn takes the least place, and not its first."""
    text = BACK.replace("%near = arith.addi %at, %i : index", "%near = arith.subi %at, %i : index")
    text = text.replace("constant -15", "constant 0")
    result = ptoas.run(ptoas.parse(text), {}, target="a5", generate=True)
    assert result.arguments["pos"].ravel()[0] == 15
    assert (result.outputs["out"].ravel()[15::-1] == result.arguments["table"].ravel()[:16]).all()


@pytest.mark.parametrize("division", ["divsi", "floordivsi", "ceildivsi", "ceildivui", "remui"])
def test_generated_divisor_is_not_zero(division: str) -> None:
    text = BACK.replace("%near = arith.addi %at, %i : index", f"%near = arith.{division} %i, %at : index")
    text = text.replace("constant -15", "constant 0")
    result = ptoas.run(ptoas.parse(text), {}, target="a5", generate=True)
    assert result.arguments["pos"].ravel()[0] != 0


def test_an_extent_lasts_to_the_last_turn() -> None:
    """The last of four turns begins at row 48, and takes what is left: a row at least."""
    result = ptoas.run(ptoas.parse(REST), {}, target="a5", generate=True)
    assert result.arguments["n"] == 49


def test_generated_remainder_fills_a_tile() -> None:
    """Without other bounds, a generated scalar is chosen so that the first part is a whole tile."""
    text = REST.replace("shape = [%n, %c16]", "shape = [%c64, %c16]")
    text = text.replace("  %all", "  %c64 = arith.constant 64 : index\n  %all", 1)
    text = text.replace("%turns = arith.constant 4", "%turns = arith.constant 1")
    result = ptoas.run(ptoas.parse(text), {}, target="a5", generate=True)
    assert result.arguments["n"] == 16
