"""What is known of tiles and views: extents, strides, layouts and windows; and what stays unknown."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.ir import SSAValue

from ptoas.dialects.pto.enums import Layout
from ptoas.grammar.parse import parse
from ptoas.targets.facts import (
    Knowledge,
    ViewFacts,
    element_count,
    is_reshaped,
    last_dims,
    packed_strides,
    shape_str,
)

HEAD = "func.func @f(%p: !pto.ptr<f32>, %n: index, %go: i1, %x: !pto.memref<4x64x32xf32>) {\n"
CONSTANTS = "".join(f"  %c{n} = arith.constant {n} : index\n" for n in (0, 1, 2, 4, 8, 16, 32, 40, 64))
OPEN = "!pto.tile_buf<vec, 16x32xf32, valid=?x?>"


class Known:
    """The values of a function by their names, and what is known of them."""

    def __init__(self, *lines: str):
        module = parse(HEAD + CONSTANTS + "\n".join(lines) + "\nreturn\n}")
        blocks = [block for op in module.walk() for region in op.regions for block in region.blocks]
        values = [arg for block in blocks for arg in block.args]
        values += [result for op in module.walk() for result in op.results]
        self.values = {value.name_hint: value for value in values}
        self.module = module
        self.knowledge = Knowledge()

    def __getitem__(self, name: str) -> SSAValue:
        return self.values[name]

    def valid(self, name: str) -> tuple[int, int]:
        return self.knowledge.tile(self[name]).valid

    def view(self, name: str) -> ViewFacts:
        return self.knowledge.view(self[name])

    def window(self, name: str) -> tuple[str | None, int | None, int | None]:
        found = self.knowledge.window(self[name])
        return found.root.name_hint, found.first, found.last


def make(name: str, shape: str, strides: str, type: str, attrs: str = "") -> str:
    values = (", ".join(f"%{word}" for word in words.split()) for words in (shape, strides))
    shapes = "shape = [{}], strides = [{}]".format(*values)
    return f"%{name} = pto.make_tensor_view %p, {shapes}{attrs} : !pto.tensor_view<{type}>"


def part(name: str, source: str, offsets: str, sizes: str, types: str) -> str:
    where, size = (", ".join(f"%{word}" for word in words.split()) for words in (offsets, sizes))
    return f"%{name} = pto.partition_view %{source}, offsets = [{where}], sizes = [{size}] : {types}"


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
        (" valid [%c4, %c2]", "?x32", (4, 32)),
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
                f"%w = pto.subview %t[%c0, %c0] sizes [16, 32] valid [%c4, %c2] : {OPEN} -> {OPEN}",
                f"pto.set_validshape %w, %c1, %c1 : {OPEN}",
            ],
            False,
        ),
    ],
    ids=["never", "another tile", "itself", "as a bound tile", "in a loop", "its window"],
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


# --- views ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "strides", "type", "expected"),
    [
        ("c64 c32", "c40 c1", "?x?xf32", ((64, 32), (40, 1))),
        ("n c32", "c40 n", "?x?xf32", ((-1, 32), (40, -1))),
        ("n c32", "c40 c1", "64x?xf32", ((64, 32), (40, 1))),
        ("c64 c32", "n c1", "64x32xf32, strides=[40, ?]", ((64, 32), (40, 1))),
        ("c64 c32", "c40 n", "64x32xf32, strides=[?, 1]", ((64, 32), (40, 1))),
    ],
)
def test_a_view_is_what_its_type_and_its_operands_say(
    shape: str, strides: str, type: str, expected: tuple[tuple[int, ...], tuple[int, ...]]
) -> None:
    view = Known(make("v", shape, strides, type)).view("v")
    assert (view.shape, view.strides) == expected


def test_the_layout_of_a_view_is_written_at_the_operation_or_in_the_type() -> None:
    dn = " {layout = #pto.layout<dn>}"
    known = Known(
        make("a", "c64 c32", "c1 c64", "64x32xf32"),
        make("b", "c64 c32", "c1 c64", "64x32xf32", dn),
        make("c", "c64 c32", "c1 c64", "64x32xf32, dn"),
        *(
            part(
                f"{name}{name}",
                name,
                "c0 c0",
                "c16 c16",
                f"!pto.tensor_view<64x32xf32{', dn' if name == 'c' else ''}> "
                f"-> !pto.partition_tensor_view<16x16xf32{', dn' if name == 'a' else ''}>",
            )
            for name in "abc"
        ),
    )
    assert [known.view(name).layout for name in "abc"] == [Layout.ND, Layout.DN, Layout.DN]
    assert [known.view(name * 2).layout for name in "abc"] == [Layout.DN] * 3


WHOLE = "!pto.memref<4x64x32xf32>"


@pytest.mark.parametrize(
    ("type", "sizes", "shape", "strides"),
    [
        ("2x16x8xf32", "c2 c16 c8", (2, 16, 8), (2048, 32, 1)),
        ("?x?x?xf32", "c2 n c8", (2, -1, 8), (2048, 32, 1)),
        ("16x8xf32", "c1 c16 c8", (16, 8), (32, 1)),
        ("?x8xf32", "c1 c16 c8", (16, 8), (32, 1)),
        ("1x1x2x16x8xf32", "c2 c16 c8", (1, 1, 2, 16, 8), (1, 1, 2048, 32, 1)),
        ("1x?x2x16x8xf32", "c2 c16 c8", (1, 1, 2, 16, 8), (1, 1, 2048, 32, 1)),
        ("16x8xf32, strides=[40, ?]", "c1 c16 c8", (16, 8), (40, 1)),
    ],
)
def test_a_part_has_the_strides_of_the_whole(
    type: str, sizes: str, shape: tuple[int, ...], strides: tuple[int, ...]
) -> None:
    known = Known(part("w", "x", "c0 c0 c0", sizes, f"{WHOLE} -> !pto.partition_tensor_view<{type}>"))
    view = known.view("w")
    assert (view.shape, view.strides) == (shape, strides)


@pytest.mark.parametrize(
    ("dims", "rank", "expected"),
    [((2, 3), 2, (2, 3)), ((2, 3), 1, (3,)), ((2, 3), 4, (1, 1, 2, 3)), ((2, 3, 4, 5), 3, (3, 4, 5))],
)
def test_of_fewer_dimensions_the_last_correspond(
    dims: tuple[int, ...], rank: int, expected: tuple[int, ...]
) -> None:
    assert last_dims(dims, rank) == expected


@pytest.mark.parametrize(
    ("type", "expected"),
    [
        ("64x32xf32", (2048, 2048, 2048, 32, 1)),
        ("64x32xf32, strides=[1, 64]", (2048, 2048, 2048, 1, 64)),
        ("64x32xf32, strides=[40, 1]", (2560, 2560, 2560, 40, 1)),
        ("64x32xf32, strides=[?, 1]", (-1, -1, -1, -1, 1)),
        ("?x32xf32", (-1, -1, -1, 32, 1)),
        ("64x32xf32, dn", (2048, 2048, 2048, 1, 64)),
        ("2x3x4x5x6xf32", (360, 120, 30, 6, 1)),
        ("7xf32", (7, 7, 7, 7, 1)),
    ],
)
def test_five_strides(type: str, expected: tuple[int, ...]) -> None:
    module = parse(f"func.func @f(%x: !pto.memref<{type}>) {{\n  return\n}}")
    (x,) = [arg for op in module.walk() for region in op.regions for arg in region.block.args]
    assert Knowledge().view(x).strides5 == expected


@given(st.lists(st.integers(1, 6), min_size=1, max_size=5), st.sampled_from([Layout.ND, Layout.DN]))
def test_a_packed_tensor_has_its_elements_next_to_each_other(shape: Sequence[int], layout: Layout) -> None:
    strides = packed_strides(shape, layout)
    order = list(range(len(shape)))
    if layout is Layout.DN and len(shape) >= 2:
        order = [*order[:-2], order[-1], order[-2]]
    step = 1
    for dim in order[::-1]:
        assert strides[dim] == step
        step *= shape[dim]


@pytest.mark.parametrize(
    ("shape", "strides", "packed"),
    [
        ((4, 8), None, True),
        ((4, 8), (8, 1), True),
        ((4, 8), (9, 1), False),
        ((4, 8), (8, 2), False),
        ((1, 8), (99, 1), True),
        ((4, 1), (1, 99), True),
        ((4, 1), (2, 99), False),
        ((2, 4, 8), (32, 8, 1), True),
        ((2, 4, 8), (33, 8, 1), False),
        ((2, 4, 8), (8, 8, 1), False),
        ((-1, 8), (8, 1), True),
        ((-1, 8), (9, 1), False),
        ((4, -1), (8, 1), None),
        ((2, 4, -1), (8, 8, 1), None),
        ((4, 8), (-1, 1), None),
        ((4, 8), (8, -1), None),
        ((4, 8), (9, -1), False),
        ((2, 4, 8), (32, -1, 1), None),
        ((2, 4, 8), (33, -1, 1), False),
    ],
)
def test_gaps(shape: tuple[int, ...], strides: tuple[int, ...] | None, packed: bool | None) -> None:
    view = Known(make("v", "c64 c32", "c32 c1", "?x?xf32")).view("v")
    assert ViewFacts(view.type, shape, strides, Layout.ND).is_packed is packed


@pytest.mark.parametrize(
    ("shape", "count"), [((4, 8), 32), ((4, -1), -1), ((-1, -1), -1), ((0, 4), 0), ((), 1)]
)
def test_elements_of_a_shape(shape: tuple[int, ...], count: int) -> None:
    assert element_count(shape) == count


# --- windows -------------------------------------------------------------------------------------


def test_where_a_part_lies() -> None:
    known = Known(
        "%q = pto.addptr %p, %c16 : !pto.ptr<f32>, index -> !pto.ptr<f32>",
        "%r = pto.addptr %q, %c4 : !pto.ptr<f32>, index -> !pto.ptr<f32>",
        make("v", "c64 c32", "c40 c1", "?x?xf32").replace("%p", "%r"),
        part(
            "w", "v", "c8 c4", "c16 c2", "!pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<16x2xf32>"
        ),
        part(
            "u",
            "w",
            "c1 c1",
            "c2 c1",
            "!pto.partition_tensor_view<16x2xf32> -> !pto.partition_tensor_view<2x1xf32>",
        ),
        part("y", "x", "c1 c0 c8", "c1 c64 c8", f"{WHOLE} -> !pto.partition_tensor_view<64x8xf32>"),
    )
    assert known.window("v") == ("p", 20, 20 + 63 * 40 + 31)
    assert known.window("w") == ("p", 20 + 8 * 40 + 4, 20 + 8 * 40 + 4 + 15 * 40 + 1)
    assert known.window("u") == ("p", 20 + 9 * 40 + 5, 20 + 9 * 40 + 5 + 40)
    assert known.window("x") == ("x", 0, 4 * 64 * 32 - 1)
    assert known.window("y") == ("x", 2048 + 8, 2048 + 8 + 63 * 32 + 7)
    assert known.window("r") == ("p", None, None), "a pointer has no extent"


@pytest.mark.parametrize(
    ("pointer", "shape", "strides", "offsets", "sizes"),
    [
        ("n", "c64 c32", "c40 c1", "c0 c0", "c16 c8"),
        ("c4", "c64 c32", "n c1", "c0 c0", "c16 c8"),
        ("c4", "c64 c32", "c40 c1", "n c0", "c16 c8"),
        ("c4", "c64 c32", "c40 c1", "c0 n", "c16 c8"),
        ("c4", "c64 c32", "c40 c1", "c0 c0", "n c8"),
        ("c4", "c64 c32", "c40 c1", "c0 c0", "c0 c8"),
    ],
    ids=["pointer", "stride", "row", "column", "size", "nothing"],
)
def test_a_part_lies_nowhere_for_certain_where_something_is_unknown(
    pointer: str, shape: str, strides: str, offsets: str, sizes: str
) -> None:
    known = Known(
        f"%q = pto.addptr %p, %{pointer} : !pto.ptr<f32>, index -> !pto.ptr<f32>",
        make("v", shape, strides, "?x?xf32").replace("%p", "%q"),
        part("w", "v", offsets, sizes, "!pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<?x?xf32>"),
    )
    assert known.window("w") == ("p", None, None)


def test_an_unknown_place_stays_unknown_whatever_comes_after() -> None:
    view, portion = "!pto.tensor_view<?x?xf32>", "!pto.partition_tensor_view<?x?xf32>"
    known = Known(
        "%q = pto.addptr %p, %c4 : !pto.ptr<f32>, index -> !pto.ptr<f32>",
        make("v", "c64 c32", "c40 c1", "?x?xf32").replace("%p", "%q"),
        part("w", "v", "c1 c1", "c16 c8", f"{view} -> {portion}"),
        part("u", "w", "n c1", "c4 c4", f"{portion} -> {portion}"),
    )
    assert known.window("u") == ("p", None, None)


def test_a_view_that_a_branch_picks_is_a_memory_of_its_own() -> None:
    memory = "!pto.memref<4x64x32xf32>"
    known = Known(
        f"%z = scf.if %go -> ({memory}) {{",
        f"scf.yield %x : {memory}",
        "} else {",
        f"scf.yield %x : {memory}",
        "}",
    )
    assert known.window("z") == ("z", 0, 4 * 64 * 32 - 1)


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
