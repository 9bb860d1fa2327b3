"""A rule: one law of a target, with its code, its source, its reason, two examples and a check.

A check yields every violation that it sees, with the found and the required value; it never raises and never
prints. Checks of instructions see only what `Facts` shows them, so that equal instructions are checked once.

>>> import ptoas
>>> print(ptoas.RULES["PTO-A301"].law)
The CPU form has no Coalesce parameter: only Elem gathers are legal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from xdsl.ir import Operation

from ptoas.diagnostics import Severity
from ptoas.dialects.pto.instruction import PtoOp

Part = Literal["value", "type", "statement"]


@dataclass(frozen=True)
class Related:
    """Another place that a violation involves."""

    message: str
    op: Operation | None = None


@dataclass(frozen=True)
class Violation:
    """What breaks a law: the found and the required value, and which part of the instruction is to blame.

    `slot` names an operand (`"dst"` is the destination in either form, `("sizes", 1)` one of several),
    `field` an attribute. Rules of whole functions name the operation, and an argument of the function
    itself as `("argument", 0)`.
    """

    message: str
    slot: str | tuple[str, int] | None = None
    part: Part = "type"
    field: str | None = None
    fix: str | None = None
    op: Operation | None = None
    related: tuple[Related, ...] = ()


def mismatch(what: str, found: object, required: object, **place: Any) -> Violation:
    """A violation in the usual words."""
    return Violation(f"{what}: found {found}, required {required}", **place)


Check = Callable[..., Iterator[Violation]]
Scope = Literal["instruction", "function", "module"]


@dataclass(frozen=True, eq=False)
class Rule:
    """One documented law; the check's name is the law's name, its docstring the law itself.

    >>> import ptoas
    >>> rule = ptoas.RULES["PTO-A301"]
    >>> rule.title, rule.severity.value, rule.is_about_portability
    ('cpu has no row mode', 'error', False)
    """

    code: str
    name: str
    law: str
    source: str
    reason: str
    failing: str
    passing: str
    severity: Severity
    scope: Scope
    check: Check
    example_targets: tuple[str, ...]
    """Targets that the examples are to be checked for."""

    @property
    def title(self) -> str:
        """The law's name in words."""
        return self.name.replace("_", " ")

    @property
    def is_about_portability(self) -> bool:
        """Whether the rule speaks only when several targets are checked together."""
        return self.code[4] == "W"

    def __repr__(self) -> str:
        return f"Rule({self.code} {self.name})"


@dataclass(frozen=True)
class Unsupported:
    """In place of rules: the target does not have the instruction."""

    reason: str


Row = tuple[Rule, ...] | Unsupported
Table = Mapping[type[PtoOp], Row]
"""What a target asks of each instruction."""

_REGISTRY: dict[str, Rule] = {}

RULES: Mapping[str, Rule] = MappingProxyType(_REGISTRY)
"""Every rule by its code, in the order of the codes' chapters."""

C = TypeVar("C", bound=Check)


def rule(
    code: str,
    *,
    source: str,
    reason: str,
    failing: str,
    passing: str,
    on: str = "a5",
    severity: Severity = Severity.ERROR,
    scope: Scope = "instruction",
) -> Callable[[Check], Rule]:
    """Make a rule of a check. `on` names the targets that the examples are for, separated by blanks."""

    def make(check: Check) -> Rule:
        law = " ".join((check.__doc__ or "").split())
        assert law, f"{code} has no law"
        assert code not in _REGISTRY, f"{code} is taken by {_REGISTRY[code].name}"
        name: str = check.__name__
        made = Rule(
            code,
            name,
            law,
            source,
            " ".join(reason.split()),
            failing.strip("\n"),
            passing.strip("\n"),
            severity,
            scope,
            check,
            tuple(on.split()),
        )
        _REGISTRY[code] = made
        return made

    return make


def all_rules() -> tuple[Rule, ...]:
    """Every rule, sorted by code."""
    return tuple(_REGISTRY[code] for code in sorted(_REGISTRY))
