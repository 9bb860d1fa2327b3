# ruff: noqa: E501 - programs are text
"""Triangles, random numbers and histograms against their formulas, element by element."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.support import execute, seeds

MASK = 0xFFFFFFFF
words = st.integers(0, MASK)


@settings(max_examples=30)
@given(st.integers(-40, 40), st.booleans(), st.integers(1, 16), st.integers(1, 32))
def test_triangles(diag: int, upper: bool, rows: int, cols: int) -> None:
    tile = f"!pto.tile_buf<vec, 16x32xi16, valid={rows}x{cols}>"
    text = f"func.func @main(%d: i32, %t: {tile}) {{\n  pto.ttri ins(%d : i32) outs(%t : {tile}) {{upperOrLower = {int(upper)} : i32}}\n  return\n}}\n"
    expected = [[int(j >= i + diag if upper else j <= i + diag) for j in range(cols)] for i in range(rows)]
    assert execute(text, {"d": diag}).outputs["t"].tolist() == expected


def philox(counter: int, key: tuple[int, int], rounds: int) -> list[int]:
    """One counter at a time, as the paper has it."""
    c = [counter >> 32 * n & MASK for n in range(4)]
    k0, k1 = key
    for _ in range(rounds):
        first, second = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [second >> 32 ^ c[1] ^ k0, second & MASK, first >> 32 ^ c[3] ^ k1, first & MASK]
        k0, k1 = k0 + 0x9E3779B9 & MASK, k1 + 0xBB67AE85 & MASK
    return c


@settings(max_examples=20)
@given(st.tuples(words, words), st.integers(0, 2**128 - 1), st.sampled_from([7, 10]), st.integers(1, 300), st.sampled_from(["a5", "cpu"]))  # fmt: skip
def test_random_numbers(key: tuple[int, int], start: int, rounds: int, cols: int, target: str) -> None:
    tile = f"!pto.tile_buf<vec, 2x512xui32, valid=2x{cols}>"
    names = ["k0", "k1", "c0", "c1", "c2", "c3"]
    head = ", ".join(f"%{name}: ui32" for name in names)
    operands, types = ", ".join(f"%{name}" for name in names), ", ".join(["ui32"] * 6)
    text = f"func.func @main({head}, %t: {tile}) {{\n  pto.trandom ins({operands} : {types}) outs(%t : {tile}) {{rounds = {rounds} : i32}}\n  return\n}}\n"
    counter = [start >> 32 * n & MASK for n in range(4)]
    out = execute(text, dict(zip(names, [*key, *counter], strict=True)), target).outputs["t"]
    turns = -(-cols // 256)
    for row in range(2):
        for col in {0, cols // 3, cols // 2, cols - 1}:
            turn, place = divmod(col, 256)
            if target == "a5":
                lane, word = divmod(place, 4)
                at = row * ((turns - 1) * 64 + (cols - 1) % 64 + 1) + turn * 64 + lane
            else:
                word, lane = divmod(place, 64)
                at = (row * turns + turn) * (512 // 4) + lane
            assert out[row, col] == philox((start + at) % 2**128, key, rounds)[word]


@pytest.mark.parametrize("target", ["a5", "cpu"])
@settings(max_examples=20)
@given(byte=st.integers(0, 3), few=st.integers(1, 3), seed=seeds)
def test_histograms(target: str, byte: int, few: int, seed: int) -> None:
    """Filters are for each column on a device; the simulator takes the first column's for all."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, few, (4, 32, 4)).astype(np.uint8)
    src = np.ascontiguousarray(values).view(np.uint32)[..., 0]
    rows = max(1, 3 - byte)
    idx = rng.integers(0, few, (rows, 32)).astype(np.uint8)
    s, i, d = (
        "!pto.tile_buf<vec, 4x32xui32>",
        f"!pto.tile_buf<vec, {rows}x32xui8>",
        "!pto.tile_buf<vec, 4x256xui32>",
    )
    text = f"func.func @main(%s: {s}, %i: {i}, %d: {d}) {{\n  pto.thistogram ins(%s, %i : {s}, {i}) outs(%d : {d}) {{byte = {byte} : i32}}\n  return\n}}\n"
    out = execute(text, {"s": src, "i": idx}, target).outputs["d"]
    for row in range(4):
        chosen = [
            values[row, col, byte]
            for col in range(32)
            if all(values[row, col, 3 - n] == idx[n, col if target == "a5" else 0] for n in range(3 - byte))
        ]
        assert out[row].tolist() == [sum(value <= b for value in chosen) for b in range(256)]
