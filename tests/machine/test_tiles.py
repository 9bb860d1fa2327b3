# ruff: noqa: E501 - programs are text
"""Tiles in boxes, windows of tiles, padding of every kind of number, and what is kept between turns."""

from __future__ import annotations

from itertools import product

import ml_dtypes
import numpy as np
import pytest

from tests.machine.support import execute, failing

# --- boxes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("blayout", "slayout", "fractal", "box"),
    [
        ("col_major", "row_major", 512, (16, 8)),  # NZ
        ("row_major", "row_major", 512, (16, 8)),  # ZZ
        ("row_major", "col_major", 512, (8, 16)),  # ZN
        ("col_major", "col_major", 512, (8, 16)),  # NN
        ("col_major", "row_major", 1024, (16, 16)),
    ],
)
def test_boxed_tile_stores_elements_in_the_order_of_its_layout(
    blayout: str, slayout: str, fractal: int, box: tuple[int, int]
) -> None:
    """Boxes follow each other as `blayout` says, the elements in a box as `slayout` says."""
    rows = cols = 32
    height, width = box
    boxed = f"!pto.tile_buf<vec, 32x32xf32, blayout={blayout}, slayout={slayout}, fractal={fractal}>"
    flat = "!pto.tile_buf<vec, 1x1024xf32>"
    text = f"""
func.func @main(%m: !pto.memref<32x32xf32>, %bytes: !pto.memref<1x1024xf32>, %back: !pto.memref<32x32xf32>) {{
  %a = arith.constant 0 : i64
  %t = pto.alloc_tile addr = %a : {boxed}
  %w = pto.alloc_tile addr = %a : {flat}
  pto.tload ins(%m : !pto.memref<32x32xf32>) outs(%t : {boxed})
  pto.barrier #pto.pipe<PIPE_ALL>
  pto.tstore ins(%w : {flat}) outs(%bytes : !pto.memref<1x1024xf32>)
  pto.tstore ins(%t : {boxed}) outs(%back : !pto.memref<32x32xf32>)
  return
}}
"""
    m = np.arange(1024, dtype=np.float32).reshape(32, 32)
    outputs = execute(text, {"m": m}, "a2a3").outputs
    expected = np.zeros(1024, np.float32)
    for r, c in product(range(rows), range(cols)):
        down, across = r // height, c // width
        number = (
            across * (rows // height) + down if blayout == "col_major" else down * (cols // width) + across
        )
        inside = (
            (r % height) * width + c % width if slayout == "row_major" else (c % width) * height + r % height
        )
        expected[number * height * width + inside] = m[r, c]
    assert np.array_equal(outputs["bytes"][0], expected)
    assert np.array_equal(outputs["back"], m)


NZ = "blayout=col_major, slayout=row_major, fractal=512"
BOXED_WINDOW = f"""
func.func @main(%m: !pto.memref<32x32xf32>, %row: index, %col: index, %out: !pto.memref<32x8xf32>) {{
  %t = pto.alloc_tile : !pto.tile_buf<vec, 32x32xf32, {NZ}>
  pto.tload ins(%m : !pto.memref<32x32xf32>) outs(%t : !pto.tile_buf<vec, 32x32xf32, {NZ}>)
  %w = pto.subview %t[%row, %col] sizes [32, 8] : !pto.tile_buf<vec, 32x32xf32, {NZ}> -> !pto.tile_buf<vec, 32x8xf32, {NZ}>
  pto.tstore ins(%w : !pto.tile_buf<vec, 32x8xf32, {NZ}>) outs(%out : !pto.memref<32x8xf32>)
  return
}}
"""


def test_a_window_of_boxes_is_whole_boxes() -> None:
    m = np.arange(1024, dtype=np.float32).reshape(32, 32)
    for col in (0, 8, 24):
        out = execute(BOXED_WINDOW, {"m": m, "row": 0, "col": col}, "a2a3").outputs["out"]
        assert np.array_equal(out, m[:, col : col + 8])
    failing("PTO-R107", BOXED_WINDOW, {"m": m, "row": 0, "col": 4}, "a2a3")


# --- windows -------------------------------------------------------------------------------------

WINDOWS = """
func.func @main(%m: !pto.memref<16x8xf32>, %n: index, %rows: index, %out: !pto.memref<16x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x8xf32>
  pto.tload ins(%m : !pto.memref<16x8xf32>) outs(%t : !pto.tile_buf<vec, 16x8xf32>)
  scf.for %turn = %c0 to %n step %c1 {
    scf.for %r = %c0 to %c8 step %c1 {
      %w = pto.subview %t[%r, %c0] sizes [4, 8] valid [%rows, %c8] : !pto.tile_buf<vec, 16x8xf32> -> !pto.tile_buf<vec, 4x8xf32, valid=?x?>
      pto.tadds ins(%w, %one : !pto.tile_buf<vec, 4x8xf32, valid=?x?>, f32) outs(%w : !pto.tile_buf<vec, 4x8xf32, valid=?x?>)
    }
  }
  pto.tstore ins(%t : !pto.tile_buf<vec, 16x8xf32>) outs(%out : !pto.memref<16x8xf32>)
  return
}
"""


@pytest.mark.parametrize("kept", [3, 256])
@pytest.mark.parametrize("rows", [1, 4])
def test_windows_that_overlap_and_come_again(kept: int, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However few of them are remembered, each turn adds one to the valid rows of each window."""
    monkeypatch.setattr("ptoas.ops.views.KEPT", kept)
    m = np.arange(128, dtype=np.float32).reshape(16, 8)
    expected = m.copy()
    for _, r in product(range(2), range(8)):
        expected[r : r + rows] += 1
    out = execute(WINDOWS, {"m": m, "n": 2, "rows": rows}).outputs["out"]
    assert np.array_equal(out, expected)


MANY = """
func.func @main(%p: !pto.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  scf.for %turn = %c0 to %c2 step %c1 {
    scf.for %k = %c0 to %n step %c1 {
      %at = arith.muli %k, %c8 : index
      %rows = arith.remui %k, %c2 : index
      %some = arith.addi %rows, %c1 : index
      %q = pto.addptr %p, %at : !pto.ptr<f32> -> !pto.ptr<f32>
      %v = pto.make_tensor_view %q, shape = [%some, %c8], strides = [%c8, %c1] : !pto.tensor_view<?x8xf32>
      %w = pto.partition_view %v, offsets = [%c0, %c0], sizes = [%some, %c8] : !pto.tensor_view<?x8xf32> -> !pto.partition_tensor_view<?x8xf32>
      %t = pto.alloc_tile valid_row = %some : !pto.tile_buf<vec, 2x8xf32, valid=?x8>
      pto.tload ins(%w : !pto.partition_tensor_view<?x8xf32>) outs(%t : !pto.tile_buf<vec, 2x8xf32, valid=?x8>)
      pto.tadd ins(%t, %t : !pto.tile_buf<vec, 2x8xf32, valid=?x8>, !pto.tile_buf<vec, 2x8xf32, valid=?x8>) outs(%t : !pto.tile_buf<vec, 2x8xf32, valid=?x8>)
      pto.tstore ins(%t : !pto.tile_buf<vec, 2x8xf32, valid=?x8>) outs(%w : !pto.partition_tensor_view<?x8xf32>)
    }
  }
  return
}
"""


@pytest.mark.parametrize("kept", [1, 256])
def test_pointers_views_parts_and_tiles_that_come_again(kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ptoas.ops.views.KEPT", kept)
    monkeypatch.setattr("ptoas.machine.instructions.KEPT_STEPS", kept)
    p = np.ones(48, np.float32)
    expected = p.reshape(6, 8).copy()
    for _, k in product(range(2), range(5)):
        expected[k : k + k % 2 + 1] *= 2
    execute(MANY, {"p": p, "n": 5})
    assert np.array_equal(p.reshape(6, 8), expected)


def test_views_with_extents_of_their_own() -> None:
    text = """
func.func @main(%p: !pto.ptr<f32>, %rows: index) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %v = pto.make_tensor_view %p, shape = [%rows, %c8], strides = [%c8, %c1] : !pto.tensor_view<ROWSx8xf32>
  %t = pto.alloc_tile : !pto.tile_buf<vec, 4x8xf32>
  pto.tload ins(%v : !pto.tensor_view<ROWSx8xf32>) outs(%t : !pto.tile_buf<vec, 4x8xf32>)
  return
}
"""
    p = np.zeros(64, np.float32)
    execute(text.replace("ROWS", "4"), {"p": p, "rows": 4})
    found = failing("PTO-R102", text.replace("ROWS", "4"), {"p": p, "rows": 5})
    assert "dimension 0 is 5, its type says 4" in found.message
    found = failing("PTO-R102", text.replace("ROWS", "?"), {"p": p, "rows": -1})
    assert "an extent is negative: [-1, 8]" in found.message


def test_a_tile_without_an_address_among_placed_ones_is_not_used() -> None:
    tile = "!pto.tile_buf<vec, 1x8xf32>"
    text = f"""
func.func @main(%m: !pto.memref<1x8xf32>, %at: i64) {{
  %z = arith.constant 0 : i64
  %a = pto.alloc_tile addr = %z : {tile}
  %t = pto.alloc_tile : {tile}
  EARLY
  pto.tassign %t, %at : {tile}, i64
  pto.tload ins(%m : !pto.memref<1x8xf32>) outs(%t : {tile})
  pto.tload ins(%m : !pto.memref<1x8xf32>) outs(%a : {tile})
  return
}}
"""
    execute(text.replace("EARLY", ""), {"at": 64})
    early = text.replace("EARLY", f"pto.tload ins(%m : !pto.memref<1x8xf32>) outs(%t : {tile})")
    found = failing("PTO-R507", early, {"at": 64})
    assert "%t is used before it has an address" in found.message and found.span.line == 6


# --- padding -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "pad", "value"),
    [
        ("i32", "max", 2**31 - 1),
        ("i32", "min", -(2**31)),
        ("ui16", "max", 2**16 - 1),
        ("ui16", "min", 0),
        ("f16", "min", -np.inf),
        ("f8E4M3FN", "max", 0.0),
        ("f8E4M3FN", "min", 0.0),
    ],
)
def test_a_pad_value_is_the_greatest_or_least_of_its_type(kind: str, pad: str, value: float) -> None:
    """Floats of a byte are padded with zeros on devices."""
    number = {"i32": np.int32, "ui16": np.uint16, "f16": np.float16, "f8E4M3FN": ml_dtypes.float8_e4m3fn}[
        kind
    ]
    width = 32 // np.dtype(number).itemsize
    part, whole = f"!pto.memref<1x3x{kind}>", f"!pto.memref<1x{width}x{kind}>"
    text = f"""
func.func @main(%m: {part}, %out: {whole}) {{
  %a = arith.constant 0 : i64
  %t = pto.alloc_tile addr = %a : !pto.tile_buf<vec, 1x{width}x{kind}, valid=1x3, pad={pad}>
  %w = pto.alloc_tile addr = %a : !pto.tile_buf<vec, 1x{width}x{kind}>
  pto.tload ins(%m : {part}) outs(%t : !pto.tile_buf<vec, 1x{width}x{kind}, valid=1x3, pad={pad}>)
  pto.barrier #pto.pipe<PIPE_ALL>
  pto.tstore ins(%w : !pto.tile_buf<vec, 1x{width}x{kind}>) outs(%out : {whole})
  return
}}
"""
    out = execute(text, {"m": np.ones((1, 3), number)}).outputs["out"]
    assert out[0].astype(np.float64).tolist() == [1.0] * 3 + [float(value)] * (width - 3)


def test_a_column_is_padded_to_a_burst() -> None:
    tile = "!pto.tile_buf<vec, 16x2xf32, valid=3x2, blayout=col_major, pad=max>"
    whole = "!pto.tile_buf<vec, 16x2xf32, blayout=col_major>"
    text = f"""
func.func @main(%m: !pto.memref<3x2xf32, dn>, %before: !pto.memref<16x2xf32, dn>, %out: !pto.memref<16x2xf32, dn>) {{
  %a = arith.constant 0 : i64
  %t = pto.alloc_tile addr = %a : {tile}
  %w = pto.alloc_tile addr = %a : {whole}
  pto.tload ins(%before : !pto.memref<16x2xf32, dn>) outs(%w : {whole})
  pto.barrier #pto.pipe<PIPE_ALL>
  pto.tload ins(%m : !pto.memref<3x2xf32, dn>) outs(%t : {tile})
  pto.barrier #pto.pipe<PIPE_ALL>
  pto.tstore ins(%w : {whole}) outs(%out : !pto.memref<16x2xf32, dn>)
  return
}}
"""
    arguments = {"m": np.ones((3, 2), np.float32), "before": np.full((16, 2), 7, np.float32)}
    out = execute(text, arguments).outputs["out"]
    for c in range(2):
        assert out[:, c].tolist() == [1.0] * 3 + [np.inf] * 5 + [7.0] * 8


# --- stores --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("atomic", "combine"), [("atomic_add", np.add), ("atomic_max", np.maximum), ("atomic_min", np.minimum)]
)
@pytest.mark.parametrize("layout", ["", f", {NZ}"])
def test_an_atomic_store_from_rows_or_boxes(atomic: str, combine, layout: str) -> None:
    tile = f"!pto.tile_buf<vec, 16x16xf32{layout}>"
    text = f"""
func.func @main(%m: !pto.memref<16x16xf32>, %out: !pto.memref<16x16xf32>) {{
  %t = pto.alloc_tile : {tile}
  pto.tload ins(%m : !pto.memref<16x16xf32>) outs(%t : {tile})
  pto.tstore ins(%t : {tile}) outs(%out : !pto.memref<16x16xf32>) {{atomicType = #pto<atomic_type {atomic}>}}
  return
}}
"""
    rng = np.random.default_rng(3)
    m, out = (rng.integers(-9, 9, (16, 16)).astype(np.float32) for _ in range(2))
    expected = combine(out, m)
    execute(text, {"m": m, "out": out}, "a2a3")
    assert np.array_equal(out, expected)


def test_an_atomic_store_of_hif8_has_no_sum() -> None:
    tile, memory = "!pto.tile<1x32x!pto.hif8>", "!pto.memref<1x32x!pto.hif8>"
    text = f"func.func @main(%t: {tile}, %out: {memory}) {{\n  pto.tstore ins(%t : {tile}) outs(%out : {memory}) ATTR\n  return\n}}\n"
    execute(text.replace("ATTR", ""))
    found = failing("PTO-R505", text.replace("ATTR", "{atomicType = #pto<atomic_type atomic_add>}"))
    assert "hif8 does not support arithmetic" in found.message


def test_a_scalar_is_stored_inside_its_memory() -> None:
    text = """
func.func @main(%p: !pto.ptr<f32>, %at: index, %x: f32) {
  pto.store_scalar %x, %p[%at] : !pto.ptr<f32>, f32
  return
}
"""
    p = np.zeros(4, np.float32)
    execute(text, {"p": p, "at": 3, "x": 2.0})
    assert p.tolist() == [0, 0, 0, 2]
    for at in (4, -1):
        found = failing("PTO-R106", text, {"p": p, "at": at, "x": 2.0})
        assert f"element {at} is outside %p, which has 4" in found.message


def test_empty_view_past_the_end_can_not_be_printed() -> None:
    text = """
func.func @main(%p: !pto.ptr<f32>, %at: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = pto.addptr %p, %at : !pto.ptr<f32> -> !pto.ptr<f32>
  %v = pto.make_tensor_view %q, shape = [%c0, %c1], strides = [%c1, %c1] : !pto.tensor_view<?x?xf32>
  pto.tprint ins(%v : !pto.tensor_view<?x?xf32>)
  return
}
"""
    assert execute(text, {"p": np.zeros(4, np.float32), "at": 4}).printed == ["TPRINT 0x1"]
    failing("PTO-R102", text, {"p": np.zeros(4, np.float32), "at": 9})


# --- who shares bytes ----------------------------------------------------------------------------

OVERLAP = f"""
func.func @main(%m: !pto.memref<16x16xf32>, %out: !pto.memref<16x16xf32>, %far: !pto.memref<16x16xf32>) {{
  %a = arith.constant 0 : i64
  %b = arith.constant ADDRESS : i64
  %t = pto.alloc_tile addr = %a : !pto.tile_buf<vec, 16x16xf32, {NZ}>
  %u = pto.alloc_tile addr = %b : !pto.tile_buf<vec, 16x16xf32, {NZ}>
  pto.tload ins(%m : !pto.memref<16x16xf32>) outs(%u : !pto.tile_buf<vec, 16x16xf32, {NZ}>)
  pto.tload ins(%m : !pto.memref<16x16xf32>) outs(%t : !pto.tile_buf<vec, 16x16xf32, {NZ}>)
  pto.set_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_MTE3>, #pto.event<EVENT_ID0>]
  pto.wait_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_MTE3>, #pto.event<EVENT_ID0>]
  pto.tstore ins(%t : !pto.tile_buf<vec, 16x16xf32, {NZ}>) outs(%out : !pto.memref<16x16xf32>)
  pto.tload ins(%far : !pto.memref<16x16xf32>) outs(%u : !pto.tile_buf<vec, 16x16xf32, {NZ}>)
  return
}}
"""


def test_a_race_between_boxes_that_share_bytes() -> None:
    """The second load must not overtake the store, if the boxes of the two tiles meet."""
    execute(OVERLAP.replace("ADDRESS", "1024"), {}, "a2a3", sync="manual")
    found = failing("PTO-R301", OVERLAP.replace("ADDRESS", "512"), {}, "a2a3", sync="manual")
    assert "tload writes %u on PIPE_MTE2" in found.message


def test_no_memory_for_such_tiles() -> None:
    """The run fails with manual and with automatic placement."""
    text = """
func.func @main(%x: f32) {
  %a = arith.constant 0 : i64
  %t = pto.alloc_tile PLACE: !pto.tile_buf<LOC, 16x16xf32>
  pto.texpands ins(%x : f32) outs(%t : !pto.tile_buf<LOC, 16x16xf32>)
  pto.tprint ins(%t : !pto.tile_buf<LOC, 16x16xf32>)
  return
}
"""
    for place, code in (("addr = %a ", "PTO-R104"), ("", "PTO-L009")):
        one = text.replace("PLACE", place)
        execute(one.replace("LOC", "vec"), {}, "a2a3")
        found = failing(code, one.replace("LOC", "scale_left"), {}, "a2a3")
        assert "no memory" in found.message and "scale_left" in found.message and found.span.line == 4
