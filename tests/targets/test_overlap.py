"""A finding about order names what is wrong: where tiles overlap in part, not a missing flag."""

from __future__ import annotations

import pytest

import ptoas

TEXT = """
func.func @kernel(%x: !pto.memref<16x32xf32>, %y: !pto.memref<16x32xf32>) {
  %a = arith.constant 0 : i64
  %b = arith.constant SECOND : i64
  %s = pto.alloc_tile addr = %a : !pto.tile_buf<vec, 16x32xf32>
  %t = pto.alloc_tile addr = %b : !pto.tile_buf<vec, 16x32xf32>
  pto.tload ins(%x : !pto.memref<16x32xf32>) outs(%s : !pto.tile_buf<vec, 16x32xf32>)
  pto.set_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]
  pto.wait_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]
  pto.tneg ins(%s : !pto.tile_buf<vec, 16x32xf32>) outs(%s : !pto.tile_buf<vec, 16x32xf32>)
  pto.tstore ins(%t : !pto.tile_buf<vec, 16x32xf32>) outs(%y : !pto.memref<16x32xf32>)
  return
}
"""


@pytest.mark.parametrize(("second", "words"), [(1024, "apart"), (0, "set_flag")])
def test_the_fix_of_an_overlap_in_part_is_to_place_the_tiles_apart(second: int, words: str) -> None:
    report = ptoas.verify(ptoas.parse(TEXT.replace("SECOND", str(second))), "a5")
    (finding,) = [each for each in report.errors if each.code == "PTO-F101"]
    assert words in (finding.fix or "") and ("set_flag" in (finding.fix or "")) == (words == "set_flag")
