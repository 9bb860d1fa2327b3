"""Items that this process does together with some that it forks.

Nothing of `multiprocessing` is needed: to import it takes longer than its pools would save on 500 files.
"""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")
Done = TypeVar("Done")


def forked(items: Sequence[Item], work: Callable[[Item], Done], helpers: int) -> Iterator[Done]:
    """What `work` makes of each item, in their order."""
    _forget_ended()
    done: dict[int, Done] = {}
    at = 0
    started: list[_Helper[Done]] = []
    order = pickle.dumps((items, work))
    if _AHEAD and len(order) <= _ROOM:
        turns, helper = _AHEAD.pop()
        started.append(helper)
        helper.order(order)
    else:
        turns = _Turns()
    try:
        with suppress(OSError):  # where no more processes are to be had, fewer do it
            while len(started) < helpers:
                started.append(helper := _Helper(turns))
                helper.order(order)
        turns.fill(len(items))
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


# --- ahead -----------------------------------------------------------------------------------------


def start_ahead(prepare: Callable[[], object]) -> None:
    """Start a helper before it is known what there is to do; meanwhile it prepares for it."""
    turns = _Turns()
    with suppress(OSError):
        _AHEAD.append((turns, _Helper(turns, prepare)))
        atexit.register(end_ahead)


def end_ahead() -> None:
    """There is nothing to do for who was started ahead."""
    while _AHEAD:
        turns, helper = _AHEAD.pop()
        turns.close()
        helper.end()


_AHEAD: list[tuple[_Turns, _Helper[Any]]] = []
_ROOM = 1 << 16
"""Bytes that a pipe holds: who is told more than that while it prepares lets wait who tells it."""


# --- helpers ---------------------------------------------------------------------------------------


class _Turns:
    """The numbers of items, each for who takes it first, in any process: a pipe that is filled with them."""

    _MOST = 2048
    """As many fit into the pipe of any system; where there are more items, a turn is for several."""

    def __init__(self) -> None:
        self._out, self._full = os.pipe()

    def fill(self, count: int) -> None:
        """All that there are; to be said once, by who knows."""
        step = 1 + count // self._MOST
        turns = [(first, min(first + step, count)) for first in range(0, count, step)]
        os.write(self._full, b"".join(number.to_bytes(4, "little") for turn in turns for number in turn))
        self.will_not_fill()

    def will_not_fill(self) -> None:
        os.close(self._full)
        self._full = -1

    def __iter__(self) -> Iterator[int]:
        while turn := os.read(self._out, 8):
            yield from range(int.from_bytes(turn[:4], "little"), int.from_bytes(turn[4:], "little"))

    def close(self) -> None:
        if self._full >= 0:
            self.will_not_fill()
        os.close(self._out)


class _Helper(Generic[Done]):
    """A process that does items in turn, once it is told what, and gives what it has made by a pipe."""

    def __init__(self, turns: _Turns, prepare: Callable[[], object] | None = None):
        ordered, self._order = os.pipe()
        self._out, into = os.pipe()
        self._read = bytearray()
        try:
            self._pid = os.fork()
        except OSError:
            os.close(self._out)
            os.close(self._order)
            raise
        else:
            if self._pid == 0:
                os.close(self._order)
                _help(turns, ordered, into, prepare)
        finally:
            os.close(into)
            os.close(ordered)

    def order(self, order: bytes) -> None:
        """Say what is to be done, with items and a function; it begins when there are turns."""
        with suppress(BrokenPipeError), os.fdopen(self._order, "wb") as file:
            file.write(order)
        self._order = -1

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
            found |= pickle.loads(self._read[start:end])
            at = end
        del self._read[:at]
        return found

    def end(self) -> None:
        os.close(self._out)
        if self._order >= 0:
            os.close(self._order)
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


_OFTEN = 0.05
"""Seconds between two times that a helper gives what it has made: together things take less."""

_LENGTH = 8
"""Bytes before each thing that is given; they say how long it is."""


def _help(turns: _Turns, ordered: int, into: int, prepare: Callable[[], object] | None) -> None:
    """Do items that nobody has taken, until there are none; one that fails is left to who waits for it.

    Who waits may be long at an item of its own: what the pipe does not hold is kept here meanwhile.
    """
    try:
        turns.will_not_fill()
        if prepare is not None:
            prepare()
        with os.fdopen(ordered, "rb") as file:
            order = file.read()
        if not order:
            return  # there was nothing to do
        items, work = pickle.loads(order)
        unsent = bytearray()
        made: dict[int, Any] = {}
        last = time.monotonic()
        os.set_blocking(into, False)
        for number in turns:
            made[number] = work(items[number])
            if time.monotonic() - last > _OFTEN:
                with suppress(BlockingIOError):
                    _send(unsent, made, into)
                last = time.monotonic()
        os.set_blocking(into, True)
        _send(unsent, made, into)
        os.close(into)  # now: the system would do it after it has taken back all memory
    finally:
        os._exit(0)  # and nothing is said of what failed, nor written that this process had begun to write


def _send(unsent: bytearray, made: dict[int, Any], into: int) -> None:
    given = pickle.dumps(made)
    made.clear()
    unsent += len(given).to_bytes(_LENGTH, "little") + given
    while unsent:
        del unsent[: os.write(into, unsent)]
