"""The command `diff`: the first instruction whose result differs between two programs, targets or passes."""

from __future__ import annotations

import json
from typing import Any

import click
from xdsl.dialects.builtin import ModuleOp

from ptoas.cli.options import (
    aicore_option,
    allow_python_option,
    arguments_option,
    blocks_option,
    color_option,
    entry_option,
    force_option,
    given,
    json_option,
    legalize_option,
    max_memory_option,
    max_steps_option,
    seed_option,
    unregistered_option,
)
from ptoas.cli.terminal import Command, show
from ptoas.compiler import diff as library
from ptoas.compiler.diff import Variant
from ptoas.compiler.diff_reference import diff_reference
from ptoas.diagnostics import UsageError
from ptoas.diagnostics.render import to_json
from ptoas.grammar.parse import parse_file
from ptoas.project import settings as configuration
from ptoas.runner.reference import SPEC, load_reference
from ptoas.runner.tolerance import Tolerance


@click.command(cls=Command)
@click.argument("first", type=click.Path())
@click.argument("second", type=click.Path(), required=False)
@click.option("--target", "targets", multiple=True, help="The target; given twice, one for each side.")
@click.option("--isa", "isas", multiple=True, metavar="ISA", help="The revision; twice, one for each side.")
@click.option(
    "--sync", "syncs", multiple=True, metavar="MODE", help="auto or manual; twice, one for each side."
)
@click.option(
    "--without", multiple=True, metavar="PASS", help="Leave a pass out on the second side; may be repeated."
)
@click.option("--passes", metavar="DIR", help="Numbered dumps of the program after each pass: find the pass.")
@click.option("--atol", type=float, default=0.0, help="Absolute tolerance.")
@click.option("--rtol", type=float, default=0.0, help="Relative tolerance.")
@click.option("--ulp", type=int, default=0, help="Tolerance in steps of the element type.")
@entry_option
@arguments_option
@blocks_option
@seed_option
@legalize_option
@aicore_option
@force_option
@unregistered_option
@max_steps_option
@max_memory_option
@allow_python_option
@json_option
@color_option
@click.pass_context
def diff(
    ctx: click.Context,
    first: str,
    second: str | None,
    targets: tuple[str, ...],
    isas: tuple[str, ...],
    syncs: tuple[str, ...],
    without: tuple[str, ...],
    passes: str | None,
    atol: float,
    rtol: float,
    ulp: int,
    arguments: tuple[str, ...],
    seed: int,
    max_memory: int | None,
    allow_unregistered: bool,
    allow_python: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Run two programs on the same arguments and name the first instruction whose result differs.

    With SECOND, the two programs are FIRST and SECOND. Without it, FIRST is compared with itself: for two
    targets, revisions or modes of synchronisation, or without a pass (--without); --passes compares FIRST
    before and after each pass. SECOND may be a Python function, FILE.py:FUNCTION, which takes the arguments
    that its parameters name, and returns the output, or a dictionary of outputs and values of the program.

    \b
    ptoas diff old.pto new.pto
    ptoas diff softmax.pto reference.py:softmax --allow-python
    ptoas diff kernel.pto --target a2a3 --target a5 --ulp 2
    ptoas diff kernel.pto --without insert-sync
    ptoas diff kernel.pto --passes dumps
    """
    selected = given(options)
    common: dict[str, Any] = given({"seed": seed, "max_memory": max_memory})
    common["tolerance"] = Tolerance(atol, rtol, ulp)
    with_function = second is not None and SPEC.fullmatch(second) is not None
    pairs = {
        "target": _pair("--target", targets),
        "isa": _pair("--isa", isas),
        "sync": _pair("--sync", syncs),
    }

    def read(path: str) -> ModuleOp:
        return parse_file(path, allow_unregistered=allow_unregistered)

    def variant(path: str, side: int) -> Variant:
        chosen: dict[str, Any] = {name: pair[side] for name, pair in pairs.items()}
        words = [path] if second is not None else []
        words += [str(pair[side]) for pair in pairs.values() if pair[0] != pair[1]]
        target = chosen.pop("target")
        label = " on ".join(words)
        if without and side == 0:
            label = label or "all passes"
        elif without:
            chosen["skip_passes"] = without
            label = f"{label} without {', '.join(without)}".lstrip()
        return Variant(read(path), target, {**selected, **chosen}, label)

    one_sided = not without and all(pair[0] == pair[1] for pair in pairs.values())
    if passes is not None:
        if second is not None or not one_sided:
            raise UsageError("--passes compares one program with its own dumps: give one file and one target")
        chosen = {name: pair[0] for name, pair in pairs.items()}
        result = library.diff_passes(passes, read(first), arguments, **selected, **chosen, **common)
    elif with_function and not one_sided:
        raise UsageError("a Python function is compared with one program: give one target and all passes")
    elif with_function and second is not None:
        settings = configuration.load(None, isolated=False, paths=(first,))
        function = load_reference(second, allow_python or settings.allow_python)
        if not (atol or rtol or ulp):
            common["tolerance"] = None
        result = diff_reference(variant(first, 0), function, arguments, **common)
    elif second is None and one_sided:
        raise UsageError(
            "nothing to compare: give a second file, two --target, --isa or --sync, --without or --passes"
        )
    else:
        result = library.diff(variant(first, 0), variant(second or first, 1), arguments, **common)
    if as_json:
        errors = [to_json(finding) for finding in result.errors]
        click.echo(json.dumps({**result.as_dict(), "errors": errors}, indent=2))
    else:
        click.echo(result.text())
        show(result.errors)
    ctx.exit(0 if result.equal else 1)


def _pair(option: str, values: tuple[str, ...]) -> tuple[str | None, str | None]:
    """Return the values of an option for the two sides."""
    if len(values) > 2:
        raise UsageError(f"{option} is given {len(values)} times; there are two sides")
    return (values[0], values[-1]) if values else (None, None)
