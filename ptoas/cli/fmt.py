"""The command `fmt`: one style for programs."""

from __future__ import annotations

import sys

import click

from ptoas.cli.options import color_option, config_option, isolated_option, stdin_filename_option
from ptoas.cli.terminal import Command, show, use_colour


@click.command(cls=Command)
@click.argument("paths", nargs=-1, required=True, type=click.Path())
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 where a file is not in style.")
@click.option("--diff", is_flag=True, help="Write nothing; print what would change, exit with 1 if anything.")
@config_option
@isolated_option
@stdin_filename_option
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors and differences.")
@color_option
@click.pass_context
def fmt(
    ctx: click.Context,
    paths: tuple[str, ...],
    check: bool,
    diff: bool,
    config: str | None,
    isolated: bool,
    stdin_filename: str | None,
    quiet: bool,
    color: str,
) -> None:
    """Put PATHS (files, directories) into one style, in place; `-` reads standard input and prints.

    Spaces, indentation and blank lines change; comments, the form and the meaning stay.

    \b
    ptoas fmt kernel.pto
    ptoas fmt kernels --check
    ptoas fmt kernels --diff
    ptoas fmt - < kernel.pto
    """
    ctx.find_root().obj = color
    from ptoas.cli import settings as configuration
    from ptoas.cli.find import find_files
    from ptoas.diagnostics import PtoasError
    from ptoas.diagnostics.render import visible
    from ptoas.files import STANDARD_OUTPUT, write_text
    from ptoas.grammar.format import format_text
    from ptoas.grammar.parse import read_source

    settings = configuration.load(config, isolated, paths)
    files, problems = find_files(paths, settings.exclude, settings.root)
    changed = unread = 0
    for file in files:
        try:
            source = read_source(file)
            name = stdin_filename or source.filename if file == STANDARD_OUTPUT else file
            text = format_text(source.text, name)
            in_style = text == source.text
            changed += not in_style
            if diff:
                _show_difference(source.text, text, name, use_colour(color, sys.stdout))
            elif check:
                if not in_style and not quiet:
                    click.echo(f"would change {visible(name)}")
            elif file == STANDARD_OUTPUT:
                click.echo(text, nl=False)
            elif not in_style:
                write_text(file, text)
                if not quiet:
                    click.echo(f"changed {visible(name)}")
        except PtoasError as error:
            problems += error.diagnostics
            unread += 1
    read = len(files) - unread
    if not quiet and not diff and STANDARD_OUTPUT not in files and (read or not problems):
        total = f"{read} file{'s' * (read != 1)}"
        click.echo(f"{total}, {changed} {'to change' if check else 'changed'}")
    show(problems, color)
    ctx.exit(1 if problems or (changed and (check or diff)) else 0)


def _show_difference(before: str, after: str, name: str, colour: bool) -> None:
    from ptoas.cli.differences import unified

    text = unified(before, after, name, colour)
    if text:
        click.echo(text, nl=False, color=colour)
