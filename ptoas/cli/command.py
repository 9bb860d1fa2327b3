"""Entry point of the command."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress

import click

from ptoas.cli.main import main


def command() -> None:
    """Run the command line and exit."""
    with suppress(click.UsageError):  # of a plug-in; `main` reports it
        main.get_command(click.Context(main), sys.argv[1] if len(sys.argv) > 1 else "")
    # What the imports made stays until the end: the collector need not search it, which is a fifth of the
    # time of a short command.
    gc.freeze()
    try:
        main(prog_name="ptoas")
    except OSError as error:  # errors of files are reported before
        with suppress(OSError):
            click.echo(f"error: what is printed can't be written: {error.strerror}", err=True)
        # Python flushes both streams when it exits; what can't be written would be an error again.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # pyright: ignore[reportUnnecessaryComparison]  # the caller may close it
                os.dup2(nowhere, stream.fileno())
        sys.exit(1)
