"""The command `ptoas`. Each command is a few lines over the library; heavy imports happen inside commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from ptoas import __version__

if TYPE_CHECKING:
    from ptoas.diagnostics import Diagnostic

FORMS = ("asm", "ssa", "dps", "generic")

color_option = click.option(
    "--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour in the output."
)
page_option = click.option(
    "--format", "style", type=click.Choice(["table", "markdown", "json"]), default="table", help="How."
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
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            ctx.exit(130)
        except BrokenPipeError:
            # The reader of our output went away; that is its right.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)


def use_colour(setting: str, stream: Any = None) -> bool:
    """Whether to colour what goes to a stream, standard error unless told."""
    if setting != "auto":
        return setting == "always"
    return not os.environ.get("NO_COLOR") and (stream or sys.stderr).isatty()


def show(diagnostics: Iterable[Diagnostic], color: str) -> None:
    """Print diagnostics in full to standard error, and how many there are."""
    from ptoas.diagnostics import render

    found = list(diagnostics)
    colour = use_colour(color)
    for diagnostic in found:
        click.echo(render(diagnostic, colour) + "\n", err=True, color=colour)
    errors = sum(d.is_error for d in found)
    warnings = len(found) - errors
    parts = [f"{n} {word}{'s' * (n != 1)}" for n, word in ((errors, "error"), (warnings, "warning")) if n]
    click.echo(", ".join(parts), err=True)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="ptoas")
def main() -> None:
    """Read, check, run and lower PTO programs: the tile assembly of Ascend NPUs."""


@main.command()
@click.argument("file", type=click.Path())
@click.option("--to", "form", type=click.Choice(FORMS), required=True, help="The form to print.")
@click.option("-o", "--output", type=click.Path(), help="Write to this file instead of standard output.")
@unregistered_option
@color_option
@click.pass_context
def convert(
    ctx: click.Context, file: str, form: str, output: str | None, allow_unregistered: bool, color: str
) -> None:
    """Print FILE in another form; `-` is standard input."""
    ctx.find_root().obj = color
    from ptoas.files import write_text
    from ptoas.grammar.parse import parse_file
    from ptoas.grammar.printer import print_module

    text = print_module(parse_file(file, allow_unregistered=allow_unregistered), form) + "\n"
    if output is None:
        click.echo(text, nl=False)
    else:
        write_text(output, text)


@main.command()
@click.option(
    "--format",
    "style",
    type=click.Choice(["table", "markdown", "json"]),
    default="table",
    help="How to print.",
)
def instructions(style: str) -> None:
    """List the instructions: their operands, attributes and spellings."""
    import json

    from ptoas import reference
    from ptoas.dialects.pto import OPS

    if style == "json":
        click.echo(json.dumps([reference.describe(op) for op in OPS], indent=2))
    else:
        click.echo(reference.markdown() if style == "markdown" else reference.table(), nl=style == "table")


if __name__ == "__main__":
    main()
