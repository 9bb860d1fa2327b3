# ruff: noqa: E501 - programs are text
"""Two tiles of which one may be smaller: any extents, element by element."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.support import bits_array, execute, failing, seeds
from tests.machine.test_elementwise import BINARY, wrapped

SHAPE = (8, 16)
OPS = {"tpartadd": "tadd", "tpartmul": "tmul", "tpartmax": "tmax", "tpartmin": "tmin"}
extents = st.tuples(st.integers(1, SHAPE[0]), st.integers(1, SHAPE[1]))


def program(op: str, element: str, arg: bool = False) -> str:
    tile, small = (f"!pto.tile_buf<vec, 8x16x{element}{valid}>" for valid in ("", ", valid=?x?"))
    m = f"!pto.memref<?x?x{element}>"
    statement = f"pto.{op} ins(%x, %y : {small}, {small}) outs(%d : {tile})"
    if arg:
        many = f"{small}, {small}, !pto.tile_buf<vec, 8x16xi32, valid=?x?>, !pto.tile_buf<vec, 8x16xi32, valid=?x?>"
        statement = (
            f"pto.{op} ins(%x, %y, %i, %j : {many}) outs(%d, %e : {tile}, !pto.tile_buf<vec, 8x16xi32>)"
        )
    return f"""
func.func @main(%r0: index, %c0: index, %r1: index, %c1: index, %a: {m}, %b: {m}, %one: i32, %two: i32) {{
  %x = pto.alloc_tile valid_row = %r0 valid_col = %c0 : {small}
  %y = pto.alloc_tile valid_row = %r1 valid_col = %c1 : {small}
  %i = pto.alloc_tile valid_row = %r0 valid_col = %c0 : !pto.tile_buf<vec, 8x16xi32, valid=?x?>
  %j = pto.alloc_tile valid_row = %r1 valid_col = %c1 : !pto.tile_buf<vec, 8x16xi32, valid=?x?>
  %d = pto.alloc_tile : {tile}
  %e = pto.alloc_tile : !pto.tile_buf<vec, 8x16xi32>
  pto.tload ins(%a : {m}) outs(%x : {small})
  pto.tload ins(%b : {m}) outs(%y : {small})
  pto.texpands ins(%one : i32) outs(%i : !pto.tile_buf<vec, 8x16xi32, valid=?x?>)
  pto.texpands ins(%two : i32) outs(%j : !pto.tile_buf<vec, 8x16xi32, valid=?x?>)
  {statement}
  return
}}
"""


def arguments(a: np.ndarray, b: np.ndarray) -> dict[str, object]:
    (r0, c0), (r1, c1) = a.shape, b.shape
    return {"r0": r0, "c0": c0, "r1": r1, "c1": c1, "a": a, "b": b, "one": 1, "two": 2}


@settings(max_examples=40)
@given(st.sampled_from(sorted(OPS)), extents, st.booleans(), seeds)
def test_partial_operation_copies_elements_that_one_source_lacks(
    op: str, small: tuple[int, int], left: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    a = bits_array(rng, small if left else SHAPE, "i16")
    b = bits_array(rng, SHAPE if left else small, "i16")
    out = execute(program(op, "i16"), arguments(a, b), "a2a3").outputs["d"]
    for i, j in np.ndindex(SHAPE):
        has = [int(x[i, j]) for x in (a, b) if i < x.shape[0] and j < x.shape[1]]
        assert out[i, j] == (wrapped(BINARY[OPS[op]](*has), "i16") if len(has) == 2 else has[0])


@settings(max_examples=30)
@given(
    st.sampled_from(["tpartargmax", "tpartargmin"]), st.sampled_from(["cpu", "a2a3", "a5"]), extents, seeds
)
def test_partial_argument_takes_the_index_of_its_value(
    op: str, target: str, small: tuple[int, int], seed: int
) -> None:
    """Of equals the devices take the first, and A5 of what can't be compared as well; else the second."""
    rng = np.random.default_rng(seed)
    values = np.array([1, 2, np.inf, -np.inf, np.nan, 0.0, -0.0], np.float32)
    a, b = rng.choice(values, SHAPE), rng.choice(values, small)
    out = execute(program(op, "f32", arg=True), arguments(a, b), target).outputs
    for i, j in np.ndindex(SHAPE):
        missing = i >= small[0] or j >= small[1]
        x, y = (float(a[i, j]), math.nan if missing else float(b[i, j]))
        better, worse = (x > y, x < y) if op == "tpartargmax" else (x < y, x > y)
        first = missing or {"cpu": better, "a2a3": better or x == y, "a5": not worse}[target]
        assert out["d"][i, j].tobytes() == (a if first else b)[i, j].tobytes()
        assert out["e"][i, j] == (1 if first else 2)


@pytest.mark.parametrize("target", ["a2a3", "a5"])
def test_elements_that_both_sources_lack_are_an_error(target: str) -> None:
    a, b = np.ones((8, 9), np.float32), np.ones((7, 16), np.float32)
    message = failing("PTO-R105", program("tpartadd", "f32"), arguments(a, b), target).message
    assert "do not cover" in message


def test_elements_that_both_sources_lack_are_zero_on_cpu() -> None:
    a, b = np.ones((8, 9), np.float32), np.ones((7, 16), np.float32)
    out = execute(program("tpartadd", "f32"), arguments(a, b), "cpu").outputs["d"]
    expected = np.zeros(SHAPE, np.float32)
    expected[:8, :9] += 1
    expected[:7, :16] += 1
    assert np.array_equal(out, expected)
