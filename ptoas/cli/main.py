"""The command `ptoas`. Each command is a few lines over the library; heavy imports happen inside commands."""

from __future__ import annotations

import gc
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import click

from ptoas import __version__
from ptoas.cli.compare import compare
from ptoas.cli.completion import complete_code, complete_pass, complete_target
from ptoas.cli.fmt import fmt
from ptoas.cli.jobs import AUTO, jobs_option
from ptoas.cli.look import profile, report
from ptoas.cli.lsp import lsp
from ptoas.cli.options import (
    aicore_option,
    arguments_option,
    blocks_option,
    color_option,
    credits_option,
    entry_option,
    force_option,
    isa_option,
    legalize_option,
    max_memory_option,
    max_steps_option,
    output_option,
    page_option,
    schedule_option,
    schedules_option,
    seed_option,
    sync_option,
    unregistered_option,
)
from ptoas.cli.terminal import Commands, exit_code_of, show
from ptoas.cli.test import test
from ptoas.cli.verify import verify
from ptoas.diagnostics.render import to_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.dialects.builtin import ModuleOp

    from ptoas.diagnostics import Source
FORMS = ("asm", "ssa", "dps", "generic")

gc.set_threshold(100_000, 20, 20)
"""A command keeps most of the objects that it makes to its end. Looking every 700 for what can be thrown away
takes a tenth of a short command's time."""


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.version_option(__version__, prog_name="ptoas")
def main() -> None:
    """Read, check, run and lower PTO programs: the tile assembly of Ascend NPUs."""


@main.command()
@click.argument("file", type=click.Path())
@click.option("--to", "form", type=click.Choice(FORMS), required=True, help="The form to print.")
@output_option
@unregistered_option
@color_option
@click.pass_context
def convert(
    ctx: click.Context, file: str, form: str, output: str | None, allow_unregistered: bool, color: str
) -> None:
    """Print FILE in another form, with its comments; `-` is standard input.

    \b
    ptoas convert kernel.pto --to ssa
    ptoas convert kernel.pto --to generic -o kernel.mlir
    """
    ctx.find_root().obj = color
    from ptoas.files import STANDARD_OUTPUT, write_text
    from ptoas.forms import print_module
    from ptoas.grammar.parse import parse_file

    module = parse_file(file, allow_unregistered=allow_unregistered)
    text = print_module(module, form, comments=True) + "\n"
    if output in (None, STANDARD_OUTPUT):
        click.echo(text, nl=False)
    else:
        write_text(output, text)


@main.command()
@page_option
def instructions(style: str) -> None:
    """List the instructions: their operands, attributes and spellings.

    \b
    ptoas instructions
    """
    import json

    from ptoas import reference
    from ptoas.dialects.pto import OPS

    if style == "json":
        click.echo(
            json.dumps(
                [{**reference.describe(op), "targets": reference.on_targets(op)} for op in OPS], indent=2
            )
        )
    else:
        click.echo(reference.markdown() if style == "markdown" else reference.table(), nl=style == "table")


@main.command()
@click.argument("code", shell_complete=complete_code)
def explain(code: str) -> None:
    """Explain CODE: what it states, why, where that is written, a failing and a passing example.

    A decision or a document that a message cites is explained, too.

    \b
    ptoas explain PTO-A201
    ptoas explain D21
    """
    from ptoas.diagnostics import codes

    click.echo(codes.explain(code))


@main.command()
@click.option("--target", shell_complete=complete_target, help="Only the rules of this target.")
@page_option
def rules(target: str | None, style: str) -> None:
    """List the rules: code, severity, targets, statement.

    \b
    ptoas rules --target a5
    """
    from ptoas.targets import reference

    click.echo(reference.render_rules(style, target), nl=style != "markdown")


@main.command()
@click.option(
    "--format", "style", type=click.Choice(["table", "json"]), default="table", help="How to print."
)
def targets(style: str) -> None:
    """Say what each target is: its memories, its defaults.

    \b
    ptoas targets
    """
    from ptoas.targets import reference

    click.echo(reference.render_targets(style))


@main.command()
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
@click.option("--rtol", type=float, default=0.0, help="Relative tolerance of --expect.")
@click.option("--atol", type=float, default=0.0, help="Absolute tolerance of --expect.")
@click.option(
    "--print", "prints", multiple=True, metavar="NAME[SLICE]", help="Print a value when the run ends."
)
@click.option("--trace", is_flag=True, help="Print every instruction as it runs.")
@click.option("--stats", is_flag=True, help="Count instructions and bytes.")
@blocks_option
@schedule_option
@schedules_option
@credits_option
@click.option("--ranks", metavar="N|mpi", help="Run so many ranks here; or one a process, under mpiexec.")
@seed_option
@click.option("--describe", is_flag=True, help="Print what each argument would be, and why; run nothing.")
@click.option("--save", metavar="DIR", help="Keep all that the run begins with in DIR.")
@click.option("--load", metavar="DIR", help="Take the arguments that --save kept in DIR.")
@click.option(
    "--check", "checks", default="all", help="What is checked: all, none, or some of mem,init,race,budget."
)
@click.option("--check-file", is_flag=True, help="Check the RUN-CHECK comments of the file.")
@click.option("--unchecked", is_flag=True, help="Let an index out of bounds read what the target would.")
@legalize_option
@sync_option
@aicore_option
@isa_option
@force_option
@unregistered_option
@max_steps_option
@max_memory_option
@click.option(
    "--format", "style", type=click.Choice(["text", "json"]), default="text", help="How to print the result."
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON: `--format json`.")
@color_option
@click.pass_context
def run(
    ctx: click.Context,
    paths: tuple[str, ...],
    target: str | None,
    arguments: tuple[str, ...],
    outputs: tuple[str, ...],
    expected: tuple[str, ...],
    rtol: float,
    atol: float,
    prints: tuple[str, ...],
    ranks: str | None,
    seed: int,
    describe: bool,
    save: str | None,
    load: str | None,
    checks: str,
    check_file: bool,
    max_steps: int | None,
    max_memory: int | None,
    allow_unregistered: bool,
    style: str,
    as_json: bool,
    color: str,
    **options: Any,
) -> None:
    """Run a file as the target would, in NumPy, and stop at the first wrong step.

    Of several PATHS, or a directory, every file is run: a line each, and a summary.

    Arguments that are left out are generated from --seed, indices in bounds. A VALUE is FILE.npy,
    FILE.npz:KEY, FILE.bin, a number, zeros, arange, full:V, random or random:LO:HI.

    \b
    ptoas run kernel.pto --arg indices=ids.npy --out out=result.npy
    ptoas run kernel.pto --blocks 8 --schedule 1
    ptoas run mixed.pto --schedules 50
    ptoas run kernel.pto --target all --seed 7
    ptoas run kernel.pto --ranks 4 --arg src@2=arange
    ptoas run kernel.pto --describe
    ptoas run kernels --target a5
    ptoas run kernels.pto --entry all
    """
    ctx.find_root().obj = color
    import json

    from ptoas.cli import run_file as files
    from ptoas.cli import trees
    from ptoas.diagnostics import PtoasError
    from ptoas.grammar.parse import parse, read_source
    from ptoas.runner import run as machine
    from ptoas.runner.entry import ALL, entries_of

    @cache
    def source(file: str) -> Source:
        """Standard input is there to be read once."""
        return read_source(file)

    def module(file: str = paths[0]) -> ModuleOp:
        read = source(file)
        return parse(read.text, read.filename, allow_unregistered=allow_unregistered)

    def one(file: str, entry: str | None = options["entry"]) -> trees.Said:
        chosen: dict[str, Any] = {**options, "entry": entry}
        result = machine.run_texts(lambda: module(file), (), target, ranks, **chosen, on_output=None)
        told = files.tell(
            [result] if result else [], files.Wanted(source=source(file) if check_file else None)
        )
        if told.errors:
            raise PtoasError(told.errors)
        return files.in_short(told), {} if result is None else files.as_json(told)

    def functions(file: str) -> list[tuple[str, Callable[[], trees.Said]]]:
        return [(f"@{name}", partial(one, file, entry=f"@{name}")) for name in entries_of(module(file))]

    def work() -> files.Told | None:
        wanted = files.Wanted(outputs, expected, rtol, atol, source(paths[0]) if check_file else None)
        if target == "all" and ranks is None:
            wanted.refuse_for_several(save or load)
            comparison = machine.run_all(module(), arguments, **options, on_output=None)
            return files.tell(comparison.results, wanted, comparison)
        for text in outputs:
            machine.check_output(text)
        say = None if as_json else click.echo
        kept = {"save": save, "load": load}
        result = machine.run_texts(module, arguments, target, ranks, **kept, **options, on_output=say)
        return None if result is None else files.tell([result], wanted)

    as_json = as_json or style == "json"
    options |= {"checks": checks, "prints": prints, "seed": seed}
    options |= {"max_steps": max_steps} if max_steps else {}
    options |= {"max_memory": max_memory} if max_memory else {}
    every = options["entry"] == ALL
    if trees.is_tree(paths) or every:
        of = "one function; --entry all runs several" if every else None
        trees.refuse(
            paths, of, arg=arguments, out=outputs, expect=expected, print=prints, save=save, load=load
        )
        trees.refuse(paths, of, describe=describe, target_all=target == "all")
        ctx.exit(trees.go(paths, "run", one, as_json, functions if every else None))
    try:
        if describe:
            rows = machine.describe_texts(module(), arguments, target, load=load, **options)
            click.echo(files.described(rows, as_json))
            return
        told = work()
    except PtoasError as error:
        if as_json:
            click.echo(json.dumps({"errors": [to_json(finding) for finding in error.diagnostics]}, indent=2))
            ctx.exit(exit_code_of(error.diagnostics))
        raise
    if told is None:
        return  # under MPI the first rank speaks for all
    click.echo(json.dumps(files.as_json(told), indent=2) if as_json else files.as_text(told))
    if not as_json:
        show([*told.warnings, *told.errors], color)
    if check_file and not told.errors:
        click.echo(f"{told.checks} check{'s' * (told.checks != 1)} held", err=True)
    ctx.exit(0 if told.ok else exit_code_of(told.errors))


@main.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path())
@click.option("--target", shell_complete=complete_target, help="cpu, a2a3, a5 or a5-custom.")
@output_option
@click.option(
    "--emit",
    type=click.Choice(["kernel", "entry", "launcher"]),
    default="kernel",
    help="The function; with its entry; with its host launcher.",
)
@isa_option
@legalize_option
@click.option("--annotate", is_flag=True, help="Say in comments what stands where, and why.")
@sync_option
@aicore_option
@unregistered_option
@click.option(
    "--print-after",
    metavar="PASS",
    shell_complete=complete_pass,
    help="Show the module after a pass, or after all.",
)
@click.option(
    "--until", metavar="PASS", shell_complete=complete_pass, help="Stop after a pass and print the module."
)
@jobs_option
@click.option("-q", "--quiet", is_flag=True, help="Of several files, name only those that fail.")
@click.option("--json", "as_json", is_flag=True, help="Print how it went as JSON; -o is a directory.")
@color_option
@click.pass_context
def lower(
    ctx: click.Context,
    paths: tuple[str, ...],
    output: str | None,
    jobs: int | str | None,
    quiet: bool,
    as_json: bool,
    color: str,
    **options: Any,
) -> None:
    """Lower a file to C++ for a target: placed, synchronised, ready to build.

    Of several PATHS, or a directory, every file is lowered into the directory that -o names.

    \b
    ptoas lower kernel.pto --target a5 -o kernel.cpp
    ptoas lower kernel.pto --emit launcher --annotate
    ptoas lower kernel.pto --until plan-memory
    ptoas lower kernels --target a5 -o build -j auto
    """
    ctx.find_root().obj = color
    from ptoas.cli import lower_files as files
    from ptoas.cli import trees
    from ptoas.diagnostics import UsageError
    from ptoas.files import STANDARD_OUTPUT
    from ptoas.lowering.lower import lower_file

    output = None if output == STANDARD_OUTPUT else output
    if trees.is_tree(paths) or as_json:
        if output is None:
            raise UsageError("of several files, and with --json, -o names the directory that takes their C++")
        trees.refuse(paths, print_after=options["print_after"], until=options["until"])
        work = partial(files.lower_into, output, paths, options=options)
        ctx.exit(trees.go(paths, "lower", work, as_json, jobs=jobs or AUTO, quiet=quiet))
    text = lower_file(
        paths[0],
        output=output,
        show=lambda shown: click.echo(shown, err=True),
        on_warnings=lambda found: show(found, color),
        **options,
    )
    if output is None:
        click.echo(text, nl=not text.endswith("\n"))


main.add_command(compare)
main.add_command(fmt)
main.add_command(lsp)
main.add_command(profile)
main.add_command(report)
main.add_command(test)
main.add_command(verify)
