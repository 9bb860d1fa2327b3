"""Positions of the elements of boxed tiles and of tables in memory."""

# ruff: noqa: E501 - programs are text

from __future__ import annotations

import numpy as np
import pytest

import ptoas
from ptoas.dialects.pto.types import TileType
from ptoas.machine.tiles import element_offsets
from tests.machine.support import SIZE, execute, failing


def tile_type(text: str) -> TileType:
    module = ptoas.parse(f"func.func @main(%t: {text}) {{\n  return\n}}\n")
    (type_,) = [arg.type for op in module.walk() for region in op.regions for arg in region.blocks[0].args]
    assert isinstance(type_, TileType)
    return type_


LAYOUTS = {
    "Nz": ("col_major", "row_major", lambda i, j, R, C, r, c: (R // r * (j // c) + i // r) * r * c + i % r * c + j % c),
    "Zn": ("row_major", "col_major", lambda i, j, R, C, r, c: (C // c * (i // r) + j // c) * r * c + j % c * r + i % r),
    "Zz": ("row_major", "row_major", lambda i, j, R, C, r, c: (C // c * (i // r) + j // c) * r * c + i % r * c + j % c),
    "Nn": ("col_major", "col_major", lambda i, j, R, C, r, c: (R // r * (j // c) + i // r) * r * c + j % c * r + i % r),
}  # fmt: skip
"""Block order, order in a block, and where element (i, j) of R x C elements in blocks of r x c is."""


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("type_", "fractal", "box"),
    [("f32", 512, (16, 8)), ("f16", 512, (16, 16)), ("i8", 512, (16, 32)), ("f32", 1024, (16, 16)), ("i8", 32, (16, 2))],
)  # fmt: skip
def test_elements_of_a_boxed_tile(layout: str, type_: str, fractal: int, box: tuple[int, int]) -> None:
    blayout, slayout, offset = LAYOUTS[layout]
    r, c = box if slayout == "row_major" else box[::-1]
    rows, cols = 3 * r, 2 * c
    text = (
        f"!pto.tile_buf<mat, {rows}x{cols}x{type_}, blayout={blayout}, slayout={slayout}, fractal={fractal}>"
    )
    found = tile_type(text)
    expected = [[offset(i, j, rows, cols, r, c) for j in range(cols)] for i in range(rows)]
    assert element_offsets(found.shape, found.geometry).tolist() == expected
    assert found.size_bytes == rows * cols * SIZE[type_]


def test_row_plus_one_adds_a_row_to_each_column_of_blocks() -> None:
    """`row_plus_one`: the further row is one of the tile's, so block columns of 33 rows follow each other."""
    found = tile_type(
        "!pto.tile_buf<vec, 33x48xf16, valid=32x48, blayout=col_major, slayout=row_major, compact=row_plus_one>"
    )
    expected = [[(j // 16) * 33 * 16 + i * 16 + j % 16 for j in range(48)] for i in range(33)]
    assert element_offsets(found.shape, found.geometry).tolist() == expected
    assert found.size_bytes == 33 * 48 * 2


@pytest.mark.parametrize("layout", LAYOUTS)
def test_boxes_that_are_cut_do_not_share_elements(layout: str) -> None:
    blayout, slayout, _ = LAYOUTS[layout]
    found = tile_type(f"!pto.tile_buf<vec, 20x36xf32, blayout={blayout}, slayout={slayout}>")
    offsets = element_offsets(found.shape, found.geometry)
    assert len(np.unique(offsets)) == 20 * 36
    assert offsets.max() < found.size_bytes // 4


def test_a_vector_is_in_one_piece() -> None:
    found = tile_type("!pto.tile_buf<left, 1x64xf16, slayout=row_major>")
    assert element_offsets(found.shape, found.geometry).tolist() == [list(range(64))]


def test_the_destination_of_an_nz_gather() -> None:
    """Document 000: (c / kC0) * (Rows * kC0) + r * kC0 + (c % kC0)."""
    text = "!pto.tile_buf<vec, 32x24xf32, blayout=col_major, slayout=row_major, fractal=512>"
    expected = [[(c // 8) * (32 * 8) + r * 8 + c % 8 for c in range(24)] for r in range(32)]
    found = tile_type(text)
    assert element_offsets(found.shape, found.geometry).tolist() == expected


# --- tables --------------------------------------------------------------------------------------

TABLE = """
func.func @main(%mem: !pto.ptr<f32>, %at: index, %n: index, %i: !pto.tile<1x8xi32>, %out: !pto.memref<8x8xf32>) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %p = pto.addptr %mem, %at : !pto.ptr<f32> -> !pto.ptr<f32>
  %v = pto.make_tensor_view %p, shape = [%n, %c8], strides = [%c8, %c1] : !pto.tensor_view<?x8xf32>
  %d = pto.alloc_tile : !pto.tile_buf<vec, DESTxf32>
  pto.mgather ins(%v, %i : !pto.tensor_view<?x8xf32>, !pto.tile<1x8xi32>) outs(%d : !pto.tile_buf<vec, DESTxf32>)
    {coalesce = #pto<coalesce MODE>, gatherOob = #pto<gather_oob zero>}
  return
}
"""


@pytest.mark.parametrize(("mode", "dest"), [("row", "8x8"), ("elem", "1x8")])
@pytest.mark.parametrize(
    ("size", "at", "rows", "fits"),
    [
        (40, 0, 5, True),
        (40, 8, 4, True),
        (40, 8, 5, False),
        (39, 0, 5, False),
        (4, 0, 0, True),
        (4, 0, 1, False),
        (8, 0, 1, True),
        (8, 7, 1, False),
    ],
)
def test_table_outside_its_buffer_is_an_error(
    mode: str, dest: str, size: int, at: int, rows: int, fits: bool
) -> None:
    text = TABLE.replace("DEST", dest).replace("MODE", mode)
    mem = np.arange(1, size + 1, dtype=np.float32)
    idx = np.arange(8, dtype=np.int32).reshape(1, 8)
    arguments = {"mem": mem, "at": at, "n": rows, "i": idx}
    if not fits:
        failing("PTO-R102", text, arguments)
        return
    out = execute(text, arguments).outputs["d"]
    table = np.zeros(64, np.float32)
    table[: rows * 8] = mem[at : at + rows * 8]
    expected = table.reshape(8, 8) if mode == "row" else table[:8].reshape(1, 8)
    assert np.array_equal(out, expected)


@pytest.mark.parametrize("target", ["a2a3", "a5"])
def test_row_width_is_that_of_the_table(target: str) -> None:
    """Rows of 16 elements of a view that has 8, which only the run knows (D16)."""
    text = TABLE.replace("DEST", "8x16").replace("MODE", "row")
    arguments = {"mem": np.zeros(80, np.float32), "at": 0, "n": 5, "i": np.zeros((1, 8), np.int32)}
    assert "rows of 8 elements" in failing("PTO-R120", text, arguments, target).message


def test_rows_that_lie_on_each_other_are_no_table() -> None:
    """A stride of 0: on a2a3, which goes by it, there is no second row to reach (D16)."""
    text = TABLE.replace("DEST", "8x8").replace("MODE", "row").replace("[%c8, %c1]", "[%z, %c1]")
    text = text.replace("  %c1 =", "  %z = arith.constant 0 : index\n  %c1 =")
    arguments = {"mem": np.ones(64, np.float32), "at": 0, "n": 2, "i": np.zeros((1, 8), np.int32)}
    assert "holds only 0" in failing("PTO-R102", text, arguments, "a2a3").message


@pytest.mark.parametrize(("mode", "dest"), [("row", "8x8"), ("elem", "1x8")])
@pytest.mark.parametrize("at", [8, 9])
def test_access_past_the_end_of_a_buffer_is_an_error(mode: str, dest: str, at: int) -> None:
    """An empty table may lie there; unchecked, an index reaches what the buffer holds, which is nothing."""
    text = (
        TABLE.replace("DEST", dest).replace("MODE", mode).replace("gather_oob zero", "gather_oob undefined")
    )
    arguments = {"mem": np.ones(8, np.float32), "at": at, "n": 0, "i": np.zeros((1, 8), np.int32)}
    assert "holds 0" in failing("PTO-R101", text, arguments, unchecked=True).message


@pytest.mark.parametrize(("cols", "mode", "fits"), [(8, "row", True), (16, "row", False), (16, "elem", True)])
def test_rows_of_an_nz_table_have_its_columns(cols: int, mode: str, fits: bool) -> None:
    """Document 000, NZ Layout: eight logical columns; elements are counted over rows, however wide the tile."""
    tile = f"!pto.tile_buf<vec, 16x{cols}xf32, blayout=col_major, slayout=row_major, fractal=512>"
    index = "1x16" if mode == "row" else f"16x{cols}"
    text = f"""
func.func @main(%table: !pto.memref<1x1x2x16x8xf32, nz>, %i: !pto.tile<{index}xi32>, %out: !pto.memref<16x{cols}xf32>) {{
  %d = pto.alloc_tile : {tile}
  pto.mgather ins(%table, %i : !pto.memref<1x1x2x16x8xf32, nz>, !pto.tile<{index}xi32>) outs(%d : {tile}) {{coalesce = #pto<coalesce {mode}>}}
  pto.tstore ins(%d : {tile}) outs(%out : !pto.memref<16x{cols}xf32>)
  return
}}
"""
    table = np.arange(256, dtype=np.float32)
    idx = np.arange(16 * (1 if mode == "row" else cols), dtype=np.int32).reshape(index_shape(index))
    arguments = {"table": table.reshape(1, 1, 2, 16, 8), "i": idx}
    if not fits:
        assert "16 valid columns, the NZ table 8" in failing("PTO-R105", text, arguments, "a2a3").message
        return
    # One block column: logical element n is the n-th of memory.
    out = execute(text, arguments, "a2a3").outputs["out"]
    assert out.reshape(-1).tolist() == table[: 16 * cols].tolist()


def index_shape(text: str) -> tuple[int, int]:
    rows, cols = map(int, text.split("x"))
    return rows, cols


def test_rows_are_added_from_the_view_on() -> None:
    """mem[at + 8 * idx[r] + j] += src[r, j]."""
    text = """
func.func @main(%mem: !pto.ptr<f32>, %at: index, %s: !pto.tile<4x8xf32>, %i: !pto.tile<1x4xi32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %p = pto.addptr %mem, %at : !pto.ptr<f32> -> !pto.ptr<f32>
  %v = pto.make_tensor_view %p, shape = [%c3, %c8], strides = [%c8, %c1] : !pto.tensor_view<3x8xf32>
  pto.mscatter ins(%s, %i : !pto.tile<4x8xf32>, !pto.tile<1x4xi32>) outs(%v : !pto.tensor_view<3x8xf32>)
    {coalesce = #pto<coalesce row>, scatterAtomicOp = #pto<scatter_atomic_op add>}
  return
}
"""
    mem, source = np.ones(40, np.float32), np.arange(32, dtype=np.float32).reshape(4, 8)
    idx = np.array([[2, 0, 2, 1]], np.int32)
    execute(text, {"mem": mem, "at": 5, "s": source, "i": idx})
    expected = [1.0] * 40
    for r in range(4):
        for j in range(8):
            expected[5 + 8 * int(idx[0, r]) + j] += float(source[r, j])
    assert mem.tolist() == expected


def test_an_element_scatter_counts_from_the_view() -> None:
    text = """
func.func @main(%mem: !pto.ptr<f32>, %at: index, %s: !pto.tile<1x8xf32>, %i: !pto.tile<1x8xi32>) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %p = pto.addptr %mem, %at : !pto.ptr<f32> -> !pto.ptr<f32>
  %v = pto.make_tensor_view %p, shape = [%c1, %c8], strides = [%c8, %c1] : !pto.tensor_view<1x8xf32>
  pto.mscatter ins(%s, %i : !pto.tile<1x8xf32>, !pto.tile<1x8xi32>) outs(%v : !pto.tensor_view<1x8xf32>)
    {coalesce = #pto<coalesce elem>}
  return
}
"""
    mem = np.zeros(24, np.float32)
    source = np.arange(1, 9, dtype=np.float32).reshape(1, 8)
    execute(text, {"mem": mem, "at": 5, "s": source, "i": np.arange(7, -1, -1, dtype=np.int32).reshape(1, 8)})
    assert mem.tolist() == [0.0] * 5 + [8, 7, 6, 5, 4, 3, 2, 1] + [0.0] * 11


def test_cpu_counts_the_padding_between_rows() -> None:
    """The simulator reads `src.data()[idx]`: of two rows of three, eight apart, the last element is the tenth."""
    mem = "!pto.memref<2x3xf32, strides=[8, 1]>"
    text = f"""
func.func @main(%table: {mem}, %i: !pto.tile<1x8xi32>) {{
  %d = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
  pto.mgather ins(%table, %i : {mem}, !pto.tile<1x8xi32>) outs(%d : !pto.tile_buf<vec, 1x8xf32>) {{coalesce = #pto<coalesce elem>}}
  return
}}
"""
    table = np.arange(11, dtype=np.float32)
    idx = np.array([[0, 1, 2, 3, 7, 8, 9, 10]], np.int32)
    assert execute(text, {"table": table, "i": idx}, "cpu").outputs["d"].tolist() == idx.tolist()
    idx[0, 0] = 11
    failing("PTO-R101", text, {"table": table, "i": idx}, "cpu")


@pytest.mark.parametrize(("mode", "index", "capacity"), [("row", "1x16", 32), ("elem", "16x8", 256)])
def test_unchecked_gather_does_not_read_past_an_nz_table(mode: str, index: str, capacity: int) -> None:
    """D15: `gShape2 * 16` rows, and as many elements as there are; blocks have no place behind them."""
    tile = "!pto.tile_buf<vec, 16x8xf32, blayout=col_major, slayout=row_major, fractal=512>"
    text = f"""
func.func @main(%table: !pto.memref<1x1x2x16x8xf32, nz>, %i: !pto.tile<{index}xi32>) {{
  %d = pto.alloc_tile : {tile}
  pto.mgather ins(%table, %i : !pto.memref<1x1x2x16x8xf32, nz>, !pto.tile<{index}xi32>) outs(%d : {tile}) {{coalesce = #pto<coalesce {mode}>}}
  return
}}
"""
    table = np.arange(256, dtype=np.float32).reshape(1, 1, 2, 16, 8)
    idx = np.full(tuple(map(int, index.split("x"))), capacity - 1, np.int32)
    out = execute(text, {"table": table, "i": idx}, "a2a3", unchecked=True).outputs["d"]
    assert np.array_equal(
        out, np.tile(np.arange(248, 256), (16, 1)) if mode == "row" else np.full((16, 8), 255)
    )
    idx[0, 0] = capacity
    failing("PTO-R101", text, {"table": table, "i": idx}, "a2a3", unchecked=True)
