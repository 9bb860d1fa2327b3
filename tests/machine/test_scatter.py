# ruff: noqa: E501 - programs are text
"""MSCATTER and TSCATTER against loops."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptoas.machine.dtypes import by_text
from tests.machine.support import SIZE, TYPES, bits_array, execute, failing, raw, seeds
from tests.machine.test_gather import ELEM_CAPACITY, ROW_CAPACITY, TARGETS, index_values, rounded_up

ATOMIC_TYPES = ("i32", "ui32", "f32", "f16", "bf16", "i8", "i16")


def place(index: int, capacity: int, oob: str) -> int | None:
    """The position that a scatter writes; `None`: none."""
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


@settings(max_examples=150)
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


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
def test_elements_of_a_plain_table_are_written_in_the_order_of_rows(target: str) -> None:
    """flat[idx[r, c]] = src[r, c], rows first, however wide they are: a later row wins over a later column."""
    text = """
func.func @main(%table: !pto.memref<4x16xf32>, %s: !pto.tile<2x32xf32>, %i: !pto.tile<2x32xi32>) {
  pto.mscatter ins(%s, %i : !pto.tile<2x32xf32>, !pto.tile<2x32xi32>) outs(%table : !pto.memref<4x16xf32>)
    {coalesce = #pto<coalesce elem>, scatterConflict = #pto<scatter_conflict last>}
  return
}
"""
    src = np.arange(1, 65, dtype=np.float32).reshape(2, 32)
    idx = np.arange(64, dtype=np.int32).reshape(2, 32)
    idx[0, 8] = idx[1, 0] = idx[0, 31] = 5
    table = np.zeros((4, 16), np.float32)
    execute(text, {"table": table, "s": src, "i": idx}, target)
    assert table[0, 5] == src[1, 0]


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


@settings(max_examples=80)
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


# --- where a scatter must not write --------------------------------------------------------------

PART = """
func.func @main(%mem: !pto.ptr<f32>, %n: index, %s: !pto.tile<8x8xf32>, %i: !pto.tile<INDEXxi32>) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %v = pto.make_tensor_view %mem, shape = [%n, %c8], strides = [%c8, %c1] : !pto.tensor_view<?x8xf32>
  pto.mscatter ins(%s, %i : !pto.tile<8x8xf32>, !pto.tile<INDEXxi32>) outs(%v : !pto.tensor_view<?x8xf32>)
    {coalesce = #pto<coalesce MODE>, scatterOob = #pto<scatter_oob OOB>, scatterConflict = #pto<scatter_conflict last>}
  return
}
"""
SOURCE = np.arange(1, 65, dtype=np.float32).reshape(8, 8)


def part(oob: str, index: str = "1x8", mode: str = "row") -> str:
    return PART.replace("OOB", oob).replace("INDEX", index).replace("MODE", mode)


@pytest.mark.parametrize("rows", [0, 1, 4])
@pytest.mark.parametrize("oob", ["skip", "clamp", "wrap"])
def test_scatter_keeps_rows_past_the_table(oob: str, rows: int) -> None:
    """The buffer holds six rows, the table has fewer: an index between the two is outside."""
    mem = np.zeros(48, np.float32)
    idx = np.array([[0, 1, 3, 4, 5, 6, 7, 2]], np.int32)
    arguments = {"mem": mem, "n": rows, "s": SOURCE, "i": idx}
    if rows == 0 and oob != "skip":
        failing("PTO-R101", part(oob), arguments)
        return
    execute(part(oob), arguments)
    expected = np.zeros((6, 8), np.float32)
    for r, index in enumerate(idx[0]):
        at = place(int(index), rows, oob)
        if at is not None:
            expected[at] = SOURCE[r]
    assert np.array_equal(mem.reshape(6, 8), expected)


def test_unchecked_scatter_writes_past_the_table() -> None:
    mem = np.zeros(48, np.float32)
    idx = np.array([[0, 1, 2, 3, 4, 5, 0, 1]], np.int32)
    arguments = {"mem": mem, "n": 4, "s": SOURCE, "i": idx}
    assert "capacity is 4 rows" in failing("PTO-R101", part("undefined"), arguments).message
    execute(part("undefined"), arguments, unchecked=True)
    assert np.array_equal(mem.reshape(6, 8), SOURCE[[6, 7, 2, 3, 4, 5]])
    idx[0, 3] = 6
    found = failing("PTO-R101", part("undefined"), arguments, unchecked=True)
    assert "holds 6 rows" in found.message
    # Nobody looks: what lies outside of the buffer is still not written.
    mem[...] = 0
    execute(part("undefined"), arguments, checks="none")
    assert np.array_equal(mem.reshape(6, 8)[4:], SOURCE[4:6]) and not mem.reshape(6, 8)[3].any()


@pytest.mark.parametrize(
    ("mode", "index", "fits"),
    [("row", "1x8", True), ("row", "8x1", True), ("row", "2x4", False), ("row", "1x16", False),
     ("elem", "8x8", True), ("elem", "8x16", False), ("elem", "4x16", False)],
)  # fmt: skip
def test_the_index_fits_the_source(mode: str, index: str, fits: bool) -> None:
    shape = tuple(map(int, index.split("x")))
    arguments = {"mem": np.zeros(64, np.float32), "n": 8, "s": SOURCE, "i": np.zeros(shape, np.int32)}
    if fits:
        execute(part("clamp", index, mode), arguments)
    else:
        failing("PTO-R105", part("clamp", index, mode), arguments)


def test_an_atomic_leaves_no_conflict_open() -> None:
    idx = np.array([[0, 1, 2, 3, 3, 5, 6, 7]], np.int32)
    text = CONFLICT.replace("OOB", "undefined").replace("CONFLICT", "default")
    atomic = text.replace("scatterConflict", "scatterAtomicOp = #pto<scatter_atomic_op add>, scatterConflict")
    table = np.zeros((8, 8), np.float32)
    assert not execute(atomic, {"i": idx, "table": table, "s": SOURCE}).warnings
    assert np.array_equal(table[3], SOURCE[3] + SOURCE[4])
    assert not execute(text, {"i": idx}, checks="none").warnings


# --- NZ ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["row", "elem", "pairs"])
@pytest.mark.parametrize("atomic", ["none", "add"])
@pytest.mark.parametrize(("type_", "c0"), [("i8", 32), ("i16", 16), ("i32", 8)])
def test_nz_tables(type_: str, c0: int, atomic: str, mode: str) -> None:
    """Logical (row, column) to (batch, block column, block row, row, column in block), strides padded; the walk
    of elements is block column, row, column in block, and of rows in order (document 000, NZ Layout)."""
    batches, block_cols, block_rows = 2, 2, 2
    s2 = 16 * c0 + c0
    s1 = block_rows * s2 + c0
    s0 = block_cols * s1 + 2 * c0
    strides = (s0, s1, s2, c0, 1)
    logical_rows, logical_cols = block_rows * 16, batches * block_cols * c0
    # A row is transferred as a whole (D32).
    rows, cols = 5, logical_cols if mode == "row" else logical_cols - 3
    rng = np.random.default_rng(c0)
    count = (batches - 1) * s0 + (block_cols - 1) * s1 + (block_rows - 1) * s2 + 16 * c0
    table = bits_array(rng, (count,), type_)
    src = bits_array(rng, (rows, cols), type_)
    if mode == "row":
        idx = np.array([[17, 0, 31, 17, 16]], np.int32)
    elif mode == "elem":
        # Few places, so that many elements meet.
        places = rng.integers(0, 3, (rows, cols)) * 7 + logical_cols * rng.integers(15, 18, (rows, cols))
        idx = places.astype(np.int32)
    else:
        # Two pairs meet: over a block's end, where the later column wins, and in a block, where the later row does.
        idx = np.arange(rows * cols, dtype=np.int32).reshape(rows, cols)
        idx[1, 0], idx[1, 1] = idx[0, c0], idx[0, c0 - 1]
    layout = "blayout=col_major, slayout=row_major, fractal=512"
    tile = f"!pto.tile_buf<vec, 16x{logical_cols}x{type_}, valid={rows}x{cols}, {layout}>"
    itile = f"!pto.tile_buf<vec, {idx.shape[0]}x{rounded_up(idx.shape[1], 4)}xi32, valid={idx.shape[0]}x{idx.shape[1]}>"
    mem = f"!pto.memref<{batches}x{block_cols}x{block_rows}x16x{c0}x{type_}, nz, strides=[{', '.join(map(str, strides))}]>"
    text = f"""
func.func @main(%table: {mem}, %src: !pto.memref<{rows}x{cols}x{type_}>, %idx: !pto.memref<{idx.shape[0]}x{idx.shape[1]}xi32>) {{
  %s = pto.alloc_tile : {tile}
  %i = pto.alloc_tile : {itile}
  pto.tload ins(%src : !pto.memref<{rows}x{cols}x{type_}>) outs(%s : {tile})
  pto.tload ins(%idx : !pto.memref<{idx.shape[0]}x{idx.shape[1]}xi32>) outs(%i : {itile})
  pto.mscatter ins(%s, %i : {tile}, {itile}) outs(%table : {mem})
    {{coalesce = #pto<coalesce {"row" if mode == "row" else "elem"}>, scatterAtomicOp = #pto<scatter_atomic_op {atomic}>}}
  return
}}
"""

    def at(row: int, col: int) -> int:
        block, inner = divmod(col, c0)
        batch, block_col = divmod(block, block_cols)
        block_row, in_block = divmod(row, 16)
        return batch * s0 + block_col * s1 + block_row * s2 + in_block * c0 + inner

    expected = table.copy()
    if mode == "row":
        walk = [(r, c) for r in range(rows) for c in range(cols)]
    else:
        blocks = range(0, cols, c0)
        walk = [(r, c) for b in blocks for r in range(rows) for c in range(b, min(b + c0, cols))]
    for r, c in walk:
        row, col = (int(idx[0, r]), c) if mode == "row" else divmod(int(idx[r, c]), logical_cols)
        assert row < logical_rows
        expected[at(row, col)] = combined(expected[at(row, col)], src[r, c], atomic)
    result = execute(text, {"table": table.copy(), "src": src, "idx": idx}, "a2a3")
    assert np.array_equal(result.outputs["table"], expected)


# --- TSCATTER ------------------------------------------------------------------------------------

WITHIN = """
func.func @main(%s: !pto.tile<4x8xf32>, %i: !pto.tile<INDEXxi32>, %out: !pto.memref<4x8xf32>) {
  %d = pto.alloc_tile : !pto.tile_buf<vec, 4x8xf32>
  pto.tscatter ins(%s, %i : !pto.tile<4x8xf32>, !pto.tile<INDEXxi32>) outs(%d : !pto.tile_buf<vec, 4x8xf32>)
  pto.tstore ins(%d : !pto.tile_buf<vec, 4x8xf32>) outs(%out : !pto.memref<4x8xf32>)
  return
}
"""


@pytest.mark.parametrize("bad", [32, -1])
def test_an_index_outside_the_destination(bad: int) -> None:
    """The last element is 31; what is outside is an error, or unchecked is not written."""
    text = WITHIN.replace("INDEX", "4x8")
    idx = np.arange(32, dtype=np.int32)[::-1].reshape(4, 8).copy()
    source = np.arange(1, 33, dtype=np.float32).reshape(4, 8)
    whole = execute(text, {"s": source, "i": idx}).outputs["out"]
    assert np.array_equal(whole.reshape(-1), source.reshape(-1)[::-1])
    idx[0, 2] = bad
    found = failing("PTO-R101", text, {"s": source, "i": idx})
    assert "[0, 2]" in found.message and "32 elements" in found.message
    for options in ({"unchecked": True}, {"checks": "init"}):
        rest = execute(text, {"s": source, "i": idx}, **options).outputs["out"].reshape(-1)
        assert rest[29] == 0 and np.array_equal(np.delete(rest, 29), np.delete(source.reshape(-1)[::-1], 29))


@pytest.mark.parametrize(("index", "fits"), [("4x8", True), ("2x8", True), ("5x8", False), ("4x16", False)])
def test_the_source_has_an_element_for_every_index(index: str, fits: bool) -> None:
    text = WITHIN.replace("INDEX", index)
    arguments = {"i": np.zeros(tuple(map(int, index.split("x"))), np.int32)}
    if fits:
        execute(text, arguments)
    else:
        failing("PTO-R105", text, arguments)


def test_only_a_device_writes_the_whole_destination() -> None:
    """Devices clear it first; on `cpu` what no index names has never been written."""
    text = WITHIN.replace("INDEX", "4x8")
    idx = np.arange(32, dtype=np.int32).reshape(4, 8)
    execute(text, {"i": idx}, "cpu")
    idx[3, 1] = 5
    execute(text, {"i": idx}, "a5")
    assert "[3, 1]" in failing("PTO-R201", text, {"i": idx}, "cpu").message


def test_a_destination_over_the_index_is_refused() -> None:
    text = """
func.func @main() {
  %c0 = arith.constant 0 : i64
  %a = arith.constant ADDRESS : i64
  %c2 = arith.constant 4096 : i64
  %z = arith.constant 0 : i32
  %i = pto.alloc_tile addr = %c0 : !pto.tile_buf<vec, 1x8xi32>
  %s = pto.alloc_tile addr = %c2 : !pto.tile_buf<vec, 1x8xi32>
  %d = pto.alloc_tile addr = %a : !pto.tile_buf<vec, 8x8xi32>
  pto.texpands ins(%z : i32) outs(%i : !pto.tile_buf<vec, 1x8xi32>)
  pto.texpands ins(%z : i32) outs(%s : !pto.tile_buf<vec, 1x8xi32>)
  pto.tscatter ins(%s, %i : !pto.tile_buf<vec, 1x8xi32>, !pto.tile_buf<vec, 1x8xi32>) outs(%d : !pto.tile_buf<vec, 8x8xi32>)
  return
}
"""
    failing("PTO-R109", text.replace("ADDRESS", "0"))
    execute(text.replace("ADDRESS", "32"))
    execute(text.replace("ADDRESS", "0"), checks="init")


@pytest.mark.parametrize("target", ["cpu", "a5"])
def test_indices_with_gaps_are_read_every_time(target: str) -> None:
    """dst[idx[i, j]] = src[i, j]: three of eight columns are valid, and the second round has other indices."""
    index = "!pto.tile_buf<vec, 2x8xi32, valid=2x3>"
    text = f"""
func.func @main(%idx: !pto.memref<4x3xi32>, %s: !pto.tile<2x8xf32>, %before: !pto.memref<4x8xf32>, %out: !pto.memref<4x8xf32>) {{
  %z = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %d = pto.alloc_tile : !pto.tile_buf<vec, 4x8xf32>
  %i = pto.alloc_tile : {index}
  scf.for %n = %z to %two step %one {{
    %at = arith.muli %n, %two : index
    %part = pto.partition_view %idx, offsets = [%at, %z], sizes = [%two, %three] : !pto.memref<4x3xi32> -> !pto.partition_tensor_view<2x3xi32>
    pto.tload ins(%part : !pto.partition_tensor_view<2x3xi32>) outs(%i : {index})
    pto.tload ins(%before : !pto.memref<4x8xf32>) outs(%d : !pto.tile_buf<vec, 4x8xf32>)
    pto.tscatter ins(%s, %i : !pto.tile<2x8xf32>, {index}) outs(%d : !pto.tile_buf<vec, 4x8xf32>)
  }}
  pto.tstore ins(%d : !pto.tile_buf<vec, 4x8xf32>) outs(%out : !pto.memref<4x8xf32>)
  return
}}
"""
    idx = np.array([[0, 1, 2], [3, 4, 5], [31, 7, 30], [8, 29, 9]], np.int32)
    source = np.arange(1, 17, dtype=np.float32).reshape(2, 8)
    before = np.full((4, 8), -1, np.float32)
    out = execute(text, {"idx": idx, "s": source, "before": before}, target).outputs["out"]
    expected = np.full(32, -1.0 if target == "cpu" else 0.0)
    for i in range(2):
        for j in range(3):
            expected[idx[2 + i, j]] = source[i, j]
    assert out.reshape(-1).tolist() == expected.tolist()


def test_nothing_is_scattered_from_an_empty_region() -> None:
    """Also by the walk of blocks, with and without columns."""
    layout = "blayout=col_major, slayout=row_major, fractal=512"
    tile = f"!pto.tile_buf<vec, 16x16xf32, valid=?x?, {layout}>"
    index = "!pto.tile_buf<vec, 16x16xi32, valid=?x?>"
    mem = "!pto.memref<1x2x1x16x8xf32, nz>"
    text = f"""
func.func @main(%table: {mem}, %r: index, %c: index) {{
  %s = pto.alloc_tile valid_row = %r valid_col = %c : {tile}
  %i = pto.alloc_tile valid_row = %r valid_col = %c : {index}
  pto.mscatter ins(%s, %i : {tile}, {index}) outs(%table : {mem}) {{coalesce = #pto<coalesce elem>}}
  return
}}
"""
    for rows, cols in ((0, 16), (2, 0)):
        failing("PTO-R121", text, {"r": rows, "c": cols}, "a2a3")
    failing("PTO-R201", text, {"r": 1, "c": 1}, "a2a3")


def test_rows_of_an_nz_table_are_written_as_a_whole() -> None:
    """Columns of the tile that are not valid go with them (D32)."""
    layout = "blayout=col_major, slayout=row_major, fractal=512"
    tile, whole = (f"!pto.tile_buf<vec, 16x16xf32, {valid}{layout}>" for valid in ("valid=1x3, ", ""))
    mem, plain = "!pto.memref<1x2x1x16x8xf32, nz>", "!pto.memref<16x16xf32>"
    text = f"""
func.func @main(%table: {mem}, %src: {plain}, %i: !pto.tile<1x8xi32, valid=1x1>) {{
  %c0 = arith.constant 0 : i64
  %s = pto.alloc_tile addr = %c0 : {tile}
  %w = pto.alloc_tile addr = %c0 : {whole}
  pto.tload ins(%src : {plain}) outs(%w : {whole})
  pto.mscatter ins(%s, %i : {tile}, !pto.tile<1x8xi32, valid=1x1>) outs(%table : {mem}) {{coalesce = #pto<coalesce row>}}
  return
}}
"""
    src = np.arange(256, dtype=np.float32).reshape(16, 16)
    table = np.zeros((1, 2, 1, 16, 8), np.float32)
    execute(text, {"table": table, "src": src, "i": np.array([[5]], np.int32)}, "a2a3")
    assert np.array_equal(table[0, :, 0, 5].reshape(-1), src[0])
    assert not table[0, :, 0, :5].any() and not table[0, :, 0, 6:].any()
    # Loaded through the narrow tile, the others were never written.
    part = text.replace(f"outs(%w : {whole}", f"outs(%s : {tile}").replace(plain, "!pto.memref<1x3xf32>")
    failing("PTO-R201", part, {"i": np.array([[5]], np.int32)}, "a2a3")
