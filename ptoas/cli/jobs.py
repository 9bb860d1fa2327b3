"""How many processes work: `-j auto`, and handing out files to them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

import click

from ptoas.cli import tidy_up

AUTO = "auto"
_WORTH_A_PROCESS = 8
"""Files; below this a second process costs more than it saves."""

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
        return
    import multiprocessing
    from queue import Empty

    # A fork has all that is imported here already: it is the quickest to begin.
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() else None
    context = multiprocessing.get_context(method)
    taken, given = context.Value("Q", 0), context.Queue()
    helpers = [context.Process(target=_help, args=(items, work, taken, given)) for _ in range(jobs - 1)]
    done: dict[int, Done] = {}
    at = 0
    try:
        for helper in helpers:
            with suppress(OSError):  # where no more processes are to be had, fewer do it
                helper.start()
        for number in _take(taken, len(items)):
            done[number] = work(items[number])
            while not given.empty():
                done.update([given.get()])
            while at in done:
                yield done.pop(at)
                at += 1
        while at < len(items):
            if at in done:
                yield done.pop(at)
                at += 1
            elif _may_give(helpers) or not given.empty():
                with suppress(Empty):
                    done.update([given.get(timeout=_PATIENCE)])
            else:
                done[at] = work(items[at])  # one that took it failed, as this will, or was ended
    finally:
        for helper in helpers:
            if helper.pid is not None:
                helper.terminate()


_PATIENCE = 0.2
"""Seconds between two looks whether a helper that gives nothing still lives."""


def _may_give(helpers: Sequence[Any]) -> bool:
    """Whether anything is under way; one that was ended by force may keep the others from giving it."""
    return any(helper.is_alive() for helper in helpers) and not any(helper.exitcode for helper in helpers)


def _help(items: Sequence[Item], work: Callable[[Item], Done], taken: Any, given: Any) -> None:
    """Do items that nobody has taken, until there are none; one that fails is left to who waits for it."""
    with suppress(Exception, KeyboardInterrupt):
        for number in _take(taken, len(items)):
            given.put((number, work(items[number])))


def _take(taken: Any, count: int) -> Iterator[int]:
    """The number of an item that nobody has taken before, then of another."""
    while True:
        with taken.get_lock():
            number = taken.value
            taken.value += 1
        if number >= count:
            return
        yield number


def _tidily(work: Callable[[Item], Done], item: Item) -> Done:
    done = work(item)
    tidy_up()
    return done
