"""Comparisons and choices of any valid region, bit by bit against the plain formula."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.support import bits_array, execute, failing, seeds

ROWS, COLS = 8, 64
MODES = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
extents = st.tuples(st.integers(1, ROWS), st.integers(1, COLS))

MASK = f"!pto.tile_buf<vec, {ROWS}x32xui8>"


def program(compare: str, element: str) -> str:
    """Compare, then choose the first where the answer is yes and the second, or `%k`, where it is not."""
    full = f"!pto.tile_buf<vec, {ROWS}x{COLS}x{element}, valid=?x?>"
    m = f"!pto.memref<?x?x{element}>"
    return f"""
func.func @main(%r: index, %c: index, %k: {element}, %a: {m}, %b: {m}) {{
  %x = pto.alloc_tile valid_row = %r valid_col = %c : {full}
  %y = pto.alloc_tile valid_row = %r valid_col = %c : {full}
  %bits = pto.alloc_tile : {MASK}
  %d = pto.alloc_tile valid_row = %r valid_col = %c : {full}
  %e = pto.alloc_tile valid_row = %r valid_col = %c : {full}
  pto.tload ins(%a : {m}) outs(%x : {full})
  pto.tload ins(%b : {m}) outs(%y : {full})
  {compare.format(full=full)} outs(%bits : {MASK})
  pto.tsel ins(%bits, %x, %y : {MASK}, {full}, {full}) outs(%d : {full})
  pto.tsels ins(%bits, %x, %k : {MASK}, {full}, {element}) outs(%e : {full})
  return
}}
"""


@settings(max_examples=60)
@given(st.sampled_from(sorted(MODES)), st.sampled_from(["f32", "f16", "i16", "ui8"]), extents, seeds)
def test_a_choice_by_a_comparison(mode: str, element: str, shape: tuple[int, int], seed: int) -> None:
    """NaN compares unequal, zeros of both signs compare equal; what is chosen keeps its bits."""
    rng = np.random.default_rng(seed)
    a, b = bits_array(rng, shape, element), bits_array(rng, shape, element)
    a[rng.random(shape) < 0.3] = 0
    b[rng.random(shape) < 0.3] = -0.0 if element.startswith("f") else 0
    tiles = f"pto.tcmp ins(%x, %y {{{{cmpMode = #pto<cmp {mode}>}}}} : {{full}}, {{full}})"
    scalar = f"pto.tcmps ins(%x, %k {{{{cmpMode = #pto<cmp {mode}>}}}} : {{full}}, {element})"
    for text, other in ((tiles, b), (scalar, np.full_like(b, 1))):
        arguments = {"r": shape[0], "c": shape[1], "k": 1, "a": a, "b": b}
        out = execute(program(text, element), arguments, "a5").outputs
        for i, j in np.ndindex(shape):
            chosen = MODES[mode](a[i, j].item(), other[i, j].item())
            assert out["d"][i, j].tobytes() == (a if chosen else b)[i, j].tobytes()
            assert out["e"][i, j].tobytes() == (a[i, j] if chosen else a.dtype.type(1)).tobytes()


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
def test_only_the_simulator_clears_the_mask(target: str) -> None:
    """Twelve columns are a byte and a half; the devices leave the other bytes as they are."""
    full = "!pto.tile_buf<vec, 8x16xf32, valid=8x12>"
    text = f"""
func.func @main(%x: {full}, %bits: {MASK}) {{
  pto.tcmp ins(%x, %x : {full}, {full}) outs(%bits : {MASK})
  return
}}
"""
    arguments = {"x": np.ones((8, 12), np.float32), "bits": np.full((8, 32), 7, np.uint8)}
    rest = 0 if target == "cpu" else 7
    out = execute(text, arguments, target).outputs["bits"]
    assert (out == np.array([255, 15, *[rest] * 30])).all()


def test_a_mask_with_too_few_bits() -> None:
    full = "!pto.tile_buf<vec, 8x512xf32, valid=8x?>"
    text = f"""
func.func @main(%n: index, %k: f32, %m: !pto.memref<8x?xf32>) {{
  %x = pto.alloc_tile valid_col = %n : {full}
  %bits = pto.alloc_tile : {MASK}
  pto.tload ins(%m : !pto.memref<8x?xf32>) outs(%x : {full})
  pto.tcmps ins(%x, %k : {full}, f32) outs(%bits : {MASK})
  return
}}
"""
    execute(text, {"n": 256, "k": 0, "m": np.zeros((8, 256), np.float32)})
    message = failing("PTO-R105", text, {"n": 257, "k": 0, "m": np.zeros((8, 257), np.float32)}).message
    assert "fewer than one bit for each of 8x257 elements" in message


STORED = f"""
func.func @main(%a: !pto.memref<8x16xf32>, %out: !pto.memref<8x32xui8>) {{
  %x = pto.alloc_tile : !pto.tile_buf<vec, 8x16xf32>
  %bits = pto.alloc_tile : {MASK}
  pto.tload ins(%a : !pto.memref<8x16xf32>) outs(%x : !pto.tile_buf<vec, 8x16xf32>)
  pto.tcmp ins(%x, %x {{cmpMode = #pto<cmp eq>}} : !pto.tile_buf<vec, 8x16xf32>, !pto.tile_buf<vec, 8x16xf32>)
    outs(%bits : {MASK})
  %copy = pto.alloc_tile : {MASK}
  pto.tstore ins(%bits : {MASK}) outs(%out : !pto.memref<8x32xui8>)
  return
}}
"""


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
def test_the_padding_of_a_mask_can_be_stored(target: str) -> None:
    """Rows of a mask have 32 bytes, of which 16 bits of answers take two."""
    a = np.zeros((8, 16), np.float32)
    result = execute(STORED, {"a": a}, target)
    assert (result.outputs["out"][:, :2] == 255).all()


def test_the_padding_of_a_mask_is_no_answer() -> None:
    """Only a store may take it; rows that were not compared have none."""
    a = np.zeros((8, 16), np.float32)
    moved = f"pto.tadd ins(%bits, %bits : {MASK}, {MASK}) outs(%copy : {MASK})\n  pto.tstore ins(%copy"
    failing("PTO-R201", STORED.replace("pto.tstore ins(%bits", moved), {"a": a}, "a5")
    text = STORED.replace("8x16xf32>", "8x16xf32, valid=4x16>").replace(
        "memref<8x16xf32, valid=4x16>", "memref<4x16xf32>"
    )
    failing("PTO-R201", text, {"a": a[:4]}, "a5")
