"""One process a rank: results and diagnostics as in one process, and no rank left behind."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from tests.comm.programs import gather
from tests.comm.test_ranks import cases

pytest.importorskip("mpi4py")

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
MPIEXEC = shutil.which("mpiexec", path=str(BIN)) or shutil.which("mpiexec")

pytestmark = pytest.mark.skipif(MPIEXEC is None, reason="there is no mpiexec")


def mpiexec(ranks: int, *command: str) -> subprocess.CompletedProcess[str]:
    whole = [str(MPIEXEC), "-n", str(ranks), sys.executable, *command]
    return subprocess.run(whole, capture_output=True, text=True, timeout=120, cwd=ROOT)


def ptoas(ranks: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    return mpiexec(ranks, "-m", "ptoas", "run", "--target", "a5", "--ranks", "mpi", *arguments)


@pytest.mark.parametrize(("ranks", "cases"), [(1, 6), (2, 8), (4, 8), (8, 2)])
def test_as_in_one_process(ranks: int, cases: int) -> None:
    done = mpiexec(ranks, "-m", "tests.comm.mpi_cases", str(cases))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "compared\n"


@pytest.mark.parametrize(("name", "checks"), [("gather_ranks", 4), ("gather_ranks_pingpong", 5)])
def test_the_examples(name: str, checks: int) -> None:
    done = ptoas(4, f"examples/{name}.pto", "--check-file")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("result:") == 1 and f"{checks} checks held" in done.stderr


def test_a_failure_ends_all_and_is_said_once(tmp_path: Path) -> None:
    text = (ROOT / "examples" / "gather_ranks.pto").read_text().replace("cmpi eq", "cmpi ne")
    (tmp_path / "wrong.pto").write_text(text)
    done = ptoas(4, str(tmp_path / "wrong.pto"))
    assert done.returncode == 1
    assert done.stderr.count("PTO-R801") == 1 and "ranks 1, 2 and 3" in done.stderr


def test_what_can_not_be_read_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "bad.pto").write_text("tgather %x\n")
    done = ptoas(3, str(tmp_path / "bad.pto"))
    assert done.returncode == 1 and done.stderr.count("error[") == 1


def test_a_crash_leaves_nobody_waiting() -> None:
    code = (
        "import ptoas\n"
        "from ptoas.runner.ranks import in_process as ranks, mpi\n"
        "from tests.comm.programs import gather\n"
        "def live(*work):\n"
        "    if mpi.load_mpi().COMM_WORLD.Get_rank() == 1: raise RuntimeError('gone')\n"
        "    return ranks.live(*work)\n"
        "mpi.live = live\n"
        "ranks.run_ranks(ptoas.parse(gather(3, (4, 8))), (), 'a5', ranks='mpi')\n"
    )
    done = mpiexec(3, "-c", code)
    assert done.returncode != 0 and "RuntimeError: gone" in done.stderr


@settings(max_examples=4, deadline=None, derandomize=True)
@given(cases)
def test_gather_concatenates_over_processes(case: dict[str, Any]) -> None:
    ranks, shape = case["ranks"], case["shape"]
    root = case["root"] % ranks
    text = gather(ranks, shape, case["tile"], root=root, tiles=case["tiles"])
    sources = np.random.default_rng(case["seed"]).random((ranks, *shape), dtype=np.float32)
    with tempfile.TemporaryDirectory() as folder:
        program, given_data, taken = (Path(folder) / name for name in ("case.pto", "sources.npy", "own.npy"))
        program.write_text(text)
        np.save(given_data, sources)
        done = ptoas(ranks, str(program), "--arg", f"sources={given_data}", "--out", f"own={taken}")
        assert done.returncode == 0, done.stdout + done.stderr
        found = np.load(taken)
    assert np.array_equal(found, np.concatenate(list(sources), axis=len(shape) - 2))
