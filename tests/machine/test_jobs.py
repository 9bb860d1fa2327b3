# ruff: noqa: E501 - programs are text
"""Blocks in several processes: whatever the program does, the outcome is that of one job."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import ptoas
from ptoas.cli.main import main
from ptoas.compiler.run import compile as compile_program
from ptoas.diagnostics import PtoasError, UsageError
from ptoas.runner import jobs as several

ROW, VIEW = "!pto.tile_buf<vec, 1x8xf32>", "!pto.partition_tensor_view<1x8xf32>"
BLOCKS = 6

KERNEL = """
func.func @main(%x: !pto.memref<24x8xf32>, %out: !pto.memref<24x8xf32>, %bad: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %block = pto.get_block_idx : i64
  %b = arith.index_cast %block : i64 to index
  %step = arith.constant {step} : index
  %apart = arith.constant {apart} : index
  %first = arith.muli %b, %step : index
  %t = pto.alloc_tile : {row}
  scf.for %i = %c0 to %c4 step %c1 {{
    %far = arith.muli %i, %apart : index
    %at = arith.addi %first, %far : index
    %wrong = arith.cmpi eq, %b, %bad : index
    %shift = arith.select %wrong, %c8, %c0 : index
    %a = pto.partition_view %{source}, offsets = [%at, %shift], sizes = [%c1, %c8] : !pto.memref<24x8xf32> -> {view}
    %o = pto.partition_view %out, offsets = [%at, %c0], sizes = [%c1, %c8] : !pto.memref<24x8xf32> -> {view}
    pto.tload ins(%a : {view}) outs(%t : {row})
    {more}
    pto.tstore ins(%t : {row}) outs(%o : {view}) {atomic}
  }}
  return
}}
"""
ADD = "{atomicType = #pto<atomic_type atomic_add>}"
SHOW = f"pto.tprint ins(%t : {ROW})"
BEFORE = f"""%back = arith.subi %at, %c4 : index
    %from = arith.maxsi %back, %c0 : index
    %p = pto.partition_view %out, offsets = [%from, %c0], sizes = [%c1, %c8] : !pto.memref<24x8xf32> -> {VIEW}
    pto.tload ins(%p : {VIEW}) outs(%t : {ROW})"""

CASES: dict[str, tuple[dict[str, Any], dict[str, Any], int]] = {
    "rows of its own": ({}, {}, 2),
    "rows that lie between those of others": ({"step": 1, "apart": 6}, {}, 1),
    "without checks": ({}, {"checks": "none"}, 3),
    "what is printed, and counted": ({"more": SHOW}, {"stats": True}, 2),
    "on a host": ({}, {"target": "cpu"}, 1),
    "in place": ({"source": "out"}, {}, 1),
    "rows of others, too": ({"step": 3}, {}, 2),
    "combined with those of others": ({"step": 2, "atomic": ADD}, {}, 2),
    "what the block before it wrote, unchecked": ({"more": BEFORE}, {"checks": "mem"}, 2),
    "an error in a block": ({}, {"bad": 3}, 2),
    "an error in the last block": ({}, {"bad": 5}, 2),
    "too many operations": ({}, {"max_steps": 150}, 1),
}


def outcome(text: str, jobs: int | str, *, bad: int = -1, target: str = "a5", **options: Any) -> object:
    """All that a run shows."""
    x = np.arange(24 * 8, dtype=np.float32).reshape(24, 8)
    given = {"x": x, "out": np.full((24, 8), 2, np.float32), "bad": bad}
    said: list[str] = []
    kernel = compile_program(
        ptoas.parse(text, "test.pto"), target, blocks=BLOCKS, jobs=jobs, on_output=said.append, **options
    )
    try:
        result = kernel.execute(given)
    except PtoasError as error:
        return [each for each in error.diagnostics], given["out"].tobytes()
    assert result.outputs["out"] is given["out"], "memory is written in place"
    shown = {name: bits.tobytes() for name, bits in result.bits.items()}
    return shown, said, result.printed, result.warnings, result.stats, result.steps, given["out"].tobytes()


@pytest.mark.parametrize("name", CASES)
def test_the_outcome_is_that_of_one_job(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    changes, options, count = CASES[name]
    text = KERNEL.format(
        **{"step": 4, "apart": 1, "source": "x", "more": "", "atomic": "", "row": ROW, "view": VIEW} | changes
    )
    started: list[range] = []
    start = several._Workers.start

    def watched(self: Any, work: Any, blocks: range) -> None:
        started.append(blocks)
        start(self, work, blocks)

    monkeypatch.setattr(several._Workers, "start", watched)
    one = outcome(text, 1, **options)
    assert not started
    for jobs in range(2, 2 + count):
        started.clear()
        assert outcome(text, jobs, **options) == one
        assert [block for blocks in started for block in blocks] == list(range(BLOCKS * (jobs - 1) // jobs))


def test_the_memory_of_two_arguments_may_be_one() -> None:
    """One array by two names is one in all processes; arrays that overlap are left where they are."""
    text = KERNEL.format(step=4, apart=1, source="x", more="", atomic="", row=ROW, view=VIEW)
    for overlap in (0, 8):
        found = []
        for jobs in (1, 2):
            memory = np.arange(24 * 8 + overlap, dtype=np.float32)
            x, out = memory[overlap:].reshape(24, 8), memory[: 24 * 8].reshape(24, 8)
            given = {"x": x, "out": out if overlap else x, "bad": -1}
            kernel = compile_program(ptoas.parse(text, "test.pto"), "a5", blocks=4, jobs=jobs, checks="mem")
            kernel.execute(given)
            kernel.execute(given)
            found.append(memory.tobytes())
        assert found[0] == found[1]


class Theirs:
    """An array of another library."""

    def __init__(self, data: np.ndarray[Any, Any]):
        self.__array_interface__ = data.__array_interface__
        self.data = data


def test_arrays_that_can_not_be_written_and_those_of_others() -> None:
    text = KERNEL.format(step=4, apart=1, source="x", more="", atomic="", row=ROW, view=VIEW)
    x = np.arange(24 * 8, dtype=np.float32).reshape(24, 8)
    constant = np.zeros((24, 8), np.float32)
    constant.flags.writeable = False
    theirs = Theirs(np.zeros((24, 8), np.float32))
    for out in (constant, theirs):
        result = ptoas.run(ptoas.parse(text), {"x": x, "out": out, "bad": -1}, "a5", blocks=6, jobs=2)
        assert np.array_equal(result.outputs["out"], x)
    assert np.array_equal(theirs.data, x)
    assert not constant.any()


def test_memory_is_made_as_far_as_any_block_reaches() -> None:
    text = """func.func @main(%n: !pto.ptr<i32>, %x: !pto.ptr<f32>) {
  %block = pto.get_block_idx : i64
  %b = arith.index_cast %block : i64 to index
  %far = pto.load_scalar %n[%b] : !pto.ptr<i32> -> i32
  %at = arith.index_cast %far : i32 to index
  %v = pto.load_scalar %x[%at] : !pto.ptr<f32> -> f32
  return
}"""
    far = {"n": np.array([9, 5000, 3, 4], np.int32)}
    one, two = (
        ptoas.run(ptoas.parse(text), far, "a5", blocks=4, jobs=jobs, generate=True).arguments["x"]
        for jobs in (1, 2)
    )
    assert one.tobytes() == two.tobytes()
    assert one.size == 5001


def test_cores_of_a_block_stay_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block takes every other group of rows, on a cube core and two vector cores."""
    text = Path("examples/cube_to_vector.pto").read_text(encoding="utf-8")
    text = text.replace("%i = %c0 to %tiles step %c1", "%i = %me to %tiles step %all").replace(
        "    %c0 = arith.constant 0 : index\n",
        """    %c0 = arith.constant 0 : index
    %me64 = pto.get_block_idx : i64
    %me = arith.index_cast %me64 : i64 to index
    %all64 = pto.get_block_num : i64
    %all = arith.index_cast %all64 : i64 to index
""",
    )
    joined: list[int] = []
    join = several._join
    monkeypatch.setattr(
        several, "_join", lambda parts, cores: (joined.append(len(parts)), join(parts, cores))
    )
    found = []
    for jobs in (1, 3):
        result = ptoas.run(ptoas.parse(text), {"tiles": 6}, blocks=3, jobs=jobs, generate=True)
        found.append(({name: bits.tobytes() for name, bits in result.bits.items()}, result.steps))
    assert found[0] == found[1]
    assert joined == [3]


@pytest.mark.parametrize(
    "options, words",
    [
        ({"schedule": 1}, "--schedule follows"),
        ({"schedules": 3}, "--schedule follows"),
        ({"trace": True}, "--trace follows"),
        ({"prints": ["out"]}, "--print follows"),
        ({"jobs": 0}, "a number from 1, or auto; 0"),
    ],
)
def test_jobs_reject_options_that_need_one_process(options: dict[str, Any], words: str) -> None:
    text = KERNEL.format(step=4, apart=1, source="x", more="", atomic="", row=ROW, view=VIEW)
    with pytest.raises(UsageError, match=words):
        compile_program(ptoas.parse(text), "a5", **{"blocks": 4, "jobs": 2} | options)


def test_blocks_run_in_one_process_with_a_warning_without_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    text = KERNEL.format(step=4, apart=1, source="x", more="", atomic="", row=ROW, view=VIEW)
    monkeypatch.setattr(several.multiprocessing, "get_all_start_methods", lambda: ["spawn"])
    monkeypatch.setattr(several, "in_processes", lambda *_: pytest.fail("processes are started"))
    one, two = outcome(text, 1), outcome(text, 2)
    assert isinstance(one, tuple) and isinstance(two, tuple)
    note, *warnings = two[3]
    assert note.code == "PTO-R808" and not note.is_error and "one process" in note.message
    assert (*two[:3], warnings, *two[4:]) == one


def test_blocks_that_wait_for_each_other_are_refused() -> None:
    text = """func.func @main() {
  pto.syncall() mode = #pto.sync_all_mode<hard>, core_type = #pto.sync_core_type<aiv_only>
  return
}"""
    with pytest.raises(UsageError, match=r"wait for each other \(syncall at line 2\)"):
        compile_program(ptoas.parse(text), "a5", blocks=4, jobs="auto", force=True)


def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "kernel.pto"
    file.write_text(
        KERNEL.format(step=4, apart=1, source="x", more=SHOW, atomic="", row=ROW, view=VIEW), encoding="utf-8"
    )
    command = ["run", str(file), "--target", "a5", "--blocks", "6", "--arg", "bad=9"]
    runner = CliRunner()
    one, two = (runner.invoke(main, [*command, *rest]) for rest in ([], ["-j", "2"]))
    assert one.exit_code == two.exit_code == 0, two.output
    assert one.output == two.output
