"""The command `lower`: C++ for a target."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from ptoas.cli import trees
from ptoas.cli.completion import complete_pass, complete_target
from ptoas.cli.options import (
    aicore_option,
    color_option,
    config_option,
    isa_option,
    isolated_option,
    jobs_option,
    legalize_option,
    output_option,
    sync_option,
    unregistered_option,
)
from ptoas.cli.terminal import Command, show
from ptoas.compiler.lower import lower_file
from ptoas.diagnostics import UsageError
from ptoas.diagnostics.files import STANDARD_OUTPUT, write_text
from ptoas.project import settings as configuration
from ptoas.project.pool import AUTO


@click.command(cls=Command)
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
@click.option("--annotate", is_flag=True, help="Explain placement and flags in comments.")
@click.option("--emit-loc", is_flag=True, help="Write the loc(...) of statements as comments.")
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
@click.option("-q", "--quiet", is_flag=True, help="With several files, list only those that fail.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON; -o is a directory.")
@config_option
@isolated_option
@color_option
@click.pass_context
def lower(
    ctx: click.Context,
    paths: tuple[str, ...],
    output: str | None,
    jobs: int | str | None,
    quiet: bool,
    as_json: bool,
    config: str | None,
    isolated: bool,
    **options: Any,
) -> None:
    """Lower a file to C++ for a target: placed, synchronised, ready to build.

    With several PATHS or a directory, every file is lowered into the directory that -o names.

    \b
    ptoas lower kernel.pto --target a5 -o kernel.cpp
    ptoas lower kernel.pto --emit launcher --annotate
    ptoas lower kernel.pto --until plan-memory
    ptoas lower kernels --target a5 -o build -j auto
    """
    settings = configuration.load(config, isolated, paths)
    options["target"] = configuration.for_one_target(settings, options["target"])
    output = None if output == STANDARD_OUTPUT else output
    if trees.is_tree(paths) or as_json:
        if output is None:
            raise UsageError("with several files or --json, -o must name a directory")
        trees.refuse(paths, print_after=options["print_after"], until=options["until"])
        work = partial(lower_into, output, paths, options=options)
        jobs = jobs or settings.jobs or AUTO
        ctx.exit(trees.run_batch(paths, "lower", work, as_json, jobs=jobs, quiet=quiet, settings=settings))
    text = lower_file(
        paths[0],
        output=output,
        show=lambda shown: click.echo(shown, err=True),
        on_warnings=lambda found: show(found),
        **options,
    )
    if output is None:
        click.echo(text, nl=not text.endswith("\n"))


def lower_into(
    directory: str, paths: Sequence[str], path: str, options: Mapping[str, Any]
) -> tuple[str, dict[str, Any]]:
    """Lower one file of a directory; return a summary with the path of its C++."""
    output = Path(directory) / target_name(paths, path)
    text = lower_file(path, **options)
    write_text(output, text)
    return str(output), {"output": str(output)}


def target_name(paths: Sequence[str], path: str) -> Path:
    """Return the output path of a file, relative to the directory it was found in.

    >>> target_name(["kernels"], "kernels/aiv/rope.pto").as_posix()
    'aiv/rope.cpp'
    >>> target_name(["a/rope.pto", "b.pto"], "a/rope.pto").as_posix()
    'rope.cpp'
    """
    above = [root for root in paths if os.path.commonpath([root, path]) == os.path.normpath(root) != path]
    below = Path(os.path.relpath(path, above[0])) if above else Path(os.path.basename(path))
    return below.with_suffix(".cpp")
