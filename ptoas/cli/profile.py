"""The commands that look at a program: `profile` and `report`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from ptoas.cli.completion import complete_target
from ptoas.cli.options import (
    aicore_option,
    arguments_option,
    blocks_option,
    color_option,
    entry_option,
    force_option,
    isa_option,
    legalize_option,
    max_memory_option,
    max_steps_option,
    output_option,
    schedule_option,
    seed_option,
    sync_option,
    unregistered_option,
)
from ptoas.cli.terminal import Command, show, use_colour
from ptoas.diagnostics.files import STANDARD_OUTPUT, write_text
from ptoas.diagnostics.render import render
from ptoas.grammar.parse import parse_file
from ptoas.report import profile as profile_program

if TYPE_CHECKING:
    from ptoas.profiling.profile import Profile


def _profiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say what is profiled."""
    options = (
        click.option("--target", shell_complete=complete_target, help="a2a3, a5 or a5-custom."),
        entry_option,
        arguments_option,
        blocks_option,
        schedule_option,
        click.option("--ranks", metavar="N", help="Number of ranks in this process."),
        seed_option,
        click.option("--static", is_flag=True, help="Walk the program once instead of running it."),
        click.option("--costs", type=click.Path(), metavar="FILE", help="TOML file with measured costs."),
        legalize_option,
        sync_option,
        aicore_option,
        isa_option,
        force_option,
        unregistered_option,
        max_steps_option,
        max_memory_option,
    )
    for option in reversed(options):
        function = option(function)
    return function


def _profile(file: str, arguments: tuple[str, ...], allow_unregistered: bool, **options: Any) -> Profile:
    module = parse_file(file, allow_unregistered=allow_unregistered)
    selected = {name: value for name, value in options.items() if value is not None}
    return profile_program(module, arguments, **selected)


@click.command(cls=Command)
@click.argument("file", type=click.Path())
@_profiled
@click.option("--perfetto", type=click.Path(), metavar="FILE", help="Write a Chrome trace, for Perfetto.")
@click.option("--csv", "table", type=click.Path(), metavar="FILE", help="Write a table of lines.")
@click.option("--json", "data", type=click.Path(), metavar="FILE", help="Write all of it as JSON.")
@click.option(
    "--format", "style", type=click.Choice(["text", "json"]), default="text", help="How to print it."
)
@color_option
@click.pass_context
def profile(
    ctx: click.Context,
    perfetto: str | None,
    table: str | None,
    data: str | None,
    style: str,
    color: str,
    **options: Any,
) -> None:
    """Say where the time of FILE goes: run it, and give each instruction a duration.

    The durations come from published and fitted costs, not from a device; each report says how much of it
    rests on estimates. `-` as a FILE is standard output.

    \b
    ptoas profile kernel.pto --target a2a3
    ptoas profile kernel.pto --perfetto trace.json --csv lines.csv
    ptoas profile kernel.pto --static --costs measured.toml
    """
    ctx.find_root().obj = color
    import json

    found = _profile(**options)
    written = {
        perfetto: lambda: json.dumps(found.perfetto()),
        table: found.csv,
        data: lambda: json.dumps(found.as_dict()),
    }
    for path, text in written.items():
        _write(path, text)
    if "-" in written:
        return
    if style == "json":
        click.echo(json.dumps(found.as_dict(), indent=2))
        return
    colour = use_colour(color, sys.stdout)
    from shutil import get_terminal_size

    width = min(160, max(80, get_terminal_size((100, 24)).columns))
    click.echo(found.summary(colour, width), color=colour)
    if found.remarks:
        click.echo("\n" + render(found.remarks, colour=colour), color=colour)
    show(found.warnings, color)


@click.command(cls=Command)
@click.argument("file", type=click.Path())
@_profiled
@output_option
@click.option("--svg", "folder", type=click.Path(), metavar="DIR", help="Write only the pictures, into DIR.")
@color_option
@click.pass_context
def report(ctx: click.Context, output: str | None, folder: str | None, color: str, **options: Any) -> None:
    """Draw FILE: one page with source, timeline, memory, flags and access patterns.

    The page is one file that needs no network. `--svg` writes timeline.svg, memory.svg, flags.svg and
    access.svg into a directory.

    \b
    ptoas report kernel.pto -o report.html
    ptoas report kernel.pto --target a2a3 --svg pictures
    """
    ctx.find_root().obj = color
    from pathlib import Path

    if output is None and folder is None:
        raise click.UsageError("name an output: -o report.html or --svg DIR")
    found = _profile(**options)
    if folder is not None:
        try:
            Path(folder).mkdir(exist_ok=True)
        except OSError as error:
            raise click.UsageError(f"can't make the directory {folder}: {error.strerror}") from None
        for name, text in found.pictures().items():
            _write(str(Path(folder) / f"{name}.svg"), lambda text=text: text)
    _write(output, found.html)
    show(found.warnings, color)


def _write(path: str | None, text: Callable[[], str]) -> None:
    if path == STANDARD_OUTPUT:
        click.echo(text())
    elif path is not None:
        write_text(path, text())
