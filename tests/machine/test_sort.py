# ruff: noqa: E501 - programs are text
"""Sorting and merging, against sorting and merging by hand, pair by pair."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.support import execute, failing, seeds

SIZES = {"f32": 4, "f16": 2}
NUMPY = {"f32": np.float32, "f16": np.float16}
Pair = tuple[float, int]

targets = st.sampled_from(["cpu", "a2a3", "a5"])
elements = st.sampled_from(["f32", "f16"])


def pairs_of(row: np.ndarray) -> list[Pair]:
    """The pairs that a row of the destination holds, taken apart as bytes."""
    form = {4: "<fI", 2: "<exxI"}[row.itemsize]
    return [struct.unpack_from(form, row.tobytes(), at) for at in range(0, row.nbytes, 8)]


def row_of(pairs: list[Pair], element: str) -> np.ndarray:
    form = {"f32": "<fI", "f16": "<exxI"}[element]
    data = b"".join(struct.pack(form, *pair) for pair in pairs)
    return np.frombuffer(data, NUMPY[element]).reshape(1, -1).copy()


def numbers(rng: np.random.Generator, shape: tuple[int, ...], element: str) -> np.ndarray:
    """Few different values, so that many are equal, with infinities and both zeros among them."""
    values = np.array([-np.inf, -2.5, -1, -0.0, 0.0, 0.5, 1, 3, np.inf])
    return rng.choice(values, shape).astype(NUMPY[element])


@settings(max_examples=40)
@given(targets, elements, st.integers(1, 5), st.integers(1, 100), st.booleans(), seeds)
def test_each_block_is_sorted_by_itself(
    target: str, element: str, rows: int, cols: int, one_row: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    a = numbers(rng, (rows, cols), element)
    several = rows if target == "cpu" or not one_row else 1
    i = rng.integers(0, 2**32, (several, cols), dtype=np.uint64).astype(np.uint32)
    each = 8 // SIZES[element]
    source, index = (f"!pto.tile_buf<vec, 8x128x{e}, valid=?x?>" for e in (element, "ui32"))
    dst = f"!pto.tile_buf<vec, 8x{128 * each}x{element}, valid=?x?>"
    text = f"""
func.func @main(%r: index, %c: index, %n: index, %w: index, %m: !pto.memref<?x?x{element}>, %k: !pto.memref<?x?xui32>) {{
  %a = pto.alloc_tile valid_row = %r valid_col = %c : {source}
  %i = pto.alloc_tile valid_row = %n valid_col = %c : {index}
  %d = pto.alloc_tile valid_row = %r valid_col = %w : {dst}
  pto.tload ins(%m : !pto.memref<?x?x{element}>) outs(%a : {source})
  pto.tload ins(%k : !pto.memref<?x?xui32>) outs(%i : {index})
  pto.tsort32 ins(%a, %i : {source}, {index}) outs(%d : {dst})
  return
}}
"""
    arguments = {"r": rows, "c": cols, "n": several, "w": cols * each, "m": a, "k": i}
    found = execute(text, arguments, target).outputs["d"]
    for row in range(rows):
        given_pairs = list(zip(a[row].tolist(), i[row % several].tolist(), strict=True))
        blocks = [given_pairs[at : at + 32] for at in range(0, cols, 32)]
        wanted = [pair for block in blocks for pair in sorted(block, key=lambda p: (-p[0], p[1]))]
        assert pairs_of(found[row]) == wanted


def merged(lists: list[list[Pair]], stops: bool = False) -> tuple[list[Pair], list[int]]:
    """The larger of the first that are left, of equals that of the first list; until one list has run out."""
    taken, out = [0] * len(lists), []
    while any(at < len(each) for at, each in zip(taken, lists, strict=True)):
        left = [n for n, each in enumerate(lists) if taken[n] < len(each)]
        best = max(left, key=lambda n: (lists[n][taken[n]][0], -n))
        out.append(lists[best][taken[best]])
        taken[best] += 1
        if stops and taken[best] == len(lists[best]):
            break
    return out, taken


def some_pairs(rng: np.random.Generator, count: int, element: str, in_order: bool) -> list[Pair]:
    values = numbers(rng, (count,), element).tolist()
    if in_order:
        values.sort(reverse=True)
    return [(value, int(rng.integers(0, 2**32))) for value in values]


@settings(max_examples=40)
@given(targets, elements, st.integers(1, 3), st.sampled_from([64, 128]), st.booleans(), seeds)
def test_four_blocks_become_one(
    target: str, element: str, groups: int, length: int, in_order: bool, seed: int
) -> None:
    """Blocks that are not sorted are merged by what stands first, too."""
    rng = np.random.default_rng(seed)
    count = length * SIZES[element] // 8
    blocks = [some_pairs(rng, count, element, in_order) for _ in range(4 * groups)]
    row = row_of([pair for block in blocks for pair in block], element)
    tile, memory = (f"!pto.{kind}1x{row.size}x{element}>" for kind in ("tile_buf<vec, ", "memref<"))
    text = f"""
func.func @main(%n: i32, %m: {memory}) {{
  %a = pto.alloc_tile : {tile}
  %d = pto.alloc_tile : {tile}
  pto.tload ins(%m : {memory}) outs(%a : {tile})
  pto.tmrgsort ins(%a, %n : {tile}, i32) outs(%d : {tile})
  return
}}
"""
    found = execute(text, {"n": length, "m": row}, target).outputs["d"]
    wanted = [pair for at in range(0, 4 * groups, 4) for pair in merged(blocks[at : at + 4])[0]]
    assert pairs_of(found[0]) == wanted


@settings(max_examples=60)
@given(
    targets,
    elements,
    st.lists(st.integers(1, 24), min_size=2, max_size=4),
    st.integers(1, 40),
    st.booleans(),
    st.booleans(),
    seeds,
)
def test_lists_become_one(
    target: str, element: str, sizes: list[int], kept: int, stops: bool, in_order: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    each = 8 // SIZES[element]
    lists = [some_pairs(rng, size, element, in_order) for size in sizes]
    width = 48 * each
    tile, part = (f"!pto.tile_buf<vec, 1x{width}x{element}, valid=1x?>" for _ in range(2))
    names = [f"%s{n}" for n in range(len(sizes))]
    loads = "\n".join(
        f"  {name} = pto.alloc_tile valid_col = %c{n} : {tile}\n"
        f"  pto.tload ins(%m{n} : !pto.memref<1x?x{element}>) outs({name} : {tile})"
        for n, name in enumerate(names)
    )
    args = ", ".join(f"%c{n}: index, %m{n}: !pto.memref<1x?x{element}>" for n in range(len(sizes)))
    text = f"""
func.func @main({args}, %w: index, %e: vector<4xi16>) {{
{loads}
  %d = pto.alloc_tile valid_col = %w : {part}
  pto.tmrgsort ins({", ".join(names)} no_tmp {{exhausted = {str(stops).lower()}}} : {", ".join([tile] * len(sizes))}) outs(%d, %e : {part}, vector<4xi16>)
  return
}}
"""
    arguments: dict[str, object] = {"w": kept * each}
    for n, pairs in enumerate(lists):
        arguments |= {f"c{n}": len(pairs) * each, f"m{n}": row_of(pairs, element)}
    result = execute(text, arguments, target, checks="mem")
    wanted, taken = merged(lists, stops)
    found = pairs_of(result.outputs["d"][0])
    assert found[: len(wanted)] == wanted[:kept]
    if stops and (target != "cpu" or len(wanted) <= kept):
        assert result.outputs["e"].tolist() == [*taken, 0, 0][:4]


def test_nan_sorts_first_or_last() -> None:
    values = np.zeros((1, 32), np.float32)
    values[0, :4] = [math.nan, -math.nan, math.inf, -math.inf]
    values[0, 4] = -0.0
    text = """
.arg %s0 : !pto.tile<1x32xf32>
.arg %s1 : !pto.tile<1x32xui32>
%dst = tsort32 %s0, %s1 : (!pto.tile<1x32xf32>, !pto.tile<1x32xui32>) -> !pto.tile<1x64xf32>
"""
    indices = np.arange(32, dtype=np.uint32).reshape(1, -1)
    found = execute(text, {"s0": values, "s1": indices}).outputs["dst"]
    assert [index for _, index in pairs_of(found[0])] == [0, 2, *range(4, 32), 3, 1]


@pytest.mark.parametrize("target", ["a2a3", "a5"])
def test_padding_of_the_last_block_sorts_behind_the_values(target: str) -> None:
    text = """
func.func @main(%m: !pto.memref<1x20xf32>, %k: !pto.memref<1x20xui32>, %out: !pto.memref<1x64xf32>) {
  %a = pto.alloc_tile : !pto.tile_buf<vec, 1x32xf32, valid=1x20>
  %i = pto.alloc_tile : !pto.tile_buf<vec, 1x32xui32, valid=1x20>
  %d = pto.alloc_tile : !pto.tile_buf<vec, 1x64xf32>
  pto.tload ins(%m : !pto.memref<1x20xf32>) outs(%a : !pto.tile_buf<vec, 1x32xf32, valid=1x20>)
  pto.tload ins(%k : !pto.memref<1x20xui32>) outs(%i : !pto.tile_buf<vec, 1x32xui32, valid=1x20>)
  pto.tsort32 ins(%a, %i : !pto.tile_buf<vec, 1x32xf32, valid=1x20>, !pto.tile_buf<vec, 1x32xui32, valid=1x20>) outs(%d : !pto.tile_buf<vec, 1x64xf32>)
  pto.tstore ins(%d : !pto.tile_buf<vec, 1x64xf32>) outs(%out : !pto.memref<1x64xf32>)
  return
}
"""
    found = failing("PTO-R201", text, target=target)
    assert "at [0, 40]" in found.message


def test_a_sort_that_does_not_fit_stops() -> None:
    tile = "!pto.tile_buf<vec, 1x32xf32>"
    text = f"""
func.func @main(%a: {tile}, %i: !pto.tile_buf<vec, 1x32xui32>, %d: {tile}) {{
  pto.tsort32 ins(%a, %i : {tile}, !pto.tile_buf<vec, 1x32xui32>) outs(%d : {tile})
  return
}}
"""
    failing("PTO-R140", text)


def test_blocks_that_are_left_over() -> None:
    """On a2a3 they stop the run; elsewhere the destination keeps what it held."""
    tile = "!pto.tile_buf<vec, 1x384xf32>"
    text = f"""
func.func @main(%s: {tile}, %d: {tile}, %n: i32) {{
  pto.tmrgsort ins(%s, %n : {tile}, i32) outs(%d : {tile})
  return
}}
"""
    s, d = np.full((1, 384), 2, np.float32), np.full((1, 384), 3, np.float32)
    failing("PTO-R141", text, {"s": s, "d": d, "n": 64}, "a2a3")
    failing("PTO-R141", text, {"s": s, "d": d, "n": 3}, "cpu")
    for target in ("cpu", "a5"):
        found = execute(text, {"s": s, "d": d.copy(), "n": 64}, target).outputs["d"]
        assert found[0].tolist() == [2] * 256 + [3] * 128
