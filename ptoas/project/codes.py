"""Codes of files and configuration, and the codes that checking a file can report."""

from __future__ import annotations

from ptoas.diagnostics.codes import register_catalogue
from ptoas.grammar.internal_error import INTERNAL
from ptoas.grammar.problems import CODES as FRONT_END
from ptoas.targets.rule import RULES
from ptoas.verifier.codes import CHECKING

FILES = register_catalogue("files")

register_catalogue("configuration")


def known_codes() -> tuple[str, ...]:
    """Return every code that checking a file can report."""
    return (*sorted(RULES), *FRONT_END, *CHECKING, *FILES, *INTERNAL)
