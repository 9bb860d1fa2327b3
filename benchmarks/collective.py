"""Ranks beside what moves the same bytes without them: 8 ranks of 64 MiB, over MPI of 16.

The collective gather stands beside one `np.concatenate`, a put of every rank into the next beside
`np.copyto`, and the same put with one process a rank beside mpi4py's own `Put`. All write into memory that
has been touched before. All checks are on, and the data goes through a staging tile in chunks. Ranks that
calculate before they put stand beside themselves in one process.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import ptoas
from benchmarks.figures import Row, in_turns
from ptoas.compiler.run import compile as compile_kernel
from ptoas.runner.ranks.in_process import run_in_process

LIMIT = 2.5
"""The gather takes at most this many times as long as the concatenation."""

PUT_LIMIT = 2.0
"""A put takes at most this many times as long as the copy, or as a put of MPI."""

COLS = 1024

PROGRAM = """
func.func @gather(%sources: !pto.group<{ranks} x !pto.memref<{rows}x{cols}xf32>>, %result: !pto.memref<{all}x{cols}xf32>, %my_rank: i32) {{
  %root = arith.constant 0 : i32
  %is_root = arith.cmpi eq, %my_rank, %root : i32
  scf.if %is_root {{
    pto.comm.tgather(%result, group(%sources) : !pto.memref<{all}x{cols}xf32>, !pto.group<{ranks} x !pto.memref<{rows}x{cols}xf32>>) {{root = 0 : i32, pingpong}}
  }}
  return
}}
"""  # noqa: E501


PUT = """
func.func @put(%src: !pto.memref<{rows}x{cols}xf32>, %window: !pto.ptr<f32>, %ctx: !pto.ptr<i64>, %my_rank: index, %nranks: index, %times: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %rows = arith.constant {rows} : index
  %cols = arith.constant {cols} : index
  %size = arith.constant 4 : i64
  %after = arith.addi %my_rank, %c1 : index
  %peer = arith.remui %after, %nranks : index
  %at_own = arith.addi %my_rank, %c4 : index
  %at_peer = arith.addi %peer, %c4 : index
  %own = pto.load_scalar %ctx[%at_own] : !pto.ptr<i64> -> i64
  %base = pto.load_scalar %ctx[%at_peer] : !pto.ptr<i64> -> i64
  %bytes = arith.subi %base, %own : i64
  %elements = arith.divsi %bytes, %size : i64
  %distance = arith.index_cast %elements : i64 to index
  %p = pto.addptr %window, %distance : !pto.ptr<f32> -> !pto.ptr<f32>
  %there = pto.make_tensor_view %p, shape = [%rows, %cols], strides = [%cols, %c1] : !pto.tensor_view<{rows}x{cols}xf32>
  scf.for %i = %c0 to %times step %c1 {{
    pto.comm.tput(%there, %src : !pto.tensor_view<{rows}x{cols}xf32>, !pto.memref<{rows}x{cols}xf32>) {{pingpong}}
  }}
  return
}}
"""  # noqa: E501


JOBS_LIMIT = 1.5
"""Two processes are at least this many times as fast as one."""

TILE = "!pto.tile_buf<vec, {rows}x{cols}xf32>"

WORK = PUT.replace("%times: index", "%x: !pto.memref<{lines}x{cols}xf32>").replace(
    PUT[PUT.index("  scf.for") : PUT.index("  return")],
    f"""  %lines = arith.constant {{lines}} : index
  %a = pto.alloc_tile : {TILE}
  %sum = pto.alloc_tile : {TILE}
  pto.tload ins(%src : !pto.memref<{{rows}}x{{cols}}xf32>) outs(%sum : {TILE})
  scf.for %i = %c0 to %lines step %rows {{{{
    %v = pto.partition_view %x, offsets = [%i, %c0], sizes = [%rows, %cols]
      : !pto.memref<{{lines}}x{{cols}}xf32> -> !pto.partition_tensor_view<{{rows}}x{{cols}}xf32>
    pto.tload ins(%v : !pto.partition_tensor_view<{{rows}}x{{cols}}xf32>) outs(%a : {TILE})
    pto.texp ins(%a : {TILE}) outs(%a : {TILE})
    pto.tadd ins(%sum, %a : {TILE}, {TILE}) outs(%sum : {TILE})
  }}}}
  pto.tstore ins(%sum : {TILE}) outs(%there : !pto.tensor_view<{{rows}}x{{cols}}xf32>)
""",
)
"""Every rank sums up exponentials, and puts the sum into the window of the next one."""


def measure(quick: bool = False) -> list[Row]:
    mib, repeats = (4, 3) if quick else (64, 5)
    rows = [gather(ranks=8, mib=mib, repeats=repeats), put(ranks=8, mib=mib, repeats=repeats)]
    mpiexec = shutil.which("mpiexec", path=str(Path(sys.executable).parent)) or shutil.which("mpiexec")
    if mpiexec is not None:
        # Each process has its own windows, and makes their pages: less of them says the same.
        rows.append(put_over_mpi(mpiexec, ranks=2 if quick else 8, mib=min(mib, 16), repeats=repeats))
    # One core can't show what two would do.
    if (os.cpu_count() or 1) > 1:
        rows.append(in_jobs(ranks=8, mib=max(16, mib // 2), repeats=repeats))
    return rows


def in_jobs(ranks: int, mib: int, repeats: int) -> Row:
    text = WORK.format(rows=16, cols=COLS, lines=(mib << 20) // (COLS * 4))
    kernel = compile_kernel(ptoas.parse(text, "work.pto"), "a5")
    rng = np.random.default_rng(0)
    x = rng.random((ranks, (mib << 18) // COLS, COLS), dtype=np.float32)
    windows = [np.zeros((ranks, 16 * COLS), np.float32) for _ in range(2)]
    given = {"x": x, "src": rng.random((ranks, 16, COLS), dtype=np.float32)}
    one, all_cores = in_turns(
        lambda: run_in_process(kernel, ranks, {**given, "window": windows[0]}),
        lambda: run_in_process(kernel, ranks, {**given, "window": windows[1]}, jobs="auto"),
        repeats=repeats,
        clock=time.perf_counter,
    )
    assert np.array_equal(*windows) and windows[0].any()
    what = f"{ranks} ranks summing {mib} MiB each, --jobs auto"
    return Row(what, "one job", all_cores, one, at_least=JOBS_LIMIT, speed=True)


def put_program(mib: int) -> str:
    return PUT.format(rows=(mib << 20) // (COLS * 4), cols=COLS)


def put(ranks: int, mib: int, repeats: int) -> Row:
    kernel = compile_kernel(ptoas.parse(put_program(mib), "put.pto"), "a5")
    src = np.random.default_rng(0).random((ranks, mib << 18), dtype=np.float32)
    src = src.reshape(ranks, -1, COLS)
    window, plain = np.zeros_like(src), np.zeros_like(src)
    given = {"src": src, "window": window, "times": 1}
    places = np.roll(np.arange(ranks), 1)

    def copy() -> None:
        for rank, place in enumerate(places):
            np.copyto(plain[rank], src[place])

    ours, theirs = in_turns(lambda: run_in_process(kernel, ranks, given), copy, repeats=repeats)
    assert np.array_equal(window, plain)
    return Row(f"put {ranks} ranks x {mib} MiB", "np.copyto", ours, theirs, at_most=PUT_LIMIT)


def put_over_mpi(mpiexec: str, ranks: int, mib: int, repeats: int) -> Row:
    """Run `benchmarks/mpi_put.py` in every process; the slowest counts."""
    command = [mpiexec, "-n", str(ranks), sys.executable, "-m", "benchmarks.mpi_put", str(mib), str(repeats)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    samples = json.loads(done.stdout.splitlines()[-1])
    what = f"put over MPI, {ranks} ranks x {mib} MiB"
    return Row(what, "mpi4py Put", samples["ours"], samples["theirs"], at_most=PUT_LIMIT)


def gather(ranks: int, mib: int, repeats: int) -> Row:
    rows = (mib << 20) // (COLS * 4)
    text = PROGRAM.format(ranks=ranks, rows=rows, cols=COLS, all=ranks * rows)
    kernel = compile_kernel(ptoas.parse(text, "collective.pto"), "a5")
    sources = np.random.default_rng(0).random((ranks, rows, COLS), dtype=np.float32)
    result = np.zeros((ranks * rows, COLS), np.float32)
    plain = np.zeros_like(result)
    # Every rank has a `result` of its own; those of the other ranks are never touched, so they cost nothing.
    memory = 2 * ranks * result.nbytes
    ours, theirs = in_turns(
        lambda: run_in_process(kernel, ranks, {"sources": sources, "result@0": result}, max_memory=memory),
        lambda: np.concatenate(list(sources), axis=0, out=plain),
        repeats=repeats,
    )
    assert np.array_equal(result, plain)
    return Row(f"gather {ranks} ranks x {mib} MiB", "np.concatenate", ours, theirs, at_most=LIMIT)
