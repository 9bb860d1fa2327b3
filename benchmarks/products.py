"""Speed of matrix products next to NumPy's of the same numbers in f32; every result is checked."""

from __future__ import annotations

import time
import unittest.mock

import numpy as np

import ptoas
from benchmarks.figures import Row, in_turns
from ptoas.compiler.run import compile as compile_program
from ptoas.ops import factors

MAT = "!pto.tile_buf<mat, 128x128xf16, blayout=col_major, slayout=row_major>"
LEFT = "!pto.tile_buf<left, 128x128xf16, blayout=col_major, slayout=row_major>"
RIGHT = "!pto.tile_buf<right, 128x128xf16, slayout=col_major>"
ACC = "!pto.tile_buf<acc, 128x128xf32, blayout=col_major, slayout=row_major, fractal=1024>"

ONE = f"""
module attributes {{pto.target_arch = "a5"}} {{
  func.func @one(%a: {LEFT}, %b: {RIGHT}, %times: index, %out: !pto.memref<128x128xf32>) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c = pto.alloc_tile : {ACC}
    scf.for %i = %c0 to %times step %c1 {{
      pto.tmatmul ins(%a, %b : {LEFT}, {RIGHT}) outs(%c : {ACC})
    }}
    pto.tstore ins(%c : {ACC}) outs(%out : !pto.memref<128x128xf32>)
    return
  }}
}}
"""

PART = "!pto.partition_tensor_view<128x128x{}>"
TILED = f"""
module attributes {{pto.target_arch = "a5"}} {{
  func.func @tiled(%a: !pto.memref<1024x1024xf16>, %b: !pto.memref<1024x1024xf16>,
                   %out: !pto.memref<1024x1024xf32>) {{
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %n = arith.constant 1024 : index
    %ma = pto.alloc_tile : {MAT}
    %mb = pto.alloc_tile : {MAT}
    %l = pto.alloc_tile : {LEFT}
    %r = pto.alloc_tile : {RIGHT}
    %c = pto.alloc_tile : {ACC}
    scf.for %i = %c0 to %n step %c128 {{
      scf.for %j = %c0 to %n step %c128 {{
        scf.for %k = %c0 to %n step %c128 {{
          %pa = pto.partition_view %a, offsets = [%i, %k], sizes = [%c128, %c128]
            : !pto.memref<1024x1024xf16> -> {PART.format("f16")}
          %pb = pto.partition_view %b, offsets = [%k, %j], sizes = [%c128, %c128]
            : !pto.memref<1024x1024xf16> -> {PART.format("f16")}
          pto.tload ins(%pa : {PART.format("f16")}) outs(%ma : {MAT})
          pto.tload ins(%pb : {PART.format("f16")}) outs(%mb : {MAT})
          pto.tmov ins(%ma : {MAT}) outs(%l : {LEFT})
          pto.tmov ins(%mb : {MAT}) outs(%r : {RIGHT})
          %first = arith.cmpi eq, %k, %c0 : index
          scf.if %first {{
            pto.tmatmul ins(%l, %r : {LEFT}, {RIGHT}) outs(%c : {ACC})
          }} else {{
            pto.tmatmul.acc ins(%c, %l, %r : {ACC}, {LEFT}, {RIGHT}) outs(%c : {ACC})
          }}
        }}
        %po = pto.partition_view %out, offsets = [%i, %j], sizes = [%c128, %c128]
          : !pto.memref<1024x1024xf32> -> {PART.format("f32")}
        pto.tstore ins(%c : {ACC}) outs(%po : {PART.format("f32")})
      }}
    }}
    return
  }}
}}
"""


def measure(quick: bool = False) -> list[Row]:
    return [one(20 if quick else 200), *tiled(2 if quick else 8)]


def one(times: int) -> Row:
    """`tmatmul` of tiles in L0, packing included, next to the product of the operands converted to f32.

    Nothing that was unpacked is kept here: each product unpacks both operands.
    """
    a, b = _numbers(128), _numbers(128)
    out = np.zeros((128, 128), np.float32)
    kernel = compile_program(ptoas.parse(ONE, "one.pto"), checks="none")

    def bare() -> None:
        for _ in range(times):
            np.matmul(a.astype(np.float32), b.astype(np.float32))

    arguments = {"a": a, "b": b, "times": times, "out": out}
    with unittest.mock.patch.object(factors, "MOST_KEPT", 0):
        theirs, ours = in_turns(bare, lambda: kernel.execute(arguments), repeats=6, before=rest, per=times)
    assert np.allclose(out, a.astype(np.float32) @ b.astype(np.float32), rtol=1e-3, atol=1e-3)
    return Row("run tmatmul 128x128x128 f16", "np.matmul in f32", ours, theirs, at_most=1.5)


def tiled(repeats: int) -> list[Row]:
    """A product in tiles of 128, all checks on, next to one of the whole in f32, which NumPy shares among all
    cores: in processor time, and in the time that passes."""
    a, b = _numbers(1024), _numbers(1024)
    out = np.zeros((1024, 1024), np.float32)
    kernel = compile_program(ptoas.parse(TILED, "tiled.pto"))
    singles = a.astype(np.float32), b.astype(np.float32)
    arguments = {"a": a, "b": b, "out": out}
    what, beside = "run a tiled product 1024x1024x1024 f16", "np.matmul in f32"
    works = lambda: np.matmul(*singles), lambda: kernel.execute(arguments)
    theirs, ours = in_turns(*works, repeats=repeats, before=rest)
    bare, passed = in_turns(*works, repeats=repeats, clock=time.perf_counter)
    assert np.allclose(out, np.matmul(*singles), rtol=1e-3, atol=1e-2)
    return [
        Row(what, beside, ours, theirs, at_most=3),
        Row(f"{what}, time that passes", f"{beside}, on all cores", passed, bare),
    ]


def rest() -> None:
    """Wait until the idle threads of a product stop spinning."""
    time.sleep(0.2)


def _numbers(size: int) -> np.ndarray:
    return np.random.default_rng(size).standard_normal((size, size)).astype(np.float16)
