"""The command `verify`: files against the rules of targets."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from ptoas.cli.options import (
    aicore_option,
    color_option,
    isa_option,
    placement_option,
    sync_option,
    unregistered_option,
)
from ptoas.cli.terminal import Command, progress, use_colour
from ptoas.diagnostics.render import FORMATS, render, visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptoas.cli.verdicts import FileReport
    from ptoas.cli.verify_files import Options


@click.command(cls=Command)
@click.argument("paths", nargs=-1, required=True, type=click.Path())
@click.option("--target", help="cpu, a2a3, a5, a5-custom, several with commas, or all.")
@aicore_option
@isa_option
@sync_option
@placement_option
@click.option(
    "--format",
    "style",
    type=click.Choice(FORMATS),
    default="full",
    help="How to print what was found.",
)
@click.option("--select", help="Report only these codes, or beginnings of codes, with commas.")
@click.option("--ignore", help="Don't report these codes, or beginnings of codes.")
@click.option("--werror", is_flag=True, help="Take warnings for errors.")
@click.option("--fix", is_flag=True, help="Do what findings propose, where that is certain; then check.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix: do what is only likely, too.")
@click.option("--diff", is_flag=True, help="With --fix: write nothing, print what would change.")
@click.option("-j", "--jobs", type=click.IntRange(min=1), default=1, help="How many processes check.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@unregistered_option
@color_option
@click.pass_context
def verify(
    ctx: click.Context,
    paths: tuple[str, ...],
    target: str | None,
    aicore: bool,
    isa: str | None,
    sync: str | None,
    placement: str | None,
    style: str,
    select: str | None,
    ignore: str | None,
    werror: bool,
    fix: bool,
    unsafe_fixes: bool,
    diff: bool,
    jobs: int,
    quiet: bool,
    allow_unregistered: bool,
    color: str,
) -> None:
    """Check PATHS (files, directories, `-`) against the rules of the targets.

    Without --target: for the one that a program names, else for all four.

    \b
    ptoas verify kernel.pto --target a5
    ptoas verify kernels --target all --format concise -j 2
    ptoas verify kernels --select PTO-A,PTO-F --werror
    ptoas verify kernels --fix
    """
    ctx.find_root().obj = color
    from ptoas.cli import verify_files as files
    from ptoas.cli.verdicts import exit_code

    options = files.Options(
        files.parse_targets(target),
        aicore,
        sync,
        files.parse_codes(select),
        files.parse_codes(ignore),
        werror,
        allow_unregistered,
        isa,
        placement,
    )
    if fix or diff:
        changed = _fix(paths, options, unsafe_fixes, diff, quiet or style in ("json", "sarif"), color)
        if diff:
            ctx.exit(1 if changed else 0)
        if "-" in paths:
            return  # standard output has the program
    with progress() as advance:
        reports = files.verify_paths(paths, options, jobs, advance)
    _show(reports, style, quiet, color)
    ctx.exit(exit_code(reports))


def _fix(paths: tuple[str, ...], options: Options, unsafe: bool, diff: bool, quiet: bool, color: str) -> int:
    """Fix files, or say how; returns how many changed."""
    from ptoas.cli.differences import unified
    from ptoas.cli.find import find_files
    from ptoas.cli.fixing import fix_source, read_or_none
    from ptoas.files import STANDARD_OUTPUT, write_text

    files, done, changed = find_files(paths)[0], 0, 0
    colour = use_colour(color, sys.stdout)
    for file in files:
        source = read_or_none(file)
        fixed = None if source is None else fix_source(source, options, unsafe)
        if fixed is None or source is None:
            continue
        if diff:
            shown = unified(fixed.before, fixed.after, source.filename, colour)
            click.echo(shown, nl=False, color=colour)
        elif file == STANDARD_OUTPUT:
            click.echo(fixed.after, nl=False)
        elif fixed.changed:
            write_text(file, fixed.after)
            if not quiet:
                codes = ", ".join(sorted({d.code for d in fixed.done}))
                click.echo(f"fixed {visible(file)}: {codes}")
        done += len(fixed.done)
        changed += fixed.changed
    if not quiet and not diff and STANDARD_OUTPUT not in files:
        click.echo(f"{done} finding{'s' * (done != 1)} fixed in {changed} file{'s' * (changed != 1)}\n")
    return changed


def _show(reports: Sequence[FileReport], style: str, quiet: bool, color: str) -> None:
    from ptoas.cli import verdicts

    found = verdicts.sorted_once(reports)
    if quiet:
        found = [d for d in found if d.is_error]
    if style in ("json", "sarif"):
        click.echo(render(found, style))
        return
    colour = use_colour(color, sys.stdout)
    if style == "full" and not quiet and len(verdicts.matrix_targets(reports)) > 1:
        encoding = (sys.stdout.encoding or "").lower()
        table = verdicts.render_matrix(reports, colour, ascii_only="utf" not in encoding)
        click.echo(table + "\n", color=colour)
    if found:
        click.echo(render(found, style, colour=colour) + "\n" * (style == "full"), color=colour)
    if not quiet:
        click.echo(verdicts.summary(reports))
