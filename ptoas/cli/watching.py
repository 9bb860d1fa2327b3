"""`--watch`: repeat a command for changed files until interrupted."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence

PAUSE = 0.3
"""Polling interval in seconds."""

Stamp = tuple[int, int]


def watch(
    find: Callable[[], Sequence[str]],
    work: Callable[[Sequence[str], Sequence[str]], None],
    pause: Callable[[], None] = lambda: time.sleep(PAUSE),
) -> None:
    """Call `work` with all files and those that changed, then after each change, until interrupted."""
    seen: dict[str, Stamp | None] = {}
    first = True
    while True:
        files = list(find())
        now = {file: _stamp(file) for file in files}
        changed = [file for file in files if first or now[file] != seen.get(file, ())]
        if changed or first or now.keys() != seen.keys():
            work(files, changed)
        seen, first = now, False
        pause()


def _stamp(file: str) -> Stamp | None:
    try:
        stat = os.stat(file)
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size
