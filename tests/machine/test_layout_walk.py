"""One value on its way through every layout, by formulas that stand here, and copies between any two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoas
from ptoas.compiler.run import compile as compile_program
from ptoas.dialects.pto.enums import TileLoc
from ptoas.machine.memory import LocalMemory
from ptoas.machine.tiles import Tile, in_runs
from ptoas.ops import factors
from tests.machine.test_layouts import tile_type

Formula = Callable[[int, int, int, int, int, int], int]

FORMULAS: dict[str, tuple[str, str, str, Formula]] = {
    # Element (i, j) of R x C elements in blocks of r x c.
    "ND": ("row_major", "none_box", "null", lambda i, j, R, C, r, c: i * C + j),
    "DN": ("col_major", "none_box", "null", lambda i, j, R, C, r, c: j * R + i),
    "Nz": (
        "col_major",
        "row_major",
        "null",
        lambda i, j, R, C, r, c: (R // r * (j // c) + i // r) * r * c + i % r * c + j % c,
    ),
    "Nz+1": (
        "col_major",
        "row_major",
        "row_plus_one",
        lambda i, j, R, C, r, c: R * c * (j // c) + i * c + j % c,
    ),
    "Zn": (
        "row_major",
        "col_major",
        "null",
        lambda i, j, R, C, r, c: (C // c * (i // r) + j // c) * r * c + j % c * r + i % r,
    ),
    "Zz": (
        "row_major",
        "row_major",
        "null",
        lambda i, j, R, C, r, c: (C // c * (i // r) + j // c) * r * c + i % r * c + j % c,
    ),
    "Nn": (
        "col_major",
        "col_major",
        "null",
        lambda i, j, R, C, r, c: (R // r * (j // c) + i // r) * r * c + j % c * r + i % r,
    ),
}
WIDTH = {1024: lambda size: 16, 512: lambda size: 32 // size, 32: lambda size: 2}
TYPES = {"i8": np.uint8, "f16": np.uint16, "f32": np.uint32}


def places(layout: str, shape: tuple[int, int], size: int, fractal: int = 512) -> np.ndarray:
    """The place of each element, counted in elements."""
    width = WIDTH[fractal](size)
    r, c = (width, 16) if FORMULAS[layout][1] == "col_major" else (16, width)
    formula = FORMULAS[layout][3]
    return np.array([[formula(i, j, *shape, r, c) for j in range(shape[1])] for i in range(shape[0])])


def tile_text(loc: str, layout: str, shape: tuple[int, int], element: str, fractal: int = 512) -> str:
    blayout, slayout, compact, _ = FORMULAS[layout]
    return (
        f"!pto.tile_buf<{loc}, {shape[0]}x{shape[1]}x{element}, blayout={blayout}, slayout={slayout}, "
        f"fractal={fractal}, compact={compact}>"
    )


@settings(max_examples=120, derandomize=True)
@given(
    layouts=st.tuples(st.sampled_from(sorted(FORMULAS)), st.sampled_from(sorted(FORMULAS))),
    fractals=st.tuples(st.sampled_from([32, 512, 1024]), st.sampled_from([32, 512, 1024])),
    element=st.sampled_from(sorted(TYPES)),
    data=st.data(),
)
def test_copy_between_any_two_layouts(
    layouts: tuple[str, str], fractals: tuple[int, int], element: str, data: Any
) -> None:
    size = np.dtype(TYPES[element]).itemsize
    shape = (64, 64)
    valid = data.draw(st.tuples(st.integers(1, 64), st.integers(1, 64) | st.sampled_from([16, 32, 48, 64])))
    tiles, where = [], []
    for layout, fractal in zip(layouts, fractals, strict=True):
        memory = LocalMemory(TileLoc.Mat, 64 * 66 * 4, poisoned=False)
        rows = shape[0] + layout.endswith("+1")
        text = tile_text("mat", layout, (rows, shape[1]), element, fractal)
        tiles.append(Tile(tile_type(text), memory, 0, valid))
        where.append(places(layout, (rows, shape[1]), size, fractal)[: shape[0]])
    source, target = tiles
    numbers = np.random.default_rng(1).integers(1, 1 << 8 * size, shape).astype(TYPES[element])
    source.memory.data[: 64 * 66 * size].view(TYPES[element])[where[0]] = numbers
    assert np.array_equal(source.load_raw(), numbers[: valid[0], : valid[1]])
    pair = target.paired_with(source)
    if pair is None:
        # Only where a box is cut: no strides say it.
        assert (
            any(
                extent % box and extent > box
                for each in tiles
                for extent, box in zip(valid, each.geometry.box, strict=True)
            )
            or len({each.geometry.cols.box for each in tiles}) == 2
        )
        target.store_raw(source.load_raw())
    else:
        to, of = in_runs(*pair)
        to[...] = of
    expected = np.zeros(64 * 66, TYPES[element])
    inside = tuple(slice(extent) for extent in valid)
    expected[where[1][inside]] = numbers[inside]
    assert np.array_equal(target.memory.data[: 64 * 66 * size].view(TYPES[element]), expected)


def up(extent: int, step: int) -> int:
    return -(-extent // step) * step


PACKED = [
    # Memory, layout, element, fractal; what rows and columns are rounded up to.
    ("left", "Nz", "f16", 512, 16, 16),
    ("left", "Nz", "i8", 512, 16, 32),
    ("left", "Zz", "f16", 512, 16, 16),
    ("left", "Zz", "f32", 512, 16, 16),
    ("left", "Zz", "i8", 512, 16, 32),
    ("right", "Zn", "f16", 512, 16, 16),
    ("right", "Zn", "i8", 512, 32, 16),
    ("acc", "Nz", "f32", 1024, 16, 16),
    ("scaling", "Zz", "!pto.f8E8M0", 32, 16, 2),
    ("scaling", "Nn", "!pto.f8E8M0", 32, 2, 16),
]
"""Layout of compact tiles: that of a tile with the valid extents, rounded up."""


@pytest.mark.parametrize(("loc", "layout", "element", "fractal", "by_row", "by_col"), PACKED)
@pytest.mark.parametrize("valid", [(20, 22), (1, 2), (48, 36), (96, 128)])
@pytest.mark.parametrize("open_", [False, True])
def test_compact_tile_is_stored_in_traversal_order(
    loc: str, layout: str, element: str, fractal: int, by_row: int, by_col: int, valid: Any, open_: bool
) -> None:
    """Values and bytes of a tile that is much larger than what of it is valid, static or only known later."""
    number = TYPES.get(element, np.uint8)
    size = np.dtype(number).itemsize
    said = "valid=?x?" if open_ else f"valid={valid[0]}x{valid[1]}"
    text = tile_text(loc, layout, (96, 128), element, fractal).replace(
        "compact=null", f"{said}, compact=normal"
    )
    held = (up(valid[0], by_row), up(valid[1], by_col))
    type_ = tile_type(text)
    assert type_.size_bytes == (96 * 128 if open_ else held[0] * held[1]) * size
    tile = Tile(type_, LocalMemory(type_.loc.data, 96 * 128 * 4, poisoned=False), 0, valid)
    numbers = np.random.default_rng(2).integers(1, 1 << 8 * size, valid).astype(number)
    tile.store_raw(numbers)
    expected = np.zeros(96 * 128, number)
    expected[places(layout, held, size, fractal)[: valid[0], : valid[1]]] = numbers
    assert np.array_equal(tile.memory.data[: 96 * 128 * size].view(number), expected)
    assert np.array_equal(tile.load_raw(), numbers)


@pytest.mark.parametrize(("loc", "compact"), [("mat", "normal"), ("vec", "normal"), ("left", "row_plus_one")])
def test_elsewhere_no_tile_is_packed(loc: str, compact: str) -> None:
    text = tile_text(loc, "Nz", (64, 64), "f16").replace("compact=null", f"valid=16x16, compact={compact}")
    assert tile_type(text).geometry == tile_type(tile_text("mat", "Nz", (64, 64), "f16")).geometry
    assert tile_type(text).size_bytes == 64 * 64 * 2


WALK = """
func.func @walk(%a: !pto.memref<64x64xf16>, %b: !pto.memref<64x64xf16, dn>, %out: !pto.memref<64x64xf16>) {{
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 8192 : i64
  %c2 = arith.constant 16384 : i64
  %ma = pto.alloc_tile addr = %c0 : {nz}
  %mb = pto.alloc_tile addr = %c1 : {zn}
  %l = pto.alloc_tile addr = %c0 : {left}
  %r = pto.alloc_tile addr = %c0 : {right}
  %c = pto.alloc_tile addr = %c0 : {acc}
  %mc = pto.alloc_tile addr = %c2 : {nz}
  pto.tload ins(%a : !pto.memref<64x64xf16>) outs(%ma : {nz})
  pto.tload ins(%b : !pto.memref<64x64xf16, dn>) outs(%mb : {zn})
  pto.tmov ins(%ma : {nz}) outs(%l : {left})
  pto.tmov ins(%mb : {zn}) outs(%r : {right})
  pto.tmatmul ins(%l, %r : {left}, {right}) outs(%c : {acc})
  pto.tmov ins(%c : {acc}) outs(%mc : {nz})
  pto.tstore ins(%c : {acc}) outs(%out : !pto.memref<64x64xf16>)
  return
}}
"""


@pytest.mark.parametrize("target", ["a2a3", "a5"])
def test_one_value_walks_through_every_memory(target: str) -> None:
    """A matrix of zeros and one 5, times one of zeros and one 3: each memory holds one number, at the place
    that the formula gives."""
    left = {"a2a3": "Zz", "a5": "Nz"}[target]
    types = {
        "nz": tile_text("mat", "Nz", (64, 64), "f16"),
        "zn": tile_text("mat", "Zn", (64, 64), "f16"),
        "left": tile_text("left", left, (64, 64), "f16"),
        "right": tile_text("right", "Zn", (64, 64), "f16"),
        "acc": tile_text("acc", "Nz", (64, 64), "f32", 1024),
    }
    (i, k, j) = 21, 38, 51
    a, b = np.zeros((64, 64), np.float16), np.zeros((64, 64), np.float16)
    a[i, k], b[k, j] = 5, 3
    out = np.zeros((64, 64), np.float16)
    kernel = compile_program(ptoas.parse(WALK.format(**types)), target)
    kernel.execute({"a": a, "b": b, "out": out})
    memories = kernel.cores[0].machine.memories

    def held(loc: TileLoc, start: int, number: Any) -> dict[int, float]:
        bytes_ = memories[loc].data[start : start + 64 * 64 * np.dtype(number).itemsize]
        found = bytes_.view(number)
        return {int(at): float(found[at]) for at in np.flatnonzero(found)}

    nz16 = ((64 // 16) * (k // 16) + i // 16) * 256 + i % 16 * 16 + k % 16
    zz16 = ((64 // 16) * (i // 16) + k // 16) * 256 + i % 16 * 16 + k % 16
    zn16 = ((64 // 16) * (k // 16) + j // 16) * 256 + j % 16 * 16 + k % 16
    result = ((64 // 16) * (j // 16) + i // 16) * 256 + i % 16 * 16 + j % 16
    assert held(TileLoc.Mat, 0, np.float16) == {nz16: 5}
    assert held(TileLoc.Mat, 8192, np.float16) == {zn16: 3}
    assert held(TileLoc.Left, 0, np.float16) == {nz16 if target == "a5" else zz16: 5}
    assert held(TileLoc.Right, 0, np.float16) == {zn16: 3}
    assert held(TileLoc.Acc, 0, np.float32) == {result: 15}
    assert held(TileLoc.Mat, 16384, np.float16) == {result: 15}
    assert out[i, j] == 15 and np.count_nonzero(out) == 1


# --- operands as numbers -------------------------------------------------------------------------


def operand(loc: str, layout: str, element: str, shape: tuple[int, int] = (256, 256)) -> Tile:
    memory = LocalMemory(TileLoc(loc), shape[0] * shape[1] * 2, poisoned=False)
    return Tile(tile_type(tile_text(loc, layout, shape, element)), memory, 0, shape)


@pytest.mark.parametrize(("loc", "layout"), [("left", "Nz"), ("left", "Zz"), ("right", "Zn")])
@pytest.mark.parametrize(("element", "number"), [("f16", np.float16), ("bf16", ml_dtypes.bfloat16)])
def test_every_short_float_is_widened(loc: str, layout: str, element: str, number: Any) -> None:
    """All 65536 of them, in boxes; first without what is infinite or no number."""
    patterns = np.arange(1 << 16, dtype=np.uint16)
    exact = patterns.view(number).astype(np.float32)
    for chosen in (np.where(np.isfinite(exact), patterns, 0), patterns):
        tile = operand(loc, layout, element)
        tile.store_raw(chosen.reshape(256, 256))
        for cut in ((256, 256), (256, 240), (250, 256)):
            found = factors.factor(tile.with_valid(*cut))()
            wanted = chosen.view(number).astype(np.float32).reshape(256, 256)[: cut[0], : cut[1]]
            assert found.dtype == np.float32
            assert np.array_equal(found, wanted, equal_nan=True)
            assert np.array_equal(np.signbit(found), np.signbit(wanted))


def test_changed_bytes_are_unpacked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bytes give the same array; one byte more, wherever it is, another."""
    tile = operand("left", "Nz", "f16", (64, 64))
    fill = factors.factor(tile)
    first = fill()
    assert fill() is first
    for place in (1, 4000, 8191):
        tile.memory.data[place] = 0x3C
        second = fill()
        assert second is not first and np.array_equal(second, tile.load().astype(np.float32))
        first = second
    kept = factors.FACTORS[tile.memory]
    assert 0 < kept.size <= factors.MOST_KEPT
    monkeypatch.setattr(factors, "MOST_KEPT", 0)
    tile.memory.data[7] = 0x3C
    assert np.array_equal(fill(), tile.load().astype(np.float32))
    assert kept.size == 0 and not kept.found


# --- fp4 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("loc", ["right", "left"])
def test_pairs_of_fp4_are_turned(loc: str) -> None:
    """64 x 128 codes of 4 bits: two in a byte by rows on the one side, by columns on the other."""
    codes = np.random.default_rng(4).integers(0, 16, (64, 128)).astype(np.uint8)
    by_row, by_column = codes[:, 0::2] | codes[:, 1::2] << 4, codes[0::2] | codes[1::2] << 4
    given, wanted = (by_row, by_column) if loc == "right" else (by_column, by_row)
    layouts = ("Nz", "Zn") if loc == "right" else ("Zn", "Nz")
    element = "!pto.f4E2M1x2"
    src, dst = (
        tile_text(where, layout, shape, element)
        for where, layout, shape in zip(("mat", loc), layouts, (given.shape, wanted.shape), strict=True)
    )
    move = f"pto.tmov ins(%s : {src}) outs(%d : {dst})"
    text = f"func.func @kernel(%s: {src}, %d: {dst}) {{\n  {move}\n  return\n}}"
    result = ptoas.run(ptoas.parse(text), {"s": given}, "a5")
    assert np.array_equal(np.asarray(result.outputs["d"]).view(np.uint8), wanted)
