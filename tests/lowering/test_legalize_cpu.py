# ruff: noqa: E501 - programs are text, and their lines are as long as they are
"""Gathers that `cpu` lacks, rewritten (D17): tables and tiles whose extents are known only when they run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptoas
from ptoas.diagnostics import PtoasError
from ptoas.interpreter.run import run
from ptoas.lowering.lower import lower

ROWS, STRIDE, COLS = 11, 24, 16
WILD = np.array([0, 10, 11, 12, -1, -11, -12, 2**31 - 1, -(2**31), 5, 1 << 20, -7, 3, 22, 33, 9], np.int32)


def remapped(index: np.ndarray, capacity: int, oob: str) -> tuple[np.ndarray, np.ndarray]:
    """Where an index of 32 unsigned bits reads, and whether it lay inside (D12)."""
    unsigned = index.astype(np.int64) % 2**32
    inside = unsigned < capacity
    where = unsigned % capacity if oob == "wrap" else np.minimum(unsigned, capacity - 1)
    return where, inside if oob == "zero" else np.ones_like(inside)


DYNAMIC_ROWS = """
func.func @f(%t: !pto.ptr<f32>, %idx: !pto.memref<1x16xi32>, %out: !pto.ptr<f32>, %rows: index, %stride: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  TABLE
  %i = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>
  pto.tload ins(%idx : !pto.memref<1x16xi32>) outs(%i : !pto.tile_buf<vec, 1x16xi32>)
  %d = pto.alloc_tile valid_row = %n : !pto.tile_buf<vec, 16x16xf32, valid=?x16>
  pto.mgather ins(%table, %i : TYPE, !pto.tile_buf<vec, 1x16xi32>) outs(%d : !pto.tile_buf<vec, 16x16xf32, valid=?x16>) {coalesce = #pto<coalesce row>, gatherOob = #pto<gather_oob OOB>}
  %vo = pto.make_tensor_view %out, shape = [%n, %c16], strides = [%c16, %c1] : !pto.tensor_view<?x16xf32>
  pto.tstore ins(%d : !pto.tile_buf<vec, 16x16xf32, valid=?x16>) outs(%vo : !pto.tensor_view<?x16xf32>)
  return
}
"""
VIEW = "pto.make_tensor_view %t, shape = [%rows, %c16], strides = [%stride, %c1] : !pto.tensor_view<?x16xf32>"
TABLES = {
    "view": (f"%table = {VIEW}", "!pto.tensor_view<?x16xf32>", 0),
    "part": (
        f"%whole = {VIEW}\n  %less = arith.subi %rows, %c1 : index\n"
        "  %table = pto.partition_view %whole, offsets = [%c1, %c0], sizes = [%less, %c16] : !pto.tensor_view<?x16xf32> -> !pto.partition_tensor_view<?x16xf32>",
        "!pto.partition_tensor_view<?x16xf32>",
        1,
    ),
}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("oob", ["clamp", "wrap", "zero"])
def test_rows_of_a_table_whose_extents_are_arguments(table: str, oob: str) -> None:
    made, type, first = TABLES[table]
    text = DYNAMIC_ROWS.replace("TABLE", made).replace("TYPE", type).replace("OOB", oob)
    memory = np.arange(ROWS * STRIDE, dtype=np.float32)
    out = np.full(16 * COLS, -1, np.float32)
    valid = 13
    arguments: dict[str, Any] = {"t": memory, "idx": WILD.reshape(1, 16), "out": out}
    scalars = {"rows": ROWS, "stride": STRIDE, "n": valid}
    run(ptoas.parse(text), {**arguments, **scalars}, "cpu", legalize=True)
    rows = memory.reshape(ROWS, STRIDE)[first:, :COLS]
    where, inside = remapped(WILD, len(rows), oob)
    expected = np.where(inside[:, None], rows[where], 0)[:valid]
    assert np.array_equal(out.reshape(16, COLS)[:valid], expected)
    assert (out.reshape(16, COLS)[valid:] == -1).all()


@pytest.mark.parametrize("oob", ["clamp", "wrap", "zero"])
def test_elements_of_a_table_with_two_unknown_extents(oob: str) -> None:
    text = """
func.func @f(%t: !pto.ptr<i32>, %idx: !pto.memref<1x16xi32>, %out: !pto.memref<1x16xi32>, %rows: index, %cols: index) {
  %c1 = arith.constant 1 : index
  %table = pto.make_tensor_view %t, shape = [%rows, %cols], strides = [%cols, %c1] : !pto.tensor_view<?x?xi32>
  %i = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>
  pto.tload ins(%idx : !pto.memref<1x16xi32>) outs(%i : !pto.tile_buf<vec, 1x16xi32>)
  %d = pto.alloc_tile : !pto.tile_buf<vec, 1x16xi32>
  pto.mgather ins(%table, %i : !pto.tensor_view<?x?xi32>, !pto.tile_buf<vec, 1x16xi32>) outs(%d : !pto.tile_buf<vec, 1x16xi32>) {coalesce = #pto<coalesce elem>, gatherOob = #pto<gather_oob OOB>}
  pto.tstore ins(%d : !pto.tile_buf<vec, 1x16xi32>) outs(%out : !pto.memref<1x16xi32>)
  return
}
""".replace("OOB", oob)
    memory = np.arange(100, 124, dtype=np.int32)
    out = np.zeros((1, 16), np.int32)
    run(
        ptoas.parse(text),
        {"t": memory, "idx": WILD.reshape(1, 16), "out": out, "rows": 3, "cols": 8},
        "cpu",
        legalize=True,
    )
    where, inside = remapped(WILD, 24, oob)
    assert out[0].tolist() == np.where(inside, memory[where], 0).tolist()


def gather(table: str, tile: str, mode: str, head: str = "", name: str = "%table") -> str:
    return f"""
func.func @f(%table: {table}, %i: !pto.tile_buf<vec, 16x16xi32>, %t: {tile}, %n: index, %p: !pto.ptr<f32>) {{
  {head}
  pto.mgather ins({name}, %i : {table}, !pto.tile_buf<vec, 16x16xi32>) outs(%t : {tile}) {{coalesce = #pto<coalesce {mode}>, gatherOob = #pto<gather_oob clamp>}}
  return
}}
"""


TILE = "!pto.tile_buf<vec, 16x16xf32>"


@pytest.mark.parametrize(
    ("table", "tile", "mode", "why"),
    [
        ("!pto.memref<32768x32768xf32>", TILE, "elem", "1073741824 entries"),
        ("!pto.memref<?x16xf32>", TILE, "elem", "extents must be known"),
        (
            "!pto.memref<64x16xf32>",
            TILE.replace(">", ", blayout=col_major>"),
            "elem",
            "row-major destination",
        ),
        ("!pto.memref<64x16xf32, dn>", TILE, "elem", "ND table"),
        ("!pto.memref<64x16xf32>", TILE.replace(">", ", valid=?x16>"), "elem", "valid extents"),
    ],
)
def test_what_can_not_be_rewritten_is_refused_with_its_reason(
    table: str, tile: str, mode: str, why: str
) -> None:
    with pytest.raises(PtoasError) as caught:
        lower(ptoas.parse(gather(table, tile, mode)), "cpu", legalize=True)
    (found,) = caught.value.diagnostics
    assert (found.code, found.span.line, found.targets) == ("PTO-L008", 4, ("cpu",))
    assert why in found.message
