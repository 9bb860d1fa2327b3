# ruff: noqa: E501 - programs are text
"""Arguments of a kernel: scalars at the edges of their types, memory with gaps, groups, tiles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptoas
from ptoas.compiler.run import compile as compile_program
from tests.machine.support import execute, failing

SCALAR = """
func.func @main(%x: TYPE, %p: !pto.ptr<TYPE>) {
  %c0 = arith.constant 0 : index
  pto.store_scalar %x, %p[%c0] : !pto.ptr<TYPE>, TYPE
  return
}
"""


@pytest.mark.parametrize(
    ("type_", "given", "stored"),
    [
        ("i32", 2**31 - 1, 2**31 - 1),
        ("i32", 2**32 - 1, -1),  # a signless type takes its bits either way
        ("i32", -(2**31), -(2**31)),
        ("i8", np.int64(-128), -128),
        ("i16", np.array([7]), 7),
        ("i32", 3.0, 3),
        ("i32", True, 1),
        ("f32", 1, 1.0),
        ("f32", 0.1, float(np.float32(0.1))),
    ],
)
def test_scalars_that_fit(type_: str, given: Any, stored: float) -> None:
    assert execute(SCALAR.replace("TYPE", type_), {"x": given}).outputs["p"].tolist() == [stored]


@pytest.mark.parametrize(
    ("type_", "given", "words"),
    [
        ("i32", 2**32, "4294967296 does not fit it"),
        ("i32", -(2**31) - 1, "-2147483649 does not fit it"),
        ("i8", 256, "256 does not fit it"),
        ("i32", 2.5, "2.5 is not an integer"),
        ("i32", float("inf"), "inf is not an integer"),
        ("i32", "7", "'7' given"),
        ("f32", None, "None given"),
        ("f32", np.zeros(2), "given"),
    ],
)
def test_scalars_that_do_not(type_: str, given: Any, words: str) -> None:
    found = failing("PTO-R602", SCALAR.replace("TYPE", type_), {"x": given})
    assert f"x is a {type_}; " in found.message and words in found.message


MOVE = """
func.func @main(%a: SOURCE, %out: DESTINATION) {
  %t = pto.alloc_tile : !pto.tile_buf<vec, 4x8xf32>
  pto.tload ins(%a : SOURCE) outs(%t : !pto.tile_buf<vec, 4x8xf32>)
  pto.tstore ins(%t : !pto.tile_buf<vec, 4x8xf32>) outs(%out : DESTINATION)
  return
}
"""
GAPS = "!pto.memref<4x8xf32, nd, strides=[12, 1]>"
PACKED = "!pto.memref<4x8xf32>"


def move(source: str, destination: str) -> str:
    return MOVE.replace("SOURCE", source).replace("DESTINATION", destination)


def test_memory_with_gaps_round_trips_the_array() -> None:
    a, out = np.arange(32, dtype=np.float32).reshape(4, 8), np.zeros((4, 8), np.float32)
    execute(move(GAPS, GAPS), {"a": a, "out": out})
    assert np.array_equal(out, a)


def test_memory_with_gaps_may_be_given_with_its_gaps() -> None:
    flat, out = np.arange(44, dtype=np.float32), np.zeros(44, np.float32)
    execute(move(GAPS, GAPS), {"a": flat, "out": out})
    for r in range(4):
        assert out[12 * r : 12 * r + 8].tolist() == flat[12 * r : 12 * r + 8].tolist()
        assert not out[12 * r + 8 : 12 * r + 12].any()


def test_column_major_output_is_written_in_place() -> None:
    a = np.arange(32, dtype=np.float32).reshape(4, 8)
    out = np.zeros((4, 8), np.float32, order="F")
    execute(move(PACKED, "!pto.memref<4x8xf32, dn>"), {"a": a, "out": out})
    assert np.array_equal(out, a) and out.flags.f_contiguous


@pytest.mark.parametrize(
    ("type_", "code", "words"),
    [
        ("!pto.memref<4x8xf32, nd, strides=[100000000, 1]>", "PTO-R606", "128 bytes would be spread over"),
    ],
)
def test_gaps_without_reason_are_refused(type_: str, code: str, words: str) -> None:
    found = failing(code, move(type_, PACKED), {"a": np.zeros((4, 8), np.float32)})
    assert words in found.message


SSA_GROUP = """
.arg %g : !pto.group<2 x !pto.memref<4x8xf32>>
.arg %out : !pto.memref<8x8xf32>
pto.comm.tgather %g, %out : (!pto.group<2 x !pto.memref<4x8xf32>>, !pto.memref<8x8xf32>)
"""


def test_a_group_is_one_array_or_one_for_each_rank() -> None:
    whole = np.arange(64, dtype=np.float32).reshape(2, 4, 8)
    for given in (whole, [whole[0], whole[1]], (whole[0].copy(), np.asfortranarray(whole[1]))):
        out = execute(SSA_GROUP, {"g": given}).outputs["out"]
        assert np.array_equal(out, whole.reshape(8, 8))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (np.zeros((3, 4, 8), np.float32), "its shape is 3x4x8"),
        ([np.zeros((4, 8), np.float32)], "1 array given"),
        (np.float32(0), "its shape is"),
    ],
)
def test_a_group_has_its_ranks(given: Any, words: str) -> None:
    found = failing("PTO-R603", SSA_GROUP, {"g": given})
    assert "g has 2 ranks" in found.message and words in found.message


TILE = """
func.func @main(%t: !pto.tile_buf<vec, 8x8xf32, valid=?x8>, %p: !pto.ptr<f32>, %n: index) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %v = pto.make_tensor_view %p, shape = [%n, %c8], strides = [%c8, %c1] : !pto.tensor_view<?x8xf32>
  pto.tstore ins(%t : !pto.tile_buf<vec, 8x8xf32, valid=?x8>) outs(%v : !pto.tensor_view<?x8xf32>)
  return
}
"""


@pytest.mark.parametrize("rows", [1, 5, 8])
def test_a_tile_is_valid_for_the_rows_that_are_given(rows: int) -> None:
    given = np.arange(8 * rows, dtype=np.float32).reshape(rows, 8)
    p = np.zeros(64, np.float32)
    execute(TILE, {"t": given, "p": p, "n": rows})
    assert p[: 8 * rows].tolist() == given.reshape(-1).tolist() and not p[8 * rows :].any()


@pytest.mark.parametrize("shape", [(9, 8), (8, 7), (63,)])
def test_a_tile_that_does_not_fit(shape: tuple[int, ...]) -> None:
    arguments = {"t": np.zeros(shape, np.float32), "p": np.zeros(64, np.float32), "n": 8}
    assert "x".join(map(str, shape)) in failing("PTO-R603", TILE, arguments).message


@pytest.mark.parametrize(
    ("kind", "fix"),
    [
        ("f32", "array.astype(np.float32)"),
        ("bf16", "array.astype(ml_dtypes.bfloat16)"),
        ("hif8", "pass the bit patterns, as an array of np.uint8"),
    ],
)
def test_array_of_wrong_dtype_error_suggests_the_conversion(kind: str, fix: str) -> None:
    t, m = f"!pto.tile_buf<vec, 1x32x{kind}>", f"!pto.memref<1x32x{kind}>"
    text = f"func.func @main(%m: {m}) {{\n  %t = pto.alloc_tile : {t}\n  pto.tload ins(%m : {m}) outs(%t : {t})\n  return\n}}\n"
    found = failing("PTO-R602", text, {"m": np.zeros((1, 32))})
    assert found.fix is not None and fix in found.fix


def test_a_kernel_is_called_again_with_another_tile() -> None:
    kernel = compile_program(ptoas.parse(TILE, "test.pto"), "a5", force=True)
    for rows in (5, 3, 8):
        given = np.full((rows, 8), rows, np.float32)
        p = np.zeros(64, np.float32)
        kernel.execute({"t": given, "p": p, "n": rows})
        assert p.tolist() == [float(rows)] * (8 * rows) + [0.0] * (64 - 8 * rows)
