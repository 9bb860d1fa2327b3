"""Findings of the rules of collectives: the exact words, and the underlined part of the call."""

from __future__ import annotations

import pytest

from ptoas.grammar.parse import parse
from ptoas.verifier.verify import verify

CCU = "engine = #pto<coll_engine ccu>"


def call(
    *members: str,
    own: str,
    opcode: str = "tgather",
    staging: tuple[str, ...] = (),
    context: int = 0,
    attrs: str = "",
    guarded: bool = True,
) -> str:
    """A collective of these ranks; `guarded`: only rank 0 calls it."""
    given = {"%own": f"!pto.memref<{own}>"}
    tiles = {f"%t{n}": f"!pto.tile_buf<vec, {tile}>" for n, tile in enumerate(staging)}
    group = {f"%g{n}": f"!pto.memref<{member}>" for n, member in enumerate(members)}
    scalars = dict([("%slot", "i64"), ("%mask", "i32")][:context])
    clauses = [("recv", tiles), ("group", group), ("context", scalars)]
    operands = ", ".join(["%own", *(f"{word}({', '.join(names)})" for word, names in clauses if names)])
    for _, values in clauses:
        given |= values
    fields = ", ".join(["root = 0 : i32", *([attrs] if attrs else [])])
    line = f"pto.comm.{opcode}({operands} : {', '.join(given.values())}) {{{fields}}}"
    if guarded:
        compare = "%c = arith.constant 0 : i32\n%root = arith.cmpi eq, %rank, %c : i32"
        line = f"{compare}\nscf.if %root {{\n{line}\n}}"
    args = ", ".join(f"{name}: {type}" for name, type in given.items())
    return f"func.func @kernel({args}, %rank: i32) {{\n{line}\nreturn\n}}"


def found(text: str, target: str = "a5") -> list[tuple[str, str, str]]:
    """Code, underlined text and message of each finding."""
    return [
        (d.code, text[d.span.offset : d.span.offset + d.span.length], d.message)
        for d in verify(parse(text), target).diagnostics
    ]


def test_pong_is_to_blame_for_a_second_type() -> None:
    text = call("64x32xf32", own="64x32xf32", staging=("16x32xf32", "8x32xf32"))
    ping, pong = "!pto.tile_buf<vec, 16x32xf32>", "!pto.tile_buf<vec, 8x32xf32>"
    assert found(text) == [("PTO-C102", pong, f"type of pong: found {pong}, expected {ping}, as ping")]


@pytest.mark.parametrize("different", ["4x16xf32", "8x16xf32, strides=[32, 1]", "8x16xf32, dn"])
@pytest.mark.parametrize("rank", [1, 2])
def test_every_rank_is_compared_with_the_first(different: str, rank: int) -> None:
    members = ["8x16xf32"] * 3
    members[rank] = different
    type, first = f"!pto.memref<{different}>", "!pto.memref<8x16xf32>"
    message = f"memory of rank {rank}: found {type}, expected {first}, as rank 0"
    assert found(call(*members, own="24x16xf32")) == [("PTO-C104", type, message)]


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ("15x16xf32", "DIM_3 of `%own`: found 15, expected at least 2 ranks x 8 rows = 16"),
        ("16x32xf32", "DIM_4 of `%own`: found 32, expected 16, as a rank's"),
    ],
)
def test_root_memory_must_hold_all_ranks(own: str, message: str) -> None:
    assert found(call("8x16xf32", "8x16xf32", own=own)) == [("PTO-C103", f"!pto.memref<{own}>", message)]


@pytest.mark.parametrize("opcode", ["tgather", "tscatter", "treduce", "tbroadcast"])
@pytest.mark.parametrize(("own", "member"), [("?x16xf32", "8x16xf32"), ("16x?xf32", "16x16xf32")])
def test_the_running_program_compares_extents_that_are_open(opcode: str, own: str, member: str) -> None:
    assert found(call(member, own=own, opcode=opcode)) == []
    assert found(call(own, own=member, opcode=opcode)) == []


def test_chunks_of_extents_that_are_open_are_left_to_the_running_program() -> None:
    assert found(call("?x32xf32", own="?x32xf32", staging=("16x16xf32",))) == []


@pytest.mark.parametrize(
    ("valid", "word", "extent", "whole"),
    [
        ("0x32", "rows", 0, 64),
        ("16x0", "columns", 0, 32),
        ("?x24", "columns", 24, 32),
        ("24x?", "rows", 24, 64),
        ("?x?", "", 0, 0),
        ("16x?", "", 0, 0),
        ("?x16", "", 0, 0),
    ],
)
def test_a_chunk_divides_the_data_or_may_shrink(valid: str, word: str, extent: int, whole: int) -> None:
    """003, Chunked mode constraints; nothing divides into chunks of no row."""
    tile = f"32x32xf32, valid={valid}"
    message = f"valid {word} of the staging tile: found {extent}, expected a divisor of {whole}"
    expected = [("PTO-C105", f"!pto.tile_buf<vec, {tile}>", message)] if word else []
    assert found(call("64x32xf32", own="64x32xf32", staging=(tile,))) == expected


@pytest.mark.parametrize("opcode", ["treduce", "tbroadcast"])
def test_a_single_rank_has_the_shape_of_the_root(opcode: str) -> None:
    assert found(call("8x16xf32", own="8x16xf32", opcode=opcode)) == []
    message = "shape of `%own`: found 4x16, expected 8x16, as a rank's"
    assert found(call("8x16xf32", own="4x16xf32", opcode=opcode)) == [
        ("PTO-C109", "!pto.memref<4x16xf32>", message)
    ]


@pytest.mark.parametrize(
    ("attrs", "context", "place", "required"),
    [
        (CCU, 0, CCU, 2),
        (CCU, 1, "%slot", 2),
        ("engine = #pto<coll_engine aiv>", 2, "%slot", 0),
        ("", 2, "%slot", 0),
    ],
)
def test_the_context_belongs_to_the_collective_unit(
    attrs: str, context: int, place: str, required: int
) -> None:
    text = call("8x16xf32", own="8x16xf32", attrs=attrs, context=context)
    message = f"scalars of the context: found {context}, expected {required}"
    assert found(text) == [("PTO-C110", place, message)]


@pytest.mark.parametrize("attrs", ["", "engine = #pto<coll_engine aiv>"])
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_several_ranks_need_a_guard(attrs: str, ranks: int) -> None:
    text = call(*["8x16xf32"] * ranks, own=f"{8 * ranks}x16xf32", attrs=attrs, guarded=False)
    message = "`comm.tgather` is called on every rank; only rank 0, the root, may call it"
    expected = [("PTO-C111", text.splitlines()[1], message)] if ranks > 1 else []
    assert found(text) == expected
