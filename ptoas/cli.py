"""The command `ptoas`. Each command is a few lines over the library; heavy imports happen inside commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

import click

from ptoas import __version__

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from ptoas.diagnostics import Diagnostic, Source

FORMS = ("asm", "ssa", "dps", "generic")

color_option = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="Colour; `auto` asks the terminal and NO_COLOR.",
)
page_option = click.option(
    "--format",
    "style",
    type=click.Choice(["table", "markdown", "json"]),
    default="table",
    help="How to print.",
)
unregistered_option = click.option(
    "--allow-unregistered", is_flag=True, help="Keep instructions that the dialect does not have."
)


class _Group(click.Group):
    """Turns what the library raises into messages and exit codes; nothing ends in a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        from ptoas.diagnostics import PtoasError

        try:
            return super().invoke(ctx)
        except PtoasError as error:
            show(error.diagnostics, str(ctx.obj or "auto"))
            ctx.exit(1)
        except (MemoryError, RecursionError) as error:
            show([_exhausted(error)], str(ctx.obj or "auto"))
            ctx.exit(1)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            ctx.exit(130)
        except BrokenPipeError:
            # The reader of our output went away; that is its right.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)


def _exhausted(error: MemoryError | RecursionError) -> Diagnostic:
    """What no limit caught before it happened, still without a traceback."""
    from ptoas.diagnostics import Diagnostic, Source, Span

    what = "memory" if isinstance(error, MemoryError) else "depth"
    return Diagnostic(
        "PTO-P014", f"the program needs more {what} than there is", Span(Source("", "ptoas"), 0)
    )


def use_colour(setting: str, stream: Any = None) -> bool:
    """Whether to colour what goes to a stream, standard error unless told."""
    if setting != "auto":
        return setting == "always"
    return not os.environ.get("NO_COLOR") and (stream or sys.stderr).isatty()


def show(diagnostics: Iterable[Diagnostic], color: str) -> None:
    """Print diagnostics in full to standard error, and how many there are."""
    from ptoas.diagnostics import render

    found = list(diagnostics)
    if not found:
        return  # another rank has said it
    colour = use_colour(color)
    for diagnostic in found:
        click.echo(render(diagnostic, colour) + "\n", err=True, color=colour)
    errors = sum(d.is_error for d in found)
    warnings = len(found) - errors
    parts = [f"{n} {word}{'s' * (n != 1)}" for n, word in ((errors, "error"), (warnings, "warning")) if n]
    click.echo(", ".join(parts), err=True)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.version_option(__version__, prog_name="ptoas")
def main() -> None:
    """Read, check, run and lower PTO programs: the tile assembly of Ascend NPUs."""


@main.command()
@click.argument("file", type=click.Path())
@click.option("--to", "form", type=click.Choice(FORMS), required=True, help="The form to print.")
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    help="Write to this file, whole or not at all; `-` is standard output.",
)
@unregistered_option
@color_option
@click.pass_context
def convert(
    ctx: click.Context, file: str, form: str, output: str | None, allow_unregistered: bool, color: str
) -> None:
    """Print FILE in another form; `-` is standard input.

    \b
    ptoas convert kernel.pto --to ssa
    ptoas convert kernel.pto --to generic -o kernel.mlir
    """
    ctx.find_root().obj = color
    from ptoas.files import STANDARD_OUTPUT, write_text
    from ptoas.grammar.parse import parse_file
    from ptoas.grammar.printer import print_module

    text = print_module(parse_file(file, allow_unregistered=allow_unregistered), form) + "\n"
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
        click.echo(json.dumps([reference.describe(op) for op in OPS], indent=2))
    else:
        click.echo(reference.markdown() if style == "markdown" else reference.table(), nl=style == "table")


@main.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path())
@click.option("--target", help="cpu, a2a3, a5, a5-custom, several with commas, or all.")
@click.option("--aicore", is_flag=True, help="An AICORE build: the float8 types on cpu too.")
@click.option("--sync", type=click.Choice(["auto", "manual"]), help="Who sets the flags, whatever is there.")
@click.option(
    "--format",
    "style",
    type=click.Choice(["full", "concise", "json", "sarif", "github"]),
    default="full",
    help="How to print what was found.",
)
@click.option("--select", help="Report only these codes, or beginnings of codes, with commas.")
@click.option("--ignore", help="Don't report these codes, or beginnings of codes.")
@click.option("--werror", is_flag=True, help="Take warnings for errors.")
@click.option("-j", "--jobs", type=click.IntRange(min=1), default=1, help="How many processes check.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@color_option
@click.pass_context
def verify(
    ctx: click.Context,
    paths: tuple[str, ...],
    target: str | None,
    aicore: bool,
    sync: str | None,
    style: str,
    select: str | None,
    ignore: str | None,
    werror: bool,
    jobs: int,
    quiet: bool,
    color: str,
) -> None:
    """Check PATHS (files, directories, `-`) against the laws of the targets.

    Without --target: for the one that a program names, else for all four.

    \b
    ptoas verify kernel.pto --target a5
    ptoas verify kernels --target all --format concise -j 2
    ptoas verify kernels --select PTO-A,PTO-F --werror
    """
    from ptoas import verify_files as files

    with _usage_errors():
        options = files.Options(
            files.parse_targets(target),
            aicore,
            sync,
            files.parse_codes(select),
            files.parse_codes(ignore),
            werror,
        )
    with _progress() as progress:
        reports = files.verify_paths(paths, options, jobs, progress)
    found = files.sorted_once(reports)
    if quiet:
        found = [d for d in found if d.is_error]
    if style in ("json", "sarif"):
        click.echo(_machine_readable(found, style))
    else:
        colour = use_colour(color, sys.stdout)
        if style == "full" and not quiet and len(files.matrix_targets(reports)) > 1:
            encoding = (sys.stdout.encoding or "").lower()
            click.echo(
                files.render_matrix(reports, colour, ascii_only="utf" not in encoding) + "\n", color=colour
            )
        for diagnostic in found:
            click.echo(_rendered(diagnostic, style, colour), color=colour)
        if not quiet:
            click.echo(files.summary(reports))
    ctx.exit(files.exit_code(reports))


def _rendered(diagnostic: Diagnostic, style: str, colour: bool) -> str:
    from ptoas.diagnostics import render, render_concise, render_github

    if style == "full":
        return render(diagnostic, colour) + "\n"
    return render_concise(diagnostic) if style == "concise" else render_github(diagnostic)


def _machine_readable(diagnostics: list[Diagnostic], style: str) -> str:
    from ptoas.diagnostics import render_json
    from ptoas.sarif import render_sarif

    return render_json(diagnostics) if style == "json" else render_sarif(diagnostics)


@contextmanager
def _progress() -> Generator[Callable[[int, int], None] | None, None, None]:
    """A bar on a terminal, once the work has taken longer than a second."""
    if not sys.stderr.isatty():
        yield None
        return
    import time

    from rich.console import Console
    from rich.progress import Progress

    started = time.monotonic()
    bar = Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task("verifying", visible=False)

    def advance(done: int, total: int) -> None:
        if time.monotonic() - started > 1:
            bar.start()
            bar.update(task, completed=done, total=total, visible=True)

    try:
        yield advance
    finally:
        bar.stop()


@main.command()
@click.argument("code")
def explain(code: str) -> None:
    """Explain the law behind CODE: its reason, where it is written, a failing and a passing example.

    \b
    ptoas explain PTO-A201
    """
    from ptoas import codes

    with _usage_errors():
        click.echo(codes.explain(code))


@main.command()
@click.option("--target", help="Only the rules of this target.")
@page_option
def rules(target: str | None, style: str) -> None:
    """List the rules: code, severity, targets, law.

    \b
    ptoas rules --target a5
    """
    from ptoas.targets import reference

    with _usage_errors():
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
@click.argument("file", type=click.Path())
@click.option("--target", help="cpu, a2a3, a5, a5-custom; or all, to compare them.")
@click.option("--entry", help="The function to run, if there are several.")
@click.option(
    "--arg", "arguments", multiple=True, metavar="NAME=VALUE", help="An argument; NAME@RANK: of one rank."
)
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
@click.option("--blocks", type=click.IntRange(1, 65535), default=1, help="How many blocks run the kernel.")
@click.option("--ranks", metavar="N|mpi", help="Run so many ranks here; or one a process, under mpiexec.")
@click.option("--seed", type=int, default=0, help="What left-out arguments are generated from.")
@click.option(
    "--check", "checks", default="all", help="What is checked: all, none, or some of mem,init,race,budget."
)
@click.option("--check-file", is_flag=True, help="Check the RUN-CHECK comments of the file.")
@click.option("--unchecked", is_flag=True, help="Let an index out of bounds read what the target would.")
@click.option("--legalize", is_flag=True, help="Rewrite what cpu does not have into what it has.")
@click.option("--sync", type=click.Choice(["auto", "manual"]), help="Who sets the flags, whatever is there.")
@click.option("--aicore", is_flag=True, help="An AICORE build: the float8 types on cpu too.")
@click.option("--force", is_flag=True, help="Run a program that does not verify.")
@click.option("--max-steps", type=click.IntRange(min=1), help="Stop after so many operations.")
@click.option("--max-memory", type=click.IntRange(min=1), help="Refuse above so many bytes of arguments.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@color_option
@click.pass_context
def run(
    ctx: click.Context,
    file: str,
    target: str | None,
    arguments: tuple[str, ...],
    outputs: tuple[str, ...],
    expected: tuple[str, ...],
    rtol: float,
    atol: float,
    prints: tuple[str, ...],
    ranks: str | None,
    seed: int,
    checks: str,
    check_file: bool,
    max_steps: int | None,
    max_memory: int | None,
    as_json: bool,
    color: str,
    **options: Any,
) -> None:
    """Run FILE as the target would, in NumPy, and stop at the first wrong step.

    Arguments that are left out are generated from --seed, indices in bounds. A VALUE is FILE.npy,
    FILE.npz:KEY, FILE.bin, a number, zeros, arange, full:V, random or random:LO:HI.

    \b
    ptoas run kernel.pto --arg indices=ids.npy --out out=result.npy
    ptoas run kernel.pto --target all --seed 7
    ptoas run kernel.pto --ranks 4 --arg src@2=arange
    """
    ctx.find_root().obj = color
    import json

    from ptoas.grammar.parse import parse, read_source
    from ptoas.interpreter import run as machine

    @cache
    def source() -> Source:
        """Standard input is there to be read once."""
        return read_source(file)

    def module() -> ModuleOp:
        return parse(source().text, source().filename)

    options |= {"checks": checks, "on_output": None if as_json else click.echo}
    options |= {"max_steps": max_steps} if max_steps else {}
    memory = {"max_memory": max_memory} if max_memory else {}
    for text in outputs:
        machine.check_output(text)
    with _usage_errors():
        if target == "all" and ranks is None:
            comparison = machine.run_all(module(), arguments, seed=seed, **memory, **options)
            click.echo(comparison.text())
            ctx.exit(0 if comparison.equal else 1)
        if ranks is not None:
            from ptoas.interpreter.ranks import run_ranks

            options |= {"prints": prints, "seed": seed, **memory}
            result = run_ranks(module, arguments, target, ranks=ranks, **options)
            if result is None:
                return  # under MPI the first rank speaks for all
        else:
            kernel = machine.compile(module(), target, prints=prints, **options)
            result = kernel.execute(machine.read_arguments(kernel, arguments, seed=seed, **memory))
    for text in outputs:
        machine.write_output(result, text)
    if as_json:
        click.echo(json.dumps(machine.result_json(result), indent=2))
    else:
        click.echo(machine.format_result(result))
    if result.warnings:
        show(result.warnings, color)
    for text in expected:
        machine.check_expected(result, text, rtol, atol)
    if check_file:
        held = machine.check_file(source(), result)
        click.echo(f"{held} check{'s' * (held != 1)} held", err=True)


@main.command()
@click.argument("file", type=click.Path())
@click.option("--target", help="cpu, a2a3, a5 or a5-custom.")
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    help="Write to this file, whole or not at all; `-` is standard output.",
)
@click.option(
    "--emit",
    type=click.Choice(["kernel", "entry", "launcher"]),
    default="kernel",
    help="The function; with its entry; with its host launcher.",
)
@click.option(
    "--isa", type=click.Choice(["doc", "2026.08"]), default="2026.08", help="Whose declarations are called."
)
@click.option("--legalize", is_flag=True, help="Rewrite what cpu does not have into what it has.")
@click.option("--annotate", is_flag=True, help="Show the source lines as comments.")
@click.option("--sync", type=click.Choice(["auto", "manual"]), help="Who sets the flags, whatever is there.")
@click.option("--aicore", is_flag=True, help="An AICORE build: the float8 types on cpu too.")
@click.option("--print-after", metavar="PASS", help="Show the module after a pass, or after all.")
@click.option("--until", metavar="PASS", help="Stop after a pass and print the module.")
@color_option
@click.pass_context
def lower(ctx: click.Context, file: str, output: str | None, color: str, **options: Any) -> None:
    """Lower FILE to C++ for a target: placed, synchronised, ready to build.

    \b
    ptoas lower kernel.pto --target a5 -o kernel.cpp
    ptoas lower kernel.pto --emit launcher --annotate
    ptoas lower kernel.pto --until plan-memory
    """
    ctx.find_root().obj = color
    from ptoas.files import STANDARD_OUTPUT
    from ptoas.lowering.lower import lower_file

    output = None if output == STANDARD_OUTPUT else output
    with _usage_errors():
        text = lower_file(file, output=output, show=lambda shown: click.echo(shown, err=True), **options)
    if output is None:
        click.echo(text, nl=not text.endswith("\n"))


@contextmanager
def _usage_errors() -> Generator[None, None, None]:
    """What the library refuses as a wrong option is wrong usage: exit code 2."""
    try:
        yield
    except ValueError as error:
        from ptoas.diagnostics import visible

        raise click.UsageError(visible(str(error))) from None


if __name__ == "__main__":
    main()
