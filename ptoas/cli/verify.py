"""The command `verify`: files against the rules of targets."""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from ptoas.cli.completion import complete_codes, complete_targets
from ptoas.cli.options import (
    aicore_option,
    assembler_option,
    color_option,
    config_option,
    isa_option,
    isolated_option,
    jobs_option,
    output_option,
    placement_option,
    stdin_filename_option,
    sync_option,
    unregistered_option,
)
from ptoas.cli.terminal import Command, use_colour
from ptoas.cli.trees import map_with_progress
from ptoas.diagnostics import PtoasError
from ptoas.diagnostics.files import STANDARD_OUTPUT, write_text
from ptoas.diagnostics.render import FORMATS, render, visible
from ptoas.grammar.parse import read_source
from ptoas.project import settings as configuration
from ptoas.project import verdicts
from ptoas.project.baseline import read_baseline, without_known, write_baseline
from ptoas.project.cache import Cache
from ptoas.project.find import find_files
from ptoas.project.pool import AUTO
from ptoas.project.verdicts import exit_code, reports_of, unchecked, unfound
from ptoas.project.verify_files import options_of, verify_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ptoas.project.verdicts import FileReport
    from ptoas.project.verify_files import VerifyOptions


@click.command(cls=Command)
@click.argument("paths", nargs=-1, required=True, type=click.Path())
@click.option(
    "--target",
    "targets",
    shell_complete=complete_targets,
    help="cpu, a2a3, a5, a5-custom, several with commas, or all.",
)
@aicore_option
@isa_option
@sync_option
@placement_option
@assembler_option
@click.option(
    "--format",
    "style",
    type=click.Choice(FORMATS),
    default="full",
    help="Output format of the findings.",
)
@click.option(
    "--select",
    shell_complete=complete_codes,
    help="Report only these codes or prefixes of codes, separated by commas.",
)
@click.option(
    "--ignore", shell_complete=complete_codes, help="Don't report these codes or prefixes of codes."
)
@click.option("--certify", is_flag=True, help="State for each kernel if every schedule gives its result.")
@click.option("--werror", is_flag=True, help="Treat warnings as errors.")
@click.option("--fix", is_flag=True, help="Apply safe fixes, then check.")
@click.option(
    "--unsafe-fixes", is_flag=True, help="With --fix: also apply fixes that may change the meaning."
)
@click.option("--diff", is_flag=True, help="With --fix: write nothing, print the differences.")
@click.option("--exit-zero", is_flag=True, help="Exit with code 0, whatever is found.")
@click.option("--statistics", is_flag=True, help="Print how often each code occurs, not each finding.")
@click.option("--baseline", metavar="FILE", help="Report only findings that are not in this file.")
@click.option("--update-baseline", metavar="FILE", help="Write all findings to a file for --baseline.")
@click.option("--watch", is_flag=True, help="Check again whenever a file changes, until interrupted.")
@click.option("--no-cache", is_flag=True, help="Check files again that have not changed.")
@config_option
@isolated_option
@stdin_filename_option
@output_option
@jobs_option
@click.option("-q", "--quiet", is_flag=True, help="Print only errors.")
@click.option("-v", "--verbose", is_flag=True, help="Also print the configuration and what is checked.")
@unregistered_option
@color_option
@click.pass_context
def verify(
    ctx: click.Context,
    paths: tuple[str, ...],
    style: str,
    fix: bool,
    unsafe_fixes: bool,
    diff: bool,
    exit_zero: bool,
    statistics: bool,
    baseline: str | None,
    update_baseline: str | None,
    watch: bool,
    no_cache: bool,
    config: str | None,
    isolated: bool,
    output: str | None,
    jobs: int | str | None,
    quiet: bool,
    verbose: bool,
    **typed: Any,
) -> None:
    """Check PATHS (files, directories, `-`) against the rules of the targets.

    Without --target: the target that a program names, else all four. Settings of a project are in
    `[tool.ptoas]` of its pyproject.toml or in ptoas.toml; options override them. A comment
    `# ptoas: ignore[CODE]` hides findings of its line.

    \b
    ptoas verify kernel.pto --target a5
    ptoas verify kernels --target all --format concise -j 2
    ptoas verify kernels --select PTO-A,PTO-F --werror
    ptoas verify kernels --fix
    ptoas verify kernels --assembler '>=0.64'
    ptoas verify kernel.pto --certify
    ptoas verify kernels --watch
    ptoas verify kernels --update-baseline known.json
    ptoas verify kernels --baseline known.json
    ptoas verify kernels --format sarif -o findings.sarif
    """
    if typed["assembler"] is not None:
        from ptoas.verifier.assembler import parse_versions

        parse_versions(typed["assembler"])  # a wrong one is an error of the call, not of each file

    settings = configuration.load(config, isolated, paths)
    options = options_of(settings, **typed)
    jobs = jobs or settings.jobs or AUTO

    def files() -> tuple[list[str], list[FileReport]]:
        found, problems = find_files(paths, settings.exclude, settings.root)
        return found, unfound(problems)

    def show(reports: Sequence[FileReport]) -> None:
        _show(reports, style, quiet, output, fixed=fix)

    if fix or diff:
        machine = style in ("json", "sarif")
        changed = _fix(files()[0], options, unsafe_fixes, diff, quiet or machine)
        if diff:
            ctx.exit(1 if changed else 0)
        if "-" in paths:
            return  # standard output has the program
    if watch:
        _watch(lambda: files()[0], options, jobs, show)
        return
    found, missing = files()
    known: frozenset[str] = frozenset() if baseline is None else read_baseline(baseline)
    checked, cached = _reports(found, options, jobs, not no_cache, quiet)
    reports = [*missing, *checked]
    if verbose:
        source = "none" if settings.source is None else visible(settings.source.filename)
        targets = ", ".join(options.targets) or "those that programs name, else all"
        click.echo(f"configuration: {source}\ntargets: {targets}", err=True)
        click.echo(
            f"files: {len(found)}, of which {cached} have not changed since they were checked", err=True
        )
    if update_baseline is not None:
        count = write_baseline(update_baseline, reports)
        click.echo(f"{count} finding{'s' * (count != 1)} written to {visible(update_baseline)}")
        return
    if known:
        reports = [without_known(report, known) for report in reports]
    if statistics:
        import_module("ptoas.project.explain")  # codes of findings from the cache
        click.echo(verdicts.statistics(reports))
    else:
        show(reports)
    ctx.exit(0 if exit_zero else exit_code(reports))


def _reports(
    files: Sequence[str], options: VerifyOptions, jobs: int | str, cached: bool, quiet: bool
) -> tuple[list[FileReport], int]:
    """Return the report of each file, and how many of them were cached.

    A single file is checked in less time than it takes to be sure that nothing has changed.
    """
    cache = Cache(options) if cached and len(files) > 1 else None
    keys: dict[str, str] = {}
    known: dict[str, FileReport] = {}
    for file in files if cache is not None else ():
        key, report = cache.find(file) if cache is not None and file != "-" else (None, None)
        if report is not None:
            known[file] = report
        elif key is not None:
            keys[file] = key
    found = len(known)
    rest = [file for file in files if file not in known]
    if rest:
        check = partial(_check, options=options, cache=cache, keys=keys, quiet=quiet)
        known |= {report.path: report for report in map_with_progress(check, rest, jobs, unchecked)}
    return [known[file] for file in files], found


def _check(
    path: str, options: VerifyOptions, cache: Cache | None, keys: Mapping[str, str], quiet: bool
) -> FileReport:
    """Check one file, in any of several processes."""
    report = verify_file(path, options)
    if cache is not None and path in keys:
        cache.put(keys[path], report)
    return report.of_errors() if quiet else report  # no more than is shown


def _watch(
    find: Callable[[], Sequence[str]],
    options: VerifyOptions,
    jobs: int | str,
    show: Callable[[Sequence[FileReport]], None],
) -> None:
    from ptoas.cli.watching import watch

    known: dict[str, FileReport] = {}
    check = partial(verify_file, options=options)

    def work(files: Sequence[str], changed: Sequence[str]) -> None:
        known.update({report.path: report for report in reports_of(changed, check, jobs)})
        if sys.stdout.isatty():
            click.clear()
        show([known[file] for file in files])

    try:
        watch(find, work)
    except KeyboardInterrupt:
        click.echo("stopped", err=True)


def _fix(files: Sequence[str], options: VerifyOptions, unsafe: bool, diff: bool, quiet: bool) -> int:
    """Fix files, or say how; returns how many changed."""
    from ptoas.cli.differences import unified
    from ptoas.cli.fixing import fix_source

    done = changed = 0
    colour = use_colour(sys.stdout)
    for file in files:
        try:
            source = read_source(file)
        except PtoasError:
            continue  # the check reports it
        fixed = fix_source(source, options, unsafe)
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


def _show(reports: Sequence[FileReport], style: str, quiet: bool, output: str | None, fixed: bool) -> None:
    output = None if output == STANDARD_OUTPUT else output
    to_file = output is not None
    colour = use_colour(sys.stdout) and not to_file
    found = verdicts.sorted_once(reports)
    if quiet:
        found = [d for d in found if d.is_error]
    parts: list[str] = []
    if style == "sarif":
        import_module("ptoas.project.explain")  # cached findings may have codes of packages not imported yet
    if style in ("json", "sarif"):
        parts.append(render(found, style))
    else:
        found, noted = verdicts.without_repeated_notes(found)
        several = len(reports) > 1 or len(verdicts.matrix_targets(reports)) > 1
        if style == "full" and not quiet and several:
            encoding = "utf-8" if to_file else (sys.stdout.encoding or "").lower()
            parts.append(verdicts.render_matrix(reports, colour, ascii_only="utf" not in encoding) + "\n")
        if found:
            parts.append(render(found, style, colour=colour) + "\n" * (style == "full"))
        if not quiet:
            parts += [] if noted is None else [noted]
            parts.append(verdicts.summary(reports, fixed))
    if output is not None:
        write_text(output, "".join(f"{part}\n" for part in parts))
        return
    for part in parts:
        click.echo(part, color=colour)
