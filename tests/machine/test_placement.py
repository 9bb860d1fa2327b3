# ruff: noqa: E501 - programs are text
"""Tiles at addresses that the program says: constants, casts of them, values of the running program (D21)."""

from __future__ import annotations

import numpy as np
import pytest

from ptoas import PtoasError, parse, run
from tests.machine.support import execute

ROW = "!pto.tile_buf<vec, 1x8xf32>"
ALL = "!pto.tile_buf<vec, 16x8xf32>"


def program(place: str, tile: str = "") -> str:
    """Fill 512 bytes with zeros, put a row of the table at an address, and show all the bytes."""
    return f"""
func.func @main(%m: !pto.memref<1x8xf32>, %n: i64, %flag: i1, %out: !pto.memref<16x8xf32>) {{
  %z = arith.constant 0 : i64
  %f = arith.constant 0.0 : f32
  %all = pto.alloc_tile addr = %z : {ALL}
  %seen = pto.alloc_tile addr = %z : {ALL}
  pto.texpands ins(%f : f32) outs(%all : {ALL})
  pto.barrier #pto.pipe<PIPE_ALL>
  {place}
  pto.tload ins(%m : !pto.memref<1x8xf32>) outs(%t : {ROW})
  pto.barrier #pto.pipe<PIPE_ALL>
  pto.tstore ins(%seen : {ALL}) outs(%out : !pto.memref<16x8xf32>)
  return
}}
"""


def alloc(cast: str) -> str:
    return f"{cast}\n  %t = pto.alloc_tile addr = %a : {ROW}"


def assign(cast: str) -> str:
    return f"%t = pto.alloc_tile : {ROW}\n  {cast}\n  pto.tassign %t, %a : {ROW}, i64"


ADDRESSES = {
    "%a = arith.constant 96 : i64": 96,
    "%b = arith.constant 224 : i8\n  %a = arith.extui %b : i8 to i64": 224,
    "%b = arith.constant 96 : i8\n  %a = arith.extsi %b : i8 to i64": 96,
    "%b = arith.constant 64 : index\n  %a = arith.index_cast %b : index to i64": 64,
    "%c = arith.constant 4294967328 : i64\n  %b = arith.trunci %c : i64 to i32\n  %a = arith.extsi %b : i32 to i64": 32,
    "%c = arith.constant 32 : i64\n  %a = arith.addi %c, %n : i64": 32 + 128,
    "%b = arith.trunci %n : i64 to i32\n  %a = arith.extui %b : i32 to i64": 128,
}


@pytest.mark.parametrize("cast", ADDRESSES)
@pytest.mark.parametrize("way", [alloc, assign])
def test_tile_is_placed_at_its_address(cast: str, way) -> None:
    row = np.arange(1, 9, dtype=np.float32).reshape(1, 8)
    out = execute(program(way(cast)), {"m": row, "n": 128, "flag": True}).outputs["out"]
    expected = np.zeros((16, 8), np.float32)
    expected[ADDRESSES[cast] // 32] = row
    assert np.array_equal(out, expected)


MOVING = {
    "twice": (
        f"%t = pto.alloc_tile : {ROW}\n  %a = arith.constant 64 : i64\n  %b = arith.constant 96 : i64\n"
        f"  pto.tassign %t, %a : {ROW}, i64\n  pto.tassign %t, %b : {ROW}, i64",
        {3},
    ),
    "after it was written": (
        f"%a = arith.constant 64 : i64\n  %t = pto.alloc_tile addr = %z : {ROW}\n"
        f"  pto.tload ins(%m : !pto.memref<1x8xf32>) outs(%t : {ROW})\n  pto.barrier #pto.pipe<PIPE_ALL>\n"
        f"  pto.tassign %t, %a : {ROW}, i64",
        {0, 2},
    ),
    "in a branch": (
        f"%t = pto.alloc_tile addr = %z : {ROW}\n  %a = arith.constant 160 : i64\n"
        f"  scf.if %flag {{\n    pto.tassign %t, %a : {ROW}, i64\n  }}",
        {5},
    ),
    "in every turn of a loop": (
        f"""%t = pto.alloc_tile : {ROW}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : i64
  scf.for %k = %c0 to %c3 step %c1 {{
    %i = arith.index_cast %k : index to i64
    %a = arith.muli %i, %c64 : i64
    pto.tassign %t, %a : {ROW}, i64
    pto.tload ins(%m : !pto.memref<1x8xf32>) outs(%t : {ROW})
    pto.barrier #pto.pipe<PIPE_ALL>
  }}""",
        {0, 2, 4},
    ),
}


@pytest.mark.parametrize("name", MOVING)
def test_a_tile_moves_while_the_program_runs(name: str) -> None:
    place, rows = MOVING[name]
    row = np.arange(1, 9, dtype=np.float32).reshape(1, 8)
    out = execute(program(place), {"m": row, "n": 128, "flag": True}).outputs["out"]
    assert {r for r in range(16) if out[r].any()} == rows
    assert all(np.array_equal(out[r], row[0]) for r in rows)


def test_an_address_may_be_given_for_a_result() -> None:
    """`tassign` with a result leaves the tile where it is: the result is the one at the address."""
    place = (
        f"%s = pto.alloc_tile addr = %z : {ROW}\n  %a = arith.constant 192 : i64\n"
        f"  %t = pto.tassign %s, %a : {ROW} -> {ROW}\n"
        f"  pto.tload ins(%m : !pto.memref<1x8xf32>) outs(%s : {ROW})"
    )
    row = np.arange(1, 9, dtype=np.float32).reshape(1, 8)
    out = execute(program(place), {"m": row, "n": 128, "flag": True}).outputs["out"]
    assert {r for r in range(16) if out[r].any()} == {0, 6}


@pytest.mark.parametrize(("target", "code"), [("a2a3", "PTO-R201"), ("a5", None)])
def test_a_scratch_tile_holds_nothing_after_the_target_has_used_it(target: str, code: str | None) -> None:
    """A2/A3 folds the rows in `tmp`; A5 takes the tile and leaves it alone."""
    tile = "!pto.tile_buf<vec, 16x32xf32>"
    text = f"""
.arg %a : !pto.memref<16x32xf32>
.arg %out : !pto.memref<16x32xf32>
%s = pto.alloc_tile : {tile}
%t = pto.alloc_tile : {tile}
%d = pto.alloc_tile : !pto.tile_buf<vec, 16x8xf32, valid=16x1>
pto.tload ins(%a : !pto.memref<16x32xf32>) outs(%s : {tile})
pto.tload ins(%a : !pto.memref<16x32xf32>) outs(%t : {tile})
pto.trowsum ins(%s, %t : {tile}, {tile}) outs(%d : !pto.tile_buf<vec, 16x8xf32, valid=16x1>)
pto.tstore ins(%t : {tile}) outs(%out : !pto.memref<16x32xf32>)
"""
    if code is None:
        run(parse(text), target=target, generate=True)
        return
    with pytest.raises(PtoasError) as error:
        run(parse(text), target=target, force=True, generate=True)
    assert [d.code for d in error.value.diagnostics] == [code]
