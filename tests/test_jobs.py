"""The process pool: results in order, whatever becomes of a worker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import pytest
from click.testing import CliRunner

from ptoas.cli.main import main
from ptoas.diagnostics import Diagnostic
from ptoas.diagnostics.files import open_plain
from ptoas.project.pool import map_files

GOOD = ".arg %a : !pto.tile<8x16xf32>\n%b = tadd %a, %a : !pto.tile<8x16xf32>\n"
BAD = "%t = pto.alloc_tile : !pto.tile_buf<vec, 16x8xf16>\n"
TESTED = """
// RUN-CHECK[cpu]: out == {expected}
func.func @f(%out: !pto.memref<1x8xi32>) {{
  %c5 = arith.constant 5 : i32
  %t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xi32>
  pto.tci ins(%c5 : i32) outs(%t : !pto.tile_buf<vec, 1x8xi32>)
  pto.tstore ins(%t : !pto.tile_buf<vec, 1x8xi32>) outs(%out : !pto.memref<1x8xi32>)
  return
}}
"""
COMMANDS = {
    "verify": ("--no-cache",),
    "lower": ("--target", "a5", "-o", "out"),
    "fmt": ("--check",),
    "test": (),
}
needs_proc = pytest.mark.skipif(not os.path.isdir("/proc"), reason="looks for processes in /proc")


def crash_of(finding: Diagnostic) -> str:
    return f"{finding.code} {finding.span.file}"


def names(count: int) -> list[str]:
    return [str(number) for number in range(count)]


# --- order -----------------------------------------------------------------------------------------


def _square(file: str) -> tuple[int, int]:
    time.sleep(0.02 if file == "0" else 0.01)
    return int(file) ** 2, os.getpid()


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_results_come_in_the_order_of_the_files(jobs: int) -> None:
    found = list(map_files(_square, names(40), jobs, lambda _: (-1, -1)))
    assert [square for square, _ in found] == [number**2 for number in range(40)]
    workers = {process for _, process in found}
    assert workers == {os.getpid()} if jobs == 1 else len(workers) == jobs and os.getpid() not in workers


def test_workers_need_not_be_forked() -> None:
    files = [f"folder/{name}" for name in names(9)]
    assert list(map_files(os.path.basename, files, 2, crash_of, get_context("spawn"))) == names(9)


def test_standard_input_is_processed_in_the_parent() -> None:
    """A worker has another one."""
    found = list(map_files(_name_and_process, ["1", "-", "2"], 2, lambda _: ("", 0)))
    assert [name for name, _ in found] == ["1", "-", "2"]
    assert [process == os.getpid() for _, process in found] == [False, True, False]


def _name_and_process(file: str) -> tuple[str, int]:
    return file, os.getpid()


def _fill(folder: Path) -> None:
    for number in range(9):
        text = (
            GOOD if number % 3 else BAD if number % 2 else TESTED.format(expected=f"iota(8) + {number - 1}")
        )
        (folder / f"{number}.pto").write_text(text)


@pytest.mark.parametrize("command", COMMANDS)
def test_output_does_not_depend_on_jobs_or_start_method(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill(tmp_path)
    monkeypatch.chdir(tmp_path)
    code = (
        "import multiprocessing, sys\n"
        "if __name__ == '__main__':\n"
        "    multiprocessing.set_start_method(sys.argv.pop())\n"
        "    from ptoas.cli.command import command\n"
        "    command()\n"
    )
    found: list[tuple[int, str, str]] = []
    for jobs, method in (("1", "fork"), ("2", "fork"), ("2", "spawn")):
        words = [sys.executable, "-c", code, command, ".", *COMMANDS[command], "-j", jobs, method]
        done = subprocess.run(words, capture_output=True, text=True)
        found.append((done.returncode, _without_time(done.stdout), done.stderr))
    assert found[0] == found[1] == found[2]
    assert found[0][0] == 1 and "9 " in found[0][1]


def _without_time(text: str) -> str:
    head, found, _ = text.rpartition(" (")
    return head if found else text


# --- failures --------------------------------------------------------------------------------------


def _kills_once(file: str, folder: Path) -> str:
    time.sleep(0.01)
    if file == "7" and not (folder / "killed").exists():
        (folder / "killed").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return file


def test_files_of_a_worker_that_dies_are_retried(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert list(map_files(partial(_kills_once, folder=tmp_path), names(30), 2, crash_of)) == names(30)
    assert (tmp_path / "killed").exists()
    assert capfd.readouterr().err == ""


def _kills(file: str, folder: Path) -> str:
    with (folder / file).open("a") as log:
        log.write("x")
    if file in ("7", "9"):
        os.kill(os.getpid(), signal.SIGKILL)
    return file


def test_a_file_that_kills_its_worker_again_is_a_finding(tmp_path: Path) -> None:
    found = list(map_files(partial(_kills, folder=tmp_path), names(30), 2, crash_of))
    crashed = {"7": "PTO-X002 7", "9": "PTO-X002 9"}
    assert found == [crashed.get(name, name) for name in names(30)]
    assert {path.read_text() for path in tmp_path.iterdir()} <= {"x", "xx"}, "nothing is tried a third time"


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_names_the_file_that_kills_its_worker(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill(tmp_path)
    monkeypatch.chdir(tmp_path)
    here = os.getpid()

    def kill(path: str) -> object:
        if os.path.basename(path) == "4.pto" and os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return open_plain(path)

    one = CliRunner().invoke(main, [command, ".", *COMMANDS[command], "-j", "1"])
    monkeypatch.setattr(sys.modules["ptoas.grammar.parse"], "open_plain", kill)
    done = CliRunner().invoke(main, [command, ".", *COMMANDS[command], "-j", "2"])
    assert done.exit_code == 1
    assert "[PTO-X002]" in done.output and "4.pto" in done.output
    assert "Traceback" not in done.output
    # The other files are processed all the same.
    for number in (0, 1, 8):
        assert done.output.count(f"{number}.pto") == one.output.count(f"{number}.pto")


def _fails(file: str) -> str:
    if file == "7":
        raise ValueError("seven")
    return file


@needs_proc
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_exception_is_raised_with_its_frames(jobs: int) -> None:
    found: list[str] = []
    with pytest.raises(ValueError, match="seven") as raised:
        found.extend(map_files(_fails, names(20), jobs, crash_of))
    assert raised.traceback[-1].name == "_fails", "the report of an internal error names the place"
    _wait_for_no_children()


@pytest.mark.parametrize("started", [0, 1])
def test_all_files_are_processed_here_where_no_worker_can_be_started(
    started: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    fork, left = os.fork, [None] * started

    def refuse() -> int:
        if not left:
            raise BlockingIOError("try again")
        left.pop()
        return fork()

    monkeypatch.setattr(os, "fork", refuse)
    found = list(map_files(_square, names(10), 3, lambda _: (-1, -1), get_context("fork")))
    assert {process for _, process in found} == {os.getpid()}
    _wait_for_no_children()


# --- ends ------------------------------------------------------------------------------------------


def _children(of: int) -> list[int]:
    """Return the processes that a process has started and that still live."""
    found: list[int] = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, rest = int(status.parent.name), status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(rest[1]) == of and rest[0] != "Z":
            found.append(pid)
    return found


def _wait_until(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not condition() and time.monotonic() < until:
        time.sleep(0.01)
    assert condition()


def _wait_for_no_children() -> None:
    # `multiprocessing` has a process of its own for semaphores of workers that are spawned.
    _wait_until(lambda: not [pid for pid in _children(os.getpid()) if "resource_tracker" not in _words(pid)])


def _words(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


@needs_proc
def test_workers_end_when_the_results_are_closed() -> None:
    found = map_files(_square, names(1000), 2, lambda _: (-1, -1))
    assert next(found)[0] == 0
    assert _children(os.getpid())
    del found
    _wait_for_no_children()


@needs_proc
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_end_with_the_parent(number: signal.Signals, method: str, tmp_path: Path) -> None:
    """One of them is busy, one waits for files."""
    markers = {tmp_path / "busy": 60, tmp_path / "idle": 0}
    texts = [f"(open({str(p)!r}, 'w').close(), __import__('time').sleep({n}))" for p, n in markers.items()]
    code = (
        "import signal\n"
        "from multiprocessing import get_context\n"
        "from ptoas.project.pool import map_files\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"for _ in map_files(eval, {texts!r}, 2, str, get_context({method!r})): pass\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    workers: list[int] = []
    try:
        _wait_until(lambda: all(each.exists() for each in markers))
        time.sleep(0.1)
        workers = _workers_of(parent.pid)
        assert len(workers) == 2
        if number == signal.SIGINT:
            os.killpg(parent.pid, number)  # as a terminal does
        else:
            parent.send_signal(number)
        parent.wait(20)
        _wait_until(lambda: not any(_lives(pid) for pid in workers))
    finally:
        parent.kill()
        for pid in filter(_lives, workers):
            os.kill(pid, signal.SIGKILL)  # else they would hold the pipe that is read here
        assert parent.stderr is not None
        said = parent.stderr.read()
    # The traceback is that of the parent alone.
    assert said.count("Traceback") == (number == signal.SIGINT), said


def _workers_of(pid: int) -> list[int]:
    return [child for child in _children(pid) if "resource_tracker" not in _words(child)]


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
