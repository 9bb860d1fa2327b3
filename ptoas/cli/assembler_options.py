"""Options of the C++ assembler as data, with their effect here."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from ptoas.diagnostics.data import load_data

DEFAULT_VERSION = "0.60"
"""Version of the C++ assembler whose tile-level language is followed unless the environment names another."""

VERSION_VARIABLE = "PTOAS_ASSEMBLER_VERSION"
"""Environment variable with the version to follow: a build script's calls stay as they are."""

FIRST_OF_2026_09 = 63
"""Minor number of the first version whose calls are for the instruction library of September 2026."""


def followed_version() -> str:
    """Return the version of the C++ assembler to follow."""
    return os.environ.get(VERSION_VARIABLE) or DEFAULT_VERSION


def library_revision(version: str) -> str:
    """Return the revision of the instruction library that a version writes calls for."""
    minor = int(version.removeprefix("0."))
    return "2026.09" if minor >= FIRST_OF_2026_09 else "2026.08"


class Effect(Enum):
    """Treatment of an option of the C++ assembler."""

    IMPLEMENTED = "Implemented"
    IGNORED = "Accepted"
    """No effect, as in the C++ assembler."""
    REPLACED = "Replaced"
    """Served in another way, for the same result; reported once."""
    NO_EFFECT = "No effect"
    """Reported once; the result is the same without it."""
    REFUSED = "Refused"
    """Ignoring it would change the result."""


@dataclass(frozen=True)
class AssemblerOption:
    """An option of the C++ assembler.

    `default` is the value that is the same as leaving the option out. A switch takes an optional value, so
    `--x`, `--x=true` and `--x=false` are all accepted.
    """

    name: str
    effect: Effect
    reason: str
    default: str
    switch: bool
    lower: str | None = None
    """The option of `ptoas lower` that corresponds."""


def _options() -> Iterator[AssemblerOption]:
    data = load_data("assembler_options")
    for table, default in (("switches", "false"), ("values", "")):
        for name, row in data[table].items():
            fields: dict[str, Any] = {"default": default, **row, "effect": Effect(row["effect"])}
            yield AssemblerOption(name, switch=table == "switches", **fields)


OPTIONS = {option.name: option for option in _options()}
"""Every option of the C++ assembler except `-o`, `--help` and `--version`, by name."""


def normalise(arguments: Iterable[str]) -> Iterator[str]:
    """Rewrite options as LLVM spells them (`-x`, `--x`, `--x=v`, bare switches) to `--x=v` or `--x v`."""
    for argument in arguments:
        name, equals, value = argument.lstrip("-").partition("=")
        option = OPTIONS.get(name) if argument.startswith("-") else None
        if option is None:
            yield argument
        elif option.switch:
            yield f"--{name}={value if equals else 'true'}"
        else:
            yield f"--{name}{equals}{value}"
