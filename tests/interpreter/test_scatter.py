# ruff: noqa: E501 - programs are text
"""MSCATTER and TSCATTER against loops."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptoas.interpreter.dtypes import by_text
from tests.interpreter.support import SIZE, TYPES, bits_array, execute, failing, raw, seeds
from tests.interpreter.test_gather import ELEM_CAPACITY, ROW_CAPACITY, TARGETS, index_values, rounded_up

ATOMIC_TYPES = ("i32", "ui32", "f32", "f16", "bf16", "i8", "i16")


def place(index: int, capacity: int, oob: str) -> int | None:
    """Where a scatter writes; `None`: nowhere."""
    index &= 0xFFFFFFFF
    match oob:
        case "undefined":
            return index
        case "skip":
            return index if index < capacity else None
        case "clamp":
            return min(index, capacity - 1)
        case _:
            return index % capacity


def combined(old: np.generic, new: np.generic, atomic: str) -> np.generic:
    """One atomic step in the element type."""
    with np.errstate(all="ignore"):
        match atomic:
            case "add":
                return old.dtype.type(old + new)
            case "max":
                return np.maximum(old, new)
            case "min":
                return np.minimum(old, new)
            case _:
                return new


@st.composite
def cases(draw: st.DrawFn) -> dict:
    target = draw(st.sampled_from(TARGETS))
    atomic = draw(st.sampled_from(["none", "add", "max", "min"]))
    by_row = draw(st.booleans())
    outer = draw(st.sampled_from([(1, 1, 1), (2, 1, 1)])) if target == "a2a3" else (1, 1, 1)
    return {
        "target": target,
        "type": draw(st.sampled_from(TYPES if atomic == "none" else ATOMIC_TYPES)),
        "atomic": atomic,
        "by_row": by_row,
        "rows": draw(st.integers(1, 6)),
        "cols": draw(st.integers(1, 9)),
        "height": draw(st.integers(1, 5)),
        "outer": outer,
        "gap": draw(st.integers(0, 3)) if target == "a2a3" and by_row else 0,
        "oob": draw(st.sampled_from(["undefined", "skip", "clamp", "wrap"])),
        "seed": draw(seeds),
    }


@settings(max_examples=150, deadline=None)
@given(cases())
def test_mscatter(case: dict) -> None:
    """table[remap(idx[r]), j] (op)= src[r, j], or flat[remap(idx[r, c])] (op)= src[r, c]; the last write stays."""
    target, type_, rows, cols = case["target"], case["type"], case["rows"], case["cols"]
    shape = (*case["outer"], case["height"], cols)
    stride = cols + case["gap"]
    dims = ROW_CAPACITY[target] if case["by_row"] else ELEM_CAPACITY[target]
    capacity = prod(shape[d] for d in dims)
    rng = np.random.default_rng(case["seed"])
    table = bits_array(rng, (prod(shape[:4]) * stride,), type_)
    src = bits_array(rng, (rows, cols), type_)
    idx = index_values(rng, (1, rows) if case["by_row"] else (rows, cols), capacity, case["oob"], False)
    size = SIZE[type_]
    tile = f"!pto.tile_buf<vec, {rows}x{rounded_up(cols, size)}x{type_}, valid={rows}x{cols}>"
    itile = f"!pto.tile_buf<vec, {idx.shape[0]}x{rounded_up(idx.shape[1], 4)}xi32, valid={idx.shape[0]}x{idx.shape[1]}>"
    strides = (prod(shape[1:4]) * stride, prod(shape[2:4]) * stride, shape[3] * stride, stride, 1)
    mem = f"!pto.memref<{'x'.join(map(str, shape))}x{type_}, strides=[{', '.join(map(str, strides))}]>"
    text = f"""
func.func @main(%table: {mem}, %src: !pto.memref<{rows}x{cols}x{type_}>, %idx: !pto.memref<{idx.shape[0]}x{idx.shape[1]}xi32>) {{
  %s = pto.alloc_tile : {tile}
  %i = pto.alloc_tile : {itile}
  pto.tload ins(%src : !pto.memref<{rows}x{cols}x{type_}>) outs(%s : {tile})
  pto.tload ins(%idx : !pto.memref<{idx.shape[0]}x{idx.shape[1]}xi32>) outs(%i : {itile})
  pto.mscatter ins(%s, %i : {tile}, {itile}) outs(%table : {mem})
    {{coalesce = #pto<coalesce {"row" if case["by_row"] else "elem"}>, scatterOob = #pto<scatter_oob {case["oob"]}>,
      scatterAtomicOp = #pto<scatter_atomic_op {case["atomic"]}>}}
  return
}}
"""
    expected = table.copy()
    for r in range(rows):
        for c in range(cols):
            at = place(int(idx[0, r] if case["by_row"] else idx[r, c]), capacity, case["oob"])
            if at is not None:
                at = at * stride + c if case["by_row"] else at
                expected[at] = combined(expected[at], src[r, c], case["atomic"])
    result = execute(text, {"table": table, "src": src, "idx": idx}, target)
    found, want = raw(result.outputs["table"]), raw(expected)
    if case["atomic"] != "none" and not by_text(type_).is_integer:
        # A NaN that was calculated has no particular bits.
        with np.errstate(all="ignore"):
            nan = np.isnan(result.outputs["table"].astype(float)) & np.isnan(expected.astype(float))
        same = (found == want) | nan
        assert same.all()
    else:
        assert np.array_equal(found, want)


def test_nz_elements_are_written_in_the_order_of_blocks() -> None:
    """a2a3, NZ: block column, row, column in block; so the later block column wins over the later row."""
    layout = "blayout=col_major, slayout=row_major, fractal=512"
    tile = f"!pto.tile_buf<vec, 16x16xf32, valid=2x16, {layout}>"
    mem = "!pto.memref<1x2x1x16x8xf32, nz>"
    text = f"""
func.func @main(%table: {mem}, %src: !pto.memref<2x16xf32>, %idx: !pto.memref<2x16xi32>) {{
  %s = pto.alloc_tile : {tile}
  %i = pto.alloc_tile : !pto.tile_buf<vec, 2x16xi32>
  pto.tload ins(%src : !pto.memref<2x16xf32>) outs(%s : {tile})
  pto.tload ins(%idx : !pto.memref<2x16xi32>) outs(%i : !pto.tile_buf<vec, 2x16xi32>)
  pto.mscatter ins(%s, %i : {tile}, !pto.tile_buf<vec, 2x16xi32>) outs(%table : {mem}) {{coalesce = #pto<coalesce elem>}}
  return
}}
"""
    src = np.arange(32, dtype=np.float32).reshape(2, 16)
    table = np.zeros((1, 2, 1, 16, 8), np.float32)
    # Logical element 9 is row 0, column 9: block column 1, column 1 of it.
    idx = np.full((2, 16), 9, np.int32)
    execute(text, {"table": table, "src": src, "idx": idx}, "a2a3")
    assert table[0, 1, 0, 0, 1] == src[1, 15] and np.count_nonzero(table) == 1
    # Block column 1 of row 0 comes after block column 0 of row 1.
    idx[...] = np.arange(32).reshape(2, 16) + 100
    idx[0, 8] = idx[1, 0] = 5
    table[...] = 0
    execute(text, {"table": table, "src": src, "idx": idx}, "a2a3")
    assert table[0, 0, 0, 0, 5] == src[0, 8]


CONFLICT = """
func.func @main(%table: !pto.memref<8x8xf32>, %s: !pto.tile<8x8xf32>, %i: !pto.tile<1x8xi32>) {
  pto.mscatter ins(%s, %i : !pto.tile<8x8xf32>, !pto.tile<1x8xi32>) outs(%table : !pto.memref<8x8xf32>)
    {coalesce = #pto<coalesce row>, scatterOob = #pto<scatter_oob OOB>, scatterConflict = #pto<scatter_conflict CONFLICT>}
  return
}
"""


def test_an_open_conflict_is_pointed_out() -> None:
    idx = np.array([[0, 1, 2, 3, 3, 5, 6, 7]], np.int32)
    text = CONFLICT.replace("OOB", "undefined")
    (warning,) = execute(text.replace("CONFLICT", "default"), {"i": idx}).warnings
    assert warning.code == "PTO-R110" and "index 3 occurs 2 times" in warning.message
    assert not execute(text.replace("CONFLICT", "last"), {"i": idx}).warnings
    idx[0, 4] = 4
    assert not execute(text.replace("CONFLICT", "default"), {"i": idx}).warnings


@pytest.mark.parametrize("bad", [8, -1])
def test_an_index_outside_stops_the_run(bad: int) -> None:
    idx = np.array([[0, 1, 2, 3, 4, 5, bad, 7]], np.int32)
    text = CONFLICT.replace("CONFLICT", "last")
    found = failing("PTO-R101", text.replace("OOB", "undefined"), {"i": idx})
    assert "[0, 6]" in found.message and "capacity is 8 rows" in found.message
    execute(text.replace("OOB", "skip"), {"i": idx})


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(["cpu", "a2a3", "a5"]),
    st.sampled_from(["i16", "f32", "ui8", "bf16"]),
    st.integers(1, 4),
    st.integers(1, 9),
    st.booleans(),
    seeds,
)
def test_tscatter(target: str, type_: str, rows: int, cols: int, col_major: bool, seed: int) -> None:
    """dst[idx[i, j]] = src[i, j] over the index's valid region; devices clear the whole of dst first."""
    rng = np.random.default_rng(seed)
    width = rounded_up(cols, SIZE[type_])
    src = bits_array(rng, (rows, cols), type_)
    before = bits_array(rng, (rows + 1, width), type_)
    idx = rng.integers(0, (rows + 1) * width, (rows, cols)).astype(np.int32)
    layout = "col_major" if col_major else "row_major"
    stile = f"!pto.tile_buf<vec, {rows}x{width}x{type_}, valid={rows}x{cols}>"
    itile = f"!pto.tile_buf<vec, {rows}x{rounded_up(cols, 4)}xi32, valid={rows}x{cols}>"
    dtile = f"!pto.tile_buf<vec, {rows + 1}x{width}x{type_}, blayout={layout}>"
    text = f"""
func.func @main(%src: !pto.memref<{rows}x{cols}x{type_}>, %idx: !pto.memref<{rows}x{cols}xi32>,
                %before: !pto.memref<{rows + 1}x{width}x{type_}>, %out: !pto.memref<{rows + 1}x{width}x{type_}>) {{
  %s = pto.alloc_tile : {stile}
  %i = pto.alloc_tile : {itile}
  %d = pto.alloc_tile : {dtile}
  pto.tload ins(%src : !pto.memref<{rows}x{cols}x{type_}>) outs(%s : {stile})
  pto.tload ins(%idx : !pto.memref<{rows}x{cols}xi32>) outs(%i : {itile})
  pto.tload ins(%before : !pto.memref<{rows + 1}x{width}x{type_}>) outs(%d : {dtile})
  pto.tscatter ins(%s, %i : {stile}, {itile}) outs(%d : {dtile})
  pto.tstore ins(%d : {dtile}) outs(%out : !pto.memref<{rows + 1}x{width}x{type_}>)
  return
}}
"""
    expected = raw(before).copy() if target == "cpu" else np.zeros_like(raw(before))
    for i in range(rows):
        for j in range(cols):
            r, c = divmod(int(idx[i, j]), width)
            expected[r, c] = raw(src)[i, j]
    result = execute(text, {"src": src, "idx": idx, "before": before}, target)
    assert np.array_equal(raw(result.outputs["out"]), expected)
