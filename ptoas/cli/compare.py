"""The command `compare`: the compiled program against `run`."""

from __future__ import annotations

import json
from typing import Any

import click

from ptoas.cli import trees
from ptoas.cli.options import (
    aicore_option,
    arguments_option,
    blocks_option,
    color_option,
    entry_option,
    given,
    isa_option,
    json_option,
    legalize_option,
    max_memory_option,
    max_steps_option,
    seed_option,
    sync_option,
    unregistered_option,
)
from ptoas.cli.terminal import Command, errors_as_json, progress, show
from ptoas.diagnostics import PtoasError
from ptoas.diagnostics.render import to_json
from ptoas.grammar.parse import parse_file
from ptoas.runner.options import OnProgress
from ptoas.simulator import compare as simulator
from ptoas.simulator.program import find_compiler, find_library


@click.command(cls=Command)
@click.argument("paths", nargs=-1, required=True, type=click.Path())
@click.option(
    "--include", required=True, metavar="DIR", help="The library: the directory that holds pto/pto-inst.hpp."
)
@click.option("--cxx", metavar="COMMAND", help="The C++20 compiler; else $CXX, clang++ or g++.")
@click.option(
    "--timeout", type=float, default=60.0, metavar="SECONDS", help="Time limit of the compiled program."
)
@click.option("--keep", metavar="DIR", help="Keep the C++, the program and its data in DIR.")
@entry_option
@arguments_option
@blocks_option
@seed_option
@legalize_option
@sync_option
@aicore_option
@isa_option
@unregistered_option
@max_steps_option
@max_memory_option
@json_option
@color_option
@click.pass_context
def compare(
    ctx: click.Context,
    paths: tuple[str, ...],
    include: str,
    keep: str | None,
    arguments: tuple[str, ...],
    allow_unregistered: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Compile PATHS with your copy of the instruction library, run them, and compare with `run`.

    The C++ that `lower` writes for cpu is built for the library's simulator and run on the arguments that
    `run --target cpu` uses; every byte of every output is compared.

    \b
    ptoas compare kernel.pto --include pto-isa/include
    ptoas compare kernel.pto --include pto-isa/include --cxx clang++-19
    """

    def one(file: str, on_progress: OnProgress | None = None) -> simulator.Compared:
        module = parse_file(file, allow_unregistered=allow_unregistered)
        return simulator.compare(
            module, include, arguments, keep=keep, **given(options), on_progress=on_progress
        )

    def of_many(file: str) -> tuple[str, dict[str, Any]]:
        found = one(file)
        if found.errors:
            raise PtoasError(found.errors)
        return found.text(), found.as_dict()

    if trees.is_tree(paths):
        trees.refuse(paths, arg=arguments, keep=keep)
        # Once, before the first file.
        find_library(include)
        find_compiler(options["cxx"])
        ctx.exit(trees.run_batch(paths, "compare", of_many, as_json))
    with errors_as_json(as_json), progress() as advance:
        found = one(paths[0], advance)
    if as_json:
        errors = [to_json(finding) for finding in found.errors]
        click.echo(json.dumps({**found.as_dict(), "errors": errors}, indent=2))
    else:
        click.echo(found.text())
        show(found.errors)
    ctx.exit(0 if found.equal else 1)
