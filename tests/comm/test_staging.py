"""Which tiles lowering makes for a collective that names none, or too few: how many, how large, valid how far."""

# ruff: noqa: E501

from __future__ import annotations

import re

import pytest

import ptoas
from ptoas.lowering import prepare

from .programs import gather, guarded

KB = 1024


def staged(text: str, target: str = "a2a3") -> str:
    """The program after the pass, as it can be read again."""
    text = ptoas.print_module(prepare(ptoas.parse(text), target, until="add-scratch"))
    ptoas.parse(text)
    return text


def made(text: str, target: str = "a2a3") -> dict[str, str]:
    """The new tiles by name: `5x8xf32 of 5x7` for one with these valid extents when it is made."""
    text = staged(text, target)
    numbers = dict(re.findall(r"%(\w+) = arith.constant (\d+) : index", text))
    found: dict[str, str] = {}
    pattern = r"%(ping|pong|staging|acc)(?:_\d+)? = pto.alloc_tile(.*) : !pto.tile_buf<vec, (\w+)(.*)>"
    for name, extents, shape, rest in re.findall(pattern, text):
        words = dict(re.findall(r"valid_(row|col) = %(\w+)", extents))
        assert ("?" in rest) == bool(words)
        given = "x".join(
            numbers.get(words[way], words[way]) if way in words else "-" for way in ("row", "col")
        )
        while name in found:
            name += "'"
        found[name] = f"{shape} of {given}" if words else shape
    return found


def bytes_of(shape: str) -> int:
    rows, cols, element = shape.split(" ")[0].split("x")
    return int(rows) * int(cols) * {"f32": 4, "f16": 2, "i8": 1}[element]


# --- as large as the data ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "element", "expected"),
    [
        ((10, 20), "f32", "10x24xf32 of 10x20"),
        ((10, 20), "f16", "10x32xf16 of 10x20"),
        ((10, 20), "i8", "10x32xi8 of 10x20"),
        ((2, 3, 4, 5, 8), "f32", "120x8xf32 of 120x8"),
        ((0, 8), "f32", "1x8xf32 of 1x8"),
        ((4, 0), "f32", "4x8xf32 of 4x1"),
    ],
)
def test_a_tile_is_a_ranks_data_in_rows_of_whole_blocks(
    shape: tuple[int, ...], element: str, expected: str
) -> None:
    """32 bytes are a block; a tile has a row and a column even where there is nothing to move."""
    assert made(gather(2, shape, element=element)) == {"staging": expected}


@pytest.mark.parametrize(
    ("shape", "element", "expected"),
    [
        ("?x?", "f32", "64x256xf32 of 64x256"),
        ("?x?", "i8", "64x1024xi8 of 64x1024"),
        ("10x?", "f32", "10x256xf32 of 10x256"),
        ("?x20", "f32", "64x24xf32 of 64x20"),
    ],
)
def test_a_tile_for_data_of_unknown_extents(shape: str, element: str, expected: str) -> None:
    """64 rows of 1024 bytes, in each direction that is not known."""
    view = f"!pto.tensor_view<{shape}x{element}>"
    call = f"pto.comm.tbroadcast(%own, group(%a, %b) : {view}, {view}, {view}) {{root = 0 : i32}}"
    text = guarded([call], f"%a: {view}, %b: {view}, %own: {view}, %my_rank: i32")
    assert made(text) == {"staging": expected}


@pytest.mark.parametrize(
    ("target", "free"), [("cpu", 192 * KB), ("a2a3", 192 * KB), ("a5", 248 * KB), ("a5-custom", 248 * KB)]
)
def test_larger_data_goes_through_all_that_the_memory_has(target: str, free: int) -> None:
    """The simulator's has no end; there it is as much as on a2a3."""
    rows = free // 32
    assert made(gather(2, (100_000, 8)), target) == {"staging": f"{rows}x8xf32 of {rows}x8"}
    cols = free // 4
    assert made(gather(2, (1, 1_000_000)), target) == {"staging": f"1x{cols}xf32 of 1x{cols}"}
    both = made(gather(2, (100_000, 8), attrs="pingpong"), target)
    assert both == {name: f"{rows // 2}x8xf32 of {rows // 2}x8" for name in ("ping", "pong")}


def test_a_full_memory_is_left_to_placing() -> None:
    """A kilobyte at least: that it does not fit is said where tiles are placed."""
    text = gather(2, (1000, 8)).replace(
        "  %root", "  %t = pto.alloc_tile : !pto.tile_buf<vec, 1536x32xf32>\n  %root", 1
    )
    assert made(text) == {"staging": "32x8xf32 of 32x8"}


# --- tiles that are there already ----------------------------------------------------------------

MEMBER, GROUP, OWN = (
    "!pto.memref<10x24xf32>",
    "!pto.group<2 x !pto.memref<10x24xf32>>",
    "!pto.memref<10x24xf32>",
)


def reduce(tiles: dict[str, str], attrs: str = "", arguments: str = "") -> str:
    """A reduction with some of its tiles: by name, what follows `alloc_tile`; nothing: an argument."""
    lines = ["%n = arith.constant 3 : index", "%m = arith.constant 17 : index"]
    lines += [f"%{name} = pto.alloc_tile {text}" for name, text in tiles.items() if text]
    type_ = "!pto.tile_buf" + next(iter(tiles.values()), "").partition("!pto.tile_buf")[2]
    if arguments:
        type_ = arguments.partition(": ")[2]
    received = [name for name in tiles if name != "sum"]
    acc = "%sum, " if "sum" in tiles else ""
    recv = f"recv({', '.join('%' + name for name in received)}), " if received else ""
    types = ", ".join([OWN, *[type_] * len(tiles), GROUP])
    fields = ", ".join(["root = 0 : i32", *([attrs] if attrs else [])])
    lines.append(f"pto.comm.treduce(%own, {acc}{recv}group(%sources) : {types}) {{{fields}}}")
    more = f", {arguments}" if arguments else ""
    return guarded(lines, f"%sources: {GROUP}, %own: {OWN}, %my_rank: i32{more}")


STATIC = ": !pto.tile_buf<vec, 5x24xf32>"
OPEN = "valid_row = %n valid_col = %m : !pto.tile_buf<vec, 5x24xf32, valid=?x?>"
OPEN_ROWS = "valid_row = %n : !pto.tile_buf<vec, 5x24xf32, valid=?x24>"
OPEN_COLS = "valid_col = %m : !pto.tile_buf<vec, 5x24xf32, valid=5x?>"


@pytest.mark.parametrize(
    ("tiles", "attrs", "expected"),
    [
        ("", "", ["staging", "acc"]),
        ("", "pingpong", ["ping", "pong", "acc"]),
        ("a", "", ["acc"]),
        ("a", "pingpong", ["pong", "acc"]),
        ("a b", "", ["acc"]),
        ("a b", "pingpong", ["acc"]),
        ("sum", "", ["staging"]),
        ("sum", "pingpong", ["ping", "pong"]),
        ("sum a", "", []),
        ("sum a", "pingpong", ["pong"]),
        ("sum a b", "pingpong", []),
    ],
)
def test_only_missing_tiles_are_made(tiles: str, attrs: str, expected: list[str]) -> None:
    """A reduction takes one to add up in and one to receive into; ping and pong are two."""
    text = reduce(dict.fromkeys(tiles.split(), STATIC), attrs)
    new = made(text)
    assert list(new) == expected
    wanted = "10x24xf32 of 10x24" if not tiles else "5x24xf32"
    assert set(new.values()) <= {wanted}
    (call,) = [line for line in staged(text).splitlines() if "treduce" in line]
    received = [name for name in (*tiles.split(), *expected) if name not in ("sum", "acc")]
    acc = "sum" if "sum" in tiles else "acc"
    assert f"(%own, %{acc}, recv({', '.join('%' + name for name in received)}), group" in call


@pytest.mark.parametrize(
    ("tile", "expected"),
    [
        (STATIC, "5x24xf32"),
        (OPEN, "5x24xf32 of 3x17"),
        (OPEN_ROWS, "5x24xf32 of 3x-"),
        (OPEN_COLS, "5x24xf32 of -x17"),
    ],
)
@pytest.mark.parametrize("given", ["a", "sum"])
def test_a_missing_tile_is_like_one_that_is_there(given: str, tile: str, expected: str) -> None:
    assert made(reduce({given: tile})) == {"staging" if given == "sum" else "acc": expected}


def test_a_tile_like_an_argument_is_valid_as_a_whole() -> None:
    """What of an argument is valid only the caller knows."""
    argument = "%a: !pto.tile_buf<vec, 5x24xf32, valid=?x?>"
    assert made(reduce({"a": ""}, "pingpong", argument)) == {
        "acc": "5x24xf32 of 5x24",
        "pong": "5x24xf32 of 5x24",
    }


# --- what other tiles leave ----------------------------------------------------------------------


def beside(lines: str, text: str = "", arguments: str = "") -> str:
    text = text or gather(2, (100_000, 8))
    text = text.replace("  %root", lines + "  %root", 1)
    return text.replace("%my_rank: i32", f"%my_rank: i32{arguments}", 1)


def room(text: str, target: str = "a2a3") -> int:
    """Bytes of the one new tile."""
    (shape,) = made(text, target).values()
    return bytes_of(shape)


SIXTEEN = "!pto.tile_buf<vec, 128x32xf32>"


@pytest.mark.parametrize(
    ("lines", "arguments", "taken"),
    [
        ("", "", 0),
        (f"  %t = pto.alloc_tile : {SIXTEEN}\n", "", 16 * KB),
        (f"  %t = pto.alloc_tile : {SIXTEEN}\n  %u = pto.alloc_tile : {SIXTEEN}\n", "", 32 * KB),
        ("", f", %t: {SIXTEEN}", 16 * KB),
        ("  %t = pto.alloc_tile : !pto.tile_buf<vec, 1x9xi8>\n", "", 32),
        # Of another memory.
        ("  %t = pto.alloc_tile : !pto.tile_buf<mat, 128x32xf32>\n", "", 0),
        # A part of a tile that is counted already.
        (
            f"  %o = arith.constant 0 : index\n  %t = pto.alloc_tile : {SIXTEEN}\n"
            f"  %w = pto.subview %t[%o, %o] sizes [64, 32] : {SIXTEEN} -> !pto.tile_buf<vec, 64x32xf32>\n",
            "",
            16 * KB,
        ),
    ],
)
def test_staging_takes_what_the_programs_tiles_leave(lines: str, arguments: str, taken: int) -> None:
    assert room(beside(lines, arguments=arguments)) == 192 * KB - taken


def test_calls_use_the_same_memory_one_after_the_other() -> None:
    text = gather(2, (100_000, 8))
    (call,) = re.findall(r"    pto.comm.*\n", text)
    assert set(made(text.replace(call, call * 3)).values()) == {"6144x8xf32 of 6144x8"}


def by_hand(*calls: str) -> str:
    tile = "!pto.tile_buf<vec, 128x32xf32>"
    lines = f"  %at = arith.constant 65536 : i64\n  %t = pto.alloc_tile addr = %at : {tile}\n"
    text = gather(2, (100_000, 8))
    (call,) = re.findall(r"    pto.comm.*\n", text)
    return beside(lines, text.replace(call, "".join(calls).replace("CALL", call)))


GIVEN = """    %c4 = arith.constant 4 : index
    %low = arith.constant 0 : i64
    %one = pto.alloc_tile addr = %low valid_row = %c4 : !pto.tile_buf<vec, 4x8xf32, valid=?x8>
    pto.comm.tgather(%own, recv(%one), group(%sources) : !pto.memref<200000x8xf32>, !pto.tile_buf<vec, 4x8xf32, valid=?x8>, !pto.group<2 x !pto.memref<100000x8xf32>>) {root = 0 : i32FLAG}
"""


REDUCES = """    %low = arith.constant 0 : i64
    %sum = pto.alloc_tile addr = %low : !pto.tile_buf<vec, 4x8xf32>
    pto.comm.treduce(%own, %sum, group(%own) : !pto.memref<200000x8xf32>, !pto.tile_buf<vec, 4x8xf32>, !pto.memref<200000x8xf32>) {root = 0 : i32}
"""


def test_among_placed_tiles_calls_share_what_is_behind_them() -> None:
    """D21: where the program places tiles, those of all calls lie one above the other: 112 KB are free."""
    free = (192 - 64 - 16) * KB
    assert list(map(bytes_of, made(by_hand("CALL")).values())) == [free]
    assert list(map(bytes_of, made(by_hand("CALL", "CALL")).values())) == [free // 2] * 2
    # A call that has its tiles takes nothing, one that lacks pong takes one part.
    assert bytes_of(made(by_hand("CALL", GIVEN.replace("FLAG", "")))["staging"]) == free
    assert bytes_of(made(by_hand("CALL", GIVEN.replace("FLAG", ", pingpong")))["staging"]) == free // 2
    # So does a reduction that has what it adds up in, and lacks what it receives into.
    assert bytes_of(made(by_hand("CALL", REDUCES))["staging"]) == free // 2


def test_calls_of_another_function_have_its_memory() -> None:
    text = by_hand("CALL").replace("@main", "@a") + gather(2, (100_000, 8)).replace("@main", "@b")
    assert list(map(bytes_of, made(text).values())) == [112 * KB, 192 * KB]


def two_functions(main: str, other: str, between: str = "") -> str:
    """Two functions, each with a call; one tile of 16 KB in the first, where a statement may stand too."""
    first = beside(f"  %t = pto.alloc_tile : {SIXTEEN}\n{between}", gather(2, (100_000, 8)))
    second = gather(2, (100_000, 8))
    return first.replace("@main", f"@{main}") + second.replace("@main", f"@{other}")


def test_functions_that_do_not_call_each_other_share_nothing() -> None:
    assert list(map(bytes_of, made(two_functions("a", "b")).values())) == [176 * KB, 192 * KB]


def test_functions_that_call_each_other_share_the_memory() -> None:
    """Both have their tiles at once; those of a function that is only declared are its caller's."""
    call = "  func.call @b(%sources, %own, %my_rank) : (!pto.group<2 x !pto.memref<100000x8xf32>>, !pto.memref<200000x8xf32>, i32) -> ()\n"
    text = two_functions("a", "b", call) + f"func.func private @c({SIXTEEN}) -> ()\n"
    assert list(map(bytes_of, made(text).values())) == [88 * KB] * 2


GATHERS = f"""  %i = pto.alloc_tile : !pto.tile_buf<vec, 1x128xi32>
  %t = pto.alloc_tile : {SIXTEEN}
  pto.tload ins(%idx : !pto.memref<1x128xi32>) outs(%i : !pto.tile_buf<vec, 1x128xi32>)
  pto.mgather ins(%table, %i : !pto.memref<64x32xf32>, !pto.tile_buf<vec, 1x128xi32>) outs(%t : {SIXTEEN}) {{coalesce = #pto<coalesce row>}}
"""


@pytest.mark.parametrize(
    ("target", "limit"), [("cpu", 192 * KB), ("a2a3", 192 * KB), ("a5", 128 * KB), ("a5-custom", 128 * KB)]
)
def test_beside_a_gather_staging_stays_within_the_default_budget(target: str, limit: int) -> None:
    """Document 000, UB Memory Budget: 128 KB without a dynamic region, where gathers are threads."""
    text = beside(GATHERS, arguments=", %table: !pto.memref<64x32xf32>, %idx: !pto.memref<1x128xi32>")
    assert room(text, target) == limit - 16 * KB - 512
