# ruff: noqa: E501 - programs are text, and their lines are as long as they are
"""Tiles that a loop hands on: what comes out is what the loop says, however the tiles are shared."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import ptoas
from ptoas.compiler.lower import lower
from ptoas.compiler.run import run
from ptoas.diagnostics import PtoasError
from ptoas.lowering import prepare

T = "!pto.tile<8x8xf32>"
COLUMN = "!pto.tile<8x1xf32>"
Pair = tuple[np.ndarray, np.ndarray]

LOOP = f"""
func.func @f(%x: !pto.memref<8x8xf32>, %y: !pto.memref<8x8xf32>, %n: index, %flag: i1) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = pto.tload %x : !pto.memref<8x8xf32> -> {T}
  %t = pto.tload %y : !pto.memref<8x8xf32> -> {T}
  %p, %q = scf.for %k = %c0 to %n step %c1 iter_args(%a = FIRST, %b = SECOND) -> ({T}, {T}) {{
    BODY
  }}
  AFTER
  pto.tstore %p, %x : ({T}, !pto.memref<8x8xf32>) -> ()
  pto.tstore %q, %y : ({T}, !pto.memref<8x8xf32>) -> ()
  return
}}
"""


def binary(result: str, name: str, left: str, right: str) -> str:
    return f"%{result} = pto.{name} %{left}, %{right} : ({T}, {T}) -> {T}\n    "


def hand_on(left: str, right: str) -> str:
    return f"scf.yield %{left}, %{right} : {T}, {T}"


CASES: dict[str, tuple[str, Callable[[np.ndarray, np.ndarray], Pair]]] = {
    "one is the other of before": (
        binary("c", "tadd", "a", "b") + hand_on("b", "c"),
        lambda a, b: (b, a + b),
    ),
    "both are new and exchanged": (
        binary("c", "tadd", "a", "b") + binary("d", "tsub", "a", "b") + hand_on("d", "c"),
        lambda a, b: (a - b, a + b),
    ),
    "one new value twice": (
        binary("c", "tadd", "a", "b") + hand_on("c", "c"),
        lambda a, b: (a + b, a + b),
    ),
    "exchanged beside a new one": (
        binary("c", "tmax", "a", "b") + binary("d", "tmin", "c", "a") + hand_on("b", "d"),
        lambda a, b: (b, np.minimum(np.maximum(a, b), a)),
    ),
    "written row by row, not in place": (
        f"%m = pto.trowmax %a : {T} -> {COLUMN}\n    %c = pto.trowexpand %m : {COLUMN} -> {T}\n    "
        + hand_on("b", "c"),
        lambda a, b: (b, np.repeat(a.max(1, keepdims=True), 8, 1)),
    ),
    "chosen by a branch": (
        f"%c = scf.if %flag -> ({T}) {{\n      {binary('d', 'tadd', 'a', 'b')}scf.yield %d : {T}\n    }} else {{\n"
        f"      {binary('e', 'tsub', 'a', 'b')}scf.yield %e : {T}\n    }}\n    " + hand_on("c", "a"),
        lambda a, b: (a + b, a),
    ),
    "through a loop inside": (
        f"%c = scf.for %j = %c0 to %n step %c1 iter_args(%i = %a) -> ({T}) {{\n"
        f"      {binary('d', 'tadd', 'i', 'b')}scf.yield %d : {T}\n    }}\n    " + hand_on("b", "c"),
        lambda a, b: (b, a + 3 * b),
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(("first", "second"), [("s", "t"), ("s", "s")])
@pytest.mark.parametrize("needed", [False, True])
def test_loop_carried_tiles_keep_their_values(name: str, first: str, second: str, needed: bool) -> None:
    """With the first values apart or the same tile, and with them needed behind the loop or not."""
    body, step = CASES[name]
    text = LOOP.replace("BODY", body).replace("FIRST", f"%{first}").replace("SECOND", f"%{second}")
    after = binary("u", "tsub", "q", "s").replace("%u", "%r").strip()
    if needed:
        text = text.replace("AFTER", after).replace("pto.tstore %q", "pto.tstore %r")
    text = text.replace("AFTER", "")
    rng = np.random.default_rng(7)
    x, y = (rng.integers(-4, 4, (8, 8)).astype(np.float32) for _ in range(2))
    start = {"s": x.copy(), "t": y.copy()}
    a, b = start[first], start[second]
    for _ in range(3):
        a, b = step(a, b)
    run(ptoas.parse(text), {"x": x, "y": y, "n": 3, "flag": True}, "a5")
    assert np.array_equal(x, a)
    assert np.array_equal(y, b - start["s"] if needed else b)
    prepare(ptoas.parse(text), "a2a3").verify()


def test_a_tile_with_open_extents_is_carried_with_them() -> None:
    tile = "!pto.tile_buf<vec, 8x8xf32, valid=?x8>"
    text = f"""
func.func @f(%x: !pto.ptr<f32>, %n: index, %rows: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %v = pto.make_tensor_view %x, shape = [%rows, %c8], strides = [%c8, %c1] : !pto.tensor_view<?x8xf32>
  %s = pto.alloc_tile valid_row = %rows : {tile}
  pto.tload ins(%v : !pto.tensor_view<?x8xf32>) outs(%s : {tile})
  %p = scf.for %k = %c0 to %n step %c1 iter_args(%a = %s) -> ({tile}) {{
    %b = pto.alloc_tile valid_row = %rows : {tile}
    pto.tadd ins(%a, %s : {tile}, {tile}) outs(%b : {tile})
    scf.yield %b : {tile}
  }}
  pto.tstore ins(%p : {tile}) outs(%v : !pto.tensor_view<?x8xf32>)
  return
}}
"""
    x = np.arange(64, dtype=np.float32)
    run(ptoas.parse(text), {"x": x, "n": 3, "rows": 5}, "a5")
    assert x.tolist() == [*(4.0 * n for n in range(40)), *map(float, range(40, 64))]


def test_a_while_loop_that_hands_on_its_own_tiles_is_refused() -> None:
    text = f"""
func.func @f(%x: !pto.memref<8x8xf32>, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = pto.tload %x : !pto.memref<8x8xf32> -> {T}
  %i, %p = scf.while (%j = %c0, %a = %s) : (index, {T}) -> (index, {T}) {{
    %go = arith.cmpi slt, %j, %n : index
    scf.condition(%go) %j, %a : index, {T}
  }} do {{
  ^bb0(%j: index, %a: {T}):
    %b = pto.tadd %a, %a : ({T}, {T}) -> {T}
    %next = arith.addi %j, %c1 : index
    scf.yield %next, %b : index, {T}
  }}
  pto.tstore %p, %x : ({T}, !pto.memref<8x8xf32>) -> ()
  return
}}
"""
    with pytest.raises(PtoasError) as caught:
        lower(ptoas.parse(text), "a5")
    (found,) = caught.value.diagnostics
    assert (found.code, found.span.line) == ("PTO-L010", 6)


@pytest.mark.parametrize(("target", "codes"), [("a2a3", []), ("a5", ["PTO-L010"])])
def test_blocks_that_a_loop_hands_on_are_copied_where_that_works(target: str, codes: list[str]) -> None:
    """TMOV on A5 copies no Nz; a buffer of the loop would not hold what was handed on."""
    nz = "!pto.tile_buf<vec, 32x32xf16, blayout=col_major, slayout=row_major>"
    text = f"""
func.func @f(%s: {nz}, %d: {nz}, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = scf.for %i = %c0 to %n step %c1 iter_args(%a = %s) -> ({nz}) {{
    %b = pto.alloc_tile : {nz}
    pto.textract ins(%a, %c0, %c0 : {nz}, index, index) outs(%b : {nz})
    scf.yield %b : {nz}
  }}
  pto.textract ins(%p, %c0, %c0 : {nz}, index, index) outs(%d : {nz})
  return
}}
"""
    found: list[str] = []
    try:
        lower(ptoas.parse(text), target)
    except PtoasError as error:
        found = [each.code for each in error.diagnostics]
    assert found[:1] == codes
