"""Codes of files and configuration, and the codes that checking a file can report."""

from __future__ import annotations

from ptoas.diagnostics.codes import register
from ptoas.diagnostics.data import load_data
from ptoas.grammar.internal_error import INTERNAL
from ptoas.grammar.problems import CODES as FRONT_END
from ptoas.targets.rule import RULES
from ptoas.verifier.codes import CHECKING

_CODES = load_data("project_codes")

register({code: (row["title"], row["explanation"]) for code, row in _CODES.items()})


def known_codes() -> tuple[str, ...]:
    """Return every code that checking a file can report."""
    files = (code for code in _CODES if code.startswith("PTO-T"))
    return (*sorted(RULES), *FRONT_END, *CHECKING, *files, *INTERNAL)
