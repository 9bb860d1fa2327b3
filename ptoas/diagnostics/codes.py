"""The registry of diagnostic codes.

The package that reports a code registers it with its catalogue, a file of `ptoas/data/codes/`; a rule
registers itself when it is defined. `ptoas.project.explain` imports every owner.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ptoas.diagnostics.core import Severity, UsageError
from ptoas.diagnostics.data import load_data


class UnknownCodeError(UsageError):
    """No diagnostic has that code."""


@dataclass(frozen=True)
class CodeInfo:
    """A diagnostic code and its documentation."""

    title: str
    """One-sentence summary; for a rule, its statement."""
    meaning: str
    """Consequence of violating it."""
    rule: str | None = None
    """The name of the rule that has the code; `None` for a code of no rule."""
    severity: Severity | None = None
    source: str = ""
    """Citation of a rule."""
    explanation: Callable[[str], str] | None = None
    """The full text of a rule for this code or an alias of it."""


CODES: dict[str, CodeInfo] = {}
"""Every registered code."""

ALIASES: dict[str, str] = {}
"""Former codes, and the code that each has become part of."""


def register_catalogue(name: str) -> tuple[str, ...]:
    """Register the codes of `ptoas/data/codes/NAME.toml`, which belong to no rule, and return them."""
    codes = load_data(f"codes/{name}")
    for code, row in codes.items():
        register_code(code, CodeInfo(row["title"], row["explanation"]))
    return tuple(codes)


def register_code(code: str, info: CodeInfo, aliases: tuple[str, ...] = ()) -> None:
    """Register one code with its former names."""
    assert code not in CODES, f"{code} is taken by {CODES[code].title}"
    CODES[code] = info
    for alias in aliases:
        assert alias not in ALIASES, f"{alias} is an alias of {ALIASES[alias]}"
        ALIASES[alias] = code


def names_of(code: str) -> tuple[str, ...]:
    """Return a code and its former names."""
    return (code, *(alias for alias, current in ALIASES.items() if current == code))


def other_codes() -> dict[str, tuple[str, str]]:
    """Return title and meaning of the codes that belong to no rule."""
    return {code: (info.title, info.meaning) for code, info in CODES.items() if info.rule is None}
