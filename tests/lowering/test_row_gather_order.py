# ruff: noqa: E501 - programs are text
"""A Row gather of a2a3 waits for stores and vector instructions itself (D27)."""

from __future__ import annotations

import numpy as np
import pytest

import ptoas


def test_a_row_gather_needs_no_flag_for_what_its_destination_was_stored_from() -> None:
    module = ptoas.parse("""
func.func @k(%t: !pto.memref<64x32xf32>, %x: !pto.memref<1x16xi32>, %y: !pto.memref<16x32xf32>) {
  %i = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>
  %d = pto.alloc_tile : !pto.tile_buf<vec, 16x32xf32>
  pto.tload ins(%y : !pto.memref<16x32xf32>) outs(%d : !pto.tile_buf<vec, 16x32xf32>)
  pto.tstore ins(%d : !pto.tile_buf<vec, 16x32xf32>) outs(%y : !pto.memref<16x32xf32>)
  pto.tload ins(%x : !pto.memref<1x16xi32>) outs(%i : !pto.tile_buf<vec, 1x16xi32>)
  pto.mgather ins(%t, %i : !pto.memref<64x32xf32>, !pto.tile_buf<vec, 1x16xi32>) outs(%d : !pto.tile_buf<vec, 16x32xf32>) {coalesce = #pto<coalesce row>}
  return
}
""")
    assert "PIPE_MTE3, PIPE_MTE2" not in ptoas.lower(module, "a2a3")


BY_HAND = """
func.func @k(%t: !pto.memref<64x32xf32>, %x: !pto.memref<1x16xi32>, %y: !pto.memref<16x32xf32>, %z: !pto.memref<16x32xf32>, %s: f32) {
  %i = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>
  %d = pto.alloc_tile : !pto.tile_buf<vec, 16x32xf32>
  pto.texpands ins(%s : f32) outs(%d : !pto.tile_buf<vec, 16x32xf32>)
  pto.set_flag[#pto.pipe<PIPE_V>, #pto.pipe<PIPE_MTE3>, #pto.event<EVENT_ID1>]
  pto.wait_flag[#pto.pipe<PIPE_V>, #pto.pipe<PIPE_MTE3>, #pto.event<EVENT_ID1>]
  pto.tstore ins(%d : !pto.tile_buf<vec, 16x32xf32>) outs(%z : !pto.memref<16x32xf32>)
  pto.tload ins(%x : !pto.memref<1x16xi32>) outs(%i : !pto.tile_buf<vec, 1x16xi32>)
  pto.set_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID1>]
  pto.wait_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID1>]
  pto.mgather ins(%t, %i : !pto.memref<64x32xf32>, !pto.tile_buf<vec, 1x16xi32>) outs(%d : !pto.tile_buf<vec, 16x32xf32>) {coalesce = #pto<coalesce row>}
  pto.tstore ins(%d : !pto.tile_buf<vec, 16x32xf32>) outs(%y : !pto.memref<16x32xf32>)
  return
}
"""


def test_flags_by_hand_around_a_row_gather_are_enough_and_the_flag_of_its_index_is_needed() -> None:
    """The destination was written by V and stored by MTE3 before, and is stored after: no flag but the one for
    the index. `verify` and `run` both say so, and both miss that one."""
    assert ptoas.verify(ptoas.parse(BY_HAND), "a2a3").diagnostics == ()
    indices = np.arange(16, dtype=np.int32)[None, ::-1].copy()
    table = np.arange(64 * 32, dtype=np.float32).reshape(64, 32)
    result = ptoas.run(
        ptoas.parse(BY_HAND), {"t": table, "x": indices, "s": 2.0}, target="a2a3", generate=True
    )
    assert (result.outputs["y"] == table[15::-1]).all() and (result.outputs["z"] == 2).all()
    without = "\n".join(line for line in BY_HAND.splitlines() if "PIPE_MTE2>, #pto.pipe<PIPE_V>" not in line)
    (found,) = ptoas.verify(ptoas.parse(without), "a2a3").diagnostics
    assert found.code == "PTO-F101"
    with pytest.raises(ptoas.PtoasError, match="PTO-R301"):
        ptoas.run(ptoas.parse(without), {"t": table, "x": indices}, target="a2a3", force=True, generate=True)
