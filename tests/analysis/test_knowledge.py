"""Facts about constants and tiles, and unknown ones."""

from __future__ import annotations

import pytest

from ptoas.analysis.knowledge import is_reshaped, shape_str

from .known import Known, make

OPEN = "!pto.tile_buf<vec, 16x32xf32, valid=?x?>"


# --- constants -----------------------------------------------------------------------------------


def test_only_integers_are_followed() -> None:
    known = Known(
        "%half = arith.constant 0.5 : f32",
        "%block = pto.get_block_idx",
        "%sum = arith.addi %block, %block : i64",
        "%twice = arith.addi %c4, %c4 : index",
    )
    found = {name: known.knowledge.constant(known[name]) for name in ("half", "block", "sum", "twice", "n")}
    assert found == {"half": None, "block": None, "sum": None, "twice": 8, "n": None}


def test_an_extent_is_not_negative() -> None:
    known = Known("%m1 = arith.constant -1 : index", "%m5 = arith.constant -5 : index")
    names = ("m5", "m1", "c0", "c1", "n")
    assert [known.knowledge.extent(known[name]) for name in names] == [-1, -1, 0, 1, -1]
    assert known.knowledge.extent(None) == -1


# --- tiles ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "type", "expected"),
    [
        (" valid_row = %c8 valid_col = %c16", "?x?", (8, 16)),
        (" valid_row = %c8 valid_col = %n", "?x?", (8, -1)),
        (" valid_row = %n valid_col = %c16", "?x?", (-1, 16)),
        (" valid_row = %c8", "?x16", (8, 16)),
        (" valid_col = %c16", "8x?", (8, 16)),
        ("", "8x16", (8, 16)),
        ("", "?x?", (-1, -1)),
    ],
)
def test_valid_extents_of_an_allocated_tile(values: str, type: str, expected: tuple[int, int]) -> None:
    known = Known(f"%t = pto.alloc_tile{values} : !pto.tile_buf<vec, 16x32xf32, valid={type}>")
    assert known.valid("t") == expected
    facts = known.knowledge.tile(known["t"])
    assert (facts.valid_rows, facts.valid_cols) == expected


@pytest.mark.parametrize(
    ("valid", "type", "expected"),
    [
        (" valid [%c4, %c2]", "?x?", (4, 2)),
        (" valid [%c4, %n]", "?x?", (4, -1)),
        (" valid [%c4, %c32]", "?x32", (4, 32)),
        ("", "?x?", (-1, -1)),
        ("", "8x32", (8, 32)),
    ],
)
def test_valid_extents_of_a_window(valid: str, type: str, expected: tuple[int, int]) -> None:
    window = f"!pto.tile_buf<vec, 8x32xf32, valid={type}>"
    known = Known(
        f"%t = pto.alloc_tile valid_row = %c8 valid_col = %c16 : {OPEN}",
        f"%w = pto.subview %t[%c0, %c0] sizes [8, 32]{valid} : {OPEN} -> {window}",
    )
    assert known.valid("w") == expected


def test_a_bound_tile_has_the_extents_of_the_tile() -> None:
    half_open = OPEN.replace("?x?", "?x16")
    known = Known(
        f"%t = pto.alloc_tile valid_row = %c8 valid_col = %n : {OPEN}",
        f"%b = pto.tassign %t, @tile(0x40) : {OPEN} -> {OPEN}",
        f"%u = pto.alloc_tile valid_row = %c4 : {half_open}",
        f"%d = pto.tassign %u, @tile(0x40) : {half_open} -> {half_open}",
    )
    assert known.valid("b") == (8, -1) and known.valid("d") == (4, 16)


def test_a_tile_that_a_branch_picks_is_not_known() -> None:
    known = Known(
        f"%t = pto.alloc_tile valid_row = %c8 valid_col = %c16 : {OPEN}",
        f"%z = scf.if %go -> ({OPEN}) {{",
        f"scf.yield %t : {OPEN}",
        "} else {",
        f"scf.yield %t : {OPEN}",
        "}",
    )
    assert known.valid("z") == (-1, -1)


def reshaped(*lines: str) -> Known:
    return Known(
        f"%t = pto.alloc_tile valid_row = %c8 valid_col = %c16 : {OPEN}",
        f"%other = pto.alloc_tile valid_row = %c8 valid_col = %c16 : {OPEN}",
        *lines,
    )


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([], False),
        ([f"pto.set_validshape %other, %c1, %c1 : {OPEN}"], False),
        ([f"pto.set_validshape %t, %c1, %c1 : {OPEN}"], True),
        (
            [
                f"%b = pto.tassign %t, @tile(0x40) : {OPEN} -> {OPEN}",
                f"pto.set_validshape %b, %c1, %c1 : {OPEN}",
            ],
            True,
        ),
        (
            [
                f"%r = scf.for %k = %c0 to %n step %c1 iter_args(%s = %t) -> ({OPEN}) {{",
                f"pto.set_validshape %s, %c1, %c1 : {OPEN}",
                f"scf.yield %s : {OPEN}",
                "}",
            ],
            True,
        ),
        (
            [
                f"%r = scf.for %k = %c0 to %n step %c1 iter_args(%s = %t) -> ({OPEN}) {{",
                f"scf.yield %s : {OPEN}",
                "}",
            ],
            False,
        ),
        (
            [
                f"%w = pto.subview %t[%c0, %c0] sizes [16, 32] valid [%c4, %c2] : {OPEN} -> {OPEN}",
                f"pto.set_validshape %w, %c1, %c1 : {OPEN}",
            ],
            False,
        ),
    ],
    ids=["never", "another tile", "itself", "as a bound tile", "in a loop", "handed on", "its window"],
)
def test_a_tile_that_is_reshaped_under_any_name_is_not_known(lines: list[str], expected: bool) -> None:
    known = reshaped(*lines)
    assert is_reshaped(known["t"]) is expected
    assert known.valid("t") == ((-1, -1) if expected else (8, 16))


def test_a_tile_in_words() -> None:
    known = Known(
        "%t = pto.alloc_tile : !pto.tile_buf<vec, 16x32xf32>",
        "%u = pto.alloc_tile : !pto.tile_buf<mat, 16x32xbf16, blayout=col_major, slayout=row_major>",
    )
    plain, boxed = known.knowledge.tile(known["t"]), known.knowledge.tile(known["u"])
    assert (plain.layout_text, plain.element_name) == ("row_major + none_box", "f32")
    assert (boxed.layout_text, boxed.element_name) == ("col_major + row_major, fractal 512", "bf16")
    assert shape_str((16, -1)) == "16x?"


# --- keys ----------------------------------------------------------------------------------------


def test_keys_are_equal_where_the_same_is_known_and_only_there() -> None:
    known = Known(
        f"%a = pto.alloc_tile valid_row = %c8 valid_col = %c16 : {OPEN}",
        f"%b = pto.alloc_tile valid_row = %c8 valid_col = %c16 : {OPEN}",
        f"%c = pto.alloc_tile valid_row = %c8 valid_col = %c8 : {OPEN}",
        "%d = pto.alloc_tile : !pto.tile_buf<vec, 16x32xi32>",
        make("v", "c64 c32", "c40 c1", "?x?xf32"),
        make("w", "c64 c32", "c40 c1", "?x?xf32"),
        make("y", "c64 c32", "c32 c1", "?x?xf32"),
        "%i = arith.constant 8 : i64",
        "%j = arith.constant 8 : i64",
        "%f = arith.constant 0.5 : f32",
        "%g = arith.constant 0.25 : f32",
        "%h = arith.constant 0.5 : f16",
    )
    names = ["a", "b", "c", "d", "v", "w", "y", "i", "j", "c8", "f", "g", "h", "n", "p", "go"]
    same = {("a", "b"), ("v", "w"), ("i", "j"), ("f", "g")}
    for one in names:
        for other in names:
            equal = known.knowledge.key(known[one]) == known.knowledge.key(known[other])
            assert equal is (one == other or (one, other) in same or (other, one) in same), (one, other)
