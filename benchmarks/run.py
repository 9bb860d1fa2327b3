"""How fast the machine is, next to bare NumPy and to xDSL's own interpreter; every result is checked."""

from __future__ import annotations

import resource

import numpy as np
from xdsl.context import Context
from xdsl.dialects import arith, builtin, func, scf
from xdsl.interpreter import Interpreter
from xdsl.interpreters import register_implementations

import ptoas
from benchmarks.figures import Row, in_turns
from ptoas.runner.run import compile as compile_program

MiB = 1 << 20


MOST_EXTRA = 64
"""MiB that a run may take beyond its arguments."""


def measure(quick: bool = False) -> list[Row]:
    return [*gathers(quick), *scalars(quick), *embedding(quick)]


# --- gathers -------------------------------------------------------------------------------------

GATHER = """
module attributes {{pto.target_arch = "a5"}} {{
  func.func @gather(%table: !pto.memref<{table}>, %idx: !pto.memref<{idx}>, %out: !pto.memref<{dst}>) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant {times} : index
    %i = pto.alloc_tile : !pto.tile_buf<vec, {idx}>
    %d = pto.alloc_tile : !pto.tile_buf<vec, {dst}>
    pto.tload ins(%idx : !pto.memref<{idx}>) outs(%i : !pto.tile_buf<vec, {idx}>)
    scf.for %k = %c0 to %n step %c1 {{
      pto.mgather ins(%table, %i : !pto.memref<{table}>, !pto.tile_buf<vec, {idx}>)
        outs(%d : !pto.tile_buf<vec, {dst}>) {{coalesce = #pto<coalesce {mode}>}}
    }}
    pto.tstore ins(%d : !pto.tile_buf<vec, {dst}>) outs(%out : !pto.memref<{dst}>)
    return
  }}
}}
"""


def gathers(quick: bool) -> list[Row]:
    rng = np.random.default_rng(1)
    rows: list[Row] = []
    times = 500 if quick else 4000
    for mode, table_shape, idx_shape, dst_shape in (
        ("row", (1024, 256), (1, 64), (64, 256)),
        ("elem", (1, 65536), (64, 64), (64, 64)),
    ):
        text = GATHER.format(
            table=f"{table_shape[0]}x{table_shape[1]}xf32",
            idx=f"{idx_shape[0]}x{idx_shape[1]}xi32",
            dst=f"{dst_shape[0]}x{dst_shape[1]}xf32",
            times=times,
            mode=mode,
        )
        module = ptoas.parse(text, f"{mode}.pto")
        table = rng.random(table_shape, dtype=np.float32)
        limit = table_shape[0] if mode == "row" else table.size
        idx = rng.integers(0, limit, idx_shape).astype(np.int32)
        out = np.zeros(dst_shape, np.float32)
        source = table if mode == "row" else table.reshape(-1)
        chosen = idx.reshape(-1) if mode == "row" else idx
        plain = np.zeros(dst_shape, np.float32)

        def bare(source=source, chosen=chosen, plain=plain) -> None:
            take = source.take
            for _ in range(times):
                take(chosen, 0, plain, "clip")

        kernels = [compile_program(module, checks=checks) for checks in ("none", "mem,init")]
        arguments = {"table": table, "idx": idx, "out": out}
        theirs, off, on = in_turns(
            bare,
            *(lambda k=kernel, a=arguments: k.execute(a) for kernel in kernels),
            repeats=6,
            before=lambda out=out: out.fill(0),
            per=times,
        )
        assert np.array_equal(out, plain), f"mgather.{mode}"
        name = f"run mgather.{mode} {dst_shape[0]}x{dst_shape[1]} f32"
        rows.append(Row(f"{name}, checks off", "np.take", off, theirs, at_most=1.5))
        rows.append(Row(f"{name}, mem,init", "np.take", on, theirs, at_most=3))
    return rows


# --- scalars -------------------------------------------------------------------------------------

SCALARS = """
module {{
  func.func @main(%n: index, %seed: i32) -> i32 {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %k = arith.constant 1664525 : i32
    %m = arith.constant 1013904223 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %seed) -> (i32) {{
      %a = arith.muli %x, %k : i32
      %b = arith.addi %a, %m : i32
      %c = arith.xori %b, %a : i32
      %d = arith.subi %c, %k : i32
      scf.yield %d : i32
    }}
    return %r : i32
  }}
}}
"""
OPERATIONS = 4


def expected_scalar(count: int, seed: int) -> int:
    x = seed
    for _ in range(count):
        a = (x * 1664525) & 0xFFFFFFFF
        b = (a + 1013904223) & 0xFFFFFFFF
        x = ((b ^ a) - 1664525) & 0xFFFFFFFF
    return x - (1 << 32) if x >> 31 else x


def scalars(quick: bool) -> list[Row]:
    count, short = (25_000 if quick else 250_000), 2_000
    module = ptoas.parse(SCALARS.format(), "scalars.pto")
    kernel = compile_program(module, "a5", checks="none")
    function = kernel.cores[0].function
    assert function(short, 7) == (expected_scalar(short, 7),), "scalar loop"
    context = Context()
    for dialect in (builtin.Builtin, func.Func, arith.Arith, scf.Scf):
        context.load_dialect(dialect)
    interpreter = Interpreter(module)
    register_implementations(interpreter, context)
    (ours,) = in_turns(lambda: function(count, 7), repeats=4, per=count * OPERATIONS)
    (theirs,) = in_turns(lambda: interpreter.call_op("main", (short, 7)), repeats=4, per=short * OPERATIONS)
    what = f"run {count * OPERATIONS:,} scalar operations, one of them"
    return [Row(what, "xDSL's Interpreter", ours, theirs, at_least=50, speed=True)]


# --- embedding -----------------------------------------------------------------------------------

EMBEDDING = """
!table = !pto.partition_tensor_view<{rows}x{width}xf32>
!rows = !pto.partition_tensor_view<16x{width}xf32>
!part = !pto.partition_tensor_view<1x16xi32>
!data = !pto.tile_buf<vec, 16x{width}xf32>
!index = !pto.tile_buf<vec, 1x16xi32>
module attributes {{pto.target_arch = "a5"}} {{
  func.func @embed(%table: !pto.ptr<f32>, %idx: !pto.ptr<i32>, %out: !pto.ptr<f32>) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %rows = arith.constant {rows} : index
    %w = arith.constant {width} : index
    %n = arith.constant {n} : index
    %tv = pto.make_tensor_view %table, shape = [%rows, %w], strides = [%w, %c1] : !pto.tensor_view<?x?xf32>
    %tp = pto.partition_view %tv, offsets = [%c0, %c0], sizes = [%rows, %w]
        : !pto.tensor_view<?x?xf32> -> !table
    %iv = pto.make_tensor_view %idx, shape = [%c1, %n], strides = [%n, %c1] : !pto.tensor_view<?x?xi32>
    %ov = pto.make_tensor_view %out, shape = [%n, %w], strides = [%w, %c1] : !pto.tensor_view<?x?xf32>
    %i = pto.alloc_tile : !index
    %d = pto.alloc_tile : !data
    scf.for %k = %c0 to %n step %c16 {{
      %ip = pto.partition_view %iv, offsets = [%c0, %k], sizes = [%c1, %c16]
          : !pto.tensor_view<?x?xi32> -> !part
      pto.tload ins(%ip : !part) outs(%i : !index)
      pto.mgather ins(%tp, %i : !table, !index) outs(%d : !data) {{coalesce = #pto<coalesce row>}}
      %op = pto.partition_view %ov, offsets = [%k, %c0], sizes = [%c16, %w]
          : !pto.tensor_view<?x?xf32> -> !rows
      pto.tstore ins(%d : !data) outs(%op : !rows)
    }}
    return
  }}
}}
"""


def embedding(quick: bool) -> list[Row]:
    width = 1024
    rows, count = (16_384, 8_192) if quick else (262_144, 65_536)
    table = np.empty((rows, width), np.float32)
    table[...] = np.arange(width, dtype=np.float32)
    table += np.arange(rows, dtype=np.float32)[:, None]
    idx = np.random.default_rng(2).integers(0, rows, (1, count)).astype(np.int32)
    # Full, not zeros: pages that are touched for the first time would count as the machine's memory.
    out, plain = (np.full((count, width), 1, np.float32) for _ in range(2))
    module = ptoas.parse(EMBEDDING.format(rows=rows, width=width, n=count), "embedding.pto")
    found: list[Row] = []
    name = f"run a lookup of {count:,} x {width} f32 in {table.nbytes // MiB} MiB"
    for checks in ("none", "mem,init"):
        kernel = compile_program(module, checks=checks)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        theirs, ours = in_turns(
            lambda: np.take(table, idx[0], 0, plain, "clip"),
            lambda k=kernel: k.execute({"table": table, "idx": idx, "out": out}),
            repeats=6,
            before=lambda: out.fill(0),
        )
        extra = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        # Row by row: comparing all at once would itself take memory.
        assert all(np.array_equal(a, b) for a, b in zip(out, plain, strict=True)), "embedding"
        says = "checks off" if checks == "none" else checks
        found.append(Row(f"{name}, {says}", "np.take of the whole", ours, theirs, at_most=2.5))
        what = f"memory of that beyond its arguments, {says}"
        found.append(Row(what, "what is allowed", [extra], [MOST_EXTRA], at_most=1, unit="MiB"))
    return found
