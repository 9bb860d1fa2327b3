"""The command `reduce`: the smallest program that still has a finding, a difference or a crash."""

from __future__ import annotations

from typing import Any

import click

from ptoas.cli.options import (
    arguments_option,
    blocks_option,
    color_option,
    entry_option,
    given,
    isa_option,
    jobs_option_for,
    schedules_option,
    sync_option,
    unregistered_option,
)
from ptoas.cli.terminal import Command
from ptoas.compiler.forms import print_module
from ptoas.diagnostics import UsageError
from ptoas.diagnostics.files import write_text
from ptoas.grammar.parse import parse_file
from ptoas.project import reduce as library
from ptoas.project.reduce import Interesting, StillCrashes, StillDiffers, StillReports, StillSucceeds
from ptoas.runner.processors import processors

jobs_option = jobs_option_for("Number of candidates to test at once.")


@click.command(cls=Command)
@click.argument("path", type=click.Path())
@click.option("--still", metavar="COMMAND", help="Keep: the command succeeds; {} is the file.")
@click.option("--code", metavar="CODE", help="Keep: verify or run reports this code.")
@click.option("--differs", is_flag=True, help="Keep: results differ between two --target.")
@click.option("--crashes", is_flag=True, help="Keep: ptoas fails with an internal error.")
@click.option("--target", "targets", multiple=True, help="The target; twice with --differs.")
@click.option("-o", "--output", metavar="PATH", help="Write the program to a file; else to standard output.")
@click.option("--seconds", type=float, default=300.0, help="Time limit of the search.")
@jobs_option
@entry_option
@arguments_option
@blocks_option
@schedules_option
@sync_option
@isa_option
@unregistered_option
@color_option
def reduce(
    path: str,
    still: str | None,
    code: str | None,
    differs: bool,
    crashes: bool,
    targets: tuple[str, ...],
    output: str | None,
    seconds: float,
    jobs: int | str | None,
    arguments: tuple[str, ...],
    allow_unregistered: bool,
    **options: Any,
) -> None:
    """Reduce PATH to a smaller program that keeps the property selected by one of the first four options.

    Functions, statements, loops, branches, operands and attributes are removed, constants and extents made
    smaller. Ctrl-C ends the search and writes the best program so far.

    \b
    ptoas reduce big.pto --code PTO-R301 -o small.pto
    ptoas reduce big.pto --differs --target a2a3 --target a5
    ptoas reduce big.pto --still 'ptoas lower --target a5 {} | grep -q TEXP'
    """
    if sum(map(bool, (still, code, differs, crashes))) != 1:
        raise UsageError("name exactly one property to keep: --still, --code, --differs or --crashes")
    if len(targets) > (2 if differs else 1):
        raise UsageError("--differs compares two targets, the other properties have one")
    module = parse_file(path, allow_unregistered=allow_unregistered)
    selected = given(options)
    target = targets[0] if targets else None
    interesting: Interesting
    if still is not None:
        interesting = StillSucceeds(still)
    elif code is not None:
        full = code.upper() if code.upper().startswith("PTO-") else f"PTO-{code.upper()}"
        interesting = StillReports.like(module, full, target, arguments, selected)
    elif differs:
        interesting = StillDiffers(
            (target, targets[-1] if targets else None), (selected, selected), arguments
        )
    else:
        interesting = StillCrashes(target)
    workers = jobs if isinstance(jobs, int) else processors()
    found = library.reduce(module, interesting, jobs=workers, seconds=seconds)
    if output is None:
        click.echo(found.text)
    else:
        write_text(output, found.text + "\n")
    lines = [len(text.splitlines()) for text in (print_module(module), found.text)]
    ended = "" if found.finished else "; stopped early"
    click.echo(f"{lines[0]} lines reduced to {lines[1]}, {found.tried} candidates tried{ended}", err=True)
