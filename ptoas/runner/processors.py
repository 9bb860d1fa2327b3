"""Available processors, and interrupts of the processes that use them."""

from __future__ import annotations

import os
import signal
from typing import Any


def processors() -> int:
    """The number of processors that this process may use."""
    affinity: Any = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def leave_interrupts_to_parent() -> None:
    """Let Ctrl-C, which reaches all processes of a terminal, just end this worker: the parent reports it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
