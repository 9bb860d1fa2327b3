"""The command `convert`: a program in another form."""

from __future__ import annotations

import click

from ptoas.cli.options import (
    color_option,
    output_option,
    unregistered_option,
)
from ptoas.cli.terminal import Command
from ptoas.compiler.forms import print_module
from ptoas.diagnostics.files import STANDARD_OUTPUT, write_text
from ptoas.grammar.parse import parse_file
from ptoas.grammar.printer import FORMS


@click.command(cls=Command)
@click.argument("file", type=click.Path())
@click.option("--to", "form", type=click.Choice(FORMS), required=True, help="The form to print.")
@output_option
@unregistered_option
@color_option
def convert(file: str, form: str, output: str | None, allow_unregistered: bool) -> None:
    """Print FILE in another form, with its comments; `-` is standard input.

    \b
    ptoas convert kernel.pto --to ssa
    ptoas convert kernel.pto --to generic -o kernel.mlir
    """
    module = parse_file(file, allow_unregistered=allow_unregistered)
    text = print_module(module, form, comments=True) + "\n"
    if output in (None, STANDARD_OUTPUT):
        click.echo(text, nl=False)
    else:
        write_text(output, text)
