# ruff: noqa: E501 - programs are text
"""TGATHER by index, mask and comparison, and TGATHERB, against loops."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoas
from tests.machine.support import SIZE, TYPES, bits_array, execute, failing, raw, seeds
from tests.machine.test_gather import rounded_up

POSITIONS = {
    "P0101": lambda n: n % 2 == 0,
    "P1010": lambda n: n % 2 == 1,
    "P0001": lambda n: n % 4 == 0,
    "P0010": lambda n: n % 4 == 1,
    "P0100": lambda n: n % 4 == 2,
    "P1000": lambda n: n % 4 == 3,
    "P1111": lambda n: True,
}


@settings(max_examples=80)
@given(
    st.sampled_from(["cpu", "a2a3", "a5"]),
    st.sampled_from(TYPES),
    st.integers(1, 4),
    st.integers(1, 9),
    st.sampled_from(["row_major", "col_major"]),
    st.sampled_from(["i32", "ui16"]),
    seeds,
)
def test_index_form(
    target: str, type_: str, rows: int, cols: int, layout: str, index_type: str, seed: int
) -> None:
    """dst[i, j] = src[indices[i, j]]: a linear index into Rows x Cols in row-major order (D19)."""
    rng = np.random.default_rng(seed)
    width = rounded_up(cols, SIZE[type_])
    src = bits_array(rng, (rows + 1, width), type_)
    idx = rng.integers(0, (rows + 1) * width, (rows, cols)).astype(
        np.uint16 if index_type == "ui16" else np.int32
    )
    stile = f"!pto.tile_buf<vec, {rows + 1}x{width}x{type_}, blayout={layout}>"
    itile = f"!pto.tile_buf<vec, {rows}x{rounded_up(cols, 2)}x{index_type}, valid={rows}x{cols}>"
    dtile = f"!pto.tile_buf<vec, {rows}x{width}x{type_}, valid={rows}x{cols}>"
    text = f"""
func.func @main(%src: !pto.memref<{rows + 1}x{width}x{type_}>, %idx: !pto.memref<{rows}x{cols}x{index_type}>,
                %out: !pto.memref<{rows}x{cols}x{type_}>) {{
  %s = pto.alloc_tile : {stile}
  %i = pto.alloc_tile : {itile}
  %d = pto.alloc_tile : {dtile}
  pto.tload ins(%src : !pto.memref<{rows + 1}x{width}x{type_}>) outs(%s : {stile})
  pto.tload ins(%idx : !pto.memref<{rows}x{cols}x{index_type}>) outs(%i : {itile})
  pto.tgather ins(%s, %i : {stile}, {itile}) outs(%d : {dtile})
  pto.tstore ins(%d : {dtile}) outs(%out : !pto.memref<{rows}x{cols}x{type_}>)
  return
}}
"""
    expected = np.zeros((rows, cols), raw(src).dtype)
    for i in range(rows):
        for j in range(cols):
            r, c = divmod(int(idx[i, j]), width)
            expected[i, j] = raw(src)[r, c]
    result = execute(text, {"src": src, "idx": idx}, target)
    assert np.array_equal(raw(result.outputs["out"]), expected)


INDEX = """
func.func @main(%s: !pto.tile<4x8xf32>, %i: !pto.tile<2x8xi32>, %out: !pto.memref<2x8xf32>) {
  %d = pto.alloc_tile : !pto.tile_buf<vec, 2x8xf32>
  pto.tgather ins(%s, %i : !pto.tile<4x8xf32>, !pto.tile<2x8xi32>) outs(%d : !pto.tile_buf<vec, 2x8xf32>)
  pto.tstore ins(%d : !pto.tile_buf<vec, 2x8xf32>) outs(%out : !pto.memref<2x8xf32>)
  return
}
"""


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize("bad", [32, -1])
def test_an_index_outside_the_source(target: str, bad: int) -> None:
    src = np.arange(1, 33, dtype=np.float32).reshape(4, 8)
    idx = np.arange(16, dtype=np.int32).reshape(2, 8)
    idx[1, 3] = bad
    found = failing("PTO-R101", INDEX, {"s": src, "i": idx}, target)
    assert "[1, 3]" in found.message and "32 elements" in found.message
    for options in ({"unchecked": True}, {"checks": "init"}, {"checks": "none"}):
        out = execute(INDEX, {"s": src, "i": idx}, target, **options).outputs["out"]
        assert out[1, 3] == 0 and out[1, 2] == src[1, 2]
    idx[1, 3] = 31
    assert execute(INDEX, {"s": src, "i": idx}, target).outputs["out"][1, 3] == 32


@settings(max_examples=80)
@given(
    st.sampled_from(["cpu", "a2a3", "a5"]),
    st.sampled_from(sorted(POSITIONS)),
    st.sampled_from(["ui8", "f16", "f32"]),
    st.integers(1, 5),
    st.integers(1, 20),
    seeds,
)
def test_mask_form(target: str, pattern: str, type_: str, rows: int, cols: int, seed: int) -> None:
    """The kept elements of all valid source rows, one after another; the rest of dst keeps its bytes (D18)."""
    rng = np.random.default_rng(seed)
    width = rounded_up(cols, SIZE[type_])
    src, before = bits_array(rng, (rows, cols), type_), bits_array(rng, (rows, width), type_)
    stile = f"!pto.tile_buf<vec, {rows}x{width}x{type_}, valid={rows}x{cols}>"
    dtile = f"!pto.tile_buf<vec, {rows}x{width}x{type_}>"
    text = f"""
func.func @main(%src: !pto.memref<{rows}x{cols}x{type_}>, %before: !pto.memref<{rows}x{width}x{type_}>,
                %out: !pto.memref<{rows}x{width}x{type_}>) {{
  %s = pto.alloc_tile : {stile}
  %d = pto.alloc_tile : {dtile}
  pto.tload ins(%src : !pto.memref<{rows}x{cols}x{type_}>) outs(%s : {stile})
  pto.tload ins(%before : !pto.memref<{rows}x{width}x{type_}>) outs(%d : {dtile})
  pto.tgather ins(%s, {{maskPattern = #pto.mask_pattern<{pattern}>}} : {stile}) outs(%d : {dtile})
  pto.tstore ins(%d : {dtile}) outs(%out : !pto.memref<{rows}x{width}x{type_}>)
  return
}}
"""
    stream = [raw(src)[r, c] for r in range(rows) for c in range(cols) if POSITIONS[pattern](c)]
    expected = raw(before).copy().reshape(-1)
    expected[: len(stream)] = stream
    result = execute(text, {"src": src, "before": before}, target)
    assert np.array_equal(raw(result.outputs["out"]).reshape(-1), expected)


def test_a_mask_keeps_no_more_than_the_destination_holds() -> None:
    text = """
func.func @main(%s: !pto.tile<16x16xf32>) {
  %d = pto.alloc_tile : !pto.tile_buf<vec, ROWSx16xf32>
  pto.tgather ins(%s, {maskPattern = #pto.mask_pattern<P0101>} : !pto.tile<16x16xf32>) outs(%d : !pto.tile_buf<vec, ROWSx16xf32>)
  return
}
"""
    assert "128 elements" in failing("PTO-R108", text.replace("ROWS", "7")).message
    out = execute(text.replace("ROWS", "8"), {"s": np.arange(256, dtype=np.float32).reshape(16, 16)}).outputs[
        "d"
    ]
    assert np.array_equal(out.reshape(-1), np.arange(0, 256, 2))


COMPARE = """
func.func @main(%s: !pto.tile<4x16xf32>, %k: f32) {
  %d = pto.alloc_tile : !pto.tile_buf<vec, 4x8xi32>
  %n = pto.alloc_tile : !pto.tile_buf<vec, 1x8xi32, valid=1x4>
  %tmp = pto.alloc_tile : !pto.tile_buf<vec, 8x256xi32>
  pto.tgather ins(%s, %k, %tmp : !pto.tile<4x16xf32>, f32, !pto.tile_buf<vec, 8x256xi32>)
    outs(%d, %n : !pto.tile_buf<vec, 4x8xi32>, !pto.tile_buf<vec, 1x8xi32, valid=1x4>) {cmpMode = #pto<cmp CMP>, offset = 7 : i32}
  return
}
"""


@pytest.mark.parametrize(("name", "holds"), [("gt", lambda a, b: a > b), ("eq", lambda a, b: a == b)])
def test_compare_form(name: str, holds) -> None:
    """Row by row the positions that compare, offset + i * Cols + j, and how many there are."""
    rng = np.random.default_rng(3)
    src = rng.integers(0, 4, (4, 16)).astype(np.float32)
    kept = [[7 + i * 16 + j for j in range(16) if holds(src[i, j], 2.0)] for i in range(4)]
    assert max(map(len, kept)) <= 8
    # The rest of the destination is not written: an array of what is there shows only the kept ones.
    outputs = execute(COMPARE.replace("CMP", name), {"s": src, "k": 2.0}, checks="mem", target="a2a3").outputs
    assert outputs["n"].reshape(-1).tolist() == [len(row) for row in kept]
    for i, row in enumerate(kept):
        assert outputs["d"][i, : len(row)].tolist() == row


def test_compare_form_needs_a_destination_for_every_row() -> None:
    src = np.zeros((4, 16), np.float32)
    src[2, :9] = 1
    assert (
        "9 elements of row 2"
        in failing("PTO-R108", COMPARE.replace("CMP", "gt"), {"s": src, "k": 0.5}).message
    )
    src[2, 8] = 0
    execute(COMPARE.replace("CMP", "gt"), {"s": src, "k": 0.5})


@settings(max_examples=60)
@given(
    st.sampled_from(["a2a3", "a5"]),
    st.sampled_from(["ui8", "f16", "i32"]),
    st.integers(1, 4),
    st.integers(1, 40),
    seeds,
)
def test_tgatherb(target: str, type_: str, rows: int, cols: int, seed: int) -> None:
    """Block b of row i of dst is the 32 bytes of src at byte offsets[i, b]; the last block only as far as valid."""
    rng = np.random.default_rng(seed)
    size = SIZE[type_]
    width = rounded_up(cols, size)
    blocks = -(-cols * size // 32)
    src = bits_array(rng, (4, 64 // size), type_)
    offsets = rng.integers(0, 256 - 32 + 1, (rows, blocks)).astype(np.uint32)
    before = bits_array(rng, (rows, width), type_)
    stile = f"!pto.tile_buf<vec, 4x{64 // size}x{type_}>"
    otile = f"!pto.tile_buf<vec, {rows}x{rounded_up(blocks, 4)}xui32, valid={rows}x{blocks}>"
    dtile = f"!pto.tile_buf<vec, {rows}x{width}x{type_}, valid={rows}x{cols}>"
    wtile = f"!pto.tile_buf<vec, {rows}x{width}x{type_}>"
    text = f"""
func.func @main(%src: !pto.memref<4x{64 // size}x{type_}>, %offsets: !pto.memref<{rows}x{blocks}xui32>,
                %before: !pto.memref<{rows}x{width}x{type_}>, %out: !pto.memref<{rows}x{width}x{type_}>) {{
  %a0 = arith.constant 0 : i64
  %a1 = arith.constant 8192 : i64
  %a2 = arith.constant 16384 : i64
  %s = pto.alloc_tile addr = %a0 : {stile}
  %o = pto.alloc_tile addr = %a1 : {otile}
  %d = pto.alloc_tile addr = %a2 : {dtile}
  %w = pto.alloc_tile addr = %a2 : {wtile}
  pto.tload ins(%src : !pto.memref<4x{64 // size}x{type_}>) outs(%s : {stile})
  pto.tload ins(%offsets : !pto.memref<{rows}x{blocks}xui32>) outs(%o : {otile})
  pto.tload ins(%before : !pto.memref<{rows}x{width}x{type_}>) outs(%w : {wtile})
  pto.tgatherb ins(%s, %o : {stile}, {otile}) outs(%d : {dtile})
  pto.tstore ins(%w : {wtile}) outs(%out : !pto.memref<{rows}x{width}x{type_}>)
  return
}}
"""
    memory = raw(src).tobytes()
    expected = raw(before).copy()
    for i in range(rows):
        line = b"".join(memory[int(o) : int(o) + 32] for o in offsets[i])
        expected[i, :cols] = np.frombuffer(line[: cols * size], expected.dtype)
    result = execute(text, {"src": src, "offsets": offsets, "before": before}, target)
    assert np.array_equal(raw(result.outputs["out"]), expected)


def test_a_block_outside_the_source() -> None:
    text = """
func.func @main(%s: !pto.tile<2x32xui8>, %o: !pto.tile<1x8xui32>) {
  %d = pto.alloc_tile : !pto.tile_buf<vec, 1x256xui8>
  pto.tgatherb ins(%s, %o : !pto.tile<2x32xui8>, !pto.tile<1x8xui32>) outs(%d : !pto.tile_buf<vec, 1x256xui8>)
  return
}
"""
    offsets = np.full((1, 8), 32, np.uint32)
    execute(text, {"o": offsets})
    offsets[0, 7] = 33
    assert "[0, 7]" in failing("PTO-R101", text, {"o": offsets}).message


# --- both sides of every bound -------------------------------------------------------------------


@pytest.mark.parametrize(("index", "fits"), [("2x8", True), ("3x16", True), ("1x8", False), ("2x4", False)])
def test_there_is_an_index_for_every_element(index: str, fits: bool) -> None:
    text = INDEX.replace("tile<2x8xi32>", f"tile<{index}xi32>")
    arguments = {"i": np.zeros(tuple(map(int, index.split("x"))), np.int32)}
    if fits:
        execute(text, arguments)
    else:
        failing("PTO-R105", text, arguments)


PARTLY = """
func.func @main(%m: !pto.memref<2x8xf32>, %i: !pto.tile<2x8xi32>, %out: !pto.memref<2x8xf32>) {
  %z = arith.constant 0 : i64
  %b = arith.constant 4096 : i64
  %e = arith.constant 8192 : i64
  %w = pto.alloc_tile addr = %z : !pto.tile_buf<vec, 2x8xf32>
  %s = pto.alloc_tile addr = %z : !pto.tile_buf<vec, 4x8xf32>
  %d = pto.alloc_tile addr = %b : !pto.tile_buf<vec, 2x8xf32>
  %x = pto.alloc_tile addr = %e : !pto.tile_buf<vec, 2x8xi32>
  pto.tmov ins(%i : !pto.tile<2x8xi32>) outs(%x : !pto.tile_buf<vec, 2x8xi32>)
  pto.tload ins(%m : !pto.memref<2x8xf32>) outs(%w : !pto.tile_buf<vec, 2x8xf32>)
  pto.tgather ins(%s, %x : !pto.tile_buf<vec, 4x8xf32>, !pto.tile_buf<vec, 2x8xi32>) outs(%d : !pto.tile_buf<vec, 2x8xf32>)
  pto.tstore ins(%d : !pto.tile_buf<vec, 2x8xf32>) outs(%out : !pto.memref<2x8xf32>)
  return
}
"""


def test_only_what_is_chosen_must_have_been_written() -> None:
    """Two of four rows are written: 15 is the last written element, 31 the last one, 32 is outside (D19)."""
    source = np.arange(1, 17, dtype=np.float32).reshape(2, 8)
    idx = np.full((2, 8), 15, np.int32)
    assert (execute(PARTLY, {"m": source, "i": idx}).outputs["out"] == 16).all()
    idx[1, 1] = 16
    failing("PTO-R201", PARTLY, {"m": source, "i": idx})
    execute(PARTLY, {"m": source, "i": idx}, checks="mem,race")
    idx[1, 1] = 32
    failing("PTO-R101", PARTLY, {"m": source, "i": idx})
    out = execute(PARTLY, {"m": source, "i": idx}, unchecked=True).outputs["out"]
    assert out[1, 1] == 0 and (np.delete(out.reshape(-1), 9) == 16).all()


ALONG = """
func.func @main(%s: !pto.tile<6x8xf32>) {
  %d = pto.alloc_tile : !pto.tile_buf<vec, SHAPExf32>
  pto.tgather ins(%s, {maskPattern = #pto.mask_pattern<PATTERN>AXIS} : !pto.tile<6x8xf32>) outs(%d : !pto.tile_buf<vec, SHAPExf32>)
  return
}
"""


@pytest.mark.parametrize("pattern", POSITIONS)
def test_a_mask_along_columns_keeps_rows(pattern: str) -> None:
    source = np.arange(48, dtype=np.float32).reshape(6, 8)
    kept = [row for row in range(6) if POSITIONS[pattern](row)]
    text = ALONG.replace("PATTERN", pattern).replace("AXIS", ', axis = "col"')
    out = execute(text.replace("SHAPE", f"{len(kept)}x8"), {"s": source}).outputs["d"]
    assert np.array_equal(out, source[kept])
    failing("PTO-R108", text.replace("SHAPE", f"{len(kept)}x7"), {"s": source})
    if len(kept) > 1:
        failing("PTO-R108", text.replace("SHAPE", f"{len(kept) - 1}x8"), {"s": source})


@pytest.mark.parametrize("axis", ["", ', axis = "row"'])
def test_mask_gather_packs_elements_in_row_order(axis: str) -> None:
    """Also into a tile whose memory has another order."""
    source = np.arange(48, dtype=np.float32).reshape(6, 8)
    text = ALONG.replace("PATTERN", "P0101").replace("AXIS", axis)
    packed = source[:, ::2].reshape(-1)
    for layout in ("row_major", "col_major"):
        shape = text.replace("SHAPExf32", f"8x3xf32, blayout={layout}")
        assert np.array_equal(execute(shape, {"s": source}).outputs["d"].reshape(-1), packed)
        # With one row more than is kept, the last row is never written.
        more = execute(text.replace("SHAPExf32", f"8x4xf32, blayout={layout}"), {"s": source}).outputs["d"]
        assert np.array_equal(more.reshape(-1)[:24], packed)


def test_compare_form_without_an_offset_counts_from_zero() -> None:
    src = np.zeros((4, 16), np.float32)
    src[1, 3] = src[3, 0] = 1
    text = COMPARE.replace("CMP", "eq").replace(", offset = 7 : i32", "")
    outputs = execute(text, {"s": src, "k": 1.0}, checks="mem", target="a2a3").outputs
    assert outputs["d"][1, 0] == 19 and outputs["d"][3, 0] == 48
    assert outputs["n"].reshape(-1).tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("rows", "counts", "fits"), [(4, "1x8", True), (3, "1x8", False), (4, "1x4", True), (4, "1x3", False)]
)
def test_compare_form_has_a_place_for_every_row(rows: int, counts: str, fits: bool) -> None:
    text = COMPARE.replace("CMP", "eq").replace("4x8xi32", f"{rows}x8xi32")
    text = text.replace("1x8xi32, valid=1x4", f"{counts}xi32")
    if fits:
        execute(text, {"k": 1.0, "s": np.zeros((4, 16), np.float32)}, checks="mem")
    else:
        failing("PTO-R108", text, {"k": 1.0, "s": np.zeros((4, 16), np.float32)}, checks="mem")


def test_compare_form_without_a_mode_asks_for_equal_ones() -> None:
    src = np.arange(64, dtype=np.float32).reshape(4, 16)
    text = COMPARE.replace("cmpMode = #pto<cmp CMP>, ", "")
    outputs = execute(text, {"s": src, "k": 20.0}, checks="mem", target="a2a3").outputs
    assert outputs["n"].reshape(-1).tolist() == [0, 1, 0, 0] and outputs["d"][1, 0] == 7 + 20


def test_compare_form_of_no_rows() -> None:
    """Nothing is compared, nothing is kept, not even a count."""
    source = "!pto.tile_buf<vec, 4x16xf32, valid=?x?>"
    text = COMPARE.replace("CMP", "eq").replace("%s: !pto.tile<4x16xf32>", "%r: index, %c: index")
    text = text.replace("!pto.tile<4x16xf32>", source).replace(
        "  pto.tgather",
        f"  %zero = arith.constant 0 : i32\n  %s = pto.alloc_tile valid_row = %r valid_col = %c : {source}\n"
        "  pto.texpands ins(%zero : i32) outs(%n : !pto.tile_buf<vec, 1x8xi32, valid=1x4>)\n  pto.tgather",
    )
    outputs = execute(text, {"k": 1.0, "r": 0, "c": 16}).outputs
    assert outputs["n"].reshape(-1).tolist() == [0, 0, 0, 0]
    failing("PTO-R201", text, {"k": 1.0, "r": 1, "c": 16})


def test_compare_form_that_keeps_nothing_is_no_writer() -> None:
    """The note of an index that is outside names the instruction that wrote it."""
    tile = "!pto.tile_buf<vec, 4x8xi32>"
    text = COMPARE.replace("CMP", "eq").replace("%k: f32", "%k: f32, %table: !pto.memref<4x8xf32>")
    text = text.replace(
        "  pto.tgather",
        f"  %five = arith.constant 500 : i32\n  pto.texpands ins(%five : i32) outs(%d : {tile})\n  pto.tgather",
    ).replace(
        "  return",
        "  %e = pto.alloc_tile : !pto.tile_buf<vec, 4x8xf32>\n"
        f"  pto.mgather ins(%table, %d : !pto.memref<4x8xf32>, {tile}) outs(%e : !pto.tile_buf<vec, 4x8xf32>) {{coalesce = #pto<coalesce elem>}}\n"
        "  return",
    )
    for kept, writer in ((0, "texpands"), (1, "tgather")):
        src = np.zeros((4, 16), np.float32)
        src[0, :kept] = 1
        (note,) = failing("PTO-R101", text, {"s": src, "k": 1.0}).notes
        assert f"written by {writer}" in note.message


def test_compare_form_writes_only_what_it_keeps() -> None:
    src = np.zeros((4, 16), np.float32)
    src[:, :8] = 1
    text = COMPARE.replace("CMP", "eq").replace(
        "  return",
        "  %e = pto.alloc_tile : !pto.tile_buf<vec, 4x8xi32>\n"
        "  pto.tmov ins(%d : !pto.tile_buf<vec, 4x8xi32>) outs(%e : !pto.tile_buf<vec, 4x8xi32>)\n  return",
    )
    assert execute(text, {"s": src, "k": 1.0}, target="a2a3").outputs["e"][3].tolist() == list(range(55, 63))
    src[3, 7] = 0
    assert "[3, 7]" in failing("PTO-R201", text, {"s": src, "k": 1.0}).message


BLOCKS = """
func.func @main(%m: !pto.memref<ROWSx8xi32>, %o: !pto.tile<OFFSETSxui32>, %before: !pto.memref<1x16xi32>, %out: !pto.memref<1x16xi32>) {
  %z = arith.constant 0 : i64
  %b = arith.constant 4096 : i64
  %e = arith.constant 8192 : i64
  %w = pto.alloc_tile addr = %z : !pto.tile_buf<vec, ROWSx8xi32>
  %s = pto.alloc_tile addr = %z : !pto.tile_buf<vec, 4x8xi32>
  %x = pto.alloc_tile addr = %e : !pto.tile_buf<vec, OFFSETSxui32>
  %d = pto.alloc_tile addr = %b : !pto.tile_buf<vec, 1x16xi32, valid=1xCOLS>
  %v = pto.alloc_tile addr = %b : !pto.tile_buf<vec, 1x16xi32>
  pto.tmov ins(%o : !pto.tile<OFFSETSxui32>) outs(%x : !pto.tile_buf<vec, OFFSETSxui32>)
  pto.tload ins(%m : !pto.memref<ROWSx8xi32>) outs(%w : !pto.tile_buf<vec, ROWSx8xi32>)
  pto.tload ins(%before : !pto.memref<1x16xi32>) outs(%v : !pto.tile_buf<vec, 1x16xi32>)
  pto.tgatherb ins(%s, %x : !pto.tile_buf<vec, 4x8xi32>, !pto.tile_buf<vec, OFFSETSxui32>)
    outs(%d : !pto.tile_buf<vec, 1x16xi32, valid=1xCOLS>)
  pto.tstore ins(%v : !pto.tile_buf<vec, 1x16xi32>) outs(%out : !pto.memref<1x16xi32>)
  return
}
"""


def blocks(offsets: list[int], cols: int = 16, rows: int = 4) -> tuple[str, dict]:
    """A gather of blocks from four rows of 32 bytes, of which `rows` have been written."""
    text = (
        BLOCKS.replace("OFFSETS", f"1x{len(offsets)}").replace("COLS", str(cols)).replace("ROWS", str(rows))
    )
    arguments = {
        "m": np.arange(100, 100 + 8 * rows, dtype=np.int32).reshape(rows, 8),
        "o": np.array([offsets], np.uint32),
        "before": -np.arange(16, dtype=np.int32).reshape(1, 16),
    }
    return text, arguments


@pytest.mark.parametrize(("target", "last"), [("cpu", -8), ("a2a3", 116), ("a5", 116)])
def test_the_last_block_in_part(target: str, last: int) -> None:
    """Nine columns: a device masks the second block, the simulator moves whole blocks only."""
    text, arguments = blocks([96, 64], cols=9)
    out = execute(text, arguments, target).outputs["out"].reshape(-1).tolist()
    assert out == [*range(124, 132), last, *(-n for n in range(9, 16))]


def test_there_is_an_offset_for_every_block() -> None:
    text, arguments = blocks([0, 32])
    execute(text, arguments)
    text, arguments = blocks([0])
    failing("PTO-R105", text, arguments)
    text, arguments = blocks([0], cols=8)
    execute(text, arguments)
    text, arguments = blocks([0], cols=9)
    failing("PTO-R105", text, arguments)


def test_a_block_outside_leaves_what_was_there() -> None:
    """Of 128 bytes the last block starts at 96; 97 is outside."""
    text, arguments = blocks([96, 97])
    assert "[0, 1]" in failing("PTO-R101", text, arguments).message
    for options in ({"unchecked": True}, {"checks": "init"}, {"checks": "none"}):
        out = execute(text, arguments, **options).outputs["out"].reshape(-1).tolist()
        assert out == [*range(124, 132), *(-n for n in range(8, 16))]


def test_only_the_chosen_blocks_must_have_been_written() -> None:
    """Three of four rows are written, 96 bytes."""
    text, arguments = blocks([64, 60], rows=3)
    out = execute(text, arguments).outputs["out"].reshape(-1).tolist()
    assert out == [*range(116, 124), *range(115, 123)]
    text, arguments = blocks([64, 68], rows=3)
    failing("PTO-R201", text, arguments)
    execute(text, arguments, checks="mem")
    # What is outside is not read.
    text, arguments = blocks([64, 97], rows=3)
    execute(text, arguments, unchecked=True)


def test_an_index_counts_rows_whatever_the_order_in_memory() -> None:
    """D19: row-major order of (row, column), also of a column-major source, of which only what is chosen must
    have been written."""
    text = PARTLY.replace("!pto.tile_buf<vec, 4x8xf32>", "!pto.tile_buf<vec, 8x4xf32, blayout=col_major>")
    text = text.replace(
        "%w = pto.alloc_tile addr = %z : !pto.tile_buf<vec, 2x8xf32>",
        "%w = pto.alloc_tile addr = %z : !pto.tile_buf<vec, 8x2xf32, blayout=col_major>",
    )
    text = text.replace(
        "outs(%w : !pto.tile_buf<vec, 2x8xf32>)", "outs(%w : !pto.tile_buf<vec, 8x2xf32, blayout=col_major>)"
    )
    text = text.replace("%m: !pto.memref<2x8xf32>", "%m: !pto.memref<8x2xf32>").replace(
        "%m : !pto.memref<2x8xf32>", "%m : !pto.memref<8x2xf32>"
    )
    source = np.arange(16, dtype=np.float32).reshape(8, 2)
    # The first two of four columns are written: indices 4 * row and 4 * row + 1.
    idx = np.array([[4 * row + col for row in range(8)] for col in range(2)], np.int32)
    assert np.array_equal(execute(text, {"m": source, "i": idx}).outputs["out"], source.T)
    idx[1, 6] = 26
    failing("PTO-R201", text, {"m": source, "i": idx})


@pytest.mark.parametrize("layout", ["row_major", "col_major"])
def test_elements_kept_by_a_mask_are_initialised(layout: str) -> None:
    tile = f"!pto.tile_buf<vec, 8xCOLSxf32, blayout={layout}>"
    text = (
        ALONG.replace("PATTERN", "P0101").replace("AXIS", "").replace("!pto.tile_buf<vec, SHAPExf32>", tile)
    )
    text = text.replace(
        "  return",
        f"  %e = pto.alloc_tile : {tile}\n  pto.tmov ins(%d : {tile}) outs(%e : {tile})\n  return",
    )
    source = np.arange(48, dtype=np.float32).reshape(6, 8)
    out = execute(text.replace("COLS", "3"), {"s": source}).outputs["e"]
    assert np.array_equal(out.reshape(-1), source[:, ::2].reshape(-1))
    assert "[6, 0]" in failing("PTO-R201", text.replace("COLS", "4"), {"s": source}).message


def test_a_destination_over_the_indices_is_refused() -> None:
    text = PARTLY.replace("%b = arith.constant 4096", "%b = arith.constant ADDRESS")
    idx = np.zeros((2, 8), np.int32)
    execute(text.replace("ADDRESS", "8256"), {"i": idx})
    failing("PTO-R109", text.replace("ADDRESS", "8252"), {"i": idx})
    execute(text.replace("ADDRESS", "8252"), {"i": idx}, checks="init")


def test_there_are_offsets_for_every_row() -> None:
    text = """
func.func @main(%s: !pto.tile<2x8xi32>, %o: !pto.tile<1x1xui32>) {
  %d = pto.alloc_tile : !pto.tile_buf<vec, ROWSx8xi32>
  pto.tgatherb ins(%s, %o : !pto.tile<2x8xi32>, !pto.tile<1x1xui32>) outs(%d : !pto.tile_buf<vec, ROWSx8xi32>)
  return
}
"""
    arguments = {"o": np.zeros((1, 1), np.uint32)}
    execute(text.replace("ROWS", "1"), arguments)
    failing("PTO-R105", text.replace("ROWS", "2"), arguments)


def test_gathering_into_a_tile_of_boxes() -> None:
    """dst[i, j] = src[indices[i, j]] wherever (i, j) lies; 13 of 16 rows and 11 of 16 columns are valid."""
    tile = "!pto.tile_buf<vec, 16x16xf32, valid=13x11, blayout=col_major, slayout=row_major, fractal=512>"
    text = f"""
func.func @main(%s: !pto.tile<16x32xf32>, %i: !pto.tile<13x11xi32>, %out: !pto.memref<13x11xf32>) {{
  %d = pto.alloc_tile : {tile}
  pto.tgather ins(%s, %i : !pto.tile<16x32xf32>, !pto.tile<13x11xi32>) outs(%d : {tile})
  pto.tstore ins(%d : {tile}) outs(%out : !pto.memref<13x11xf32>)
  return
}}
"""
    source = np.arange(512, dtype=np.float32).reshape(16, 32)
    idx = np.random.default_rng(5).permutation(512)[:143].astype(np.int32).reshape(13, 11)
    assert execute(text, {"s": source, "i": idx}).outputs["out"].tolist() == idx.tolist()


def test_a_source_smaller_than_a_block() -> None:
    """A tile without blocks may be the last of its memory (196608 bytes)."""
    source, line = "!pto.tile_buf<vec, 1x4xi32>", "!pto.tile_buf<vec, 1x8xi32>"
    text = f"""
func.func @main(%o: !pto.memref<1x8xui32>, %before: !pto.memref<1x8xi32>, %out: !pto.memref<1x8xi32>) {{
  %z = arith.constant 0 : i64
  %a = arith.constant 4096 : i64
  %last = arith.constant 196592 : i64
  %k = arith.constant 3 : i32
  %s = pto.alloc_tile addr = %last : {source}
  %d = pto.alloc_tile addr = %z : {line}
  %x = pto.alloc_tile addr = %a : !pto.tile_buf<vec, 1x8xui32>
  pto.texpands ins(%k : i32) outs(%s : {source})
  pto.tload ins(%before : !pto.memref<1x8xi32>) outs(%d : {line})
  pto.tload ins(%o : !pto.memref<1x8xui32>) outs(%x : !pto.tile_buf<vec, 1x8xui32>)
  pto.tgatherb ins(%s, %x : {source}, !pto.tile_buf<vec, 1x8xui32>) outs(%d : {line})
  pto.tstore ins(%d : {line}) outs(%out : !pto.memref<1x8xi32>)
  return
}}
"""
    arguments = {"o": np.zeros((1, 8), np.uint32), "before": np.arange(8, dtype=np.int32).reshape(1, 8)}
    assert "starts before byte 0" in failing("PTO-R101", text, arguments, "a2a3").message
    out = execute(text, arguments, "a2a3", unchecked=True).outputs["out"]
    assert out.tolist() == [list(range(8))]


BEHIND = """
func.func @main(%m: !pto.memref<4x64xf32>, %q: !pto.memref<1x8xi32>, %out: !pto.memref<1x8xi32>, %o: !pto.memref<1x8xi32>) {
  %a0 = arith.constant 0 : i64
  %a1 = arith.constant 1024 : i64
  %a2 = arith.constant 1056 : i64
  %a3 = arith.constant 2080 : i64
  %a4 = arith.constant 2112 : i64
  %a5 = arith.constant AFTER : i64
  %s = pto.alloc_tile addr = %a0 : !pto.tile_buf<vec, 4x64xf32>
  %k = pto.alloc_tile addr = %a1 : !pto.tile_buf<vec, 1x8xi32>
  %d = pto.alloc_tile addr = %a2 : !pto.tile_buf<vec, 4x64xi32>
  %n = pto.alloc_tile addr = %a3 : !pto.tile_buf<vec, 1x8xi32, valid=1x4>
  %t = pto.alloc_tile addr = %a4 : !pto.tile_buf<vec, 4x32xui8>
  %l = pto.alloc_tile addr = %a5 : !pto.tile_buf<vec, 1x8xi32>
  pto.tload ins(%m : !pto.memref<4x64xf32>) outs(%s : !pto.tile_buf<vec, 4x64xf32>)
  pto.tload ins(%q : !pto.memref<1x8xi32>) outs(%k : !pto.tile_buf<vec, 1x8xi32>)
  pto.tload ins(%q : !pto.memref<1x8xi32>) outs(%l : !pto.tile_buf<vec, 1x8xi32>)
  pto.tgather ins(%s, %k, %t : !pto.tile_buf<vec, 4x64xf32>, !pto.tile_buf<vec, 1x8xi32>, !pto.tile_buf<vec, 4x32xui8>)
    outs(%d, %n : !pto.tile_buf<vec, 4x64xi32>, !pto.tile_buf<vec, 1x8xi32, valid=1x4>)
    {cmpMode = #pto<cmp gt>}
  pto.tstore ins(%l : !pto.tile_buf<vec, 1x8xi32>) outs(%out : !pto.memref<1x8xi32>)
  return
}
"""
"""The tile of bits takes 128 bytes; 1,024 of positions and 256 of thresholds come behind it."""


def test_compare_form_uses_bytes_after_its_scratch_tile() -> None:
    """They are the program's, where it gives addresses: a warning, and a stop where they were needed."""
    m = np.ones((4, 64), np.float32)
    arguments = {"m": m, "q": np.zeros((1, 8), np.int32)}
    free, taken = BEHIND.replace("AFTER", str(2112 + 1408)), BEHIND.replace("AFTER", str(2112 + 1376))
    for text in (free, taken):
        (found,) = [
            each for each in ptoas.verify(ptoas.parse(text), "a2a3").diagnostics if each.code == "PTO-I108"
        ]
        assert not found.is_error and "keep 1408 bytes free" in (found.fix or "")
    execute(free, arguments, "a2a3")
    assert "%l" in failing("PTO-R201", taken, arguments, "a2a3").message


def test_compare_form_refuses_a_small_scratch_tile_without_an_address() -> None:
    """The compiler would put another tile behind it."""
    text = re.sub(r" addr = %a\d", "", BEHIND.replace("AFTER", "0"))
    (found,) = [
        each for each in ptoas.verify(ptoas.parse(text), "a2a3").diagnostics if each.code == "PTO-I108"
    ]
    assert found.is_error
