"""Terminal output of the command: messages and their colour, exit codes, progress."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections import UserDict, defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from ptoas.cli.assembler_options import OPTIONS
from ptoas.diagnostics.core import UsageError

if TYPE_CHECKING:
    from ptoas.diagnostics import Diagnostic


COMMAND = "ptoas.command"
"""Context key of the typed words."""


class Command(click.Command):
    """A command that reports rejected options of the library as wrong usage: exit code 2."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            name = error.option_name.lstrip("-")
            if name not in OPTIONS:
                raise
            lower = OPTIONS[name].lower
            instead = f"use {lower}, or leave" if lower else "leave"
            message = (
                f"--{name} is an option of the assembler's command line: {instead} out `{ctx.info_name}`"
            )
            raise click.UsageError(message, ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except UsageError as error:
            from ptoas.diagnostics.render import visible

            raise click.UsageError(visible(str(error)), ctx) from None


class _Imported(UserDict[str, click.Command]):
    """Commands by name, imported on first use."""

    def __init__(self, modules: Mapping[str, tuple[str, str]]):
        super().__init__()
        self._modules = modules

    def __getitem__(self, name: str) -> click.Command:
        try:
            module = import_module(f"ptoas.cli.{self._modules[name][0]}")
        except UsageError as error:  # of a plug-in, which is imported with the dialect
            raise click.UsageError(str(error)) from None
        return getattr(module, name)

    def __contains__(self, name: object) -> bool:
        return name in self._modules

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


class Commands(click.Group):
    """Convert exceptions of the library to messages and exit codes, never a traceback."""

    command_class = Command

    def __init__(self, *args: Any, modules: Mapping[str, tuple[str, str]], fallback: str, **more: Any):
        super().__init__(*args, **more)
        self.modules = modules
        self.commands: MutableMapping[str, click.Command] = _Imported(modules)
        self.fallback = fallback
        """The default command."""
        self.own_options = {*self.context_settings.get("help_option_names", ()), "--version"}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.modules[name][1]) for name in self.list_commands(ctx)])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[COMMAND] = tuple(args)
        if args and self._names_no_command(args[0]):
            args = [self.fallback, *args]
        return super().parse_args(ctx, args)

    def _names_no_command(self, first: str) -> bool:
        """Return True for an input file or an option of the assembler; a bare word may be a misspelling."""
        if first.startswith("-"):
            return first == "-" or first.split("=")[0] not in self.own_options
        return first not in self.modules and ("." in first or os.path.exists(first))

    def invoke(self, ctx: click.Context) -> Any:
        from ptoas.diagnostics import PtoasError

        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except PtoasError as error:
            show(error.diagnostics)
            ctx.exit(exit_code_of(error.diagnostics))
        except (MemoryError, RecursionError) as error:
            show([_exhausted(error)])
            ctx.exit(1)
        except KeyboardInterrupt as interrupt:
            click.echo(" ".join(["interrupted", *getattr(interrupt, "__notes__", ())]), err=True)
            ctx.exit(130)
        except BrokenPipeError:
            # The reader of our output went away; that is its right.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)
        except Exception as error:
            if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise
            from ptoas.grammar.internal_error import internal_error

            show([internal_error(error, ctx.meta[COMMAND])])
            ctx.exit(1)


WRONG_VALUES = (
    "PTO-E950",
    "PTO-E951",
    "PTO-E952",
    "PTO-E953",
    "PTO-E962",
    "PTO-R601",
    "PTO-R602",
    "PTO-R603",
    "PTO-R605",
    "PTO-R607",
    "PTO-R608",
    "PTO-R609",
    "PTO-R711",
    "PTO-R712",
)
"""Codes that blame the value of an option, or the configuration. A file that can't be read ends with 1, as
such a program does; so does R606, where `--max-memory` stops a program."""


def exit_code_of(diagnostics: Sequence[Diagnostic]) -> int:
    """2 where nothing but the value of an option is to blame, else 1."""
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.is_error]
    return 2 if errors and all(error.code in WRONG_VALUES for error in errors) else 1


def _exhausted(error: MemoryError | RecursionError) -> Diagnostic:
    """Report exhausted memory or recursion without a traceback."""
    from ptoas.diagnostics import Diagnostic, Source, Span
    from ptoas.grammar.internal_error import place_of

    what = "memory" if isinstance(error, MemoryError) else "depth"
    place = place_of(error) or Span(Source("", "ptoas"), 0)
    return Diagnostic("PTO-P014", f"the program needs more {what} than available", place)


def use_colour(stream: Any = None) -> bool:
    """Return True if output to a stream is coloured; the default is standard error."""
    context = click.get_current_context(silent=True)
    if context is not None and context.color is not None:
        return context.color
    if os.environ.get("NO_COLOR"):
        return False
    if (forced := os.environ.get("FORCE_COLOR")) is not None:
        return forced not in ("", "0", "false")
    return (stream or sys.stderr).isatty()


def show(diagnostics: Iterable[Diagnostic]) -> None:
    """Print diagnostics in full to standard error, and how many there are."""
    from ptoas.diagnostics.render import render

    found = list(diagnostics)
    if not found:
        return  # another rank has said it
    colour = use_colour()
    click.echo(render(found, colour=colour) + "\n", err=True, color=colour)
    errors = sum(d.is_error for d in found)
    warnings = len(found) - errors
    parts = [f"{n} {word}{'s' * (n != 1)}" for n, word in ((errors, "error"), (warnings, "warning")) if n]
    click.echo(", ".join(parts), err=True)


@contextmanager
def errors_as_json(wanted: bool) -> Generator[None, None, None]:
    """Print errors as JSON and exit, if that is wanted."""
    from ptoas.diagnostics import PtoasError
    from ptoas.diagnostics.render import to_json

    try:
        yield
    except PtoasError as error:
        if not wanted:
            raise
        click.echo(json.dumps({"errors": [to_json(finding) for finding in error.diagnostics]}))
        click.get_current_context().exit(exit_code_of(error.diagnostics))


@contextmanager
def progress(delay: float = 1.0) -> Generator[Callable[[str, int, int], None] | None, None, None]:
    """Yield a function that draws bars on a terminal, once the work has taken longer than `delay` seconds.

    It takes what a bar counts, how many are done, and how many there are.
    """
    if not sys.stderr.isatty():
        yield None
        return
    import time

    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TaskID

    due = defaultdict[str, float](lambda: started + delay)
    started = time.monotonic()
    bar = Progress(
        *Progress.get_default_columns(),
        MofNCompleteColumn(),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=sys.stdout.isatty(),  # else what is piped would go to the terminal
    )
    tasks: dict[str, TaskID] = {}

    def advance(what: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now >= due[what]:
            due[what] = now + 0.1  # a loop calls this in each iteration
            bar.start()
            if what not in tasks:
                tasks[what] = bar.add_task(what)
            bar.update(tasks[what], completed=done, total=total)

    try:
        yield advance
    finally:
        bar.stop()
