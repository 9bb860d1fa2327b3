"""The command as a process of its own: how it begins, and how it ends."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module

from ptoas.cli import end_at_once, leave_alone
from ptoas.cli.sharing import FORKS
from ptoas.processors import processors


def command() -> None:
    if is_much(sys.argv[1:]):
        from ptoas.cli.processes import start_ahead

        start_ahead(_prepare)
    from ptoas.cli.main import main

    try:
        try:
            main(prog_name="ptoas")
        except SystemExit as end:
            end_at_once(end.code)
            raise
    except OSError as error:  # of files all are told before
        with suppress(OSError):
            os.write(2, f"error: what is printed can't be written: {error.strerror}\n".encode())
        os._exit(1)  # Python would try it again


def is_much(words: Sequence[str]) -> bool:
    """Whether a folder is to be checked, probably by several processes. Then the first to help imports the
    compiler while this one reads the command line and looks for files."""
    if not FORKS or words[:1] != ["verify"] or processors() < 2:
        return False
    alone = re.search(r" (-j|--jobs)[ =]?1 ", f" {' '.join(words)} ")
    return not alone and any(map(os.path.isdir, words[1:]))


def _prepare() -> None:
    from ptoas.cli.methods import keep_methods

    leave_alone()
    keep_methods()
    import_module("ptoas.cli.verify_files")
