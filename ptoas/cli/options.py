"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from ptoas.project.choices import REVISIONS, SYNC_MODES
from ptoas.project.pool import AUTO

F = TypeVar("F", bound=Callable[..., Any])


def _set_colour(context: click.Context, _parameter: click.Parameter, setting: str) -> None:
    """Set the colour of what this command and the group around it print; `auto` depends on the stream."""
    context.color = context.find_root().color = {"always": True, "never": False}.get(setting)


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that have a value."""
    return {name: value for name, value in options.items() if value is not None}


def parse_jobs(value: str) -> int | str:
    """A number of processes, or `auto`."""
    if value == AUTO:
        return AUTO
    if not value.isdecimal() or int(value) < 1:
        raise click.BadParameter(f"{value!r} is neither a number from 1 nor {AUTO!r}.")
    return int(value)


def jobs_option_for(help: str) -> Callable[[F], F]:
    """The option `-j`, with the unit of work in its help text."""
    return click.option("-j", "--jobs", type=parse_jobs, metavar="N|auto", help=help)


jobs_option = jobs_option_for("Number of processes; auto: one per core.")
color_option = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    expose_value=False,
    callback=_set_colour,
    help="Colour; `auto` follows NO_COLOR, FORCE_COLOR and the terminal.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
output_option = click.option(
    "-o",
    "--output",
    type=click.Path(),
    help="Write to this file, whole or not at all; `-` is standard output.",
)
sync_option = click.option(
    "--sync",
    type=click.Choice(SYNC_MODES),
    help="Insert flags (auto), keep the program's (manual), or insert a barrier before every access (all).",
)
placement_option = click.option(
    "--placement",
    type=click.Choice(["auto", "manual"]),
    help="Reject addresses (auto), or require one for each tile (manual), in every function.",
)
assembler_option = click.option(
    "--assembler",
    metavar="VERSION",
    help="Also report what these versions of the C++ assembler reject: `0.57` or `>=0.64`.",
)
aicore_option = click.option("--aicore", is_flag=True, help="An AICORE build: the float8 types on cpu too.")
isa_option = click.option(
    "--isa",
    type=click.Choice(REVISIONS),
    help="Requirements to check, and headers to call: documents, or a revision of the headers. Default: "
    "the documents, with warnings for further requirements of 2026.08, whose headers are called.",
)
legalize_option = click.option(
    "--legalize", is_flag=True, help="Rewrite instructions that cpu does not support."
)
page_option = click.option(
    "--format",
    "style",
    type=click.Choice(["table", "markdown", "json"]),
    default="table",
    help="Output format.",
)
unregistered_option = click.option("--allow-unregistered", is_flag=True, help="Keep unknown instructions.")
entry_option = click.option("--entry", help="The function to run; `run` also takes `all`.")
arguments_option = click.option(
    "--arg", "arguments", multiple=True, metavar="NAME=VALUE", help="An argument; NAME@RANK for one rank."
)
blocks_option = click.option(
    "--blocks", type=click.IntRange(1, 65535), default=1, help="Number of blocks that run the kernel."
)
schedule_option = click.option(
    "--schedule",
    type=click.IntRange(min=0),
    metavar="SEED",
    help="Interleave blocks in the order of this seed.",
)
schedules_option = click.option(
    "--schedules",
    type=click.IntRange(1, 10_000),
    default=1,
    metavar="K",
    help="Where another order of blocks and cores could differ, run K of them, then up to K systematically; "
    "they give one result, or the finding and its order.",
)
credits_option = click.option(
    "--sparse-credits",
    is_flag=True,
    help="Report free slots of channels in batches, as the devices do.",
)
seed_option = click.option("--seed", type=int, default=0, help="Seed of generated arguments.")
force_option = click.option("--force", is_flag=True, help="Run a program that does not verify.")
max_steps_option = click.option(
    "--max-steps", type=click.IntRange(min=1), help="Stop after this many operations."
)
max_memory_option = click.option(
    "--max-memory", type=click.IntRange(min=1), help="Limit of the memory for arguments in bytes."
)
allow_python_option = click.option(
    "--allow-python", is_flag=True, help="Execute the Python files of reference functions."
)
config_option = click.option(
    "--config", type=click.Path(), metavar="FILE", help="The configuration: a ptoas.toml or pyproject.toml."
)
isolated_option = click.option("--isolated", is_flag=True, help="Read no configuration.")
stdin_filename_option = click.option(
    "--stdin-filename", metavar="NAME", help="Name of standard input in messages."
)
