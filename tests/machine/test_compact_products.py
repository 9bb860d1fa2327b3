"""Products of parts of large matrices in compact tiles, whose types are larger than their memories."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptoas

NUMBERS: dict[str, Any] = {"f32": np.float32, "i8": np.int8, "bf16": ml_dtypes.bfloat16}
SHAPES = [
    # Element; M, N, K; where the part begins in each; rows and columns of the whole.
    ("f32", (20, 215, 22), 0, (128, 256, 128)),
    ("i8", (46, 36, 203), 0, (128, 128, 256)),
    ("bf16", (220, 25, 30), 0, (256, 128, 128)),
    ("f32", (36, 215, 22), 16, (128, 256, 128)),
    ("i8", (46, 36, 203), 32, (128, 128, 256)),
    ("bf16", (220, 25, 30), 16, (256, 128, 128)),
]


def program(
    element: str,
    extents: tuple[int, int, int],
    at: int,
    whole: tuple[int, int, int],
    turned: tuple[bool, bool],
) -> str:
    (m, n, k), (rows, cols, terms) = (each - at for each in extents), whole
    total = "i32" if element == "i8" else "f32"
    nz, zn = "blayout=col_major, slayout=row_major", "slayout=col_major"
    views = [
        f"!pto.memref<{shape}x{element}{', dn' if by_column else ''}>"
        for shape, by_column in zip((f"{rows}x{terms}", f"{terms}x{cols}"), turned, strict=True)
    ]
    mats = [
        f"!pto.tile_buf<mat, {shape}x{element}, {zn if by_column else nz}>"
        for shape, by_column in zip((f"{rows}x{terms}", f"{terms}x{cols}"), turned, strict=True)
    ]
    m_, n_, k_ = rows - at, cols - at, terms - at
    left = f"!pto.tile_buf<left, {m_}x{k_}x{element}, valid={m}x{k}, slayout=row_major, compact=normal>"
    right = f"!pto.tile_buf<right, {k_}x{n_}x{element}, valid={k}x{n}, {zn}, compact=normal>"
    acc = f"!pto.tile_buf<acc, {m_}x{n_}x{total}, valid={m}x{n}, {nz}, fractal=1024, compact=normal>"
    out = f"!pto.memref<{m}x{n}x{total}>"
    return f"""
func.func @k(%a: {views[0]}, %b: {views[1]}, %o: {out}) {{
  %at = arith.constant {at} : index
  %ma = pto.alloc_tile : {mats[0]}
  %mb = pto.alloc_tile : {mats[1]}
  %l = pto.alloc_tile : {left}
  %r = pto.alloc_tile : {right}
  %c = pto.alloc_tile : {acc}
  pto.tload ins(%a : {views[0]}) outs(%ma : {mats[0]})
  pto.tload ins(%b : {views[1]}) outs(%mb : {mats[1]})
  pto.textract ins(%ma, %at, %at : {mats[0]}, index, index) outs(%l : {left})
  pto.textract ins(%mb, %at, %at : {mats[1]}, index, index) outs(%r : {right})
  pto.tmatmul ins(%l, %r : {left}, {right}) outs(%c : {acc})
  pto.tstore ins(%c : {acc}) outs(%o : {out})
  return
}}
"""


@pytest.mark.parametrize("target", ["a2a3", "a5"])
@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize(("element", "extents", "at", "whole"), SHAPES)
def test_parts_in_compact_tiles(
    element: str, extents: Any, at: int, whole: Any, turned: Any, target: str
) -> None:
    random = np.random.default_rng(3)
    rows, cols, terms = whole
    a, b = (
        random.integers(-4, 5, shape).astype(NUMBERS[element]) for shape in ((rows, terms), (terms, cols))
    )
    module = ptoas.parse(program(element, extents, at, whole, turned))
    assert not [d for d in ptoas.verify(module, target).diagnostics if d.is_error]
    result = ptoas.run(module, {"a": a, "b": b}, target=target)
    m, n, k = extents
    exact = a[at:m, at:k].astype(np.float64) @ b[at:k, at:n].astype(np.float64)
    assert np.array_equal(result.outputs["o"], exact)
    assert not result.warnings
