# ruff: noqa: E501 - programs are text
"""Ranks in several processes: whatever the program does, the outcome is that of one job."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoas
from ptoas.cli.main import main
from ptoas.compiler.run import run_ranks
from ptoas.diagnostics import PtoasError, UsageError
from ptoas.runner import jobs as several

from .programs import HANDSHAKE, SIGNAL, SOURCE_CHANGES, gather
from .remote_programs import ring

EXAMPLES = Path(__file__).parents[2] / "examples"
TILE, VIEW, MEMORY = (
    "!pto.tile_buf<vec, 1x{cols}xf32>",
    "!pto.tensor_view<1x{cols}xf32>",
    "!pto.memref<{all}x{cols}xf32>",
)
ROW = "!pto.partition_tensor_view<1x{cols}xf32>"

PUT = """
func.func @main(%x: {memory}, %out: {memory}, %window: !pto.ptr<f32>, %ctx: !pto.ptr<i64>, %my_rank: index, %nranks: index, %bad: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %rows = arith.constant {rows} : index
  %cols = arith.constant {cols} : index
  %size = arith.constant 4 : i64
  %far = arith.constant {far} : index
  %after = arith.addi %my_rank, %far : index
  %peer = arith.remui %after, %nranks : index
  %at_own = arith.addi %my_rank, %c4 : index
  %at_peer = arith.addi %peer, %c4 : index
  %own = pto.load_scalar %ctx[%at_own] : !pto.ptr<i64> -> i64
  %base = pto.load_scalar %ctx[%at_peer] : !pto.ptr<i64> -> i64
  %bytes = arith.subi %base, %own : i64
  %elements = arith.divsi %bytes, %size : i64
  %distance = arith.index_cast %elements : i64 to index
  %there = pto.addptr %window, %distance : !pto.ptr<f32> -> !pto.ptr<f32>
  %block = pto.get_block_idx : i64
  %b = arith.index_cast %block : i64 to index
  %first = arith.muli %b, %rows : index
  %t = pto.alloc_tile : {tile}
  %left = pto.alloc_tile : {tile}
  %wrong = arith.cmpi eq, %my_rank, %bad : index
  %shift = arith.select %wrong, %cols, %c0 : index
  scf.for %i = %c0 to %rows step %c1 {{
    %at = arith.addi %first, %i : index
    %a = pto.partition_view %x, offsets = [%at, %shift], sizes = [%c1, %cols] : {memory} -> {row}
    %o = pto.partition_view %out, offsets = [%at, %c0], sizes = [%c1, %cols] : {memory} -> {row}
    %from = arith.muli %at, %cols : index
    %p = pto.addptr %there, %from : !pto.ptr<f32> -> !pto.ptr<f32>
    %w = pto.make_tensor_view %p, shape = [%c1, %cols], strides = [%cols, %c1] : {view}
    pto.tload ins(%a : {row}) outs(%t : {tile})
    {more}
    pto.tstore ins(%t : {tile}) outs(%o : {row})
    pto.tneg ins(%t : {tile}) outs(%left : {tile})
    pto.tstore ins(%t : {tile}) outs(%w : {view})
  }}
  return
}}
"""


def put(rows: int = 2, cols: int = 8, blocks: int = 1, far: int = 1, more: str = "") -> str:
    """Each rank copies its rows, and puts them into the window of another one."""
    sizes = {"all": rows * blocks, "cols": cols}
    types = {"tile": TILE, "view": VIEW, "memory": MEMORY, "row": ROW}
    made = {name: text.format(**sizes) for name, text in types.items()}
    return PUT.format(rows=rows, cols=cols, far=far, more=more.format(**made), **made)


SHOW = "pto.tprint ins(%t : {tile})"


def given_to(ranks: int, rows: int = 2, cols: int = 8, blocks: int = 1) -> dict[str, Any]:
    shape = (ranks, rows * blocks, cols)
    return {
        "x": np.arange(np.prod(shape), dtype=np.float32).reshape(shape),
        "out": np.full(shape, 7, np.float32),
        "window": np.full((ranks, rows * blocks * cols), 9, np.float32),
        "bad": -1,
    }


def outcome(text: str, ranks: int, given: dict[str, Any], jobs: int | str, **options: Any) -> Any:
    """All that a run shows, and what it leaves in the caller's arrays."""
    said: list[str] = []
    arrays = {
        name: np.array(value) if isinstance(value, np.ndarray) else value for name, value in given.items()
    }
    try:
        result = run_ranks(
            ptoas.parse(text, "test.pto"), arrays, "a5", ranks=ranks, jobs=jobs, on_output=said.append,
            generate=True, **options,
        )  # fmt: skip
    except PtoasError as error:
        found: Any = list(error.diagnostics)
    else:
        assert result is not None
        for name, value in arrays.items():
            if isinstance(value, np.ndarray) and name in result.outputs:
                assert np.may_share_memory(result.outputs[name], value), "memory is written in place"
        found = [
            (
                each.printed,
                each.warnings,
                each.stats,
                each.steps,
                *map(_shown, (each.bits, each.outputs, each.arguments)),
            )
            for each in (result, *result.ranks)
        ]
    return found, said, _shown(arrays)


def _shown(values: dict[str, Any]) -> dict[str, Any]:
    return {
        name: (value.shape, value.dtype, value.tobytes()) if isinstance(value, np.ndarray) else value
        for name, value in values.items()
    }


class Watch:
    """Number of processes that ended regularly, run by run; 0: none did."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        from ptoas.runner.ranks import jobs as ranks

        self.counted: list[int] = []

        def watched(*work: Any) -> Any:
            found = several.in_processes(*work)
            self.counted.append(0 if found is None else len(found))
            return found

        monkeypatch.setattr(ranks, "in_processes", watched)


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    return Watch(monkeypatch)


CASES: dict[str, tuple[str, int, dict[str, Any], dict[str, Any], int]] = {
    "rows of the next rank": (put(), 5, {}, {}, 2),
    "what is printed and counted": (put(more=SHOW), 3, {}, {"stats": True}, 3),
    "without checks": (put(), 4, {}, {"checks": "none"}, 2),
    "blocks of every rank": (put(blocks=3), 3, {"blocks": 3}, {"blocks": 3}, 2),
    "an error in a rank": (put(), 4, {"bad": 2}, {}, 0),
    "too many operations of every rank": (put(), 4, {}, {"max_steps": 8}, 0),
}


@pytest.mark.parametrize("name", CASES)
def test_the_outcome_is_that_of_one_job(name: str, watch: Watch) -> None:
    text, ranks, changes, options, count = CASES[name]
    bad = changes.get("bad", -1)
    sizes = {key: value for key, value in changes.items() if key != "bad"}
    arguments = {**given_to(ranks, **sizes), "bad": bad}
    one = outcome(text, ranks, arguments, 1, **options)
    assert not watch.counted
    assert outcome(text, ranks, arguments, count or 2, **options) == one
    assert watch.counted == [count]


@settings(max_examples=12)
@given(
    ranks=st.integers(2, 6),
    rows=st.integers(1, 3),
    cols=st.sampled_from([8, 24, 64]),
    blocks=st.integers(1, 2),
    far=st.integers(0, 3),
    jobs=st.sampled_from([2, 2, 3]),
    stacked=st.booleans(),
    shows=st.booleans(),
)
def test_of_any_shape(
    ranks: int, rows: int, cols: int, blocks: int, far: int, jobs: int, stacked: bool, shows: bool
) -> None:
    text = put(rows, cols, blocks, far, SHOW if shows else "")
    arguments = given_to(ranks, rows, cols, blocks)
    if not stacked:
        # The arrays of each rank by its number, one of them for all, and one that nobody gives.
        arguments |= {f"out@{rank}": part for rank, part in enumerate(arguments.pop("out"))}
        arguments["x"] = arguments["x"][0]
        del arguments["window"]
    options = {"blocks": blocks, "stats": True}
    assert outcome(text, ranks, arguments, jobs, **options) == outcome(text, ranks, arguments, 1, **options)


WARNS = """
func.func @main(%my_rank: index) {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %half = arith.remui %my_rank, %c2 : index
  %odd = arith.cmpi eq, %half, %c1 : index
  scf.if %odd {
    pto.set_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID3>]
  }
  return
}
"""


def test_warnings_name_their_ranks(watch: Watch) -> None:
    one, two = (outcome(WARNS, 4, {}, jobs, force=True) for jobs in (1, 2))
    (warning,) = one[0][0][1]
    assert warning.message.startswith("ranks 1 and 3: ")
    assert two == one
    assert watch.counted == [2]


def test_collectives(watch: Watch) -> None:
    """Results of the root reach the parent process; shared memory is written in place."""
    for op, root, counted in (("tgather", 0, 2), ("tgather", 3, 2), ("tscatter", 0, 2), ("treduce", 1, 2)):
        attrs = "op = #pto<reduce_op sum>" if op == "treduce" else ""
        text = gather(4, (5, 12), (2, 7), root=root, op=op, attrs=attrs)
        rows = 20 if op != "treduce" else 5
        own = np.random.default_rng(1).random((rows, 12), dtype=np.float32)
        arguments = {"sources": np.arange(240, dtype=np.float32).reshape(4, 5, 12), f"own@{root}": own}
        assert outcome(text, 4, arguments, 2) == outcome(text, 4, arguments, 1)
        assert watch.counted.pop() == counted


def test_a_race_between_ranks_is_found(watch: Watch) -> None:
    one, two = (outcome(SOURCE_CHANGES, 2, {}, jobs) for jobs in (1, 2))
    assert [each.code for each in one[0]] == ["PTO-R802"]
    assert two == one
    assert watch.counted == [0]
    unchecked = [outcome(SOURCE_CHANGES, 2, {}, jobs, checks="mem") for jobs in (1, 2)]
    assert unchecked[0] == unchecked[1]
    assert watch.counted == [0, 0], "nothing is said of it, and yet one process does it"


@pytest.mark.parametrize("more", ["", "\n      pto.tprint ins(%half : !half)"])
def test_cores_of_a_rank_stay_together(more: str, watch: Watch) -> None:
    """The next rank continues, and may print in between, while cores of a rank wait for each other."""
    text = (EXAMPLES / "cube_to_vector.pto").read_text(encoding="utf-8")
    text = text.replace("{split = 1} -> !half\n", f"{{split = 1}} -> !half{more}\n")
    one, two = (outcome(text, 3, {"tiles": 6}, jobs, stats=True) for jobs in (1, 3))
    assert two == one
    assert bool(one[1]) == bool(more)
    assert watch.counted == [3]


READS = """
func.func @main(%n: !pto.ptr<i32>, %x: !pto.ptr<f32>, %out: !pto.ptr<f32>, %my_rank: index) {
  %far = pto.load_scalar %n[%my_rank] : !pto.ptr<i32> -> i32
  %at = arith.index_cast %far : i32 to index
  %v = pto.load_scalar %x[%at] : !pto.ptr<f32> -> f32
  pto.store_scalar %v, %out[%at] : !pto.ptr<f32>, f32
  return
}
"""
"""Program that reaches into memory of unknown size."""


def test_memory_that_grows(watch: Watch) -> None:
    given = {f"n@{rank}": np.arange(4, dtype=np.int32)[::-1] * 3000 for rank in range(4)}
    one, two = (outcome(READS, 4, given, jobs) for jobs in (1, 2))
    assert two == one
    assert watch.counted == [2]
    # Each process would stay within it.
    one, two = (outcome(READS, 4, given, jobs, max_memory=200_000) for jobs in (1, 2))
    assert {each.code for each in one[0]} == {"PTO-R606"}
    assert two == one
    assert watch.counted == [2, 2]


@pytest.mark.parametrize("names", [("out@0", "out@1", "out@2"), ("out", "window"), ("x", "out")])
def test_the_memory_of_two_arguments_may_be_one(names: tuple[str, ...], watch: Watch) -> None:
    """Then the order of the ranks says what is left in it; one process keeps that."""
    found = []
    for jobs in (1, 2):
        arguments = given_to(3)
        same = arguments.pop("out")
        arguments |= {name: same[0] if "@" in name else same for name in names}
        arguments["window"] = arguments["window"].reshape(3, 16)
        run_ranks(ptoas.parse(put()), arguments, "a5", ranks=3, jobs=jobs, checks="mem")
        found.append(same.tobytes())
    assert found[0] == found[1]
    assert not watch.counted, "no process is started for it"


def test_strided_and_read_only_arrays(watch: Watch) -> None:
    """Not in a row, or not to be written."""
    found = []
    for jobs in (1, 2):
        arguments = given_to(3)
        whole = arguments["out"]
        arguments["out"] = wide = np.full((3, 8, 2), 7, np.float32).transpose(0, 2, 1)
        arguments["window"].flags.writeable = False
        arguments["out@1"] = constant = np.full((2, 8), 7, np.float32)
        constant.flags.writeable = False
        result = run_ranks(ptoas.parse(put()), arguments, "a5", ranks=3, jobs=jobs)
        assert result is not None
        assert np.array_equal(wide[[0, 2]], arguments["x"][[0, 2]]) and (constant == 7).all()
        assert np.array_equal(result.outputs["out@1"], arguments["x"][1])
        assert (arguments["window"] == 9).all()
        assert np.array_equal(result.outputs["window"].reshape(whole.shape), np.roll(arguments["x"], 1, 0))
        found.append({name: each.tobytes() for name, each in result.bits.items()})
    assert found[0] == found[1]
    assert watch.counted == [2]


ASTRAY = """
func.func @main(%window: !pto.ptr<f32>, %other: !pto.ptr<f32>, %out: !pto.ptr<f32>, %ctx: !pto.ptr<i64>, %my_rank: index, %nranks: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %size = arith.constant 4 : i64
  %gap = arith.constant 256 : index
  %one = arith.constant 5.0 : f32
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
  %q = pto.addptr %other, %distance : !pto.ptr<f32> -> !pto.ptr<f32>
  %v = pto.load_scalar %q[%c0] : !pto.ptr<f32> -> f32
  pto.store_scalar %v, %out[%c0] : !pto.ptr<f32>, f32
  %more = arith.addf %v, %one : f32
  pto.store_scalar %more, %p[%gap] : !pto.ptr<f32>, f32
  return
}
"""
"""Every rank goes beyond a window, and comes to another one, which it seems to read only."""


def test_a_window_that_is_reached_from_another(watch: Watch) -> None:
    given = {
        "window": np.zeros((4, 8), np.float32),
        "other": np.ones((4, 8), np.float32),
        "out": np.zeros((4, 1), np.float32),
    }
    one, two = (outcome(ASTRAY, 4, given, jobs) for jobs in (1, 2))
    assert isinstance(one[0][0], tuple), one[0]
    assert two == one
    assert np.frombuffer(two[2]["other"][2], np.float32)[::8].tolist() == [6] * 4
    assert watch.counted == [2]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            ring(4, 8),
            r"ranks wait for each other \(comm.twait at line \d+\).*mpiexec -n 2 ptoas run FILE --ranks mpi",
        ),
        (HANDSHAKE.format(signal=SIGNAL), r"\(load_scalar at line 14\)"),
    ],
)
def test_ranks_that_wait_for_each_other_are_refused(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        run_ranks(
            ptoas.parse(text), (), "a5", ranks=2, jobs="auto" if several.processes("auto", 2) > 1 else 2
        )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"schedule": 1}, "--schedule follows"),
        ({"schedules": 3}, "--schedules follows"),
        ({"trace": True}, "--trace follows"),
        ({"prints": ["out"]}, "--print follows"),
        ({"jobs": 0}, "a number from 1, or auto; 0"),
        ({"ranks": "mpi"}, "each is in its own"),
    ],
)
def test_jobs_reject_options_that_need_one_process(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        run_ranks(ptoas.parse(put()), (), "a5", **{"ranks": 2, "jobs": 2} | options)


def test_run_continues_in_one_process_without_fork(monkeypatch: pytest.MonkeyPatch, watch: Watch) -> None:
    monkeypatch.setattr(several.multiprocessing, "get_all_start_methods", lambda: ["spawn"])
    module = ptoas.parse(put(), "test.pto")
    found = run_ranks(module, given_to(3), "a5", ranks=3, jobs=2)
    alone = run_ranks(module, given_to(3), "a5", ranks=3, jobs=1)
    assert found is not None and alone is not None
    assert _shown(found.outputs) == _shown(alone.outputs)
    note, *others = found.warnings
    assert note.code == "PTO-R808" and not note.is_error and others == alone.warnings
    assert not watch.counted


def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "kernel.pto"
    file.write_text(put(more=SHOW), encoding="utf-8")
    command = ["run", str(file), "--target", "a5", "--ranks", "3", "--arg", "bad=9"]
    runner = CliRunner()
    one, two = (runner.invoke(main, [*command, *rest]) for rest in ([], ["-j", "2"]))
    assert one.exit_code == two.exit_code == 0, two.output
    assert one.output == two.output
