"""Loads and stores between any layout of memory and any layout of a tile, by the formulas of the layouts."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from tests.interpreter.support import execute, failing

Shape = tuple[int, int, int, int, int]
Place = Callable[[int, int, Shape], tuple[int, int, int, int, int]]

PLACES: dict[str, Place] = {
    "nd": lambda r, c, s: (
        r // s[3] // s[2] // s[1],
        r // s[3] // s[2] % s[1],
        r // s[3] % s[2],
        r % s[3],
        c,
    ),
    "dn": lambda r, c, s: (
        c // s[4] // s[2] // s[1],
        c // s[4] // s[2] % s[1],
        c // s[4] % s[2],
        r,
        c % s[4],
    ),
    "nz": lambda r, c, s: (c // s[4] // s[1], c // s[4] % s[1], r // s[3], r % s[3], c % s[4]),
}
"""Where row `r`, column `c` of a tile is in memory: document 000 (NZ), and the stacking of ND and DN."""

PLAIN = "blayout=row_major"
BOXED = "blayout=col_major, slayout=row_major, fractal=512"

CASES: list[tuple[str, Shape, str]] = [
    *(("nz", (2, 2, 2, 16, 8), tile) for tile in (PLAIN, BOXED)),
    ("nz", (1, 2, 2, 16, 16), BOXED),  # blocks of memory that are not the boxes of the tile
    ("nd", (1, 2, 2, 8, 32), BOXED),
    ("dn", (1, 2, 2, 32, 8), BOXED),
    ("dn", (2, 2, 2, 32, 4), PLAIN),
]


@pytest.mark.parametrize(("layout", "shape", "tile"), CASES)
def test_every_element_goes_to_its_place(layout: str, shape: Shape, tile: str) -> None:
    where, size = PLACES[layout], int(np.prod(shape))
    rows, cols = (32, size // 32)
    kind = f"!pto.tile_buf<vec, {rows}x{cols}xf32, {tile}>"
    view = f"!pto.memref<{'x'.join(map(str, shape))}xf32, {layout}>"
    flat = f"!pto.memref<{rows}x{cols}xf32>"
    text = f"""
func.func @main(%mem: {view}, %flat: {flat}, %back: {view}) {{
  %t = pto.alloc_tile : {kind}
  pto.tload ins(%mem : {view}) outs(%t : {kind})
  pto.tstore ins(%t : {kind}) outs(%flat : {flat})
  pto.tstore ins(%t : {kind}) outs(%back : {view})
  return
}}
"""
    mem = np.arange(size, dtype=np.float32).reshape(shape)
    outputs = execute(text, {"mem": mem}, "a2a3").outputs
    expected = np.zeros((rows, cols), np.float32)
    for r, c in product(range(rows), range(cols)):
        expected[r, c] = mem[where(r, c, shape)]
    assert np.array_equal(outputs["flat"], expected)
    assert np.array_equal(outputs["back"], mem)


@pytest.mark.parametrize("stride", [1, 3])
def test_a_vector_is_a_vector_whichever_way_it_lies(stride: int) -> None:
    """A column of memory, packed or not, fills a row of a tile."""
    column = f"!pto.tensor_view<8x1xf32, strides=[{stride}, 1]>"
    tile = "!pto.tile_buf<vec, 1x8xf32>"
    text = f"""
func.func @main(%p: !pto.ptr<f32>, %q: !pto.ptr<f32>) {{
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %s = arith.constant {stride} : index
  %v = pto.make_tensor_view %p, shape = [%c8, %c1], strides = [%s, %c1] : {column}
  %w = pto.make_tensor_view %q, shape = [%c8, %c1], strides = [%s, %c1] : {column}
  %t = pto.alloc_tile : {tile}
  pto.tload ins(%v : {column}) outs(%t : {tile})
  pto.tstore ins(%t : {tile}) outs(%w : {column})
  return
}}
""".replace(f", strides=[{stride}, 1]", "")
    p, q = np.arange(24, dtype=np.float32), np.full(24, -1, np.float32)
    execute(text, {"p": p, "q": q})
    expected = np.full(24, -1, np.float32)
    expected[: 8 * stride : stride] = p[: 8 * stride : stride]
    assert np.array_equal(q, expected)


OPEN = """
func.func @main(%p: !pto.ptr<f32>, %q: !pto.ptr<f32>, %n: index) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %v = pto.make_tensor_view %p, shape = [%n, %c8], strides = [%c8, %c1] : !pto.tensor_view<?x8xf32>
  %w = pto.make_tensor_view %q, shape = [%n, %c8], strides = [%c8, %c1] : !pto.tensor_view<?x8xf32>
  %t = pto.alloc_tile valid_row = %n : !pto.tile_buf<vec, 8x8xf32, valid=?x8>
  pto.tload ins(%v : !pto.tensor_view<?x8xf32>) outs(%t : !pto.tile_buf<vec, 8x8xf32, valid=?x8>)
  pto.tstore ins(%t : !pto.tile_buf<vec, 8x8xf32, valid=?x8>) outs(%w : !pto.tensor_view<?x8xf32>)
  return
}
"""


@pytest.mark.parametrize("rows", [0, 1, 8])
def test_as_many_rows_as_are_valid(rows: int) -> None:
    p, q = np.arange(64, dtype=np.float32), np.full(64, -1, np.float32)
    execute(OPEN, {"p": p, "q": q, "n": rows})
    assert q.tolist() == [*p[: 8 * rows].tolist(), *[-1.0] * (64 - 8 * rows)]


def test_without_checks_a_view_still_does_not_leave_its_array() -> None:
    found = failing(
        "PTO-R102",
        OPEN,
        {"p": np.zeros(63, np.float32), "q": np.zeros(64, np.float32), "n": 8},
        checks="none",
    )
    assert "elements 0 to 63 of %p, which has 63" in found.message
