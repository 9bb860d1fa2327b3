"""The tiles that lowering adds to collectives: how many, of which type, how much memory they take."""

from __future__ import annotations

import pytest

import ptoas
from ptoas.analysis.knowledge import Knowledge
from ptoas.dialects.pto.comm import CollectiveOp, CommTReduceOp
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.lowering import prepare
from ptoas.targets import TARGETS

KB = 1024
LIMITS = {"cpu": 192 * KB, "a2a3": 192 * KB, "a5": 248 * KB, "a5-custom": 248 * KB}
"""Bytes of vector memory (D22; 000, UB Memory Budget); cpu, which has no limit, keeps to those of a2a3."""

WIDE = "1x1000000xf32"
"""A row that no memory holds: its staging tile is as large as its share of the memory."""

TILE = "!pto.tile_buf<vec, 8x128xf32>"
"""Four kilobytes."""


def collective(*tiles: tuple[str, str], op: str = "tgather", attrs: str = "", acc: str = "") -> str:
    """A call of one rank; `tiles` are names and types of staging tiles, `acc` the type of `%acc`."""
    types = ", ".join(["!pto.memref<{0}>", *([acc] if acc else []), *(type for _, type in tiles), "{1}"])
    recv = f", recv({', '.join(name for name, _ in tiles)})" if tiles else ""
    fields = ", ".join(["root = 0 : i32", *([attrs] if attrs else [])])
    return f"pto.comm.{op}(%own{', %acc' if acc else ''}{recv}, group(%all) : {types}) {{{{{fields}}}}}"


def kernel(*lines: str, data: str = WIDE, args: str = "", name: str = "main") -> str:
    """A function whose collectives, if any, are about `data`."""
    group = f"!pto.group<1 x !pto.memref<{data}>>"
    own = f"%own: !pto.memref<{data}>, %all: {group}{', ' if args else ''}{args}"
    body = [line.format(data, group) for line in lines]
    return "\n".join([f"func.func @{name}({own}) {{", *body, "return", "}", ""])


def staged(text: str, target: str = "a2a3") -> list[CollectiveOp]:
    module = prepare(ptoas.parse(text), target, until="add-scratch")
    module.verify()
    return [op for op in module.walk() if isinstance(op, CollectiveOp)]


def tiles_of(op: CollectiveOp) -> list[TileType]:
    """Types of the tiles of a call, in its order: the accumulator first."""
    return [operand.type for operand in op.operands if isinstance(operand.type, TileType)]


def sizes(text: str, target: str = "a2a3") -> list[list[int]]:
    return [[tile.size_bytes for tile in tiles_of(op)] for op in staged(text, target)]


@pytest.mark.parametrize(
    ("data", "shape", "valid"),
    [
        ("10x20xf32", (10, 24), (10, 20)),
        ("1x1xf32", (1, 8), (1, 1)),
        ("8x8xf32", (8, 8), (8, 8)),
        ("2x3x4x5x20xf16", (120, 32), (120, 20)),
        ("4x3xi64", (4, 4), (4, 3)),
        ("7x33xi8", (7, 64), (7, 33)),
        ("0x20xf32", (1, 24), (1, 20)),
        ("10x0xf32", (10, 8), (10, 1)),
        # Of an extent that only the running program knows: 64 rows, 1024 bytes of a row.
        ("?x20xf32", (64, 24), (64, 20)),
        ("3x?x5x20xf32", (64, 24), (64, 20)),
        ("10x?xf32", (10, 256), (10, 256)),
        ("10x?xf16", (10, 512), (10, 512)),
        ("?x?xi8", (64, 1024), (64, 1024)),
    ],
)
def test_a_staging_tile_is_as_large_as_the_data_of_a_rank(
    data: str, shape: tuple[int, int], valid: tuple[int, int]
) -> None:
    """Rows of whole blocks of 32 bytes, of which the data's columns are valid; at least one element."""
    (op,) = staged(kernel(collective(), data=data))
    (tile,) = op.staging
    assert tiles_of(op) == [TileType.of(tiles_of(op)[0].element_type, *shape, valid=(DYNAMIC, DYNAMIC))]
    assert Knowledge().tile(tile).valid == valid


@pytest.mark.parametrize("target", TARGETS)
def test_a_staging_tile_takes_all_that_is_free(target: str) -> None:
    limit = LIMITS[target]
    assert sizes(kernel(collective()), target) == [[limit]]
    assert sizes(kernel(f"%t = pto.alloc_tile : {TILE}", collective()), target) == [[limit - 4 * KB]]
    argument = kernel(collective(), args=f"%t: {TILE}")
    assert sizes(argument, target) == [[limit - 4 * KB]]


@pytest.mark.parametrize(
    ("target", "limit"), [("cpu", 192 * KB), ("a2a3", 192 * KB), ("a5", 128 * KB), ("a5-custom", 128 * KB)]
)
def test_beside_a_gather_it_keeps_to_what_is_there_without_asking(target: str, limit: int) -> None:
    """a5 launches a kernel of threads with 128 KB unless it asks for more; the others have no such budget."""
    gather = (
        "pto.mgather ins(%table, %i : !pto.memref<8x128xf32>, !pto.tile_buf<vec, 8x128xi32>) "
        f"outs(%d : {TILE}) {{{{coalesce = #pto<coalesce elem>}}}}"
    )
    args = "%table: !pto.memref<8x128xf32>, %i: !pto.tile_buf<vec, 8x128xi32>"
    text = kernel(f"%d = pto.alloc_tile : {TILE}", gather, collective(), args=args)
    assert sizes(text, target) == [[limit - 8 * KB]]


def test_only_tiles_of_the_vector_memory_count_and_each_once() -> None:
    text = kernel(
        "%c0 = arith.constant 0 : index",
        "%m = pto.alloc_tile : !pto.tile_buf<mat, 64x64xf32>",
        f"%t = pto.alloc_tile : {TILE}",
        f"%s = pto.subview %t[%c0, %c0] sizes [4, 128] : {TILE} -> !pto.tile_buf<vec, 4x128xf32>",
        collective(),
        args="%mat: !pto.tile_buf<mat, 64x64xf32>",
    )
    assert sizes(text) == [[188 * KB]]


@pytest.mark.parametrize("rows", [1535, 1536, 1600])
def test_a_staging_tile_has_a_kilobyte_even_if_there_is_none(rows: int) -> None:
    """1536 rows of 128 bytes are all the memory; placing says that more does not fit."""
    text = kernel(f"%t = pto.alloc_tile : !pto.tile_buf<vec, {rows}x32xf32>", collective())
    assert sizes(text) == [[KB]]


@pytest.mark.parametrize(
    ("op", "attrs", "count"),
    [("tgather", "", 1), ("tgather", "pingpong", 2), ("treduce", "", 2), ("treduce", "pingpong", 3)],
)
def test_the_tiles_of_a_call_share_the_memory_evenly(op: str, attrs: str, count: int) -> None:
    assert sizes(kernel(collective(op=op, attrs=attrs))) == [[192 * KB // count] * count]


def test_each_call_may_use_the_same_memory_again() -> None:
    text = kernel(collective(), collective(op="treduce"))
    assert sizes(text) == [[192 * KB], [96 * KB, 96 * KB]]


GIVEN = "!pto.tile_buf<vec, 4x128xf32, valid=?x?>"


@pytest.mark.parametrize(("valid", "whole"), [("4x?", (4, 128)), ("?x?", (4, 128)), ("3x100", (3, 100))])
@pytest.mark.parametrize("attrs", ["", "pingpong"])
@pytest.mark.parametrize("role", ["staging", "acc"])
def test_a_tile_that_is_given_is_the_model_of_the_others(
    valid: str, whole: tuple[int, int], attrs: str, role: str
) -> None:
    """The same type and the same valid extents; those of an argument are not known, so all of it is valid."""
    given = GIVEN.replace("?x?", valid)
    tiles = [("%t", given)] if role == "staging" else []
    call = collective(*tiles, op="treduce", attrs=attrs, acc=given if role == "acc" else "")
    (op,) = staged(kernel(call.replace("%acc", "%t"), args=f"%t: {given}"))
    assert isinstance(op, CommTReduceOp) and op.acc is not None
    assert len(set(tiles_of(op))) == 1
    kept, *made = (op.acc, *op.staging) if role == "acc" else (*op.staging, op.acc)
    assert kept.name_hint == "t"
    assert [Knowledge().tile(tile).valid for tile in made] == [whole] * (2 if attrs else 1)


def test_new_tile_keeps_the_given_extents() -> None:
    text = kernel(
        "%r = arith.constant 3 : index",
        "%c = arith.constant 100 : index",
        f"%t = pto.alloc_tile valid_row = %r valid_col = %c : {GIVEN}",
        collective(("%t", GIVEN), attrs="pingpong"),
    )
    (op,) = staged(text)
    assert [Knowledge().tile(tile).valid for tile in op.staging] == [(3, 100), (3, 100)]


def test_two_tiles_that_are_given_need_no_third() -> None:
    text = kernel(collective(("%a", TILE), ("%b", TILE)), args=f"%a: {TILE}, %b: {TILE}")
    (op,) = staged(text)
    assert [tile.name_hint for tile in op.staging] == ["a", "b"]


PLACED = (
    "%high = arith.constant 65536 : i64",
    f"%p = pto.alloc_tile addr = %high : {TILE}",
    f"%q = pto.alloc_tile addr = %high : {TILE}",
)
"""Two tiles at one address, which end at 68 KB."""

FREE = 124 * KB


def test_staging_tiles_use_the_space_above_placed_tiles() -> None:
    """In a function that is placed by hand all staging tiles lie one above the other."""
    assert sizes(kernel(*PLACED, collective())) == [[FREE]]
    twice = kernel(*PLACED, collective(), collective(attrs="pingpong"))
    assert sizes(twice) == [[FREE // 3 // 32 * 32], [FREE // 3 // 32 * 32] * 2]


def test_a_call_that_lacks_nothing_takes_no_share() -> None:
    whole = collective(("%p", TILE), ("%q", TILE))
    reduce = collective(("%p", TILE), op="treduce", acc=TILE).replace("%acc", "%q")
    text = kernel(*PLACED, whole, reduce, collective())
    assert sizes(text) == [[4 * KB] * 2, [4 * KB] * 2, [FREE]]


def test_tile_argument_with_an_address_reserves_its_bytes() -> None:
    text = kernel("pto.tassign %t, 65536 : " + TILE, collective(), args=f"%t: {TILE}")
    assert sizes(text) == [[FREE]]


def test_scratch_is_placed_above_manual_tiles() -> None:
    """The scratch of a reduction is as large as its source, and has no address in the program."""
    sums = "!pto.tile_buf<vec, 8x8xf32, valid=8x1>"
    text = kernel(
        *PLACED,
        "%one = arith.constant 1.0 : f32",
        "%low = arith.constant 0 : i64",
        f"%s = pto.alloc_tile addr = %low : {sums}",
        f"pto.texpands ins(%one : f32) outs(%p : {TILE})",
        f"pto.trowsum ins(%p : {TILE}) outs(%s : {sums})",
        collective(),
    )
    assert sizes(text) == [[FREE - 4 * KB]]
    assert prepare(ptoas.parse(text), "a2a3"), "all of it can be placed"


OTHER = f"func.func @other() {{\n%o = pto.alloc_tile : {TILE}\nreturn\n}}\n"


def test_functions_that_call_each_other_share_the_memory() -> None:
    """A function's tiles are there while those it calls run; elsewhere each has the memory for itself."""
    alone = kernel(f"%t = pto.alloc_tile : {TILE}", collective()) + OTHER
    assert sizes(alone) == [[188 * KB]]
    declared = "func.func private @outside()\n"
    calling = kernel(f"%t = pto.alloc_tile : {TILE}", "func.call @other() : () -> ()", collective()) + OTHER
    assert sizes(declared + calling) == [[184 * KB]]


def test_the_calls_of_such_functions_share_what_is_free() -> None:
    second = kernel(collective(attrs="pingpong"), name="second")
    call = "func.call @second(%own, %all) : (!pto.memref<{0}>, {1}) -> ()"
    text = kernel(call, collective()) + second
    assert sizes(text) == [[64 * KB], [64 * KB] * 2]
    apart = kernel(collective()) + second
    assert sizes(apart) == [[192 * KB], [96 * KB] * 2]
    placed = kernel(*PLACED, collective()) + second
    assert sizes(placed) == [[FREE], [96 * KB] * 2], "of two functions that don't call, only one is placed"


def test_callee_is_placed_above_the_tiles_of_its_caller() -> None:
    call = "func.call @second(%own, %all) : (!pto.memref<{0}>, {1}) -> ()"
    text = kernel(*PLACED, call) + kernel(collective(), name="second")
    assert sizes(text) == [[FREE]]
    assert prepare(ptoas.parse(text), "a2a3"), "all of it can be placed"
