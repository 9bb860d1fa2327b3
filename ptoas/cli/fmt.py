"""The command `fmt`: one style for programs."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial

import click

from ptoas.cli.differences import unified
from ptoas.cli.options import color_option, config_option, isolated_option, jobs_option, stdin_filename_option
from ptoas.cli.terminal import Command, show, use_colour
from ptoas.diagnostics import Diagnostic, PtoasError
from ptoas.diagnostics.files import STANDARD_OUTPUT, write_text
from ptoas.diagnostics.render import visible
from ptoas.grammar.format import format_text
from ptoas.grammar.parse import read_source
from ptoas.project import settings as configuration
from ptoas.project.find import find_files
from ptoas.project.pool import AUTO, map_files, worker_count


@click.command(cls=Command)
@click.argument("paths", nargs=-1, required=True, type=click.Path())
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a file is not formatted.")
@click.option(
    "--diff", is_flag=True, help="Write nothing; print the differences, and exit with 1 if there are any."
)
@config_option
@isolated_option
@stdin_filename_option
@jobs_option
@click.option("-q", "--quiet", is_flag=True, help="Print only errors and differences.")
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
    jobs: int | str | None,
    quiet: bool,
) -> None:
    """Format PATHS (files, directories) in place; `-` reads standard input and prints.

    Spaces, indentation and blank lines change; comments, the form and the meaning stay.

    \b
    ptoas fmt kernel.pto
    ptoas fmt kernels --check
    ptoas fmt kernels --diff
    ptoas fmt - < kernel.pto
    """
    settings = configuration.load(config, isolated, paths)
    files, problems = find_files(paths, settings.exclude, settings.root)
    colour = use_colour(sys.stdout)
    changed = unread = 0
    work = partial(format_file, write=not (check or diff), stdin_filename=stdin_filename)
    count = worker_count(jobs or settings.jobs or AUTO, len(files))
    for file, done in zip(files, map_files(work, files, count, crashed), strict=True):
        problems += done.errors
        unread += bool(done.errors)
        changed += done.changed
        if done.errors:
            continue
        if diff:
            if done.changed:
                click.echo(unified(done.before, done.after, done.name, colour), nl=False, color=colour)
        elif file == STANDARD_OUTPUT and not check:
            click.echo(done.after, nl=False)
        elif done.changed and not quiet:
            click.echo(f"{'would change' if check else 'changed'} {visible(done.name)}")
    read = len(files) - unread
    if not quiet and not diff and STANDARD_OUTPUT not in files and (read or not problems):
        total = f"{read} file{'s' * (read != 1)}"
        click.echo(f"{total}, {changed} {'to change' if check else 'changed'}")
    show(problems)
    ctx.exit(1 if problems or (changed and (check or diff)) else 0)


@dataclass(frozen=True)
class Formatted:
    """A file before and after; with errors it could not be read, formatted or written."""

    name: str
    before: str = ""
    after: str = ""
    errors: tuple[Diagnostic, ...] = ()

    @property
    def changed(self) -> bool:
        return self.before != self.after


def format_file(path: str, write: bool, stdin_filename: str | None) -> Formatted:
    """Format one file, in place if `write`; `-` is standard input, which is only read."""
    try:
        source = read_source(path)
        name = stdin_filename or source.filename if path == STANDARD_OUTPUT else path
        done = Formatted(name, source.text, format_text(source.text, name))
        if write and done.changed and path != STANDARD_OUTPUT:
            write_text(path, done.after)
    except PtoasError as error:
        return Formatted(path, errors=tuple(error.diagnostics))
    return done


def crashed(finding: Diagnostic) -> Formatted:
    """Return the result for a file that kills the process that formats it."""
    return Formatted(finding.span.file, errors=(finding,))
