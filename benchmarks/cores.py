"""Cost of passing tiles between cube and vector cores through a channel, next to one core without; every
result is checked.
"""

from __future__ import annotations

from functools import partial

import numpy as np

import ptoas
from benchmarks.figures import Row, in_turns
from ptoas.compiler.run import compile as compile_program
from ptoas.runner.kernel import Kernel

ACC = "!pto.tile_buf<acc, 64x128xf32, blayout=col_major, slayout=row_major, fractal=1024>"
VEC = "!pto.tile_buf<vec, 64x128xf32>"
MEMORY = "!pto.memref<64x128xf32>"
LEFT = "!pto.tile_buf<left, 64x64xf32, slayout=row_major>"
RIGHT = "!pto.tile_buf<right, 64x128xf32, slayout=col_major>"
ARGUMENTS = f"%acc: {ACC}, %l: {LEFT}, %r: {RIGHT}, %out: {MEMORY}"
PRODUCT = f"""%sums = pto.alloc_tile : {ACC}
      pto.tmatmul ins(%l, %r : {LEFT}, {RIGHT}) outs(%sums : {ACC})"""
"""The pushed tile, if it is computed for each push."""
COUNTS = """%c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant {times} : index
    %zero = arith.constant 0.0 : f32"""
SUM = f"""%sum = pto.alloc_tile : {VEC}
    pto.texpands ins(%zero : f32) outs(%sum : {VEC})"""
ADD = f"pto.tadd ins(%sum, %t : {VEC}, {VEC}) outs(%sum : {VEC})"
STORE = f"pto.tstore ins(%sum : {VEC}) outs(%out : {MEMORY})"
CHANNEL = "{dir_mask = 1, slot_size = 32768, slot_num = 4} (c2v_consumer_buf = %ring : i32)"

MIXED = f"""
  func.func @cube({ARGUMENTS}) attributes {{pto.kernel_kind = #pto.kernel_kind<cube>}} {{
    {COUNTS}
    %ring = pto.import_reserved_buffer {{name = "ring", peer_func = @vector}} -> i32
    pto.aic_initialize_pipe {CHANNEL}
    scf.for %i = %c0 to %n step %c1 {{
      {{product}}
      pto.tpush_to_aiv({{pushed}} : {ACC}) {{split = 0}}
    }}
    return
  }}
  func.func @vector({ARGUMENTS}) attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
    {COUNTS}
    {SUM}
    %ring = pto.reserve_buffer
      {{name = "ring", size = 131072, location = #pto.address_space<vec>, auto = true}} -> i32
    pto.aiv_initialize_pipe {CHANNEL}
    scf.for %i = %c0 to %n step %c1 {{
      %t = pto.tpop_from_aic {{split = 0}} -> {VEC}
      {ADD}
      pto.tfree_from_aic {{split = 0}}
    }}
    {STORE}
    return
  }}
"""
ALONE = f"""
  func.func @alone({ARGUMENTS}) {{
    {COUNTS}
    {SUM}
    %t = pto.alloc_tile : {VEC}
    scf.for %i = %c0 to %n step %c1 {{
      {{product}}
      pto.tmov ins({{pushed}} : {ACC}) outs(%t : {VEC})
      {ADD}
    }}
    {STORE}
    return
  }}
"""


def measure(quick: bool = False) -> list[Row]:
    times = 100 if quick else 1000
    what = f"run {times:,} pushes of 64x128 f32 from cube to vector"
    return [
        _row(f"{what}, each of a product, one of them", PRODUCT, "%sums", times, at_most=3),
        # Without a limit: what is done is less than what it costs that somebody looks on.
        _row(f"{what}, all of one tile, one of them", "", "%acc", times),
    ]


def _row(what: str, product: str, pushed: str, times: int, at_most: float | None = None) -> Row:
    rng = np.random.default_rng(3)
    acc, left, right = (rng.integers(-2, 3, s).astype(np.float32) for s in ((64, 128), (64, 64), (64, 128)))
    results: list[np.ndarray] = []
    kernels: list[tuple[Kernel, dict[str, np.ndarray]]] = []
    for text in (MIXED, ALONE):
        words = {"{times}": str(times), "{product}": product, "{pushed}": pushed}
        for word, meaning in words.items():
            text = text.replace(word, meaning)
        kernel = compile_program(ptoas.parse(text, "cores.pto"), "a5")
        out = np.zeros((64, 128), np.float32)
        results.append(out)
        kernels.append((kernel, {"acc": acc, "l": left, "r": right, "out": out}))
    ours, theirs = in_turns(*(partial(k.execute, a) for k, a in kernels), repeats=6, per=times)
    expected = (left @ right if product else acc) * times
    assert all(np.array_equal(out, expected) for out in results), "tiles through a channel"
    return Row(what, "the same on one core", ours, theirs, at_most=at_most)
