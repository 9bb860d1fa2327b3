"""The collective gather beside NumPy: 8 ranks of 64 MiB, against one `np.concatenate` of the same arrays.

Both write into memory that has been touched before. All checks are on, and the data goes through a staging
tile in chunks.
"""

from __future__ import annotations

import numpy as np

import ptoas
from benchmarks.figures import Row, in_turns
from ptoas.runner.ranks.in_process import run_in_process
from ptoas.runner.run import compile as compile_kernel

LIMIT = 2.5
"""The gather takes at most this many times as long as the concatenation."""

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


def measure(quick: bool = False) -> list[Row]:
    return [gather(ranks=8, mib=4 if quick else 64, repeats=3 if quick else 7)]


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
