"""How many processes work: `-j auto`, and handing out files to them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

import click

from ptoas.cli import tidy_up

AUTO = "auto"
_WORTH_A_PROCESS = 8
"""Files; below this a second process costs more than it saves."""
_FORKS = hasattr(os, "fork")

Item = TypeVar("Item")
Done = TypeVar("Done")
F = TypeVar("F", bound=Callable[..., Any])


class Jobs(click.ParamType[int | str]):
    """A number of processes, or `auto`."""

    name = "jobs"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        if value == AUTO:
            return AUTO
        try:
            number = int(value)
        except ValueError:
            number = 0
        if number < 1:
            self.fail(f"{value!r} is neither a number from 1 nor {AUTO!r}.", param, ctx)
        return number


def option(help: str) -> Callable[[F], F]:
    """`-j`, with what the processes of a command do."""
    return click.option("-j", "--jobs", type=Jobs(), metavar="N|auto", help=help)


jobs_option = option("How many processes work; auto: as many as there are cores.")


def workers(jobs: int | str, files: int) -> int:
    """How many processes are worth their start for so many files."""
    if isinstance(jobs, int):
        return max(1, min(jobs, files))
    affinity: Any = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    return max(1, min(cores, files // _WORTH_A_PROCESS))


def each(items: Sequence[Item], work: Callable[[Item], Done], jobs: int) -> Iterator[Done]:
    """What `work` makes of each item, in their order; it is a function of a module, or a partial of one.

    This process is one of the `jobs`: what it makes itself need not be sent to it.
    """
    work = partial(_tidily, work)
    if jobs <= 1:
        yield from map(work, items)
    elif _FORKS:
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
