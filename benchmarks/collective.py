"""The collective gather beside NumPy: 8 ranks of 64 MiB, against one `np.concatenate` of the same arrays.

    python benchmarks/collective.py [--ranks 8] [--mib 64] [--repeat 5]

Both write into memory that has been touched before, and are measured in turns in one process; the figure is
the ratio of the best times. All checks are on, and the data goes through a staging tile in chunks.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import ptoas
from ptoas.interpreter.ranks import run_in_process
from ptoas.interpreter.run import compile as compile_kernel

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


def measure(ranks: int, mib: int, repeat: int, target: str = "a5") -> tuple[float, float]:
    """Best seconds of the gather, and of the concatenation."""
    rows = (mib << 20) // (COLS * 4)
    text = PROGRAM.format(ranks=ranks, rows=rows, cols=COLS, all=ranks * rows)
    kernel = compile_kernel(ptoas.parse(text, "collective.pto"), target)
    sources = np.random.default_rng(0).random((ranks, rows, COLS), dtype=np.float32)
    result = np.zeros((ranks * rows, COLS), np.float32)
    plain = np.zeros_like(result)
    # Every rank has a `result` of its own; those of the other ranks are never touched, so they cost nothing.
    memory = 2 * ranks * result.nbytes
    gather, concatenate = [], []
    for _ in range(repeat):
        started = time.perf_counter()
        run_in_process(kernel, ranks, {"sources": sources, "result@0": result}, max_memory=memory)
        gather.append(time.perf_counter() - started)
        started = time.perf_counter()
        np.concatenate(list(sources), axis=0, out=plain)
        concatenate.append(time.perf_counter() - started)
    assert np.array_equal(result, plain)
    return min(gather), min(concatenate)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--mib", type=int, default=64)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    gather, concatenate = measure(options.ranks, options.mib, options.repeat)
    ratio = gather / concatenate
    print(f"gather of {options.ranks} ranks x {options.mib} MiB  {gather * 1e3:9.1f} ms")
    print(f"np.concatenate                {concatenate * 1e3:9.1f} ms")
    print(f"ratio                         {ratio:9.2f}    (at most {LIMIT})")
    return 0 if ratio <= LIMIT else 1


if __name__ == "__main__":
    raise SystemExit(main())
