"""One process a rank: results and diagnostics as in one process, and no rank left behind."""

from __future__ import annotations

import pickle
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.comm.mpi_cases import outcome, same
from tests.comm.programs import gather
from tests.comm.remote_programs import FENCE, POLL, WAIT, ring

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


@pytest.mark.parametrize(
    ("name", "output", "checks"),
    [("gather_ranks", "result", 4), ("gather_ranks_pingpong", "result", 5), ("reduce_scatter", "arrived", 4)],
)
def test_the_examples(name: str, output: str, checks: int) -> None:
    done = ptoas(4, f"examples/{name}.pto", "--check-file")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(f"{output}:") == 1 and f"{checks} checks held" in done.stderr


def test_failure_ends_all_ranks_and_is_reported_once(tmp_path: Path) -> None:
    text = (ROOT / "examples" / "gather_ranks.pto").read_text().replace("cmpi eq", "cmpi ne")
    (tmp_path / "wrong.pto").write_text(text)
    done = ptoas(4, str(tmp_path / "wrong.pto"))
    assert done.returncode == 1
    assert done.stderr.count("PTO-R801") == 1 and "ranks 1, 2 and 3" in done.stderr


def test_unreadable_input_is_reported_once(tmp_path: Path) -> None:
    (tmp_path / "bad.pto").write_text("tgather %x\n")
    done = ptoas(3, str(tmp_path / "bad.pto"))
    assert done.returncode == 1 and done.stderr.count("error[") == 1


def test_crash_ends_all_ranks() -> None:
    code = (
        "import ptoas\n"
        "from ptoas.runner import outcomes\n"
        "from ptoas.runner.ranks import mpi\n"
        "from tests.comm.programs import gather\n"
        "def live(*work):\n"
        "    if mpi.load_mpi().COMM_WORLD.Get_rank() == 1: raise RuntimeError('gone')\n"
        "    return outcomes.live(*work)\n"
        "mpi.live = live\n"
        "ptoas.run_ranks(ptoas.parse(gather(3, (4, 8))), (), 'a5', ranks='mpi')\n"
    )
    done = mpiexec(3, "-c", code)
    assert done.returncode != 0 and "RuntimeError: gone" in done.stderr


element_types = {"f32": np.float32, "i32": np.int32, "f16": np.float16, "i16": np.int16, "i8": np.int8}

transfers = st.fixed_dictionaries(
    {
        "shape": st.tuples(st.integers(1, 9), st.integers(1, 40)),
        "tile": st.none() | st.tuples(st.integers(1, 4), st.integers(1, 24)),
        "tiles": st.integers(1, 2),
        "element": st.sampled_from([*element_types]),
        "adds": st.booleans(),
        "put": st.sampled_from(["tput", "tput", "tput_async"]),
        "wait": st.sampled_from([WAIT, WAIT, POLL, ""]),
        "target": st.sampled_from(["%peer", "%peer", "%peer", "%c0"]),
        "reach": st.sampled_from(["", "", "", "", "3"]),
        "machine": st.sampled_from(["cpu", "a5"]),
        "seed": st.integers(0, 9),
    }
)


def transfer(case: dict[str, Any], ranks: int) -> tuple[str, dict[str, Any], str]:
    """A program, its data, and the target: right, or wrong in one of the ways that there are."""
    rows, cols = (1, case["shape"][1]) if case["put"] == "tput_async" else case["shape"]
    adds = case["adds"] and case["put"] == "tput"
    # Where all tell rank 0, it waits for all of them: which one came first would be the schedule's business.
    wait = case["wait"].replace("%one", "%nranks") if case["target"] == "%c0" else case["wait"]
    text = ring(
        rows,
        cols,
        element=case["element"],
        tile=case["tile"],
        tiles=case["tiles"],
        fence=FENCE,
        wait=wait,
        put=case["put"],
        attrs="atomicType = #pto<atomic_type atomic_add>" if adds else "",
        reach=case["reach"],
        target=case["target"],
    )
    # Small whole numbers, so that no order of additions gives another sum.
    rng = np.random.default_rng(case["seed"])
    dtype = element_types[case["element"]]
    given = {name: rng.integers(-9, 9, (ranks, rows, cols)).astype(dtype) for name in ("src", "window")}
    return text, given, case["machine"]


# Making a failing list smaller would start processes for minutes; the message names the case.
@settings(max_examples=2, derandomize=True, phases=[Phase.generate])
@given(st.integers(2, 8), st.lists(transfers, min_size=6, max_size=6))
def test_transfers_as_in_one_process(ranks: int, cases: list[dict[str, Any]]) -> None:
    """The same bytes, or the same findings, whatever the schedule of the one process."""
    programs = [transfer(case, ranks) for case in cases]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cases"
        path.write_bytes(pickle.dumps(programs))
        done = mpiexec(ranks, "-m", "tests.comm.mpi_cases", str(path))
        assert done.returncode == 0, done.stdout + done.stderr
        found = pickle.loads(path.with_suffix(".done").read_bytes())
    for (text, data, target), with_mpi in zip(programs, found, strict=True):
        for schedule in range(3):
            copies = {name: value.copy() for name, value in data.items()}
            alone = outcome(text, copies, ranks, target, schedule)
            assert alone is not None and same(with_mpi, alone), f"{text}\n{with_mpi}\n{alone}"


def test_ranks_that_wait_for_nothing_say_so_themselves(tmp_path: Path) -> None:
    twice = "%two = arith.constant 2 : i32\n  " + WAIT.replace("%one", "%two")  # and everyone is told once
    (tmp_path / "wait.pto").write_text(ring(4, 8, fence=FENCE, wait=twice))
    done = ptoas(3, str(tmp_path / "wait.pto"))
    assert done.returncode == 1 and done.stderr.count("PTO-R803") == 1
    own = [line for line in done.stderr.splitlines() if line.startswith("rank ")]
    assert sorted(line.split(" | ")[0] for line in own) == ["rank 0", "rank 1", "rank 2"]
    assert all("waits until %signal >= 2; %signal[0] is 1" in line for line in own)


def test_data_of_all_ranks_from_a_file_and_to_one(tmp_path: Path) -> None:
    program, given_data, taken = (tmp_path / name for name in ("case.pto", "sources.npy", "own.npy"))
    program.write_text(gather(3, (2, 5, 12), (2, 8), root=1, tiles=2))
    sources = np.random.default_rng(0).random((3, 2, 5, 12), dtype=np.float32)
    np.save(given_data, sources)
    done = ptoas(3, str(program), "--arg", f"sources={given_data}", "--out", f"own={taken}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert np.array_equal(np.load(taken), np.concatenate(list(sources), axis=1))
