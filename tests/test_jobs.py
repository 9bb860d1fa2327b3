"""Items that several processes do: in order, each once, whatever becomes of a process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from ptoas.cli import command, processes
from ptoas.cli.sharing import each


def _square(number: int) -> tuple[int, int]:
    time.sleep(0.01)
    return number * number, os.getpid()


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_what_is_made_of_items_comes_in_their_order(jobs: int) -> None:
    found = list(each(range(40), _square, jobs))
    assert [square for square, _ in found] == [number**2 for number in range(40)]
    # This process is one of them.
    assert len({process for _, process in found}) == jobs
    assert os.getpid() in {process for _, process in found}


def test_so_does_it_where_nothing_forks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ptoas.cli.sharing.FORKS", False)
    found = list(each(range(40), _square, 2))
    assert [square for square, _ in found] == [number**2 for number in range(40)]
    assert os.getpid() not in {process for _, process in found}


def _itself(number: int) -> int:
    return number


@pytest.mark.parametrize("count", [0, 1, 4095, 4096, 4097, 10_000])
def test_there_may_be_more_items_than_a_pipe_holds_numbers(count: int) -> None:
    assert list(each(range(count), _itself, 2)) == list(range(count))


def _much(number: int, here: int) -> tuple[bytes, int]:
    time.sleep(1 if os.getpid() == here else 0.02)
    return bytes([number]) * 100_000, os.getpid()


def test_a_process_goes_on_while_what_it_has_made_is_not_read() -> None:
    """Each thing is more than a pipe holds, and this process is long at its own items."""
    found = list(each(range(20), partial(_much, here=os.getpid()), 2))
    assert [made for made, _ in found] == [bytes([number]) * 100_000 for number in range(20)]
    # Half of them, if the other had to wait until it is asked.
    assert [process for _, process in found].count(os.getpid()) < 5


def _once(number: int, folder: Path, here: int) -> int:
    (folder / str(number)).touch(exist_ok=False)
    time.sleep(0.01 if os.getpid() == here else 0.2)
    return number


def test_what_another_process_is_still_at_is_waited_for(tmp_path: Path) -> None:
    """And not done again."""
    assert list(each(range(12), partial(_once, folder=tmp_path, here=os.getpid()), 2)) == list(range(12))


def _fails_elsewhere(number: int, here: int, how: str) -> int:
    time.sleep(0.01)
    if os.getpid() != here:
        if how == "raises":
            raise ValueError(number)
        if how == "is interrupted":
            raise KeyboardInterrupt
        os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.parametrize("how", ["raises", "is interrupted", "is killed"])
def test_what_a_process_that_fails_has_taken_is_done_here(
    how: str, capfd: pytest.CaptureFixture[str]
) -> None:
    work = partial(_fails_elsewhere, here=os.getpid(), how=how)
    assert list(each(range(30), work, 3)) == list(range(30))
    assert capfd.readouterr().err == ""


def test_where_no_more_processes_are_to_be_had_fewer_do_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> int:
        raise BlockingIOError("try again")

    monkeypatch.setattr(os, "fork", refuse)
    assert {process for _, process in each(range(10), _square, 3)} == {os.getpid()}


def _fails_everywhere(number: int) -> int:
    if number == 7:
        raise ValueError("seven")
    return number


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_item_that_fails_everywhere_fails(jobs: int) -> None:
    found: list[int] = []
    with pytest.raises(ValueError, match="seven"):
        found.extend(each(range(20), _fails_everywhere, jobs))
    _wait_for_no_children()


def _children() -> list[int]:
    """The processes that this one has started and that still live."""
    found: list[int] = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, rest = int(status.parent.name), status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(rest[1]) == os.getpid() and rest[0] != "Z":
            found.append(pid)
    return found


def _wait_for_no_children(but: int = 0) -> None:
    until = time.monotonic() + 10
    while len(_children()) > but and time.monotonic() < until:
        time.sleep(0.01)
    assert len(_children()) == but


def test_processes_end_with_who_waits_for_them() -> None:
    found = each(range(1000), _square, 2)
    assert next(found)[0] == 0
    assert _children()
    del found
    _wait_for_no_children()


# --- one that is started ahead -----------------------------------------------------------------------

_PREPARED: list[int] = []


def _prepare() -> None:
    _PREPARED.append(os.getpid())


def _who_is_prepared(number: int) -> tuple[int, bool]:
    time.sleep(0.01)
    return number, os.getpid() in _PREPARED


@pytest.mark.parametrize("jobs", [2, 3])
def test_one_that_was_started_ahead_helps_prepared(jobs: int) -> None:
    processes.start_ahead(_prepare)
    found = list(each(range(40), _who_is_prepared, jobs))
    assert [number for number, _ in found] == list(range(40))
    assert {prepared for _, prepared in found} == {True, False}
    assert not _PREPARED  # not here
    # Once: who comes later has none.
    assert {prepared for _, prepared in each(range(40), _who_is_prepared, jobs)} == {False}


def test_one_that_was_started_ahead_is_not_kept_waiting_for() -> None:
    """Told more than a pipe holds, it would be until it is prepared; and where there is nothing, it ends."""
    processes.start_ahead(partial(time.sleep, 60))
    many = [f"{number:0100}" for number in range(1000)]
    assert list(each(many, len, 2)) == [100] * 1000
    _wait_for_no_children(but=1)
    processes.end_ahead()
    _wait_for_no_children()


def _fails() -> None:
    raise ImportError("no compiler")


def test_one_that_can_not_prepare_leaves_the_work_to_others() -> None:
    processes.start_ahead(_fails)
    assert list(each(range(40), _itself, 2)) == list(range(40))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("verify {}", True),
        ("verify -q x.pto {} --target a5 -j 12", True),
        ("verify {} -j auto", True),
        ("verify {} -j 1", False),
        ("verify -j1 {}", False),
        ("verify --jobs=1 {}", False),
        ("verify x.pto", False),
        ("lower {}", False),
        ("{}", False),
        ("", False),
    ],
)
def test_only_for_folders_that_are_checked_one_is_started_ahead(
    words: str, expected: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "processors", lambda: 2)
    assert command.is_much(words.format(tmp_path).split()) is expected
    monkeypatch.setattr(command, "processors", lambda: 1)
    assert not command.is_much(words.format(tmp_path).split())


def test_a_command_says_the_same_with_one_ahead_as_alone(tmp_path: Path) -> None:
    for number in range(30):
        extent = 8 * (number % 5 + 1)
        (tmp_path / f"{number}.pto").write_text(
            f"%t = pto.alloc_tile : !pto.tile_buf<vec, 16x{extent}xf16>\n"
        )
    said: list[tuple[int, str]] = []
    for jobs in ("1", "2", "auto"):
        words = [sys.executable, "-m", "ptoas", "verify", str(tmp_path), "--no-cache", "-j", jobs]
        done = subprocess.run(words, capture_output=True, text=True)
        assert not done.stderr
        said.append((done.returncode, done.stdout))
    assert said[0] == said[1] == said[2]
    assert said[0][0] == 1 and "PTO-V101" in said[0][1]
