"""Storage of the tiles of a function: their addresses, the parts of windows, and overlaps."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from xdsl.ir import SSAValue

from ptoas.analysis.storage import Storage
from ptoas.dialects.pto.enums import TileLoc

from .functions import BOXED, Facts, T, alloc, two_tiles, window

Span = tuple[int, int]
Tile = tuple[int, int, str, str]
"""Rows, columns, element type, layout."""


def test_addresses() -> None:
    found = Facts(
        "%a64 = arith.constant 64 : i64",
        alloc("a", addr="%a64"),
        alloc("b", addr="%n"),
        alloc("c"),
        f"pto.tassign %c, @tile(0x1000) : {T}",
        alloc("d"),
        f"pto.tassign %d, %a64 : {T}, i64",
        f"pto.tassign %d, @tile(0x80) : {T}",
        alloc("e"),
        f"pto.tassign %e, %a64 : {T}, i64",
        f"pto.tassign %e, @tile(0x40) : {T}",
        alloc("f"),
        alloc("g"),
        window("w", "g", "%c0", "%c0", 8, 32),
        "pto.tassign %w, @tile(0x2000) : !pto.tile_buf<vec, 8x32xf32>",
    )
    address = {name: found.facts.storage(found[name]).start for name in "abcdefg"}
    assert address == {"a": 64, "b": None, "c": 4096, "d": None, "e": 64, "f": None, "g": 8192}
    assert [at for _, at in found.facts.addresses[found["d"]]] == [64, 128]


@pytest.mark.parametrize(
    ("offsets", "expected"),
    [
        (("%c1", "%c8"), ((1, 9), (8, 12))),
        (("%n", "%c8"), (None, (8, 12))),
        (("%c1", "%n"), ((1, 9), None)),
    ],
)
def test_a_window_is_a_rectangle_of_its_tile(offsets: tuple[str, str], expected: object) -> None:
    found = Facts(alloc("a"), window("w", "a", *offsets, 8, 4))
    storage = found.facts.storage(found["w"])
    assert (storage.root, storage.loc, storage.size) == (found["a"], TileLoc.Vec, 16 * 32 * 4)
    assert (storage.rows, storage.cols) == expected
    whole = found.facts.storage(found["a"])
    assert (whole.rows, whole.cols) == (None, None)


def test_a_window_of_a_window() -> None:
    small = "!pto.tile_buf<vec, 8x16xf32>"
    found = Facts(
        alloc("a"),
        window("w", "a", "%c4", "%c8", 8, 16),
        f"%b = pto.tassign %w, @tile(0x40) : {small} -> {small}",
        window("v", "b", "%c1", "%c2", 2, 8, small),
        window("u", "b", "%n", "%c2", 2, 8, small),
        window("s", "u", "%c1", "%c2", 1, 4, "!pto.tile_buf<vec, 2x8xf32>"),
    )
    storage = found.facts.storage(found["v"])
    assert (storage.rows, storage.cols) == ((5, 7), (10, 18))
    storage = found.facts.storage(found["s"])
    assert (storage.rows, storage.cols) == (None, (12, 16)), "an unknown offset stays unknown"


def test_windows_of_blocks_are_no_rectangles_of_bytes() -> None:
    found = Facts(
        alloc("a", BOXED),
        f"%w = pto.subview %a[%c0, %c0] sizes [16, 16] : {BOXED} -> {BOXED.replace('64x64', '16x16')}",
    )
    storage = found.facts.storage(found["w"])
    assert (storage.root, storage.rows, storage.cols) == (found["a"], None, None)


def test_a_window_of_what_a_loop_hands_on() -> None:
    """The part is known for a window of a whole tile, and unknown for one of a part."""
    small = "!pto.tile_buf<vec, 8x32xf32>"
    found = Facts(
        alloc("a"),
        alloc("b"),
        window("lower", "b", "%c8", "%c0", 8, 32),
        f"%p, %q = scf.for %k = %c0 to %n step %c1 iter_args(%s = %a, %t = %lower) -> ({T}, {small}) {{",
        window("u", "s", "%c4", "%c0", 8, 32),
        window("v", "t", "%c4", "%c0", 2, 32, small),
        f"scf.yield %s, %t : {T}, {small}",
        "}",
    )
    (storage,) = found.facts.places(found["u"])
    assert (storage.root, storage.rows, storage.cols) == (found["a"], (4, 12), (0, 32))
    (storage,) = found.facts.places(found["v"])
    assert (storage.root, storage.rows, storage.cols) == (found["b"], None, None)


SPANS = st.none() | st.tuples(st.integers(0, 6), st.integers(1, 4)).map(lambda s: (s[0], s[0] + s[1]))


@given(SPANS, SPANS, SPANS, SPANS)
def test_parts_of_one_tile_overlap_where_they_share_an_element(
    rows: tuple[int, int] | None,
    cols: tuple[int, int] | None,
    other_rows: tuple[int, int] | None,
    other_cols: tuple[int, int] | None,
) -> None:
    def elements(rows: tuple[int, int] | None, cols: tuple[int, int] | None) -> set[tuple[int, int]]:
        """Elements of a part of a tile of ten rows and columns."""
        return {(i, j) for i in range(*(rows or (0, 10))) for j in range(*(cols or (0, 10)))}

    root, _ = two_tiles()
    one = Storage(root, TileLoc.Vec, rows, cols, None, 400)
    other = Storage(root, TileLoc.Vec, other_rows, other_cols, None, 400)
    assert one.overlaps(other) is bool(elements(rows, cols) & elements(other_rows, other_cols))


@given(*[st.integers(0, 8)] * 2, *[st.integers(1, 6)] * 2)
@example(0, 4, 4, 4)
@example(4, 0, 4, 4)
@example(0, 3, 4, 4)
def test_placed_tiles_overlap_where_they_share_a_byte(start: int, begin: int, size: int, length: int) -> None:
    a, b = two_tiles()
    one = Storage(a, TileLoc.Vec, None, None, start, size)
    share = bool(set(range(start, start + size)) & set(range(begin, begin + length)))
    assert one.overlaps(Storage(b, TileLoc.Vec, None, None, begin, length)) is share
    assert not one.overlaps(Storage(b, TileLoc.Mat, None, None, begin, length)), "another memory"


@pytest.mark.parametrize(("start", "begin"), [(None, 0), (0, None), (None, None)])
def test_tiles_that_are_not_placed_share_nothing(start: int | None, begin: int | None) -> None:
    a, b = two_tiles()
    one, other = (Storage(r, TileLoc.Vec, None, None, at, 64) for r, at in ((a, start), (b, begin)))
    assert not one.overlaps(other)


RECTANGLES = st.none() | st.tuples(st.integers(0, 3), st.integers(1, 4)).map(lambda s: (s[0], s[0] + s[1]))
TILES = st.sampled_from([(8, 8, "i32", "row_major"), (8, 8, "i32", "col_major"), (8, 16, "i16", "row_major")])


@cache
def allocated(rows: int, cols: int, element: str, blayout: str) -> SSAValue:
    text = f"!pto.tile_buf<vec, {rows}x{cols}x{element}, blayout={blayout}>"
    return Facts(f"%t = pto.alloc_tile : {text}")["t"]


@given(*[TILES] * 2, *[RECTANGLES] * 4, *[st.integers(0, 300)] * 2)
@example((8, 8, "i32", "row_major"), (8, 16, "i16", "row_major"), (2, 3), None, None, None, 0, 96)
@example((8, 8, "i32", "row_major"), (8, 16, "i16", "row_major"), (2, 3), None, None, None, 0, 95)
def test_parts_of_placed_tiles_overlap_where_they_share_a_byte(
    one: Tile,
    other: Tile,
    rows: Span | None,
    cols: Span | None,
    other_rows: Span | None,
    other_cols: Span | None,
    start: int,
    begin: int,
) -> None:
    def place(tile: Tile, rows: Span | None, cols: Span | None, start: int) -> tuple[Storage, set[int]]:
        """A part of a tile at an address, and its bytes one by one."""
        height, width, element, blayout = tile
        unit = int(element[1:]) // 8
        steps = (width, 1) if blayout == "row_major" else (1, height)
        firsts = {
            start + (r * steps[0] + c * steps[1]) * unit
            for r in range(*(rows or (0, height)))
            for c in range(*(cols or (0, width)))
        }
        storage = Storage(allocated(*tile), TileLoc.Vec, rows, cols, start, height * width * unit)
        return storage, {first + byte for first in firsts for byte in range(unit)}

    if one == other:
        return  # that is one tile, which lies in one place
    (a, ours), (b, theirs) = place(one, rows, cols, start), place(other, other_rows, other_cols, begin)
    assert a.overlaps(b) is bool(ours & theirs)
