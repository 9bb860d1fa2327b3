"""The command `run`: a program as the target would, in NumPy."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ptoas.cli import run_file as files
from ptoas.cli import trees
from ptoas.cli.completion import complete_target
from ptoas.cli.options import (
    aicore_option,
    allow_python_option,
    arguments_option,
    blocks_option,
    color_option,
    config_option,
    credits_option,
    entry_option,
    force_option,
    given,
    isa_option,
    isolated_option,
    jobs_option_for,
    legalize_option,
    max_memory_option,
    max_steps_option,
    schedule_option,
    schedules_option,
    seed_option,
    sync_option,
    unregistered_option,
)
from ptoas.cli.terminal import Command, errors_as_json, exit_code_of, progress, show
from ptoas.compiler import run as machine
from ptoas.diagnostics import PtoasError
from ptoas.grammar.parse import parse, read_source
from ptoas.machine.machine import CHECK_NAMES
from ptoas.project import settings as configuration
from ptoas.project.build_output import golden_of
from ptoas.runner.entry import ALL, entries_of
from ptoas.runner.in_file import find_arguments, target_of
from ptoas.runner.reference import load_reference
from ptoas.runner.report import check_output

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.dialects.builtin import ModuleOp

    from ptoas.diagnostics import Source


jobs_option = jobs_option_for("Number of processes for blocks or ranks that do not wait for each other.")


@click.command(cls=Command)
@click.argument("paths", nargs=-1, required=True, type=click.Path())
@click.option(
    "--target", shell_complete=complete_target, help="cpu, a2a3, a5, a5-custom; or all, to compare them."
)
@entry_option
@arguments_option
@click.option("--out", "outputs", multiple=True, metavar="NAME=PATH", help="Write an output to a file.")
@click.option(
    "--expect", "expected", multiple=True, metavar="NAME=PATH", help="Compare an output with a file."
)
@click.option(
    "--reference",
    "references",
    multiple=True,
    metavar="FILE.py:FUNCTION",
    help="Compare the outputs with a Python function's.",
)
@allow_python_option
@click.option("--rtol", type=float, help="Relative tolerance of --expect and --reference.")
@click.option("--atol", type=float, help="Absolute tolerance of --expect and --reference.")
@click.option(
    "--print", "prints", multiple=True, metavar="NAME[SLICE]", help="Print a value when the run ends."
)
@click.option("--trace", is_flag=True, help="Print every instruction as it runs.")
@click.option("--stats", is_flag=True, help="Count instructions and bytes.")
@blocks_option
@schedule_option
@schedules_option
@jobs_option
@credits_option
@click.option(
    "--ranks", metavar="N|mpi", help="Number of ranks in this process; mpi: one per process, under mpiexec."
)
@seed_option
@click.option("--describe", is_flag=True, help="Print each argument and its origin; do not run.")
@click.option("--save", metavar="DIR", help="Save all arguments in DIR.")
@click.option("--load", metavar="DIR", help="Load the arguments that --save wrote to DIR.")
@click.option(
    "--check", "checks", default="all", help=f"Checks: all, none, or some of {','.join(CHECK_NAMES)}."
)
@click.option("--check-file", is_flag=True, help="Check the RUN-CHECK comments of the file.")
@click.option(
    "--unchecked", is_flag=True, help="Let an index out of bounds access the same memory as on the target."
)
@legalize_option
@sync_option
@aicore_option
@isa_option
@force_option
@unregistered_option
@max_steps_option
@max_memory_option
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json"]),
    default="text",
    help="Output format of the result.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON: `--format json`.")
@config_option
@isolated_option
@color_option
@click.pass_context
def run(
    ctx: click.Context,
    paths: tuple[str, ...],
    target: str | None,
    arguments: tuple[str, ...],
    outputs: tuple[str, ...],
    expected: tuple[str, ...],
    references: tuple[str, ...],
    allow_python: bool,
    rtol: float | None,
    atol: float | None,
    ranks: str | None,
    describe: bool,
    save: str | None,
    load: str | None,
    check_file: bool,
    allow_unregistered: bool,
    style: str,
    as_json: bool,
    config: str | None,
    isolated: bool,
    **options: Any,
) -> None:
    """Run a file as the target would, in NumPy, and stop at the first wrong step.

    With several PATHS or a directory, every file is run: a line each, and a summary. Units of a build output
    of PyPTO are run on its golden data, and compared with it.

    Arguments that are left out are generated from --seed, indices in bounds. A VALUE is FILE.npy,
    FILE.npz:KEY, FILE.pt, FILE.bin, a number, [1,2,3], zeros, ones, arange, full:V, random or random:LO:HI.
    With --check-file, the ARGS comments of the file apply unless an option overrides them.

    A reference function has parameters with names of arguments; it returns the output, or a dictionary of
    outputs. Floats agree within 1e-5 or four rounding errors of their type, unless --rtol is given.

    \b
    ptoas run kernel.pto --arg indices=ids.npy --out out=result.npy
    ptoas run softmax.pto --reference reference.py:softmax --allow-python
    ptoas run kernel.pto --blocks 8 --schedule 1
    ptoas run kernel.pto --blocks 8 --jobs auto
    ptoas run mixed.pto --schedules 50
    ptoas run kernel.pto --target all --seed 7
    ptoas run kernel.pto --ranks 4 --arg src@2=arange
    ptoas run kernel.pto --ranks 8 --jobs auto
    ptoas run kernel.pto --describe
    ptoas run kernels --target a5
    ptoas run build_output
    ptoas run kernels.pto --entry all
    """
    options = {**given(options), "entry": options["entry"], "jobs": options["jobs"] or 1}

    @cache
    def source(file: str) -> Source:
        """Standard input is there to be read once."""
        return read_source(file)

    def module(file: str = paths[0]) -> ModuleOp:
        read = source(file)
        return parse(read.text, read.filename, allow_unregistered=allow_unregistered)

    def arguments_and_ranks(file: str, chosen: dict[str, Any]) -> tuple[tuple[str, ...], str | None]:
        """The arguments, and how many ranks; with --check-file those of the file, too."""
        if not check_file:
            return arguments, ranks

        limit = {"max_steps": options["max_steps"]} if "max_steps" in options else {}
        found = find_arguments(source(file), target_of(lambda: module(file), target), **limit)
        typed = {name for name in chosen if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE}
        number = found.options.pop("ranks", None)
        chosen |= {name: value for name, value in found.options.items() if name not in typed}
        return (*found.values_except(arguments), *arguments), number if ranks is None else ranks

    def one(file: str, entry: str | None = options["entry"]) -> trees.Summary:
        chosen: dict[str, Any] = {**options, "entry": entry}
        arguments, number = arguments_and_ranks(file, chosen)
        chosen["keep_initial"] = check_file
        request = files.OutputRequest(source=source(file) if check_file else None, allow_python=allow_python)
        if golden := golden_of(file, module(file)):
            arguments = (*golden.inputs, *arguments)
            request = replace(request, expected=golden.outputs, rtol=golden.rtol, atol=golden.atol)
        result = machine.run_texts(lambda: module(file), arguments, target, number, **chosen, on_output=None)
        run_report = files.build_report([result] if result else [], request)
        if run_report.errors:
            raise PtoasError(run_report.errors)
        return files.in_short(run_report), {} if result is None else files.as_json(run_report)

    def functions(file: str) -> list[tuple[str, Callable[[], trees.Summary]]]:
        return [(f"@{name}", partial(one, file, entry=f"@{name}")) for name in entries_of(module(file))]

    def work() -> files.RunReport | None:
        functions = {spec: load_reference(spec, allow_python) for spec in references}
        checked = source(paths[0]) if check_file else None
        request = files.OutputRequest(outputs, expected, rtol, atol, checked, functions, allow_python)
        arguments, number = arguments_and_ranks(paths[0], options)
        if target == "all" and number is None:
            request.refuse_for_several(save or load)
            comparison = machine.run_all(module(), arguments, **options, on_output=None)
            return files.build_report(comparison.results, request, comparison)
        for text in outputs:
            check_output(text)
        say = None if as_json else click.echo
        kept = {"save": save, "load": load, "keep_initial": check_file or bool(references)}
        result = machine.run_texts(module, arguments, target, number, **kept, **options, on_output=say)
        return None if result is None else files.build_report([result], request)

    settings = configuration.load(config, isolated, paths)
    target = configuration.for_one_target(settings, target)
    allow_python = allow_python or settings.allow_python
    as_json = as_json or style == "json"
    every = options["entry"] == ALL
    if trees.is_tree(paths) or every:
        of = "one function; --entry all runs several" if every else None
        single = {"arg": arguments, "out": outputs, "expect": expected, "print": options["prints"]}
        single |= {"save": save, "load": load, "reference": references, "describe": describe}
        trees.refuse(paths, of, **single, target_all=target == "all")
        ctx.exit(trees.run_batch(paths, "run", one, as_json, functions if every else None, settings=settings))
    with errors_as_json(as_json):
        if describe:
            rows = machine.describe_texts(module(), arguments, target, load=load, **options)
            click.echo(files.described(rows, as_json))
            return
        with progress() as advance:
            options["on_progress"] = advance
            run_report = work()
    if run_report is None:
        return  # under MPI the first rank prints the result
    click.echo(json.dumps(files.as_json(run_report)) if as_json else files.as_text(run_report))
    if not as_json:
        show([*run_report.warnings, *run_report.errors])
    if check_file and not run_report.errors:
        click.echo(f"{run_report.checks} check{'s' * (run_report.checks != 1)} held", err=True)
    ctx.exit(0 if run_report.ok else exit_code_of(run_report.errors))
