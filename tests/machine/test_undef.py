# ruff: noqa: E501 - programs are text
"""Sources that are valid for less than their destination: what the device reads beyond, and what comes of it."""

from __future__ import annotations

import numpy as np
import pytest

from ptoas.machine.memory import POISON
from tests.machine.support import execute, failing

WHOLE, PART = "!pto.tile_buf<vec, 8x8xf32>", "!pto.tile_buf<vec, 8x8xf32, valid=?x8>"
MEMORY = "!pto.memref<8x8xf32>"
COLUMN = "!pto.tile_buf<vec, 8x1xf32, valid=?x1>"

# `%part` is valid for `%n` rows; `%under` is the same bytes, all of them.
FRAME = f"""
func.func @main(%n: index, %one: f32, %rows: !pto.memref<?x8xf32>, %out: {MEMORY}) {{
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1024 : i64
  %c2 = arith.constant 2048 : i64
  %c3 = arith.constant 3072 : i64
  %under = pto.alloc_tile addr = %c0 : {WHOLE}
  %part = pto.alloc_tile addr = %c0 valid_row = %n : {PART}
  %ones = pto.alloc_tile addr = %c1 : {WHOLE}
  %d = pto.alloc_tile addr = %c2 : {WHOLE}
  %e = pto.alloc_tile addr = %c3 : {WHOLE}
  pto.texpands ins(%one : f32) outs(%ones : {WHOLE})
  BODY
  return
}}
"""
FILL = f"pto.texpands ins(%one : f32) outs(%under : {WHOLE})\n"
LOAD = f"pto.tload ins(%rows : !pto.memref<?x8xf32>) outs(%part : {PART})\n"
ADD = f"pto.tadd ins(%ones, %part : {WHOLE}, {PART}) outs(%d : {WHOLE})\n"
STORE = f"pto.tstore ins(%X : {WHOLE}) outs(%out : {MEMORY})\n"
ROWS = np.arange(24, dtype=np.float32).reshape(3, 8)


def given(n: int = 3) -> dict[str, object]:
    return {"n": n, "one": 1.0, "rows": ROWS[:n], "out": np.zeros((8, 8), np.float32)}


def program(*body: str) -> str:
    return FRAME.replace("BODY", "  ".join(body))


@pytest.mark.parametrize("target", ["a2a3", "a5"])
def test_initialised_bytes_beyond_the_valid_region_are_read_with_a_warning(target: str) -> None:
    result = execute(program(FILL, LOAD, ADD, STORE.replace("%X", "%d")), given(), target)
    expected = np.full((8, 8), 2, np.float32)
    expected[:3] = 1 + ROWS
    assert np.array_equal(result.outputs["out"], expected)
    (warning,) = [w for w in result.warnings if w.code == "PTO-R945"]
    assert (
        "is [3, 8]" in warning.message
        and "needs [8, 8]: the device reads beyond the valid region" in warning.message
    )


def test_the_simulator_compares_the_extents() -> None:
    failing("PTO-R105", program(FILL, LOAD, ADD), given(), "cpu")
    failing("PTO-R105", program(FILL, LOAD, ADD), given(), "cpu", checks="none")


def test_source_smaller_than_needed_is_an_error() -> None:
    small = "!pto.tile_buf<vec, 4x8xf32>"
    add = f"%s = pto.alloc_tile addr = %c0 : {small}\n  pto.tadd ins(%ones, %s : {WHOLE}, {small}) outs(%d : {WHOLE})"
    assert "needs [8, 8]" in failing("PTO-R105", program(FILL, add), given()).message


def test_store_of_undefined_elements_is_an_error() -> None:
    found = failing("PTO-R946", program(LOAD, ADD, STORE.replace("%X", "%d")), given())
    assert "at [3, 0]" in found.message and "160 of 256 bytes" in found.message
    assert "beyond the valid region of a source of tadd" in found.notes[0].message


HANDED_ON = {
    "pto.tneg ins(%d : {w}) outs(%e : {w})": lambda x: -x,
    "pto.tmuls ins(%d, %one : {w}, f32) outs(%e : {w})": lambda x: x,
    "pto.tadd ins(%d, %ones : {w}, {w}) outs(%e : {w})": lambda x: x + 1,
    "pto.tmov ins(%d : {w}) outs(%e : {w})": lambda x: x,
    "pto.tcvt ins(%d {{rmode = #pto<round_mode FLOOR>}} : {w}) outs(%e : {w})": np.floor,
    "pto.tcolexpandmul ins(%d, %ones : {w}, {w}) outs(%e : {w})": lambda x: x,
    "pto.trowexpandadd ins(%d, %ones : {w}, {w}) outs(%e : {w})": lambda x: x + 1,
}


@pytest.mark.parametrize("statement", HANDED_ON)
def test_elements_are_followed_until_one_is_used(statement: str) -> None:
    """Three rows of the result are known: they can be stored, a fourth can't."""
    rows = "!pto.tile_buf<vec, {n}x8xf32>"
    view = f"%v = pto.alloc_tile addr = %c3 : {rows}\n  pto.tstore ins(%v : {rows}) outs(%out : {MEMORY})\n"
    known = (
        program(LOAD, ADD, statement.format(w=WHOLE) + "\n", view.format(n=3))
        .replace(f"%out: {MEMORY}", "%out: !pto.memref<3x8xf32>")
        .replace(f"outs(%out : {MEMORY})", "outs(%out : !pto.memref<3x8xf32>)")
    )
    arguments = {**given(), "out": np.zeros((3, 8), np.float32)}
    out = execute(known, arguments, "a2a3").outputs["out"]
    assert np.array_equal(out, HANDED_ON[statement](1 + ROWS))
    failing(
        "PTO-R946",
        program(LOAD, ADD, statement.format(w=WHOLE) + "\n", STORE.replace("%X", "%e")),
        given(),
        "a2a3",
    )


def test_a_transpose_turns_them() -> None:
    """Of eight rows three are known; turned round, three columns."""
    turn = f"pto.ttrans ins(%d, %ones : {WHOLE}, {WHOLE}) outs(%e : {WHOLE})\n"
    left = "!pto.tile_buf<vec, 8x8xf32, valid=8x{n}>"
    store = f"%v = pto.alloc_tile addr = %c3 : {left}\n  pto.tstore ins(%v : {left}) outs(%out : !pto.memref<8x{{n}}xf32, nd, strides=[8, 1]>)\n"

    def text(n: int) -> str:
        return program(LOAD, ADD, turn, store.format(n=n)).replace(
            f"%out: {MEMORY}", f"%out: !pto.memref<8x{n}xf32, nd, strides=[8, 1]>"
        )

    out = execute(text(3), {**given(), "out": np.zeros((8, 3), np.float32)}).outputs["out"]
    assert np.array_equal(out, (1 + ROWS).T)
    failing("PTO-R946", text(4), {**given(), "out": np.zeros((8, 4), np.float32)})


def test_a_column_that_is_too_short() -> None:
    """The kernels' own case: fewer scales than rows, and only rows that have one are used."""
    column = f"%c = pto.alloc_tile addr = %c3 valid_row = %n : {COLUMN}\n  pto.trowsum ins(%part, %ones : {PART}, {WHOLE}) outs(%c : {COLUMN})\n"
    spread = f"pto.trowexpand ins(%c : {COLUMN}) outs(%d : {WHOLE})\n"
    again = f"pto.texpands ins(%one : f32) outs(%d : {WHOLE})\n"
    failing("PTO-R946", program(LOAD, column, spread, STORE.replace("%X", "%d")), given())
    out = execute(program(LOAD, column, spread, again, STORE.replace("%X", "%d")), given()).outputs["out"]
    assert (out == 1).all()


def test_reductions_and_unwritten_bytes_inside_stop_as_ever() -> None:
    total = f"%t = pto.alloc_tile addr = %c3 : !pto.tile_buf<vec, 8x1xf32>\n  pto.trowsum ins(%d, %ones : {WHOLE}, {WHOLE}) outs(%t : !pto.tile_buf<vec, 8x1xf32>)"
    failing("PTO-R946", program(LOAD, ADD, total), given())
    failing("PTO-R201", program(ADD), given())


def test_scratch_makes_unwritten_of_what_came_of_unwritten() -> None:
    """A clobbered tile holds nothing: that is said, and not where older bytes came from."""
    sums = f"%t = pto.alloc_tile addr = %c3 : !pto.tile_buf<vec, 8x1xf32>\n  pto.trowsum ins(%ones, %d : {WHOLE}, {WHOLE}) outs(%t : !pto.tile_buf<vec, 8x1xf32>)\n"
    failing("PTO-R201", program(LOAD, ADD, sums, STORE.replace("%X", "%d")), given(), "a2a3")


def test_unchecked_device_reads_uninitialised_bytes() -> None:
    text = program(LOAD, ADD, STORE.replace("%X", "%d"))
    poison = np.full(4, POISON, np.uint8).view(np.float32)[0]
    for checks in ("none", "mem"):
        out = execute(text, given(), checks=checks).outputs["out"]
        assert np.array_equal(out[:3], 1 + ROWS)
        assert (out[3:] == np.float32(1) + poison).all()
