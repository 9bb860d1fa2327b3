"""An accumulator that goes to the unified buffers of both vector cores: each stores what it got."""

from __future__ import annotations

import numpy as np
import pytest

import ptoas

NZ = "blayout=col_major, slayout=row_major"


def program(mode: str, way: str, rows: int, cols: int) -> str:
    """`a` times the identity; each vector core stores its tile below that of the other one."""
    high, wide = (rows // 2, cols) if mode == "dual_mode_split_m" else (rows, cols // 2)
    a, e, o = f"!pto.memref<{rows}x{cols}xf32>", f"!pto.memref<{cols}x{cols}xf32>", f"{2 * high}x{wide}xf32"
    ma, me = f"!pto.tile_buf<mat, {rows}x{cols}xf32, {NZ}>", f"!pto.tile_buf<mat, {cols}x{cols}xf32, {NZ}>"
    left = f"!pto.tile_buf<left, {rows}x{cols}xf32, slayout=row_major>"
    right = f"!pto.tile_buf<right, {cols}x{cols}xf32, slayout=col_major>"
    acc = f"!pto.tile_buf<acc, {rows}x{cols}xf32, {NZ}, fractal=1024>"
    part = f"!pto.partition_tensor_view<{high}x{wide}xf32>"
    half = f"!pto.tile_buf<vec, {high}x{wide}xf32>"
    ins = f"%acc : {acc}" if way == "tmov" else f"%acc, %c0, %c0 : {acc}, index, index"
    return f"""
module attributes {{pto.target_arch = "a5"}} {{
  func.func @k(%a: {a}, %e: {e}, %out: !pto.ptr<f32>) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %high = arith.constant {high} : index
    %all = arith.constant {2 * high} : index
    %wide = arith.constant {wide} : index
    %lane64 = pto.get_subblock_idx
    %lane = arith.index_cast %lane64 : i64 to index
    %first = arith.muli %lane, %high : index
    %vo = pto.make_tensor_view %out, shape = [%all, %wide], strides = [%wide, %c1] : !pto.tensor_view<{o}>
    %po = pto.partition_view %vo, offsets = [%first, %c0], sizes = [%high, %wide]
        : !pto.tensor_view<{o}> -> {part}
    %ma = pto.alloc_tile : {ma}
    %me = pto.alloc_tile : {me}
    %left = pto.alloc_tile : {left}
    %right = pto.alloc_tile : {right}
    %acc = pto.alloc_tile : {acc}
    %half = pto.alloc_tile : {half}
    pto.tload ins(%a : {a}) outs(%ma : {ma})
    pto.tload ins(%e : {e}) outs(%me : {me})
    pto.tmov ins(%ma : {ma}) outs(%left : {left})
    pto.tmov ins(%me : {me}) outs(%right : {right})
    pto.tmatmul ins(%left, %right : {left}, {right}) outs(%acc : {acc})
    pto.{way} ins({ins}) outs(%half : {half}) {{accToVecMode = #pto<acc_to_vec_mode {mode}>}}
    pto.set_intra_block <PIPE_FIX>, 0
    pto.set_intra_block <PIPE_FIX>, 16
    pto.wait_intra_block <PIPE_V>, 0
    %zero = arith.constant 0.0 : f32
    %sum = pto.alloc_tile : {half}
    pto.tadds ins(%half, %zero : {half}, f32) outs(%sum : {half})
    pto.tstore ins(%sum : {half}) outs(%po : {part})
    return
  }}
}}"""


@pytest.mark.parametrize("way", ["tmov", "textract", "tinsert"])
@pytest.mark.parametrize("mode", ["dual_mode_split_m", "dual_mode_split_n"])
def test_each_vector_core_gets_its_half(mode: str, way: str) -> None:
    rows, cols = 32, 64
    a = np.arange(rows * cols, dtype=np.float32).reshape(rows, cols)
    first, second = (a[:16], a[16:]) if mode.endswith("m") else (a[:, :32], a[:, 32:])
    out = np.zeros((2 * first.shape[0], first.shape[1]), np.float32)
    given = {"a": a, "e": np.eye(cols, dtype=np.float32), "out": out}
    ptoas.run(ptoas.parse(program(mode, way, rows, cols)), given)
    assert np.array_equal(out, np.concatenate([first, second]))
