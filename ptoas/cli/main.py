"""The command `ptoas`. Each command is imported when it is named, so that a short one starts at once."""

from __future__ import annotations

import atexit
import gc
import os

import click

from ptoas import __version__
from ptoas.cli.terminal import Commands

gc.set_threshold(500_000, 20, 20)
"""A command keeps most of the objects that it makes to its end: a hundred thousand after its imports. Looking
every 700 for what can be thrown away takes a tenth of a short command's time."""
atexit.register(gc.freeze)
"""Nor is anything looked for at the end, three times over, in all modules that are then thrown away."""
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
"""The threads that NumPy keeps for products of matrices wait for work in a loop, some 50 ms each, before they
sleep: half of what importing NumPy takes. With this they sleep at once, and are woken for a product."""

HOMES = {
    "compare": ("compare", "Run FILE beside your own build of the simulator."),
    "convert": ("convert", "Print FILE in another form."),
    "explain": ("pages", "Explain a code, a decision or a document."),
    "fmt": ("fmt", "Put files into one style."),
    "instructions": ("pages", "List the instructions."),
    "lower": ("lower", "Lower files to C++ for a target."),
    "lsp": ("lsp", "Serve an editor."),
    "profile": ("look", "Say where the time of FILE goes."),
    "report": ("look", "Draw FILE: timeline, memory, flags."),
    "rules": ("pages", "List the rules."),
    "run": ("run", "Run files as the target would, in NumPy."),
    "targets": ("pages", "Say what each target is."),
    "test": ("test", "Run the RUN-CHECKs of files."),
    "verify": ("verify", "Check files against the rules of targets."),
}
"""For each command, the module of this package that has it, and what it does in a few words."""


@click.group(
    cls=Commands,
    homes=HOMES,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.version_option(__version__, prog_name="ptoas")
def main() -> None:
    """Read, check, run and lower PTO programs: the tile assembly of Ascend NPUs."""
