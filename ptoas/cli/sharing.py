"""Handing out files to several processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from ptoas.cli import tidy_up
from ptoas.processors import processors

AUTO = "auto"
_WORTH_A_PROCESS = 8
"""Files; below this a second process costs more than it saves."""
FORKS = hasattr(os, "fork")

Item = TypeVar("Item")
Done = TypeVar("Done")


def workers(jobs: int | str, files: int) -> int:
    """How many processes are worth their start for so many files."""
    if isinstance(jobs, int):
        return max(1, min(jobs, files))
    return max(1, min(processors(), files // _WORTH_A_PROCESS))


def each(items: Sequence[Item], work: Callable[[Item], Done], jobs: int) -> Iterator[Done]:
    """What `work` makes of each item, in their order; it is a function of a module, or a partial of one.

    This process is one of the `jobs`: what it makes itself need not be sent to it.
    """
    work = partial(_tidily, work)
    if jobs <= 1:
        yield from map(work, items)
    elif FORKS:
        from ptoas.cli.processes import forked

        yield from forked(items, work, jobs - 1)
    else:
        from concurrent.futures import ProcessPoolExecutor

        with ProcessPoolExecutor(jobs) as pool:
            yield from pool.map(work, items)


def _tidily(work: Callable[[Item], Done], item: Item) -> Done:
    done = work(item)
    tidy_up()
    return done
