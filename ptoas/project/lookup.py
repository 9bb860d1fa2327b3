"""Explanation of a name: a code, a decision, a document, an instruction, a type or a target."""

from __future__ import annotations

from ptoas.diagnostics import UsageError
from ptoas.diagnostics.spelling import did_you_mean
from ptoas.dialects.pto import OPS
from ptoas.project import instruction_pages, type_pages
from ptoas.project.explain import CODES, UnknownCodeError, explain
from ptoas.project.rule_pages import render_target
from ptoas.targets import TARGETS, get_target


def explain_name(name: str) -> str:
    """Explain an instruction (`trowmax`, `pto.mgather.row`), a type (`memref`, `f16`), a target, a code, a
    decision or a document. The prefix of a code may be left out: `A301`.

    >>> explain_name("trowmax").splitlines()[0].startswith("trowmax: ")
    True
    >>> explain_name("a301") == explain_name("PTO-A301")
    True
    """
    instructions = {op.mnemonic(): op for op in OPS}
    targets = [alias for target in TARGETS.values() for alias in (target.name, *target.aliases)]
    types = type_pages.type_names()
    plain = name.strip().removeprefix("!").partition("<")[0].removeprefix("pto.")
    for mnemonic in _prefixes(plain.lower()):
        if mnemonic in instructions:
            return instruction_pages.text(instructions[mnemonic])
    if plain in types or plain.lower() in types:
        return type_pages.text(plain if plain in types else plain.lower())
    if plain.lower() in targets:
        return render_target(get_target(plain.lower()))
    prefixed = name.upper() if name.upper().startswith("PTO-") else f"PTO-{name.upper()}"
    try:
        return explain(prefixed if prefixed in CODES else name)
    except UnknownCodeError:
        meant = (
            did_you_mean(plain.lower(), [*instructions, *targets, *types])
            or did_you_mean(prefixed[4:], [code[4:] for code in CODES], before="PTO-", cutoff=0.8)
            or did_you_mean(plain.lower(), targets, cutoff=0.5)  # `a6` shares half of its letters with `a5`
        )
        if meant is None and name.upper().startswith("PTO-"):
            raise
        listed = "`ptoas instructions`, `rules` and `targets` list what there is"
        raise UsageError(
            f"there is no code, instruction, type or target `{name}`; {meant or listed}"
        ) from None


def _prefixes(name: str) -> list[str]:
    """Return a dotted name and its prefixes, the longest first: suffixes of instructions are attributes."""
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(len(parts), 0, -1)]
