# ruff: noqa: E501 - programs are text
"""Copies between tiles of any bits, shapes and valid regions, against slices of arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.support import bits_array, execute, failing, raw, seeds

TYPES = ("i8", "ui16", "i32", "f16", "bf16", "f32")
LAYOUTS = ("", ", blayout=col_major", ", blayout=col_major, slayout=row_major")
MANY = settings(max_examples=40)


def tile(rows: int, cols: int, type_: str, valid: tuple[int, int] | None = None, more: str = "") -> str:
    shown = f", valid={valid[0]}x{valid[1]}" if valid else ""
    return f"!pto.tile_buf<vec, {rows}x{cols}x{type_}{shown}{more}>"


@MANY
@given(st.sampled_from(TYPES), st.integers(1, 32), st.integers(1, 64), st.sampled_from(LAYOUTS), seeds)
def test_transposed(type_: str, rows: int, cols: int, layout: str, seed: int) -> None:
    src, dst = tile(32, 64, type_, (rows, cols), layout), tile(64, 32, type_, (cols, rows))
    a = bits_array(np.random.default_rng(seed), (rows, cols), type_)
    text = f"func.func @main(%a: {src}, %d: {dst}) {{\n  pto.ttrans ins(%a : {src}) outs(%d : {dst})\n  return\n}}\n"
    assert np.array_equal(raw(execute(text, {"a": a}).outputs["d"]), raw(a).T)


@MANY
@given(
    st.sampled_from(TYPES),
    st.integers(0, 8),
    st.integers(0, 32),
    st.sampled_from(LAYOUTS),
    st.booleans(),
    seeds,
)
def test_a_part_out_and_in(type_: str, row: int, col: int, layout: str, insert: bool, seed: int) -> None:
    """tinsert restores the part that textract takes."""
    large, small = tile(16, 64, type_, more=layout), tile(8, 32, type_)
    rng = np.random.default_rng(seed)
    a, b = bits_array(rng, (16, 64), type_), bits_array(rng, (8, 32), type_)
    work = f"pto.tinsert ins(%b, %r, %c : {small}, index, index) outs(%a : {large})"
    if not insert:
        work = f"pto.textract ins(%a, %r, %c : {large}, index, index) outs(%b : {small})"
    text = f"func.func @main(%a: {large}, %b: {small}, %r: index, %c: index) {{\n  {work}\n  return\n}}\n"
    out = execute(text, {"a": a, "b": b, "r": row, "c": col}).outputs
    if not insert:
        assert np.array_equal(raw(out["b"]), raw(a)[row : row + 8, col : col + 32])
        return
    expected = raw(a).copy()
    expected[row : row + 8, col : col + 32] = raw(b)
    assert np.array_equal(raw(out["a"]), expected)


@MANY
@given(st.sampled_from(TYPES), st.integers(1, 32), st.integers(1, 32), seeds)
def test_side_by_side(type_: str, left: int, right: int, seed: int) -> None:
    a_type, b_type = tile(8, 32, type_, (8, left)), tile(8, 32, type_, (8, right))
    d_type = tile(8, 64, type_, (8, left + right))
    rng = np.random.default_rng(seed)
    a, b = bits_array(rng, (8, left), type_), bits_array(rng, (8, right), type_)
    text = f"func.func @main(%a: {a_type}, %b: {b_type}, %d: {d_type}) {{\n  pto.tconcat ins(%a, %b : {a_type}, {b_type}) outs(%d : {d_type})\n  return\n}}\n"
    out = execute(text, {"a": a, "b": b}).outputs["d"]
    assert np.array_equal(raw(out), np.concatenate([raw(a), raw(b)], axis=1))


@MANY
@given(
    st.lists(st.tuples(st.integers(0, 32), st.integers(0, 32)), min_size=8, max_size=8),
    st.integers(1, 64),
    seeds,
)
def test_concatenation_takes_as_many_columns_as_the_indices_count(
    counts: list[tuple[int, int]], cols: int, seed: int
) -> None:
    """Counts are bytes of i16; a device stops at the valid columns, and leaves the rest of a row as it is."""
    data, index, d_type = tile(8, 32, "f32"), tile(8, 16, "i16", (8, 1)), tile(8, 64, "f32", (8, cols))
    rng = np.random.default_rng(seed)
    a, b, d = (bits_array(rng, shape, "f32") for shape in ((8, 32), (8, 32), (8, cols)))
    i, j = (np.array([[2 * pair[at]] for pair in counts], np.int16) for at in range(2))
    text = f"func.func @main(%a: {data}, %b: {data}, %i: {index}, %j: {index}, %d: {d_type}) {{\n  pto.tconcatidx ins(%a, %b, %i, %j : {data}, {data}, {index}, {index}) outs(%d : {d_type})\n  return\n}}\n"
    out = raw(execute(text, {"a": a, "b": b, "i": i, "j": j, "d": d}).outputs["d"])
    for row, (m, n) in enumerate(counts):
        together = np.concatenate([raw(a)[row, :m], raw(b)[row, :n], raw(d)[row, m + n :]])[:cols]
        assert np.array_equal(out[row], together)


PADS = {"zero": (0, 0.0), "max": (2**31 - 1, np.inf), "min": (-(2**31), -np.inf)}


@MANY
@given(
    st.sampled_from(sorted(PADS)), st.booleans(), st.integers(1, 16), st.integers(1, 32), st.integers(16, 24)
)
def test_padded(pad: str, floats: bool, rows: int, cols: int, height: int) -> None:
    """Across the whole width, and as far down as the destination is valid."""
    type_ = "f32" if floats else "i32"
    src, dst = tile(16, 32, type_, (rows, cols)), tile(24, 64, type_, (height, 64), f", pad={pad}")
    a = np.arange(rows * cols).reshape(rows, cols).astype(np.float32 if floats else np.int32)
    text = f"func.func @main(%a: {src}, %d: {dst}) {{\n  pto.tfillpad ins(%a : {src}) outs(%d : {dst})\n  return\n}}\n"
    expected = np.full((height, 64), PADS[pad][floats], a.dtype)
    expected[:rows, :cols] = a
    assert np.array_equal(execute(text, {"a": a}).outputs["d"], expected)


SAME_PAD = """
func.func @main(%x: !pto.memref<1x20xf32>, %out: !pto.memref<1x32xf32>) {
  %s = pto.alloc_tile : !pto.tile_buf<vec, 1x32xf32, valid=1x20SRC>
  %d = pto.alloc_tile : !pto.tile_buf<vec, 1x32xf32, pad=zero>
  pto.tload ins(%x : !pto.memref<1x20xf32>) outs(%s : !pto.tile_buf<vec, 1x32xf32, valid=1x20SRC>)
  pto.tfillpad ins(%s : !pto.tile_buf<vec, 1x32xf32, valid=1x20SRC>) outs(%d : !pto.tile_buf<vec, 1x32xf32, pad=zero>)
  pto.tstore ins(%d : !pto.tile_buf<vec, 1x32xf32, pad=zero>) outs(%out : !pto.memref<1x32xf32>)
  return
}
"""


@pytest.mark.parametrize("target", ["a2a3", "a5", "cpu"])
@pytest.mark.parametrize("pad", ["", ", pad=zero"])
def test_padding_of_a_load_is_initialised(target: str, pad: str) -> None:
    out = execute(SAME_PAD.replace("SRC", pad), {"x": np.ones((1, 20), np.float32)}, target).outputs["out"]
    assert out.tolist() == [[1.0] * 20 + [0.0] * 12]


def test_on_a2a3_the_last_burst_of_a_source_with_the_same_pad_value_is_its_own() -> None:
    """Column 20 to 23 are copied, not filled; nothing has written them."""
    src, dst = tile(1, 32, "f32", (1, 20), ", pad=zero"), tile(1, 32, "f32", more=", pad=zero")
    body = f"  %s = pto.alloc_tile : {src}\n  %d = pto.alloc_tile : {dst}\n  pto.texpands ins(%f : f32) outs(%s : {src})\n  pto.tfillpad ins(%s : {src}) outs(%d : {dst})\n  pto.tstore ins(%d : {dst}) outs(%o : !pto.memref<1x32xf32>)"
    text = f"func.func @main(%f: f32, %o: !pto.memref<1x32xf32>) {{\n{body}\n  return\n}}\n"
    assert execute(text, {"f": 2.0}, "a5").outputs["o"].tolist() == [[2.0] * 20 + [0.0] * 12]
    failing("PTO-R201", text, {"f": 2.0}, "a2a3")


@MANY
@given(st.integers(1, 40), st.integers(1, 4), st.booleans(), seeds)
def test_exponents_in_boxes(rows: int, pairs: int, down: bool, seed: int) -> None:
    """Boxes of 16 rows and 2 columns, one after the other; of blocks along axis0 those of the transposed tile.
    The bytes are looked at through another tile at the same address."""
    rng = np.random.default_rng(seed)
    shape = (2 * pairs, 16 * -(-rows // 16)) if down else (rows, 2 * pairs)
    a = rng.integers(1, 256, shape, np.uint8)
    room = -(-rows // 16) * 16 * 2 * pairs
    wide = -(-room // 32) * 32
    src = (
        f"!pto.tile_buf<vec, {shape[0]}x{shape[1]}xui8>"
        if down
        else f"!pto.tile_buf<vec, 1x{wide}xui8, valid=1x{rows * 2 * pairs}>"
    )
    extents = f"valid={rows}x{2 * pairs}, " if not down else ""
    dst = f"!pto.tile_buf<vec, 48x32xui8, {extents}slayout=row_major>"
    tmp, seen = "!pto.tile_buf<vec, 1x128xui8>", f"!pto.tile_buf<vec, 1x{wide}xui8, valid=1x{room}>"
    memory = f"{shape[0]}x{shape[1]}" if down else f"1x{a.size}"
    text = f"""
func.func @main(%m: !pto.memref<{memory}xui8>, %out: !pto.memref<1x{room}xui8>) {{
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 8192 : i64
  %c2 = arith.constant 16384 : i64
  %s = pto.alloc_tile addr = %c1 : {src}
  %t = pto.alloc_tile addr = %c2 : {tmp}
  %d = pto.alloc_tile addr = %c0 : {dst}
  %x = pto.alloc_tile addr = %c0 : {seen}
  pto.tload ins(%m : !pto.memref<{memory}xui8>) outs(%s : {src})
  pto.tmov ins(%s : {src}, %t : {tmp}) outs(%d : {dst}) {{grpAxis = #pto<mx_group_axis axis{0 if down else 1}>}}
  pto.tstore ins(%x : {seen}) outs(%out : !pto.memref<1x{room}xui8>)
  return
}}
"""
    out = execute(text, {"m": a.reshape(shape if down else (1, -1))}).outputs["out"].reshape(-1)
    lines = a.T if down else a
    expected = []
    for top in range(0, len(lines), 16):
        for left in range(0, lines.shape[1], 2):
            for r in range(top, top + 16):
                expected += lines[r, left : left + 2].tolist() if r < len(lines) else [0, 0]
    assert out.tolist() == expected
