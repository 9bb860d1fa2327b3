# ruff: noqa: E501 - programs are text
"""Work of a target, from the documents' performance sections."""

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


ROWS = """
.arg %table : !pto.memref<64x8xf32>
.arg %idx : !pto.tile<SHAPE>
.arg %out : !pto.memref<8x8xf32>
%d = mgather.row.zero %table, %idx : (!pto.memref<64x8xf32>, !pto.tile<SHAPE>) -> !pto.tile<8x8xf32>
tstore %d, %out
"""


def figures(text: str, target: str, **arguments: np.ndarray) -> dict[str, object]:
    stats = execute(text, arguments, target, stats=True).stats
    assert stats is not None
    return stats.as_dict()


def test_rows_out_of_bounds_are_not_transferred() -> None:
    """With zero on A2/A3 they are cleared; the index is read all the same."""
    text = ROWS.replace("SHAPE", "1x8xi32")
    idx = np.array([[0, 64, -1, 3, 63, 99, 5, 6]], np.int32)
    found = figures(text, "a2a3", idx=idx)
    assert (found["gather_dma_calls"], found["gather_bytes"], found["scalar_index_reads"]) == (5, 5 * 32, 8)
    clamped = figures(text.replace("zero", "clamp"), "a2a3", idx=idx)
    assert (clamped["gather_dma_calls"], clamped["gather_bytes"]) == (8, 8 * 32)


def test_the_custom_instruction_launches_all_threads() -> None:
    found = figures(ROWS.replace("SHAPE", "8x1xi32"), "a5-custom", idx=np.zeros((8, 1), np.int32))
    (launch,) = found["launches"].values()  # type: ignore[attr-defined]
    assert launch == {"kLaunchWarps": 32, "threads": 1024, "idle_threads": 1024 - 64}


def test_a_column_is_one_burst_and_flags_are_apart_from_waits() -> None:
    text = """
.arg %x : !pto.memref<16x3xf32, dn>
.arg %y : !pto.memref<16x3xf32, dn>
%a = tload %x : (!pto.memref<16x3xf32, dn>) -> !pto.tile<16x3xf32, blayout=col_major>
tstore %a, %y
"""
    found = figures(text, "a5")
    assert (found["dma_load_bursts"], found["dma_store_bursts"]) == (3, 3)
    assert found["dma_load_bytes"] == 16 * 3 * 4
    assert (found["pipe_flags"], found["pipe_waits"]) == (1, 1)


def test_a_collective_counts_its_bytes() -> None:
    text = """func.func @main(%d: !pto.memref<16x8xf32>, %a: !pto.memref<8x8xf32>, %b: !pto.memref<8x8xf32>, %rank: index) {
  %zero = arith.constant 0 : index
  %is = arith.cmpi eq, %rank, %zero : index
  %t = pto.alloc_tile : !pto.tile_buf<vec, 8x8xf32>
  scf.if %is {
    pto.comm.tgather(%d, group(%a, %b), recv(%t) : !pto.memref<16x8xf32>, !pto.memref<8x8xf32>, !pto.memref<8x8xf32>, !pto.tile_buf<vec, 8x8xf32>) {root = 0 : i32}
  }
  return
}"""
    assert figures(text, "a5")["collective_bytes"] == 2 * 8 * 8 * 4
