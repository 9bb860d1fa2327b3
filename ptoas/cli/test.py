"""The command `test` itself: a few lines over `testing`."""

from __future__ import annotations

import time
from functools import partial

import click

from ptoas.cli import testing, trees
from ptoas.cli.completion import complete_targets
from ptoas.cli.options import allow_python_option, color_option, config_option, isolated_option, jobs_option
from ptoas.cli.terminal import Command, show
from ptoas.diagnostics.files import STANDARD_OUTPUT, write_text
from ptoas.project import settings as configuration
from ptoas.project.find import find_files
from ptoas.project.pool import AUTO
from ptoas.project.verify_files import parse_targets


@click.command(cls=Command)
@click.argument("paths", nargs=-1, required=True, type=click.Path())
@click.option("--target", shell_complete=complete_targets, help="Only these targets, separated by commas.")
@click.option(
    "-k", "selected", metavar="TEXT", help="Only checks whose line `file:line [target] check` contains TEXT."
)
@click.option("--junit", "report", type=click.Path(), metavar="FILE", help="Write the outcomes as JUnit XML.")
@allow_python_option
@config_option
@isolated_option
@jobs_option
@click.option("-q", "--quiet", is_flag=True, help="Print only failures and the summary.")
@color_option
@click.pass_context
def test(
    ctx: click.Context,
    paths: tuple[str, ...],
    target: str | None,
    selected: str | None,
    report: str | None,
    allow_python: bool,
    config: str | None,
    isolated: bool,
    jobs: int | str | None,
    quiet: bool,
) -> None:
    """Run every RUN-CHECK of PATHS, on every target that it names: a line each, and a summary.

    `# RUN-CHECK[a5]: ...` names its targets; one that names none is for the program's own target, else for
    all. `# ARGS: idx=arange --ranks 4` gives arguments, as `run --arg` takes them, and options of `run`.
    Where nothing is checked, the test fails. Units of a build output of PyPTO (`ptoas/UNIT.pto`) without a
    check are run on its golden data and compared with it; without data, on generated arguments.

    \b
    ptoas test kernels
    ptoas test kernels -j auto --junit checks.xml
    ptoas test kernels -k softmax --target a5
    ptoas test build_output --junit units.xml
    """
    settings = configuration.load(config, isolated, paths)
    configuration.check_names(settings)
    files, problems = find_files(paths, settings.exclude, settings.root)
    targets = parse_targets(target or settings.target or None)
    started = time.perf_counter()
    outcomes: list[testing.CheckOutcome] = []
    allowed = allow_python or settings.allow_python
    work = partial(testing.run_tests, targets=targets, selected=selected, allow_python=allowed)
    for found in trees.map_with_progress(work, files, jobs or settings.jobs or AUTO, testing.crashed):
        outcomes += found
        for one in found:
            if not quiet or not one.ok:
                click.echo(one.shown())
    seconds = time.perf_counter() - started
    chosen = selected is not None or bool(targets)
    wrong = [finding for one in outcomes for finding in one.findings]
    if not outcomes and not problems:
        problems.append(testing.nothing(paths, len(files), chosen))
    show(list(dict.fromkeys([*problems, *wrong])))
    click.echo(testing.summary(outcomes, len(files), seconds, chosen))
    if report == STANDARD_OUTPUT:
        click.echo(testing.junit(outcomes, seconds), nl=False)
    elif report is not None:
        write_text(report, testing.junit(outcomes, seconds))
    ctx.exit(1 if problems or wrong else 0)
