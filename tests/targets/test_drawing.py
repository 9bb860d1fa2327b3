"""Findings about boxes draw what is required, and where the tile departs from it."""

from __future__ import annotations

import doctest

import numpy as np
import pytest

import ptoas
from ptoas.dialects.pto.enums import BLayout, SLayout
from ptoas.dialects.pto.geometry import geometry
from ptoas.targets import drawing

TILES = "blayout=col_major, slayout=row_major"
LEFT = f"!pto.tile_buf<left, {{}}x32xf16, valid=16x32, {TILES}>"
RIGHT = "!pto.tile_buf<right, 32x32xf16, slayout=col_major>"
ACC = f"!pto.tile_buf<acc, 16x32xf32, {TILES}, fractal=1024>"
MAT = f"!pto.tile_buf<mat, 64x64xf16, {TILES}>"


def alloc(type_: str, address: int = 0) -> str:
    return (
        f"func.func @k() {{\n  %a = arith.constant {address} : i64\n"
        f"  %t = pto.alloc_tile addr = %a : !pto.tile_buf<{type_}>\n  return\n}}"
    )


def part(row: int) -> str:
    return (
        f"func.func @k(%s: {MAT}, %d: {RIGHT}) {{\n  %r = arith.constant {row} : index\n"
        f"  pto.textract ins(%s, %r, %r : {MAT}, index, index) outs(%d : {RIGHT})\n  return\n}}"
    )


def product(rows: int) -> str:
    lhs = LEFT.format(rows)
    return (
        f"func.func @k(%a: {lhs}, %b: {RIGHT}, %c: {ACC}) {{\n"
        f"  pto.tmatmul ins(%a, %b : {lhs}, {RIGHT}) outs(%c : {ACC})\n  return\n}}"
    )


def window(row: int, cols: int) -> str:
    tile = f"!pto.tile_buf<mat, 16x{cols}xf16, {TILES}>"
    return (
        f"func.func @k(%s: {MAT}) {{\n  %r = arith.constant {row} : index\n"
        f"  %w = pto.subview %s[%r, %r] sizes [16, {cols}] : {MAT} -> {tile}\n  return\n}}"
    )


def stored(memory: str) -> str:
    return f".arg %c : {ACC}\n.arg %o : !pto.memref<{memory}>\ntstore %c, %o : ({ACC}, !pto.memref<{memory}>)"


def extracted(src: str, dst: str) -> str:
    return (
        f".arg %s : !pto.tile<{src}>\n.arg %r : index\n"
        f"%d = textract %s, %r, %r : (!pto.tile<{src}>, index, index) -> !pto.tile<{dst}>"
    )


def bound(scales: str) -> str:
    lhs, scales = f"!pto.tile_buf<left, 16x64xf8E4M3FN, {TILES}>", f"!pto.tile_buf<scaling, {scales}>"
    return (
        f"func.func @k(%a: {lhs}) {{\n  %s = pto.alloc_tile : {scales}\n"
        f"  pto.tget_scale_addr ins(%a : {lhs}) outs(%s : {scales})\n  return\n}}"
    )


def moved(src: str) -> str:
    return f".arg %m : !pto.tile<{src}>\n%d = tmov %m : (!pto.tile<{src}>) -> {RIGHT}"


def loaded(tile: str) -> str:
    return f".arg %m : !pto.memref<32x32xf32>\n%t = tload %m : (!pto.memref<32x32xf32>) -> !pto.tile<{tile}>"


CASES: dict[str, tuple[str, str, list[str]]] = {
    "PTO-V107": (
        alloc(f"mat, 24x20xf16, {TILES}"),
        alloc(f"mat, 32x32xf16, valid=24x20, {TILES}"),
        ["16 |    |    | 4 of 16 columns", "8 |    |    | 8 of 16 rows"],
    ),
    "PTO-V109": (
        alloc(f"right, 32x32xf16, {TILES}"),
        alloc("right, 32x32xf16, slayout=col_major"),
        ["0  1 |  8  9     0  2 |  4  6", "6  7 | 14 15     9 11 | 13 15"],
    ),
    "PTO-V103": (alloc(f"acc, 16x16xf32, {TILES}, fractal=1024", 800), alloc(RIGHT[14:-1], 1024), ["^ 800"]),
    "PTO-K204": (part(24), part(16), ["16      32", "|-------|", "    ^ 24"]),
    "PTO-V113": (window(8, 24), window(16, 32), []),
    "PTO-M207": (
        stored("1x4x2x8x8xf32, nz"),
        stored("1x2x1x16x16xf32, nz"),
        ["found 8x8    expected 16x16", "+----+       +--------+"],
    ),
    "PTO-E433": (
        extracted("64x64xf16", f"16x16xf16, {TILES}"),
        extracted(f"64x64xf16, {TILES}", f"16x16xf16, {TILES}"),
        ["0  1 |  8  9     0  1   2  3"],
    ),
    "PTO-G204": (
        bound("2x16x!pto.f8E8M0, blayout=col_major, slayout=col_major, fractal=32"),
        bound("16x2x!pto.f8E8M0, slayout=row_major, fractal=32"),
        ["0  2 |  8 10     0  1 |  4  5"],
    ),
    "PTO-K120": (
        moved("mat, 32x32xf16"),
        moved(f"mat, 32x32xf16, {TILES}"),
        ["0  1   2  3     0  1 |  8  9", "12 13  14 15     6  7 | 14 15"],
    ),
    "PTO-K123": (
        loaded(f"mat, 32x32xf32, {TILES}, fractal=1024"),
        loaded(f"mat, 32x32xf32, {TILES}"),
        ["found 16x16    expected 16x8"],
    ),
    "PTO-M103": (
        loaded("mat, 32x32xf32, slayout=row_major"),
        loaded(f"mat, 32x32xf32, {TILES}"),
        ["0  1 |  4  5     0  1 |  8  9", "10 11 | 14 15     6  7 | 14 15"],
    ),
    "PTO-K105": (product(48), product(16), ["stored |#..|#..|", "read   |#|#|"]),
}


@pytest.mark.parametrize("code", CASES)
def test_a_finding_draws_the_block(code: str) -> None:
    wrong, right, lines = CASES[code]
    found = [d for d in ptoas.verify(ptoas.parse(wrong), "a5").diagnostics if d.code == code]
    assert found
    for finding in found:
        picture = next(note.message for note in finding.notes if "\n" in note.message)
        for line in lines:
            assert any(drawn.strip() == line.strip() for drawn in picture.splitlines()), picture
        assert max(map(len, picture.splitlines())) < 80 and len(picture.splitlines()) < 12
    assert not ptoas.verify(ptoas.parse(right), "a5").diagnostics


def test_another_size_of_block_is_no_other_order() -> None:
    found = ptoas.verify(ptoas.parse(alloc(f"acc, 32x32xf32, {TILES}, fractal=32")), "a5").diagnostics
    (finding,) = (d for d in found if d.code == "PTO-V109")
    assert finding.notes[0].message == "blocks of 32 bytes, expected 1024"


def test_the_pictures_in_the_source_are_so() -> None:
    assert doctest.testmod(drawing).failed == 0 and doctest.testmod(drawing).attempted >= 4


@pytest.mark.parametrize("blayout", list(BLayout))
@pytest.mark.parametrize("slayout", list(SLayout))
def test_the_picture_is_the_geometry(blayout: BLayout, slayout: SLayout) -> None:
    """The order of the drawn elements is the order of the first of each quarter of a real tile's blocks."""
    drawn = [
        [int(word) for word in line.replace("|", " ").split()]
        for line in drawing._order(blayout, slayout)  # pyright: ignore[reportPrivateUsage]
        if line and "+" not in line
    ]
    assert sorted(place for line in drawn for place in line) == list(range(16))
    lies = geometry((32, 32), 2, blayout, slayout)
    step = 1 if slayout is SLayout.NoneBox else 8
    real = np.array([[lies.offset(i * step, j * step) for j in range(4)] for i in range(4)])
    assert np.array_equal(np.argsort(np.ravel(drawn)), np.argsort(real.ravel()))


def test_of_many_blocks_the_first_and_the_last_are_drawn() -> None:
    text = drawing.cut_blocks((1000, 16), (16, 16))
    assert ".. |    |" in text and "8 of 16 rows" in text and len(text.splitlines()) < 14
