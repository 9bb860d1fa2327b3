# ruff: noqa: E501 - programs are text
"""What a target would do, from the documents' performance sections."""

from __future__ import annotations

import numpy as np
import pytest

from ptoas.runner.stats import launch_geometry
from tests.machine.support import execute


@pytest.mark.parametrize("rows", [1, 2, 7, 31, 32, 33, 64])
@pytest.mark.parametrize("cols", [1, 31, 32, 33, 256, 5000])
def test_the_launch_of_a_row_gather(rows: int, cols: int) -> None:
    """kRowWarps = min(rows, 32); kWarpsPerRow = min(32 / kRowWarps, ceil(cols / 32)); at most 1024 threads."""
    found = launch_geometry(rows, cols, by_row=True)
    row_warps = min(rows, 32)
    per_row = min(32 // row_warps, (cols + 31) // 32)
    assert (found["kRowWarps"], found["kWarpsPerRow"]) == (row_warps, per_row)
    assert found["kLaunchWarps"] == row_warps * per_row and found["threads"] <= 1024


@pytest.mark.parametrize(
    ("count", "warps", "idle"), [(1, 1, 31), (32, 1, 0), (33, 2, 31), (1024, 32, 0), (5000, 32, 0)]
)
def test_the_launch_of_an_element_gather(count: int, warps: int, idle: int) -> None:
    """kLaunchWarps = min(ceil(elements / 32), 32); threads past the last element do nothing."""
    found = launch_geometry(1, count, by_row=False)
    assert found == {"kLaunchWarps": warps, "threads": 32 * warps, "idle_threads": idle}


NZ = """
func.func @main(%table: !pto.memref<2x3x1x16x16xf16, nz>, %idx: !pto.memref<1x16xi32>, %out: !pto.memref<5x96xf16>) {
  %d = pto.alloc_tile : !pto.tile_buf<vec, 16x96xf16, valid=5x96, blayout=col_major, slayout=row_major>
  %i = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32, valid=1x5>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %p = pto.partition_view %idx, offsets = [%c0, %c0], sizes = [%c1, %c5] : !pto.memref<1x16xi32> -> !pto.partition_tensor_view<1x5xi32>
  pto.tload ins(%p : !pto.partition_tensor_view<1x5xi32>) outs(%i : !pto.tile_buf<vec, 1x16xi32, valid=1x5>)
  pto.mgather ins(%table, %i : !pto.memref<2x3x1x16x16xf16, nz>, !pto.tile_buf<vec, 1x16xi32, valid=1x5>)
    outs(%d : !pto.tile_buf<vec, 16x96xf16, valid=5x96, blayout=col_major, slayout=row_major>) {coalesce = #pto<coalesce row>}
  pto.tstore ins(%d : !pto.tile_buf<vec, 16x96xf16, valid=5x96, blayout=col_major, slayout=row_major>) outs(%out : !pto.memref<5x96xf16>)
  return
}
"""


def test_an_nz_row_gather_is_a_burst_a_block_column() -> None:
    """Each (logical row, batch) pair is one call with nBurst = gShape1."""
    result = execute(NZ, {"idx": np.zeros((1, 16), np.int32)}, "a2a3", stats=True)
    assert result.stats is not None
    found = result.stats.as_dict()
    assert found["gather_dma_calls"] == 5 * 2 and found["gather_dma_bursts"] == 5 * 2 * 3
    assert found["gather_bytes"] == 5 * 96 * 2 and found["scalar_index_reads"] == 5


@pytest.mark.parametrize(
    ("target", "figures"),
    [
        ("cpu", {"gather_elements": 64}),
        ("a2a3", {"gather_scalar_accesses": 64, "scalar_index_reads": 64}),
    ],
)
def test_elements_that_are_fetched_one_by_one(target: str, figures: dict[str, int]) -> None:
    text = """
.arg %table : !pto.memref<64x8xf32>
.arg %idx : !pto.tile<8x8xi32>
.arg %out : !pto.memref<8x8xf32>
%d = mgather.elem %table, %idx : (!pto.memref<64x8xf32>, !pto.tile<8x8xi32>) -> !pto.tile<8x8xf32>
tstore %d, %out
"""
    stats = execute(text, {"idx": np.zeros((8, 8), np.int32)}, target, stats=True).stats
    assert stats is not None and {name: stats.as_dict().get(name) for name in figures} == figures
