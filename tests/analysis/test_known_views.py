"""Facts about views: extents, strides, layouts and windows; and unknown ones."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptoas.analysis.knowledge import Knowledge, ViewFacts, element_count, last_dims, packed_strides
from ptoas.dialects.pto.enums import Layout
from ptoas.grammar.parse import parse

from .known import Known, make, part

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
        make("a", "c64 c32", "c32 c1", "64x32xf32"),
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


def test_unnamed_layout_is_inferred() -> None:
    """D30: columns that follow each other are dn, and a part of that is dn too; so is a column by itself."""
    nd, whole = " {layout = #pto.layout<nd>}", "!pto.tensor_view<64x32xf32>"
    known = Known(
        make("a", "c64 c32", "c1 c64", "64x32xf32"),
        make("b", "c64 c32", "c1 c64", "64x32xf32", nd),
        make("c", "c64 c32", "c40 c1", "64x32xf32"),
        make("d", "n c32", "c1 n", "?x32xf32"),
        part(
            "e",
            "a",
            "c0 c0",
            "c16 c16",
            f"{whole} -> !pto.partition_tensor_view<16x16xf32>",
        ),
        part(
            "f",
            "c",
            "c0 c0",
            "c16 c16",
            f"{whole} -> !pto.partition_tensor_view<16x16xf32>",
        ),
        part("g", "a", "c0 c0", "c16 c1", f"{whole} -> !pto.partition_tensor_view<16x1xf32>"),
    )
    assert "".join(known.view(name).layout.value[0] for name in "abcdefg") == "dnnndnd"


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


def test_window_of_a_part() -> None:
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
def test_window_is_unknown_if_an_offset_is_unknown(
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


def test_the_place_of_a_part_needs_the_strides_of_the_whole() -> None:
    portion = "!pto.partition_tensor_view<16x8xf32, strides=[40, 1]>"
    known = Known(
        make("v", "c64 c32", "n c1", "?x?xf32"),
        part("w", "v", "c8 c0", "c16 c8", f"!pto.tensor_view<?x?xf32> -> {portion}"),
    )
    assert known.view("w").strides == (40, 1) and known.window("w") == ("p", None, None)


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
