# ruff: noqa: E501 - programs are text
"""A row or a column combined with each row or column of a tile, against the plain formula."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptoas.machine.dtypes import by_text
from tests.machine.support import bits_array, execute, failing, raw, seeds
from tests.machine.test_elementwise import FLOATS, wrapped

WHOLE: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "max": max,
    "min": min,
}
ROWS, COLS = 8, 32

extents = st.tuples(st.integers(1, ROWS), st.integers(2, COLS))
"""Extents with one column, for which the headers take the left source for the full one."""


def program(op: str, type_: str, swapped: bool, narrow: str) -> str:
    """`%x` is full, `%y` is repeated; both and the result have the extents of the arguments."""
    full, operands = f"!pto.tile<{ROWS}x{COLS}x{type_}, valid=?x?>", "%x, %y"
    types = f"{full}, {narrow}"
    if swapped:
        operands, types = "%y, %x", f"{narrow}, {full}"
    return f"""
func.func @main(%r: index, %c: index, %yr: index, %yc: index, %a: !pto.memref<?x?x{type_}>, %b: !pto.memref<?x?x{type_}, LAYOUT>, %out: !pto.memref<?x?x{type_}>) {{
  %x = pto.alloc_tile valid_row = %r valid_col = %c : {full}
  %y = pto.alloc_tile valid_row = %yr valid_col = %yc : {narrow}
  %d = pto.alloc_tile valid_row = %r valid_col = %c : {full}
  pto.tload ins(%a : !pto.memref<?x?x{type_}>) outs(%x : {full})
  pto.tload ins(%b : !pto.memref<?x?x{type_}, LAYOUT>) outs(%y : {narrow})
  pto.{op} ins({operands} : {types}) outs(%d : {full})
  pto.tstore ins(%d : {full}) outs(%out : !pto.memref<?x?x{type_}>)
  return
}}
"""


def repeated(op: str, kind: str, swapped: bool, x: np.ndarray, y: np.ndarray, type_: str) -> np.ndarray:
    """The instruction's result; `kind` is how `y` is repeated: `column`, `block` or `row`."""
    size = by_text(type_).size
    narrow = {
        "column": f"!pto.tile_buf<vec, 32x1x{type_}, valid=?x?, blayout=col_major>",
        "block": f"!pto.tile_buf<vec, {ROWS}x{32 // size}x{type_}, valid=?x?>",
        "row": f"!pto.tile_buf<vec, 2x{COLS}x{type_}, valid=?x?>",
    }[kind]
    name = ("tcolexpand" if kind == "row" else "trowexpand") + op
    text = program(name, type_, swapped, narrow).replace("LAYOUT", "dn" if kind == "column" else "nd")
    sizes = dict(zip(("r", "c", "yr", "yc"), (*x.shape, *y.shape), strict=True))
    out = np.zeros(x.shape, x.dtype)
    return execute(text, {**sizes, "a": x, "b": y, "out": out}, "a5").outputs["out"]


def narrow_shape(kind: str, x: np.ndarray) -> tuple[int, int]:
    return {"column": (x.shape[0], 1), "block": (x.shape[0], 32 // x.itemsize), "row": (1, x.shape[1])}[kind]


def partner(kind: str, y: np.ndarray, i: int, j: int) -> object:
    """The value of `y` that belongs to element (i, j)."""
    return {"column": lambda: y[i, 0], "block": lambda: y[i, j % y.shape[1]], "row": lambda: y[0, j]}[kind]()


@settings(max_examples=40)
@given(
    st.sampled_from(sorted(WHOLE)), st.sampled_from(["column", "block", "row"]), st.booleans(), extents, seeds
)
def test_integers_wrap(op: str, kind: str, swapped: bool, shape: tuple[int, int], seed: int) -> None:
    swapped &= kind != "row"
    rng = np.random.default_rng(seed)
    x = bits_array(rng, shape, "i16")
    y = bits_array(rng, narrow_shape(kind, x), "i16")
    out = repeated(op, kind, swapped, x, y, "i16")
    for i, j in np.ndindex(shape):
        a, b = int(x[i, j]), int(partner(kind, y, i, j))  # pyright: ignore
        assert out[i, j] == wrapped(WHOLE[op](b, a) if swapped else WHOLE[op](a, b), "i16")


@settings(max_examples=40)
@given(
    st.sampled_from(["add", "sub", "mul", "div"]),
    st.sampled_from(FLOATS),
    st.sampled_from(["column", "block", "row"]),
    extents,
    seeds,
)
def test_floats_are_rounded_once(op: str, type_: str, kind: str, shape: tuple[int, int], seed: int) -> None:
    """NaN, infinities, zeros of both signs and divisions by them included."""
    rng = np.random.default_rng(seed)
    x = bits_array(rng, shape, type_)
    y = bits_array(rng, narrow_shape(kind, x), type_)
    y.flat[0] = rng.choice([0.0, -0.0, np.inf, np.nan, 1.0])
    with np.errstate(all="ignore"):
        b = np.array([[partner(kind, y, i, j) for j in range(shape[1])] for i in range(shape[0])], np.float64)
        a = x.astype(np.float64)
        expected = {"add": a + b, "sub": a - b, "mul": a * b, "div": a / b}[op].astype(x.dtype)
    out = repeated(op, kind, False, x, y, type_)
    with np.errstate(all="ignore"):
        both_nan = np.isnan(out.astype(np.float64)) & np.isnan(expected.astype(np.float64))
    assert ((raw(out) == raw(expected)) | both_nan).all()


@pytest.mark.parametrize("kind", ["column", "row"])
def test_the_difference_is_rounded_before_its_exponential(kind: str) -> None:
    x = np.linspace(-3, 3, ROWS * COLS).reshape(ROWS, COLS).astype(np.float16)
    y = np.linspace(-1, 1, ROWS if kind == "column" else COLS).astype(np.float16)
    y = y.reshape(narrow_shape(kind, x))
    expected = [
        [math.exp(np.float16(x[i, j] - partner(kind, y, i, j))) for j in range(COLS)] for i in range(ROWS)
    ]
    assert np.array_equal(repeated("expdif", kind, False, x, y, "f16"), np.array(expected).astype(np.float16))


def test_an_integer_divided_by_zero() -> None:
    text = """
func.func @main(%a: !pto.tile<8x8xi32>, %b: !pto.tile<8x1xi32>) {
  %d = pto.alloc_tile : !pto.tile<8x8xi32>
  pto.trowexpanddiv ins(%a, %b : !pto.tile<8x8xi32>, !pto.tile<8x1xi32>) outs(%d : !pto.tile<8x8xi32>)
  return
}
"""
    a, b = np.full((8, 8), -7, np.int32), np.full((8, 1), 2, np.int32)
    assert (execute(text, {"a": a, "b": b}).outputs["d"] == -3).all()
    b[3] = 0
    assert "trowexpanddiv: the divisor at [3, 0]" in failing("PTO-R502", text, {"a": a, "b": b}).message
