"""Run by mpiexec on every rank: cases whose results rank 0 compares with those of one process.

The argument is how many cases to make, or a file of them: then their outcomes stand in a file beside it.
"""

from __future__ import annotations

import pickle
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np

import ptoas
from ptoas.compiler.run import run_ranks
from ptoas.diagnostics import PtoasError
from ptoas.diagnostics.render import render
from ptoas.runner.ranks.mpi import load_mpi
from tests.comm.programs import HANDSHAKE, SIGNAL, SOURCE_CHANGES, WAITS, gather

OPS = ("tgather", "tgather", "tgather", "tscatter", "tbroadcast", "treduce")


Outcome = tuple[str, dict[str, Any]]
"""Diagnostics and outputs of a run."""


def outcome(
    text: str, arguments: dict[str, Any], ranks: int | str, target: str = "a5", seed: int = 0
) -> Outcome | None:
    """Diagnostics and outputs of a run; `None` on a rank that has nothing to say."""
    try:
        module = ptoas.parse(text, "case.pto")
        result = run_ranks(module, arguments, target, ranks=ranks, force=True, seed=seed, generate=True)
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


def main() -> int:
    world = load_mpi().COMM_WORLD
    size, speaks = int(world.Get_size()), world.Get_rank() == 0
    if not sys.argv[1].isdigit():
        # Nobody waits for the one that compares: that is done by whoever started this.
        path = Path(sys.argv[1])
        found = [
            outcome(text, given, "mpi", target) for text, given, target in pickle.loads(path.read_bytes())
        ]
        if speaks:
            path.with_suffix(".done").write_bytes(pickle.dumps(found))
        return 0
    wrong = 0
    for number, (text, arguments) in enumerate(cases(size, int(sys.argv[1]))):
        copies = [{name: value.copy() for name, value in arguments.items()} for _ in range(2)]
        with_mpi = outcome(text, copies[0], "mpi")
        if with_mpi is None:
            continue
        alone = outcome(text, copies[1], size)
        assert alone is not None
        if not same(with_mpi, alone):
            print(f"case {number} differs:\n{text}\n{with_mpi}\n{alone}")
            wrong = 1
    if speaks:
        print("compared")
    return wrong


def same(one: Outcome, other: Outcome) -> bool:
    """Return True if two runs have the same findings and the same bytes."""
    if one[0] != other[0] or one[1].keys() != other[1].keys():
        return False
    return all(np.array_equal(one[1][name], other[1][name]) for name in one[1])


if __name__ == "__main__":
    raise SystemExit(main())
