# ruff: noqa: E501 - programs are text
"""A Row gather of a2a3 waits for stores and vector instructions itself (D27)."""

from __future__ import annotations

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
