"""How many processes work: `-j auto`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from ptoas.project.pool import AUTO

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
