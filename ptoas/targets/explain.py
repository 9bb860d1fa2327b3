"""The text of a rule: statement, reason, source and examples."""

from __future__ import annotations

import textwrap

from ptoas.diagnostics import Severity
from ptoas.diagnostics.codes import ALIASES
from ptoas.targets import TARGETS
from ptoas.targets.isa import HEADERS
from ptoas.targets.rule import RULES, Rule

REFUSED = {Severity.ERROR: "Refused", Severity.WARNING: "Warned about", Severity.NOTE: "Noted"}
"""The verdict on a rule's failing example."""


def severity_of(rule: Rule) -> str:
    """Return the severity of a rule in words."""
    return f"warning; error under --isa {HEADERS}" if rule.header else rule.severity.value


def targets_with(rule: Rule) -> tuple[str, ...]:
    """The targets whose tables list a rule."""
    return tuple(target.name for target in TARGETS.values() if rule in target.rules())


def example_targets(rule: Rule) -> tuple[str, ...]:
    """The targets that the examples of a rule are checked for: all that have it, or those it names."""
    return rule.on or targets_with(rule)


def checked_on(rule: Rule) -> str:
    """The targets and the revision that the examples of a rule are checked for."""
    revision = f" with --isa {rule.example_isa}" if rule.example_isa else ""
    return ", ".join(example_targets(rule)) + revision


def explain_rule(code: str) -> str:
    """Return a rule's statement, reason, source and both examples; `code` is its code or an alias."""
    rule = RULES[ALIASES.get(code, code)]
    on = checked_on(rule)
    parts = [
        *([f"{code} is part of {rule.code} now."] if code != rule.code else []),
        f"{rule.code}: {rule.title} ({severity_of(rule)})",
        _fill(rule.statement),
        _fill(f"Why: {rule.reason}"),
        f"Targets: {', '.join(targets_with(rule))}\nSource:  {rule.source}",
        f"{REFUSED[rule.severity]} on {on}:\n\n{textwrap.indent(rule.failing, '    ')}",
        f"Accepted on {on}:\n\n{textwrap.indent(rule.passing, '    ')}",
    ]
    return "\n\n".join(parts)


def _fill(text: str) -> str:
    return textwrap.fill(text, 100)
