"""Loads and stores between any layout of memory and any layout of a tile, by the formulas of the layouts."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from tests.machine.support import execute, failing

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
"""Position of row `r`, column `c` of a tile in memory: document 000 (NZ), and the stacking of ND and DN."""

PLAIN = "blayout=row_major"
BOXED = "blayout=col_major, slayout=row_major, fractal=512"
UPRIGHT = "blayout=row_major, slayout=col_major, fractal=512"

CASES: list[tuple[str, Shape, str]] = [
    *(("nz", (2, 2, 2, 16, 8), tile) for tile in (PLAIN, BOXED)),
    ("nz", (1, 2, 2, 16, 16), BOXED),  # blocks of memory that are not the boxes of the tile
    ("nd", (1, 2, 2, 8, 32), BOXED),
    ("dn", (1, 2, 2, 32, 8), BOXED),
    ("dn", (2, 2, 2, 32, 4), PLAIN),
    # No two extents alike.
    *(("nz", (2, 3, 1, 32, 8), tile) for tile in (PLAIN, BOXED, UPRIGHT)),
    *(("nz", (2, 3, 4, 8, 16), tile) for tile in (PLAIN, BOXED)),
    ("dn", (2, 3, 1, 32, 4), PLAIN),
    ("dn", (2, 3, 1, 32, 8), BOXED),
    # One row a plane.
    ("nd", (1, 1, 32, 1, 8), PLAIN),
]


@pytest.mark.parametrize(("layout", "shape", "tile"), CASES)
def test_every_element_is_transferred_to_its_place(layout: str, shape: Shape, tile: str) -> None:
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


VECTOR = """
func.func @main(%p: !pto.ptr<f32>, %q: !pto.ptr<f32>, SIZES) {
  %one = arith.constant 1 : index
  %v = pto.make_tensor_view %p, shape = [SHAPE], strides = [STRIDES] : VIEW
  %w = pto.make_tensor_view %q, shape = [SHAPE], strides = [STRIDES] : VIEW
  %t = pto.alloc_tile : TILE
  pto.tload ins(%v : VIEW) outs(%t : TILE)
  pto.tstore ins(%t : TILE) outs(%w : VIEW)MODE
  return
}
"""


def vector(
    tile: str, shape: tuple[int, ...], strides: tuple[int, ...], layout: str = "nd"
) -> tuple[str, dict]:
    """A program that copies a view into a tile, and the tile into another view like it."""
    names = [f"%n{n}" for n in range(2 * len(shape))]
    text = VECTOR.replace("SIZES", ", ".join(f"{name}: index" for name in names))
    text = text.replace("SHAPE", ", ".join(names[: len(shape)])).replace(
        "STRIDES", ", ".join(names[len(shape) :])
    )
    view = f"!pto.tensor_view<{'x'.join(map(str, shape))}xf32, {layout}>"
    text = text.replace("VIEW", view).replace("TILE", f"!pto.tile_buf<vec, {tile}>")
    return text, dict(zip((name[1:] for name in names), (*shape, *strides), strict=True))


VECTORS = [
    ("1x8xf32", (8, 1), (1, 1), "nd"),
    ("1x8xf32", (8, 1), (3, 1), "nd"),
    ("1x8xf32, blayout=col_major", (8, 1), (3, 1), "nd"),
    ("8x1xf32", (1, 8), (8, 1), "nd"),
    ("16x8xf32, valid=8x1", (1, 8), (8, 1), "nd"),
    ("1x8xf32", (2, 4, 1), (11, 2, 1), "nd"),
    ("1x24xf32", (2, 3, 4, 1), (40, 11, 2, 1), "nd"),
    ("24x8xf32, valid=24x1", (2, 3, 1, 1, 4), (40, 11, 7, 5, 1), "dn"),
    ("16x8xf32, valid=8x1", (1, 1, 1, 1, 8), (8, 8, 8, 8, 1), "nz"),
    (f"16x8xf32, valid=8x1, {BOXED}", (1, 1, 1, 1, 8), (8, 8, 8, 8, 1), "nz"),
    (f"16x8xf32, valid=1x8, {BOXED}", (8, 1), (3, 1), "nd"),
    (f"16x8xf32, valid=8x1, {BOXED}", (1, 8), (8, 1), "nd"),
]


@pytest.mark.parametrize(("tile", "shape", "strides", "layout"), VECTORS)
@pytest.mark.parametrize("atomic", [False, True])
def test_vector_transfer_is_independent_of_layout(
    tile: str, shape: tuple[int, ...], strides: tuple[int, ...], layout: str, atomic: bool
) -> None:
    """A column of memory, packed or not, of one dimension or more, fills a row of a tile; and the reverse."""
    text, extents = vector(tile, shape, strides, layout)
    text = text.replace("MODE", " {atomicType = #pto<atomic_type atomic_add>}" if atomic else "")
    # Behind the store, the tile as it is.
    count = int(np.prod(shape))
    rows, cols = (1, count) if tile.split("valid=")[-1].startswith("1x") else (count, 1)
    plain = f"!pto.memref<{rows}x{cols}xf32>"
    text = text.replace(", %n0", f", %flat: {plain}, %n0", 1).replace(
        "  return", f"  pto.tstore ins(%t : !pto.tile_buf<vec, {tile}>) outs(%flat : {plain})\n  return"
    )
    places = [sum(i * s for i, s in zip(at, strides, strict=True)) for at in np.ndindex(*shape)]
    p, q = np.arange(1, 129, dtype=np.float32), np.full(128, -1, np.float32)
    flat = execute(text, {"p": p, "q": q, **extents}).outputs["flat"]
    assert flat.reshape(-1).tolist() == p[places].tolist()
    expected = np.full(128, -1, np.float32)
    expected[places] = p[places] - (1 if atomic else 0)
    assert q.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("tile", "shape"),
    [
        ("1x8xf32", (16, 1)),
        ("2x8xf32", (16, 1)),
        ("1x16xf32", (2, 8)),
        ("2x8xf32", (8, 2)),
        ("8x8xf32", (1, 1)),
    ],
)
def test_memory_that_is_no_vector_must_have_the_tile_extents(tile: str, shape: tuple[int, int]) -> None:
    text, extents = vector(tile, shape, (shape[1], 1))
    failing("PTO-R105", text.replace("MODE", ""), {"p": np.zeros(64, np.float32), **extents})


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


@pytest.mark.parametrize(("rows", "cols"), [(0, 8), (8, 0)])
def test_transfer_past_the_end_is_an_error(rows: int, cols: int) -> None:
    """An empty view has no element that could be outside."""
    tile = "!pto.tile_buf<vec, 8x8xf32, valid=?x?>"
    text = f"""
func.func @main(%p: !pto.ptr<f32>, %r: index, %c: index, %at: index) {{
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %e = pto.addptr %p, %at : !pto.ptr<f32> -> !pto.ptr<f32>
  %v = pto.make_tensor_view %e, shape = [%r, %c], strides = [%c8, %c1] : !pto.tensor_view<?x?xf32>
  %t = pto.alloc_tile valid_row = %r valid_col = %c : {tile}
  pto.tload ins(%v : !pto.tensor_view<?x?xf32>) outs(%t : {tile})
  pto.tstore ins(%t : {tile}) outs(%v : !pto.tensor_view<?x?xf32>)
  return
}}
"""
    p = np.ones(64, np.float32)
    execute(text, {"p": p, "r": rows, "c": cols, "at": 65})
    assert (p == 1).all()
    failing("PTO-R102", text, {"p": p, "r": 1, "c": 1, "at": 64})
