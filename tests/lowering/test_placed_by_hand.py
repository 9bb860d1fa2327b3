# ruff: noqa: E501 - programs are text, and their lines are as long as they are
"""Functions that the author has placed, to which passes add tiles of their own (D21)."""

from __future__ import annotations

import re

import numpy as np
import pytest

import ptoas
from ptoas.diagnostics import PtoasError

LOOKUP = """
func.func @lookup(%table: !pto.memref<64x8xi32>, %ids: !pto.memref<1x8xi32>, %out: !pto.memref<8x8xi32>) {
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %i = pto.alloc_tile addr = %c0 : !pto.tile_buf<vec, 1x8xi32>
  %d = pto.alloc_tile addr = %c64 : !pto.tile_buf<vec, 8x8xi32>
  pto.tload ins(%ids : !pto.memref<1x8xi32>) outs(%i : !pto.tile_buf<vec, 1x8xi32>)
  pto.mgather ins(%table, %i : !pto.memref<64x8xi32>, !pto.tile_buf<vec, 1x8xi32>) outs(%d : !pto.tile_buf<vec, 8x8xi32>) {coalesce = #pto<coalesce row>, gatherOob = #pto<gather_oob OOB>}
  pto.tstore ins(%d : !pto.tile_buf<vec, 8x8xi32>) outs(%out : !pto.memref<8x8xi32>)
  return
}
"""
IDS = np.array([[0, 63, 64, -1, 5, 100, 2, 2]], np.int32)


@pytest.mark.parametrize("oob", ["clamp", "wrap", "zero"])
def test_a_gather_that_cpu_lacks_is_rewritten_there_too(oob: str) -> None:
    """On an NPU target and, rewritten, on `cpu` it gives the same rows (D17)."""
    table = np.arange(512, dtype=np.int32).reshape(64, 8)
    module = ptoas.parse(LOOKUP.replace("OOB", oob))
    unsigned = IDS[0].astype(np.int64) % 2**32
    chosen = unsigned % 64 if oob == "wrap" else np.minimum(unsigned, 63)
    expected = table[chosen]
    if oob == "zero":
        expected[unsigned >= 64] = 0
    for target in ("a2a3", "cpu"):
        result = ptoas.run(module, {"table": table, "ids": IDS}, target=target, legalize=target == "cpu")
        assert np.array_equal(result.outputs["out"], expected), target


def test_the_tiles_that_it_needs_lie_above_the_author_s() -> None:
    text = ptoas.lower(ptoas.parse(LOOKUP.replace("OOB", "clamp")), "cpu", legalize=True)
    places = {name: int(address, 16) for address, name in re.findall(r"TASSIGN<(0x\w+)>\((\w+)\);", text)}
    assert (places.pop("i"), places.pop("d")) == (0, 64)
    assert places.pop("tmp") == 0  # scratch that cpu has a place for and does not touch
    assert len(places) > 5
    assert min(places.values()) == 64 + 8 * 8 * 4
    assert len(set(places.values())) == len(places)


def test_a_tile_that_the_author_forgot_to_place_is_refused_even_so() -> None:
    text = LOOKUP.replace("OOB", "clamp").replace("addr = %c64 : !pto", ": !pto")
    with pytest.raises(PtoasError) as caught:
        ptoas.run(ptoas.parse(text), target="cpu", legalize=True)
    (found,) = caught.value.diagnostics
    assert (found.code, found.span.line, found.targets) == ("PTO-U101", 6, ("cpu",))
    assert "%d" in found.message
