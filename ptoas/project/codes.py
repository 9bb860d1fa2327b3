"""Codes of files and configuration, and the codes that checking a file can report."""

from __future__ import annotations

from ptoas.diagnostics.codes import register
from ptoas.grammar.internal_error import INTERNAL
from ptoas.grammar.problems import CODES as FRONT_END
from ptoas.targets.rule import RULES
from ptoas.verifier.codes import CHECKING

FILES: dict[str, tuple[str, str]] = {
    "PTO-T201": ("a directory holds programs", "There is no `.pto` file below it, so nothing was checked."),
    "PTO-T202": (
        "the options fit each file of a directory",
        "For instance, a file that names no target needs `--target`; the other files are still processed.",
    ),
}

CONFIGURING: dict[str, tuple[str, str]] = {
    "PTO-E950": ("a configuration can be read", "The file is missing, is not text, or is not TOML."),
    "PTO-E951": ("a configuration has existing keys only", "`[tool.ptoas]` has no key of this name."),
    "PTO-E952": (
        "a key of the configuration has a valid value",
        "The value has the wrong type or is out of range.",
    ),
    "PTO-E953": (
        "a configuration names existing targets and codes",
        "`ptoas targets` and `ptoas rules` list them.",
    ),
    "PTO-E954": (
        "the arguments of a test can be read",
        "`# ARGS: name=value --blocks 4` takes what `ptoas run` takes: values as for `--arg`, and the "
        "options that a check depends on.",
    ),
    "PTO-E962": (
        "a baseline can be read",
        "`--baseline` names a file of known findings, which `--update-baseline` writes.",
    ),
    "PTO-E955": (
        "a test has something to check",
        "No file has a RUN-CHECK, or `-k` and `--target` exclude all of them.",
    ),
}

register(FILES | CONFIGURING)


def known_codes() -> tuple[str, ...]:
    """Return every code that checking a file can report."""
    return (*sorted(RULES), *FRONT_END, *CHECKING, *FILES, *INTERNAL)
