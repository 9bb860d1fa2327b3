"""What it costs that cube and vector cores pass tiles through a channel, next to one core that does the same
without; every result is checked."""

from __future__ import annotations

from functools import partial

import numpy as np

import ptoas
from benchmarks.figures import Row, in_turns
from ptoas.runner.kernel import Kernel
from ptoas.runner.run import compile as compile_program

ACC = "!pto.tile_buf<acc, 64x128xf32, blayout=col_major, slayout=row_major, fractal=1024>"
VEC = "!pto.tile_buf<vec, 64x128xf32>"
MEMORY = "!pto.memref<64x128xf32>"
ARGUMENTS = f"%acc: {ACC}, %out: {MEMORY}"
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
      pto.tpush_to_aiv(%acc : {ACC}) {{split = 0}}
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
      pto.tmov ins(%acc : {ACC}) outs(%t : {VEC})
      {ADD}
    }}
    {STORE}
    return
  }}
"""


def measure(quick: bool = False) -> list[Row]:
    times = 100 if quick else 1000
    acc = np.random.default_rng(3).integers(-8, 8, (64, 128)).astype(np.float32)
    results: list[np.ndarray] = []
    kernels: list[tuple[Kernel, dict[str, np.ndarray]]] = []
    for text in (MIXED, ALONE):
        kernel = compile_program(ptoas.parse(text.replace("{times}", str(times)), "cores.pto"), "a5")
        out = np.zeros((64, 128), np.float32)
        results.append(out)
        kernels.append((kernel, {"acc": acc, "out": out}))
    ours, theirs = in_turns(*(partial(k.execute, a) for k, a in kernels), repeats=6, per=times)
    assert all(np.array_equal(out, acc * times) for out in results), "tiles through a channel"
    what = f"run {times:,} pushes of 64x128 f32 from cube to vector, one of them"
    return [Row(what, "the same on one core", ours, theirs, at_most=3)]
