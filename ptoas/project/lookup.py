"""Explanation of whatever a name stands for: a code, a decision, a document, an instruction or a target."""

from __future__ import annotations

from difflib import get_close_matches

from ptoas.diagnostics import UsageError
from ptoas.dialects.pto import OPS
from ptoas.project import instruction_pages
from ptoas.project.explain import CODES, UnknownCodeError, explain
from ptoas.project.rule_pages import render_target
from ptoas.targets import TARGETS, get_target


def explain_name(name: str) -> str:
    """Explain a code, decision or document, an instruction (`trowmax`, `pto.mgather.row`) or a target.

    The prefix of a code may be left out: `A301`.

    >>> explain_name("trowmax").splitlines()[0].startswith("trowmax: ")
    True
    >>> explain_name("a301") == explain_name("PTO-A301")
    True
    """
    instructions = {op.mnemonic(): op for op in OPS}
    targets = {alias: target for target in TARGETS.values() for alias in (target.name, *target.aliases)}
    for mnemonic in _prefixes(name.lower().removeprefix("pto.")):
        if mnemonic in instructions:
            return instruction_pages.text(instructions[mnemonic])
    if name.lower() in targets:
        return render_target(get_target(name.lower()))
    prefixed = name.upper() if name.upper().startswith("PTO-") else f"PTO-{name.upper()}"
    try:
        return explain(prefixed if prefixed in CODES else name)
    except UnknownCodeError:
        close = get_close_matches(name.lower(), [*instructions, *targets], n=1)
        if name.upper().startswith("PTO-") or not close:
            raise
        raise UsageError(f"nothing is called {name!r}; did you mean {close[0]!r}?") from None


def _prefixes(name: str) -> list[str]:
    """Return a dotted name and its prefixes, the longest first: suffixes of instructions are attributes."""
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(len(parts), 0, -1)]
