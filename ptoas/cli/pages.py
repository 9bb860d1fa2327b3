"""The commands that list instructions, rules and targets, and explain codes."""

from __future__ import annotations

import json

import click

from ptoas.cli.completion import complete_instruction, complete_name, complete_target
from ptoas.cli.options import (
    page_option,
)
from ptoas.cli.terminal import Command
from ptoas.dialects.pto import OPS
from ptoas.project import instruction_pages, rule_pages
from ptoas.project.lookup import explain_name


@click.command(cls=Command)
@click.argument("name", required=False, shell_complete=complete_instruction)
@page_option
def instructions(name: str | None, style: str) -> None:
    """List the instructions, or describe the one called NAME as `ptoas explain` does.

    \b
    ptoas instructions
    ptoas instructions trowmax
    """

    if name is not None:
        click.echo(explain_name(name))
    elif style == "json":
        described = [
            {**instruction_pages.describe(op), "targets": instruction_pages.on_targets(op)} for op in OPS
        ]
        click.echo(json.dumps(described, indent=2))
    elif style == "markdown":
        click.echo(instruction_pages.markdown(), nl=False)
    else:
        click.echo(instruction_pages.table())


@click.command(cls=Command)
@click.argument("name", shell_complete=complete_name)
def explain(name: str) -> None:
    """Explain a code, an instruction, a type, a target, or a decision or document that a message cites.

    For a code, print its statement, reason and source, a failing and a passing example; its prefix may be
    left out. For an instruction, print its forms, operands and shapes, the types that each target accepts, a
    program that can be run, and its C++.

    \b
    ptoas explain PTO-A201
    ptoas explain trowmax
    ptoas explain memref
    ptoas explain a5
    ptoas explain D21
    """

    click.echo(explain_name(name))


@click.command(cls=Command)
@click.option("--target", shell_complete=complete_target, help="Only the rules of this target.")
@page_option
def rules(target: str | None, style: str) -> None:
    """List the rules: code, severity, targets, statement.

    \b
    ptoas rules --target a5
    """

    click.echo(rule_pages.render_rules(style, target), nl=style != "markdown")


@click.command(cls=Command)
@click.option(
    "--format", "style", type=click.Choice(["table", "json"]), default="table", help="Output format."
)
def targets(style: str) -> None:
    """Describe the targets: memories and defaults.

    \b
    ptoas targets
    """

    click.echo(rule_pages.render_targets(style))
