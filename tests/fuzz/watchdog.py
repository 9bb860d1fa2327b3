"""No check may take longer than its text is long: a limit of processor time."""

from __future__ import annotations

import faulthandler
import resource
import signal
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

BASE_SECONDS = 4.0
SECONDS_PER_BYTE = 0.0004
"""Both generous: a hundred times what a text of the corpus takes."""

MEMORY_BYTES = 6 << 30


class Hang(BaseException):
    """A check went over its budget. No `Exception`, so that nothing in the tool takes it for its own."""


def _expire(_: int, __: FrameType | None) -> None:
    raise Hang("over the budget of processor time")


@contextmanager
def budget(size: int, scale: float = 1.0) -> Generator[None, None, None]:
    """Raise `Hang` in the body after a time that grows with the text's size alone.

    The time is that of this process, so that a busy machine makes no difference.
    """
    seconds = (BASE_SECONDS + size * SECONDS_PER_BYTE) * scale
    before = signal.signal(signal.SIGPROF, _expire)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def guard_process(wall_seconds: float) -> None:
    """End this process, with its stack on standard error, unless called again in time.

    For what no signal handler ends: a loop inside a C function.
    """
    faulthandler.dump_traceback_later(wall_seconds, exit=True)


def unguard_process() -> None:
    faulthandler.cancel_dump_traceback_later()


def limit_memory() -> None:
    """A text that asks for much memory gets a MemoryError, which is a finding."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
