"""Run by mpiexec on every rank: cases whose results rank 0 compares with those of one process.

The argument is how many cases to make, or a file of them: a list of (text, seed of the data, target).
"""

from __future__ import annotations

import pickle
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np

import ptoas
from ptoas.diagnostics import PtoasError
from ptoas.diagnostics.render import render
from ptoas.runner.ranks.in_process import run_ranks
from ptoas.runner.ranks.mpi import load_mpi
from tests.comm.programs import HANDSHAKE, SIGNAL, SOURCE_CHANGES, WAITS, gather

OPS = ("tgather", "tgather", "tgather", "tscatter", "tbroadcast", "treduce")


def outcome(
    text: str, arguments: dict[str, Any], ranks: int | str, target: str = "a5", seed: int = 0
) -> tuple[str, dict[str, Any]] | None:
    """Diagnostics and outputs of a run; `None` on a rank that has nothing to say."""
    try:
        module = ptoas.parse(text, "case.pto")
        result = run_ranks(module, arguments, target, ranks=ranks, force=True, seed=seed)
    except PtoasError as error:
        return ("\n".join(map(render, error.diagnostics)), {}) if error.diagnostics else None
    return None if result is None else ("", result.outputs)


def cases(size: int, count: int) -> list[tuple[str, dict[str, Any]]]:
    rng = random.Random(size)
    found: list[tuple[str, dict[str, Any]]] = []
    for number in range(count):
        op = rng.choice(OPS)
        outer = [rng.randint(1, 3) for _ in range(rng.randint(0, 3))]
        shape = (*outer, rng.randint(1, 12), rng.randint(1, 20))
        tile = rng.choice([None, (rng.randint(1, 8), rng.randint(1, 16))])
        root = rng.randrange(size)
        text = gather(size, shape, tile, root=root, tiles=rng.randint(1, 2), op=op)
        data = np.random.default_rng(number).random((size, *shape), dtype=np.float32)
        found.append((text, {"sources": data}))
    if size == 2:
        found.append((SOURCE_CHANGES, {}))
        # Memory with gaps between its rows: what crosses from one process to the other are the rows alone.
        padded = gather(2, (4, 8)).replace("memref<4x8xf32>", "memref<4x8xf32, nd, strides=[12, 1]>")
        found.append((padded, {"sources": np.arange(64, dtype=np.float32).reshape(2, 4, 8)}))
        for signal in (SIGNAL, ""):
            windows = {"w0": np.arange(300, dtype=np.int32), "w1": np.zeros(300, np.int32)}
            found.append((HANDSHAKE.format(signal=signal), windows))
    if size == 4:
        found.append((WAITS, {}))
        found.append((gather(4, (4, 8)).replace("arith.cmpi eq", "arith.cmpi sge"), {}))
    return found


def differs(
    text: str, arguments: dict[str, Any], size: int, target: str = "a5", seed: int = 0, schedules: int = 1
) -> str | None:
    """What rank 0 has to say of a case; data comes from the seed, whoever runs it."""
    copies = {name: value.copy() for name, value in arguments.items()}
    with_mpi = outcome(text, copies, "mpi", target, seed)
    if with_mpi is None:
        return None
    for schedule in range(schedules):
        copies = {name: value.copy() for name, value in arguments.items()}
        # The order of turns follows from the seed; the data must not.
        alone = outcome(text, copies, size, target, seed if schedules == 1 else schedule)
        assert alone is not None
        same = with_mpi[0] == alone[0] and with_mpi[1].keys() == alone[1].keys()
        if not same or any(not np.array_equal(with_mpi[1][n], alone[1][n]) for n in alone[1]):
            return f"schedule {schedule}:\n{text}\n{with_mpi}\n{alone}"
    return None


def main() -> int:
    size = int(load_mpi().COMM_WORLD.Get_size())
    wrong: list[str | None] = []
    if sys.argv[1].isdigit():
        wrong += [differs(text, given, size) for text, given in cases(size, int(sys.argv[1]))]
    else:
        for text, given, target in pickle.loads(Path(sys.argv[1]).read_bytes()):
            wrong.append(differs(text, given, size, target, schedules=3))
    for number, each in enumerate(wrong):
        if each is not None:
            print(f"case {number} differs, {each}")
    if load_mpi().COMM_WORLD.Get_rank() == 0:
        print("compared")
    return int(any(wrong))


if __name__ == "__main__":
    raise SystemExit(main())
