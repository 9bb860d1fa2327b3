"""Number of worker processes: `-j auto`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from ptoas.project.pool import AUTO

F = TypeVar("F", bound=Callable[..., Any])


def parse_jobs(value: str) -> int | str:
    """A number of processes, or `auto`."""
    if value == AUTO:
        return AUTO
    if not value.isdecimal() or int(value) < 1:
        raise click.BadParameter(f"{value!r} is neither a number from 1 nor {AUTO!r}.")
    return int(value)


def option(help: str) -> Callable[[F], F]:
    """The option `-j`, with the unit of work in its help text."""
    return click.option("-j", "--jobs", type=parse_jobs, metavar="N|auto", help=help)


jobs_option = option("Number of processes; auto: one per core.")
