"""Run by mpiexec on every rank: puts of the machine and puts of mpi4py, of the same bytes to the same rank.

    mpiexec -n 8 python -m benchmarks.mpi_put MIB REPEATS

A run begins and ends with things that are no put: windows are made, results are collected. What counts is the
time between two barriers around what the ranks themselves do.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import ptoas
from benchmarks.collective import put_program
from ptoas.compiler.run import compile as compile_kernel
from ptoas.runner.ranks import mpi as over_mpi
from ptoas.runner.values import DEFAULT_MAX_MEMORY

PUTS = 4
"""Number of puts of one sample."""


class Clock:
    """Time of all ranks between two barriers."""

    def __init__(self, comm: Any):
        self.comm = comm
        self.taken = 0.0

    def around(self, work: Callable[..., Any], *given: Any) -> Any:
        self.comm.Barrier()
        start = time.perf_counter()
        result = work(*given)
        self.comm.Barrier()
        self.taken = (time.perf_counter() - start) / PUTS
        return result


def main() -> int:
    mib, repeats = int(sys.argv[1]), int(sys.argv[2])
    mpi = over_mpi.load_mpi()
    comm = mpi.COMM_WORLD
    clock = Clock(comm)
    live = over_mpi.live
    over_mpi.live = lambda *given: clock.around(live, *given)
    kernel = compile_kernel(ptoas.parse(put_program(mib), "put.pto"), "a5")
    source = np.random.default_rng(comm.Get_rank()).random(mib << 18, dtype=np.float32)

    def ours() -> None:
        given = {"src": source, "window": np.zeros_like(source), "times": PUTS}
        over_mpi.run_with_mpi(lambda: kernel, given, seed=0, max_memory=DEFAULT_MAX_MEMORY)

    def theirs() -> None:
        window: Any = mpi.Win.Allocate(source.nbytes, 1, comm=comm)
        np.frombuffer(window.tomemory(), np.uint8)[:] = 0
        window.Lock_all()
        peer = (comm.Get_rank() + 1) % comm.Get_size()

        def puts() -> None:
            for _ in range(PUTS):
                window.Put([source, mpi.BYTE], peer)
                window.Flush(peer)

        clock.around(puts)
        window.Unlock_all()
        window.Free()

    samples: dict[str, list[float]] = {"ours": [], "theirs": []}
    for _ in range(repeats):
        for work in (ours, theirs):
            work()
            samples[work.__name__].append(clock.taken)
    if comm.Get_rank() == 0:
        print(json.dumps(samples))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
