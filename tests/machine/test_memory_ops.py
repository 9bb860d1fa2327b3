# ruff: noqa: E501 - programs are text
"""TLOAD and TSTORE: layouts, strides, padding, atomics, scalars, printing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.support import SIZE, bits_array, constants, execute, failing, raw, seeds
from tests.machine.test_gather import rounded_up

MOVABLE = ("i8", "ui16", "f32", "bf16", "hif8", "i64")


@settings(max_examples=100)
@given(
    st.sampled_from(["cpu", "a2a3", "a5"]),
    st.sampled_from(MOVABLE),
    st.tuples(*[st.integers(1, 3)] * 4, st.integers(1, 9)),
    st.tuples(*[st.integers(0, 2)] * 4),
    st.sampled_from(["nd", "dn"]),
    st.sampled_from(["row_major", "col_major"]),
    seeds,
)
def test_five_dimensions_through_a_tile(
    target: str, type_: str, shape: tuple, gaps: tuple, layout: str, blayout: str, seed: int
) -> None:
    """ND stacks S0..S3 as rows, DN stacks S0, S1, S2, S4 as columns; memory goes by all five strides."""
    d0, d1, d2, d3, d4 = shape
    if layout == "nd":
        rows, cols = d0 * d1 * d2 * d3, d4
        s4, s3 = 1, d4 + gaps[3]
        s2 = d3 * s3 + gaps[2]
    else:
        rows, cols = d3, d0 * d1 * d2 * d4
        s3, s4 = 1, d3 + gaps[3]
        s2 = d4 * s4 + gaps[2]
    s1 = d2 * s2 + gaps[1]
    s0 = d1 * s1 + gaps[0]
    strides = (s0, s1, s2, s3, s4)
    count = 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    rng = np.random.default_rng(seed)
    mem, out = bits_array(rng, (count,), type_), bits_array(rng, (count,), type_)
    phys = (
        (rounded_up(rows, SIZE[type_]), cols)
        if blayout == "col_major"
        else (rows, rounded_up(cols, SIZE[type_]))
    )
    tile = f"!pto.tile_buf<vec, {phys[0]}x{phys[1]}x{type_}, valid={rows}x{cols}, blayout={blayout}>"
    view = f"!pto.memref<{'x'.join(map(str, shape))}x{type_}, {layout}, strides=[{', '.join(map(str, strides))}]>"
    text = f"""
func.func @main(%mem: {view}, %tile: !pto.memref<{rows}x{cols}x{type_}>, %out: {view}) {{
  %t = pto.alloc_tile : {tile}
  pto.tload ins(%mem : {view}) outs(%t : {tile})
  pto.tstore ins(%t : {tile}) outs(%tile : !pto.memref<{rows}x{cols}x{type_}>)
  pto.tstore ins(%t : {tile}) outs(%out : {view})
  return
}}
"""
    expected_tile = np.zeros((rows, cols), raw(mem).dtype)
    expected_out = raw(out).copy()
    for a in range(d0):
        for b in range(d1):
            for c in range(d2):
                for d in range(d3):
                    for e in range(d4):
                        place = a * s0 + b * s1 + c * s2 + d * s3 + e * s4
                        outer = (a * d1 + b) * d2 + c
                        at = (outer * d3 + d, e) if layout == "nd" else (d, outer * d4 + e)
                        expected_tile[at] = expected_out[place] = raw(mem)[place]
    result = execute(text, {"mem": mem, "out": out}, target)
    assert np.array_equal(raw(result.outputs["tile"]), expected_tile)
    assert np.array_equal(raw(result.outputs["out"]), expected_out)


def test_nz_to_nz_and_back() -> None:
    rng = np.random.default_rng(0)
    mem = bits_array(rng, (1, 2, 2, 16, 16), "f16")
    layout = "blayout=col_major, slayout=row_major, fractal=512"
    tile = f"!pto.tile_buf<vec, 32x32xf16, {layout}>"
    text = f"""
func.func @main(%mem: !pto.memref<1x2x2x16x16xf16, nz>, %flat: !pto.memref<32x32xf16>, %out: !pto.memref<1x2x2x16x16xf16, nz>) {{
  %t = pto.alloc_tile : {tile}
  pto.tload ins(%mem : !pto.memref<1x2x2x16x16xf16, nz>) outs(%t : {tile})
  pto.tstore ins(%t : {tile}) outs(%flat : !pto.memref<32x32xf16>)
  pto.tstore ins(%t : {tile}) outs(%out : !pto.memref<1x2x2x16x16xf16, nz>)
  return
}}
"""
    outputs = execute(text, {"mem": mem}, "a2a3").outputs
    assert np.array_equal(raw(outputs["out"]), raw(mem))
    for r in range(32):
        for c in range(32):
            assert raw(outputs["flat"])[r, c] == raw(mem)[0, c // 16, r // 16, r % 16, c % 16]


@pytest.mark.parametrize("layout", ["nd", "dn"])
@pytest.mark.parametrize("type_", ["f16", "f32", "i8"])
@pytest.mark.parametrize("pitch", [64, 80, 67])
def test_boxes_of_parts_that_begin_anywhere(pitch: int, type_: str, layout: str) -> None:
    """A loop over parts, whose rows lie as many rows of boxes apart or not."""
    count, cols, tile = 3, 64 // SIZE[type_], "blayout=col_major, slayout=row_major"
    tile = f"!pto.tile_buf<mat, 16x{cols}x{type_}, {tile}>"
    part, view = f"!pto.partition_tensor_view<16x{cols}x{type_}>", f"!pto.tensor_view<?x?x{type_}>"
    strides = "[%pitch, %c1]" if layout == "nd" else "[%c1, %pitch]"
    text = f"""
func.func @main(%mem: !pto.ptr<{type_}>, %out: !pto.memref<{count}x16x{cols}x{type_}>) {{
{constants(0, 1, 16, 5, count, cols)}
  %pitch = arith.constant {pitch} : index
  %end = arith.constant {16 + 5 * count} : index
  %room = arith.constant {cols + 5 * count} : index
  %v = pto.make_tensor_view %mem, shape = [%end, %room], strides = {strides} {{layout = #pto<layout {layout}>}} : {view}
  %t = pto.alloc_tile : {tile}
  scf.for %n = %c0 to %c{count} step %c1 {{
    %at = arith.muli %n, %c5 : index
    %p = pto.partition_view %v, offsets = [%n, %at], sizes = [%c16, %c{cols}] : {view} -> {part}
    pto.tload ins(%p : {part}) outs(%t : {tile})
    %o = pto.partition_view %out, offsets = [%n, %c0, %c0], sizes = [%c1, %c16, %c{cols}] : !pto.memref<{count}x16x{cols}x{type_}> -> !pto.partition_tensor_view<1x16x{cols}x{type_}>
    pto.tstore ins(%t : {tile}) outs(%o : !pto.partition_tensor_view<1x16x{cols}x{type_}>)
  }}
  return
}}
"""
    mem = bits_array(np.random.default_rng(pitch), (80 * 80,), type_)
    found = raw(execute(text, {"mem": mem}).outputs["out"])
    rows, columns = (pitch, 1) if layout == "nd" else (1, pitch)
    for n, r, c in np.ndindex(found.shape):
        assert found[n, r, c] == raw(mem)[(n + r) * rows + (5 * n + c) * columns]


PADDED = """
func.func @main(%mem: !pto.memref<2x5xf32>, %before: !pto.memref<3x16xf32>, %out: !pto.memref<3x16xf32>) {
  %a = arith.constant 0 : i64
  %t = pto.alloc_tile addr = %a : !pto.tile_buf<vec, 3x16xf32, valid=2x5, pad=PAD>
  %w = pto.alloc_tile addr = %a : !pto.tile_buf<vec, 3x16xf32>
  pto.tload ins(%before : !pto.memref<3x16xf32>) outs(%w : !pto.tile_buf<vec, 3x16xf32>)
  pto.barrier #pto.pipe<PIPE_ALL>
  pto.tload ins(%mem : !pto.memref<2x5xf32>) outs(%t : !pto.tile_buf<vec, 3x16xf32, valid=2x5, pad=PAD>)
  pto.tstore ins(%w : !pto.tile_buf<vec, 3x16xf32>) outs(%out : !pto.memref<3x16xf32>)
  return
}
"""


@pytest.mark.parametrize(("pad", "value"), [("zero", 0.0), ("max", np.inf), ("min", -np.inf)])
def test_a_device_pads_each_row_to_a_burst(pad: str, value: float) -> None:
    mem, before = np.ones((2, 5), np.float32), np.full((3, 16), 7, np.float32)
    out = execute(PADDED.replace("PAD", pad), {"mem": mem, "before": before}).outputs["out"]
    expected = before.copy()
    expected[:2, :8] = value
    expected[:2, :5] = 1
    assert np.array_equal(out, expected)


def test_without_a_pad_value_a_device_writes_the_valid_part_only() -> None:
    mem, before = np.ones((2, 5), np.float32), np.full((3, 16), 7, np.float32)
    out = execute(PADDED.replace("PAD", "null"), {"mem": mem, "before": before}).outputs["out"]
    expected = before.copy()
    expected[:2, :5] = 1
    assert np.array_equal(out, expected)


@pytest.mark.parametrize(("pad", "value"), [("null", 0.0), ("max", np.inf)])
def test_the_simulator_fills_the_whole_tile(pad: str, value: float) -> None:
    out = execute(PADDED.replace("PAD", pad), {"mem": np.ones((2, 5), np.float32)}, "cpu").outputs["out"]
    expected = np.full((3, 16), value, np.float32)
    expected[:2, :5] = 1
    assert np.array_equal(out, expected)


def test_an_atomic_store_adds() -> None:
    text = """
func.func @main(%t: !pto.tile<2x16xi16>, %out: !pto.memref<2x16xi16>) {
  pto.tstore ins(%t : !pto.tile<2x16xi16>) outs(%out : !pto.memref<2x16xi16>) {atomicType = #pto<atomic_type atomic_add>}
  return
}
"""
    out = np.full((2, 16), 32767, np.int16)
    execute(text, {"t": np.ones((2, 16), np.int16), "out": out})
    assert (out == -32768).all()


def test_extents_must_agree() -> None:
    text = """
func.func @main(%mem: !pto.memref<2xCOLSxf32>) {
  %t = pto.alloc_tile : !pto.tile_buf<vec, 2x8xf32>
  pto.tload ins(%mem : !pto.memref<2xCOLSxf32>) outs(%t : !pto.tile_buf<vec, 2x8xf32>)
  return
}
"""
    assert "[2, 7]" in failing("PTO-R105", text.replace("COLS", "7")).message
    execute(text.replace("COLS", "8"))


SCALARS = """
func.func @main(%p: !pto.ptr<i32>, %at: index) {
  %c1 = arith.constant 1 : index
  %q = pto.addptr %p, %c1 : !pto.ptr<i32> -> !pto.ptr<i32>
  %x = pto.load_scalar %q[%at] : !pto.ptr<i32> -> i32
  %y = arith.addi %x, %x : i32
  pto.store_scalar %y, %p[%c1] : !pto.ptr<i32>, i32
  return
}
"""


def test_scalar_access_through_a_pointer() -> None:
    mem = np.array([1, 2, 3, 2**31 - 1], np.int32)
    execute(SCALARS, {"p": mem, "at": 2})
    assert mem.tolist() == [1, -2, 3, 2**31 - 1]
    assert "element 4 (1 + 3)" in failing("PTO-R106", SCALARS, {"p": mem, "at": 3}).message
    assert "element -1" in failing("PTO-R106", SCALARS, {"p": mem, "at": -2}).message


def test_printing() -> None:
    text = """
func.func @main(%t: !pto.tile_buf<vec, 2x8xf32, valid=2x2>, %m: !pto.memref<1x3xi32>) {
  pto.tprint ins(%t : !pto.tile_buf<vec, 2x8xf32, valid=2x2>)
  pto.tprint ins(%m : !pto.memref<1x3xi32>)
  return
}
"""
    heard: list[str] = []
    arguments = {"t": np.array([[1, 2.5], [-3, 4]], np.float32), "m": np.array([[1, -2, 3]], np.int32)}
    result = execute(text, arguments, on_output=heard.append)
    assert (
        result.printed
        == heard
        == [
            "TPRINT 2x2\n  1.0000   2.5000\n -3.0000   4.0000",
            "TPRINT 1x3\n       1       -2        3",
        ]
    )


VIEWS = """
func.func @main(%p: !pto.ptr<f32>, %rows: index, %at: index, %out: !pto.memref<2x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %v = pto.make_tensor_view %p, shape = [%rows, %c8], strides = [%c8, %c1] : !pto.tensor_view<?x?xf32>
  %q = pto.partition_view %v, offsets = [%at, %c0], sizes = [%c2, %c8] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<2x8xf32>
  %t = pto.alloc_tile : !pto.tile_buf<vec, 2x8xf32>
  pto.tload ins(%q : !pto.partition_tensor_view<2x8xf32>) outs(%t : !pto.tile_buf<vec, 2x8xf32>)
  pto.tstore ins(%t : !pto.tile_buf<vec, 2x8xf32>) outs(%out : !pto.memref<2x8xf32>)
  return
}
"""


def test_views_and_parts_stay_inside() -> None:
    mem = np.arange(64, dtype=np.float32)
    for at in (0, 3, 6):
        out = execute(VIEWS, {"p": mem, "rows": 8, "at": at}).outputs["out"]
        assert np.array_equal(out, mem.reshape(8, 8)[at : at + 2])
    found = failing("PTO-R102", VIEWS, {"p": mem, "rows": 9, "at": 0})
    assert "0 to 71 of %p, which has 64" in found.message
    found = failing("PTO-R103", VIEWS, {"p": mem, "rows": 8, "at": 7})
    assert "offset 7 + size 2 = 9" in found.message and found.span.line == 8
    failing("PTO-R103", VIEWS, {"p": mem, "rows": 8, "at": -1})
