"""The commands that look at a program, or at two side by side: `profile` and `report`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import get_terminal_size
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
    given,
    legalize_option,
    max_memory_option,
    max_steps_option,
    output_option,
    schedule_option,
    seed_option,
    unregistered_option,
)
from ptoas.cli.terminal import Command, progress, show, use_colour
from ptoas.diagnostics.files import STANDARD_OUTPUT, write_text
from ptoas.diagnostics.render import render
from ptoas.grammar.parse import parse_file
from ptoas.profiling.compare import ProfileComparison
from ptoas.report import compare_page
from ptoas.report import profile as profile_program

if TYPE_CHECKING:
    from ptoas.profiling.profile import Profile

PAIRED = ("target", "sync", "isa", "costs")
"""Options that may differ between the two sides: given twice, one for each."""


def _profiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Options that select the program to profile."""
    options = (
        click.option(
            "--target", multiple=True, shell_complete=complete_target,
            help="a2a3, a5 or a5-custom; given twice, one for each side.",
        ),
        entry_option,
        arguments_option,
        blocks_option,
        schedule_option,
        click.option("--ranks", metavar="N", help="Number of ranks in this process."),
        seed_option,
        click.option("--static", is_flag=True, help="Walk the program once instead of running it."),
        click.option(
            "--costs", multiple=True, type=click.Path(), metavar="FILE",
            help="TOML file with measured costs; twice, one for each side.",
        ),
        legalize_option,
        click.option(
            "--sync", multiple=True, type=click.Choice(["auto", "manual", "all"]),
            help="Insert flags or keep the program's; twice, one for each side.",
        ),
        aicore_option,
        click.option(
            "--isa", multiple=True, type=click.Choice(["doc", "2026.08", "2026.09"]),
            help="The revision; twice, one for each side.",
        ),
        force_option,
        unregistered_option,
        max_steps_option,
        max_memory_option,
    )  # fmt: skip
    for option in reversed(options):
        function = option(function)
    return function


def _profiles(
    file: str, second: str | None, arguments: tuple[str, ...], allow_unregistered: bool, **options: Any
) -> list[Profile]:
    """One profile; two where there is a second file, or an option that is given twice."""
    paired: dict[str, tuple[str, ...]] = {name: options.pop(name) for name in PAIRED}
    for name, values in paired.items():
        if len(values) > 2:
            raise click.UsageError(f"--{name} is given {len(values)} times; at most twice, one for each side")
    sides = 2 if second is not None or any(len(values) == 2 for values in paired.values()) else 1
    single = given(options)
    found: list[Profile] = []
    with progress() as advance:
        for side in range(sides):
            own: dict[str, Any] = {
                name: values[min(side, len(values) - 1)] for name, values in paired.items() if values
            }
            path = second if side and second is not None else file
            module = parse_file(path, allow_unregistered=allow_unregistered)
            found.append(profile_program(module, arguments, **single, **own, on_progress=advance))
    return found


@click.command(cls=Command)
@click.argument("file", type=click.Path())
@click.argument("second", type=click.Path(), required=False)
@_profiled
@click.option("--perfetto", type=click.Path(), metavar="FILE", help="Write a Chrome trace, for Perfetto.")
@click.option("--csv", "table", type=click.Path(), metavar="FILE", help="Write a table of lines.")
@click.option("--json", "data", type=click.Path(), metavar="FILE", help="Write all of it as JSON.")
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", help="Output format.")
@color_option
def profile(
    perfetto: str | None,
    table: str | None,
    data: str | None,
    style: str,
    **options: Any,
) -> None:
    """Estimate where FILE spends its time: run it, and assign a duration to each instruction.

    The durations come from published measurements and models, not from a device; each report gives their
    range and confidence. `-` as the FILE of an option is standard output. With SECOND, or an option that is
    given twice, two profiles are compared: what got faster or slower, and which flags were added or removed.

    \b
    ptoas profile kernel.pto --target a2a3
    ptoas profile kernel.pto --perfetto trace.json --csv lines.csv
    ptoas profile kernel.pto --static --costs measured.toml
    ptoas profile old.pto new.pto
    ptoas profile kernel.pto --target a2a3 --target a5
    """
    profiles = _profiles(**options)
    if len(profiles) == 2:
        if perfetto is not None or table is not None:
            raise click.UsageError("--perfetto and --csv are of one program: leave out the second")
        found: Profile | ProfileComparison = ProfileComparison(*profiles)
        written = {data: lambda: json.dumps(found.as_dict())}
    else:
        found = one = profiles[0]
        written = {
            perfetto: lambda: json.dumps(one.perfetto()),
            table: one.csv,
            data: lambda: json.dumps(one.as_dict()),
        }
    for path, text in written.items():
        _write(path, text)
    if "-" in written:
        return
    if style == "json":
        click.echo(json.dumps(found.as_dict(), indent=2))
        return
    colour = use_colour(sys.stdout)
    width = min(160, max(80, get_terminal_size((100, 24)).columns))
    click.echo(found.summary(colour, width), color=colour)
    if len(profiles) == 1 and profiles[0].remarks:
        click.echo("\n" + render(profiles[0].remarks, colour=colour), color=colour)
    for each in profiles:
        show(each.warnings)


@click.command(cls=Command)
@click.argument("file", type=click.Path())
@click.argument("second", type=click.Path(), required=False)
@_profiled
@output_option
@click.option("--svg", "folder", type=click.Path(), metavar="DIR", help="Write only the pictures, into DIR.")
@color_option
def report(output: str | None, folder: str | None, **options: Any) -> None:
    """Write one page about FILE: source, timeline, memory, flags and access patterns.

    The page is one file that needs no network. `--svg` writes timeline.svg, memory.svg, flags.svg and
    access.svg into a directory. With SECOND, or an option that is given twice, the page shows both side by
    side.

    \b
    ptoas report kernel.pto -o report.html
    ptoas report kernel.pto --target a2a3 --svg pictures
    ptoas report old.pto new.pto -o both.html
    """
    if output is None and folder is None:
        raise click.UsageError("name an output: -o report.html or --svg DIR")
    profiles = _profiles(**options)
    if len(profiles) == 2:
        if folder is not None:
            raise click.UsageError("--svg is of one program: leave out the second, or write a page with -o")
        _write(output, lambda: compare_page(ProfileComparison(*profiles)))
    else:
        if folder is not None:
            _pictures(profiles[0], Path(folder))
        _write(output, profiles[0].html)
    for each in profiles:
        show(each.warnings)


def _pictures(found: Profile, folder: Path) -> None:
    for name, text in found.pictures().items():
        write_text(str(folder / f"{name}.svg"), text)


def _write(path: str | None, text: Callable[[], str]) -> None:
    if path == STANDARD_OUTPUT:
        click.echo(text())
    elif path is not None:
        write_text(path, text())
