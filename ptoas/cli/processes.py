"""Items that this process does together with some that it forks.

Nothing of `multiprocessing` is needed: to import it takes longer than its pools would save on 500 files.
"""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Generic, Never, TypeVar

Item = TypeVar("Item")
Done = TypeVar("Done")


def forked(items: Sequence[Item], work: Callable[[Item], Done], helpers: int) -> Iterator[Done]:
    """What `work` makes of each item, in their order."""
    _forget_ended()
    turns = _Turns(len(items))
    started: list[_Helper[Done]] = []
    done: dict[int, Done] = {}
    at = 0
    try:
        with suppress(OSError):  # where no more processes are to be had, fewer do it
            while len(started) < helpers:
                started.append(_Helper(items, work, turns))
        for number in turns:
            done[number] = work(items[number])
            for helper in started:
                done |= helper.given()
            while at in done:
                yield done.pop(at)
                at += 1
        for helper in started:
            done |= helper.given(wait=True)
        for number in range(at, len(items)):
            # What was taken and not given failed, as it will here, or was with a helper that was ended.
            yield done.pop(number) if number in done else work(items[number])
    finally:
        turns.close()
        for helper in started:
            helper.end()
        _forget_ended()


class _Turns:
    """The numbers of items, each for who takes it first, in any process: a pipe that is full of them."""

    _MOST = 4096
    """As many fit into the pipe of any system; where there are more items, a turn is for several."""

    def __init__(self, count: int):
        self._count, self._step = count, 1 + count // self._MOST
        self._out, full = os.pipe()
        os.write(full, b"".join(first.to_bytes(4, "little") for first in range(0, count, self._step)))
        os.close(full)

    def __iter__(self) -> Iterator[int]:
        while turn := os.read(self._out, 4):
            first = int.from_bytes(turn, "little")
            yield from range(first, min(first + self._step, self._count))

    def close(self) -> None:
        os.close(self._out)


class _Helper(Generic[Done]):
    """A process that does items in turn, and gives what it has made by a pipe."""

    def __init__(self, items: Sequence[Any], work: Callable[[Any], Done], turns: _Turns):
        self._out, into = os.pipe()
        self._read = bytearray()
        try:
            self._pid = os.fork()
            if self._pid == 0:
                _help(items, work, turns, into)
        except OSError:
            os.close(self._out)
            raise
        finally:
            os.close(into)

    def given(self, wait: bool = False) -> dict[int, Done]:
        """What has come since this was asked; with `wait`, all that will ever come."""
        os.set_blocking(self._out, wait)
        with suppress(BlockingIOError):
            while more := os.read(self._out, 1 << 16):
                self._read += more
        found: dict[int, Done] = {}
        at = 0
        while len(self._read) >= (start := at + _LENGTH):
            end = start + int.from_bytes(self._read[at:start], "little")
            if len(self._read) < end:
                break
            number, made = pickle.loads(self._read[start:end])
            found[number] = made
            at = end
        del self._read[:at]
        return found

    def end(self) -> None:
        os.close(self._out)
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGTERM)
        _ENDED.append(self._pid)


_ENDED: list[int] = []
"""Helpers that the system may still be at work to clear away, which nobody need wait for."""


def _forget_ended() -> None:
    _ENDED[:] = [pid for pid in _ENDED if not _is_gone(pid)]


def _is_gone(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:  # who calls this library waits for all children, or for none
        return True


_LENGTH = 8
"""Bytes before each thing that is given; they say how long it is."""


def _help(items: Sequence[Any], work: Callable[[Any], Any], turns: _Turns, into: int) -> Never:
    """Do items that nobody has taken, until there are none; one that fails is left to who waits for it.

    Who waits may be long at an item of its own: what the pipe does not hold is kept here meanwhile.
    """
    try:
        unsent = bytearray()
        os.set_blocking(into, False)
        for number in turns:
            made = pickle.dumps((number, work(items[number])))
            unsent += len(made).to_bytes(_LENGTH, "little") + made
            with suppress(BlockingIOError):
                _send(unsent, into)
        os.set_blocking(into, True)
        _send(unsent, into)
        os.close(into)  # now: the system would do it after it has taken back all memory
    finally:
        os._exit(0)  # and nothing is said of what failed, nor written that this process had begun to write


def _send(unsent: bytearray, into: int) -> None:
    while unsent:
        del unsent[: os.write(into, unsent)]
