"""Reductions of any valid region, against the plain formula."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.support import bits_array, execute, failing, seeds
from tests.machine.test_elementwise import wrapped

ROWS, COLS = 8, 32
extents = st.tuples(st.integers(1, ROWS), st.integers(1, COLS))

WHOLE = {
    "sum": sum,
    "prod": lambda values: reduce(lambda a, b: a * b, values, 1),
    "max": max,
    "min": min,
    "argmax": lambda values: values.index(max(values)),
    "argmin": lambda values: values.index(min(values)),
}


def reduced(op: str, a: np.ndarray, element: str, attributes: str = "", target: str = "a5") -> list[object]:
    """The instruction over the first rows and columns of a tile that holds more."""
    result = "i32" if "arg" in op else element
    source = f"!pto.tile_buf<vec, {ROWS}x{COLS}x{element}, valid=?x?>"
    shape = "valid=?x1" if op.startswith("trow") else "valid=1x?"
    dst = f"!pto.tile_buf<vec, {ROWS}x{COLS}x{result}, {shape}>"
    extent = "valid_row = %r" if op.startswith("trow") else "valid_col = %c"
    text = f"""
func.func @main(%r: index, %c: index, %m: !pto.memref<?x?x{element}>) {{
  %a = pto.alloc_tile valid_row = %r valid_col = %c : {source}
  %d = pto.alloc_tile {extent} : {dst}
  pto.tload ins(%m : !pto.memref<?x?x{element}>) outs(%a : {source})
  pto.{op} ins(%a : {source}) outs(%d : {dst}) {attributes}
  return
}}
"""
    rows, cols = a.shape
    return execute(text, {"r": rows, "c": cols, "m": a}, target).outputs["d"].reshape(-1).tolist()


@settings(max_examples=60)
@given(st.sampled_from(sorted(WHOLE)), st.sampled_from(["trow", "tcol"]), extents, seeds)
def test_whole_numbers(op: str, axis: str, shape: tuple[int, int], seed: int) -> None:
    """Sums and products wrap; of equals the first is meant."""
    a = bits_array(np.random.default_rng(seed), shape, "i16") // np.int16(1 if seed % 2 else 4096)
    lines = (a if axis == "trow" else a.T).tolist()
    assert reduced(axis + op, a, "i16") == [wrapped(WHOLE[op](line), "i16") for line in lines]


@pytest.mark.parametrize("op", ["trowargmax", "tcolargmax", "trowargmin", "tcolargmin"])
def test_nan_is_an_argument_of_a_reduction_only_in_the_first_column(op: str) -> None:
    nan, inf = np.nan, np.inf
    lines = [
        [nan, 3, 1, 2],
        [1, nan, 3, 2],
        [-inf, nan, -inf, nan],
        [inf, nan, nan, inf],
        [-0.0, 0.0, -0.0, nan],
    ]
    found = {"max": [0, 2, 0, 0, 0], "min": [0, 0, 0, 0, 0]}[op[-3:]]
    a = np.array(lines, np.float32)
    assert reduced(op, a if op.startswith("trow") else a.T, "f32") == found


def test_sums_down_columns_are_rounded_in_their_order() -> None:
    """2048 + 1 is 2048 in f16: one by one the ones are lost, in pairs they are not; `cpu` knows one order."""
    a = np.array([[2048], [1], [1], [1], [2]], np.float16)
    in_pairs = "{isBinary = true}"
    # 2048 + 1 and 1 + 1, the last to the first: 2050, and 2.
    assert reduced("tcolsum", a, "f16") == [2050]
    assert reduced("tcolsum", a, "f16", in_pairs) == reduced("tcolsum", a, "f16", in_pairs, "a2a3") == [2052]
    assert reduced("tcolsum", a, "f16", in_pairs, "cpu") == [2050]


def test_nothing_is_done_for_a_destination_of_nothing() -> None:
    source, dst = "!pto.tile_buf<vec, 8x8xf32>", "!pto.tile_buf<vec, 8x8xf32, valid=?x?>"
    text = f"""
func.func @main(%n: index, %a: {source}) {{
  %d = pto.alloc_tile valid_row = %n valid_col = %n : {dst}
  pto.trowsum ins(%a : {source}) outs(%d : {dst})
  pto.tcolmax ins(%a : {source}) outs(%d : {dst})
  return
}}
"""
    assert execute(text, {"n": 0}, "a2a3").outputs["d"].shape == (0, 0)
    assert "8 rows of 8 elements" in failing("PTO-R105", text, {"n": 7}, "a2a3").message
