"""The command `ptoas`. Each command is imported when it is named, so that a short one starts at once."""

from __future__ import annotations

import click

from ptoas import __version__
from ptoas.cli.assembler_options import followed_version
from ptoas.cli.terminal import Commands

MODULES = {
    "assemble": ("assemble", "Accept the command line of the C++ assembler."),
    "compare": ("compare", "Compare FILE with the C++ simulator."),
    "convert": ("convert", "Print FILE in another form."),
    "diff": ("diff", "Find the first instruction whose result differs."),
    "explain": ("pages", "Explain a code, an instruction, a type or a target."),
    "fmt": ("fmt", "Format files."),
    "instructions": ("pages", "List the instructions."),
    "lower": ("lower", "Lower files to C++ for a target."),
    "lsp": ("lsp", "Start the language server."),
    "profile": ("profile", "Estimate the time of FILE per pipe and instruction."),
    "reduce": ("reduce", "Reduce FILE while it keeps a finding."),
    "report": ("profile", "Write a page with timeline, memory and flags."),
    "rules": ("pages", "List the rules."),
    "run": ("run", "Run files as the target would, in NumPy."),
    "targets": ("pages", "List memories and defaults of the targets."),
    "test": ("test", "Run the RUN-CHECKs of files."),
    "verify": ("verify", "Check files against the rules of targets."),
}
"""The module of each command in this package, and its short help."""


def print_version(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    """Print the version of the C++ assembler that is followed, and this one's."""
    if wanted:
        click.echo(f"ptoas {followed_version()} (ptoas-xdsl {__version__})")
        context.exit()


@click.group(
    cls=Commands,
    modules=MODULES,
    fallback="assemble",
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=print_version,
    help="Show the version and exit.",
)
def main() -> None:
    """Read, check, run and lower PTO programs: the tile assembly of Ascend NPUs."""
