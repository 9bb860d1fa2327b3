"""Options that several commands have."""

from __future__ import annotations

import click

color_option = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="Colour; `auto` asks NO_COLOR, FORCE_COLOR and the terminal.",
)
output_option = click.option(
    "-o",
    "--output",
    type=click.Path(),
    help="Write to this file, whole or not at all; `-` is standard output.",
)
sync_option = click.option(
    "--sync",
    type=click.Choice(["auto", "manual", "all"]),
    help="Who sets the flags, whatever is there; all: a barrier before every access.",
)
placement_option = click.option(
    "--placement",
    type=click.Choice(["auto", "manual"]),
    help="Refuse addresses, or ask for all of them, in every function.",
)
assembler_option = click.option(
    "--assembler",
    metavar="VERSION",
    help="Report what these versions of the C++ assembler refuse, too: `0.57` or `>=0.64`.",
)
aicore_option = click.option("--aicore", is_flag=True, help="An AICORE build: the float8 types on cpu too.")
isa_option = click.option(
    "--isa",
    type=click.Choice(["doc", "2026.08", "2026.09"]),
    help="What decides, and whose declarations are called; without it, documents are checked, "
    "with warnings where the headers of 2026.08 ask for more, and those are called.",
)
legalize_option = click.option(
    "--legalize", is_flag=True, help="Rewrite what cpu does not have into what it has."
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
entry_option = click.option("--entry", help="The function to run, if there are several; `run`: or all.")
arguments_option = click.option(
    "--arg", "arguments", multiple=True, metavar="NAME=VALUE", help="An argument; NAME@RANK: of one rank."
)
blocks_option = click.option(
    "--blocks", type=click.IntRange(1, 65535), default=1, help="How many blocks run the kernel."
)
schedule_option = click.option(
    "--schedule", type=click.IntRange(min=0), metavar="SEED", help="Let blocks take turns, in this order."
)
schedules_option = click.option(
    "--schedules",
    type=click.IntRange(1, 10_000),
    default=1,
    metavar="K",
    help="Run in K orders of blocks and cores; they give one result, or the finding and its order.",
)
credits_option = click.option(
    "--sparse-credits",
    is_flag=True,
    help="Channels tell of free slots in portions, as the devices do.",
)
seed_option = click.option("--seed", type=int, default=0, help="What left-out arguments are generated from.")
force_option = click.option("--force", is_flag=True, help="Run a program that does not verify.")
max_steps_option = click.option(
    "--max-steps", type=click.IntRange(min=1), help="Stop after so many operations."
)
max_memory_option = click.option(
    "--max-memory", type=click.IntRange(min=1), help="Refuse above so many bytes of arguments."
)
allow_python_option = click.option(
    "--allow-python", is_flag=True, help="Execute the Python files of reference functions."
)
config_option = click.option(
    "--config", type=click.Path(), metavar="FILE", help="The configuration: a ptoas.toml or pyproject.toml."
)
isolated_option = click.option("--isolated", is_flag=True, help="Read no configuration.")
stdin_filename_option = click.option(
    "--stdin-filename", metavar="NAME", help="What messages call standard input."
)
