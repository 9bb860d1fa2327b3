"""A rule: one thing that a target requires, with its code, its source, its reason, two examples and a check.

A check yields every violation that it sees, with the found and the required value; it never raises and never
prints. Checks of instructions see only what `Facts` shows them, so that equal instructions are checked once.

>>> import ptoas
>>> print(ptoas.RULES["PTO-A301"].statement)
cpu supports Elem gathers only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from importlib.resources import files
from pkgutil import iter_modules
from typing import Any, Literal, TypeAlias

from xdsl.ir import Operation

from ptoas.diagnostics import Severity
from ptoas.diagnostics.codes import CodeInfo, register_code
from ptoas.dialects.plugins import import_all
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.targets import rules
from ptoas.targets.fixit import Fixit

Part = Literal["value", "type"]


@dataclass(frozen=True)
class Related:
    """Another place that a violation involves."""

    message: str
    op: Operation | None = None


@dataclass(frozen=True)
class Violation:
    """A broken rule: the found and the required value, and the part of the instruction to blame.

    `slot` names an operand (`"dst"` is the destination in either form, `("sizes", 1)` one of several),
    `field` an attribute; with neither, the whole statement is to blame. Rules of whole functions name the
    operation, and an argument of the function itself as `("argument", 0)`. In `message` and `fix`, `$dst`
    stands for the author's name of the operand in slot `dst`: instructions that differ in names only are
    checked once.
    """

    message: str
    slot: str | tuple[str, int] | None = None
    part: Part = "type"
    field: str | None = None
    fix: str | None = None
    op: Operation | None = None
    related: tuple[Related, ...] = ()
    severity: Severity | None = None
    """Severity of this violation, if it is below that of the rule."""
    fixit: Fixit | tuple[Fixit, ...] | None = None
    """The edits for `fix`, if they are certain enough to be applied by a tool; all of them, or none."""

    def with_names(self, text: str, op: Operation) -> str:
        """Replace each `$slot` of a text by the name of its operand, or by the slot if it has no name."""
        if not isinstance(op, PtoOp):
            return text
        blamed = self.slot if isinstance(self.slot, tuple) else (self.slot, 0)
        slots = {slot.name for slot in op.signature().slots}

        def name(match: re.Match[str]) -> str:
            slot = match[1]
            if slot not in slots:
                return match[0]
            values = op.values_of(slot)
            value = values[blamed[1] if slot == blamed[0] else 0] if values else None
            return f"`%{value.name_hint}`" if value is not None and value.name_hint else slot

        return re.sub(r"\$(\w+)", name, text)


def mismatch(what: str, found: object, required: object, **place: Any) -> Violation:
    """A violation of a rule that compares two values; others have their own words."""
    return Violation(f"{what}: found {found}, expected {required}", **place)


Violations: TypeAlias = Iterator[Violation]

Check = Callable[..., Violations]
"""A check takes the operation, function, kernel, module or channels, with the facts about it, and yields
the violations.
"""

Scope = Literal["instruction", "function", "branches", "kernel", "module", "channels"]
"""The unit that a rule checks; `branches`: a function with a body of several blocks, which no other scope
includes.
"""

Dependence = Literal["target", "accesses", "nothing"]
"""Further input of the check of a function. It is its second argument: the target, or the accesses to
memory that the function makes on it (`FunctionFacts.touches`). With `nothing` the check is given the
target and must ignore it. Such a check runs once for all targets that are equal in this.
"""


@dataclass(frozen=True, eq=False)
class Rule:
    """One documented requirement; the check's name is its name, the check's docstring its statement.

    >>> import ptoas
    >>> rule = ptoas.RULES["PTO-A301"]
    >>> rule.title, rule.severity.value, rule.is_about_portability, rule.depends_on
    ('cpu has no row mode', 'error', False, 'target')
    >>> "mgather" in rule.failing, rule.failing == rule.passing
    (True, False)
    """

    code: str
    name: str
    statement: str
    source: str
    reason: str
    severity: Severity
    scope: Scope
    check: Check
    module: str
    """Module of the rule; a file beside it has the examples that are not given in place."""
    given: tuple[str, str]
    """Examples that are given in place, the failing one first; empty: there are none."""
    on: tuple[str, ...]
    """Targets that the examples are for, if not all that require the rule; see `example_targets`."""
    aliases: tuple[str, ...] = ()
    """Codes that this rule had before it spoke for several instructions."""
    header: bool = False
    """True if only the headers of August 2026 require it: an error if they decide, otherwise a warning,
    and nothing if the documents alone decide (D28).
    """
    depends_on: Dependence = "target"
    """Further input of the check of a function."""
    example_isa: str | None = None
    """Revision that the examples are to be checked for."""

    def __call__(self, **data: Any) -> Rule:
        """Bind parameters of a target to the rule: `conversion_exists(pairs=...)`."""
        return replace(self, check=partial(self.check, **data))

    @property
    def failing(self) -> str:
        """A program that breaks the rule, and no other one."""
        return self.given[0] or _programs(self.module)["fails", self.code]

    @property
    def passing(self) -> str:
        """A program like it that keeps the rule."""
        return self.given[1] or _programs(self.module)["passes", self.code]

    @property
    def title(self) -> str:
        """The rule's name in words."""
        return self.name.replace("_", " ")

    @property
    def is_about_portability(self) -> bool:
        """True if the rule applies only when several targets are checked together."""
        return self.code[4] == "W"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rule) and self.code == other.code

    def __hash__(self) -> int:
        return hash(self.code)

    def __repr__(self) -> str:
        return f"Rule({self.code} {self.name})"


@dataclass(frozen=True)
class ProgramRules:
    """Rules of whole programs, and the chapters of which a program must have an instruction before these
    rules have anything to say; none: any program.

    >>> import ptoas
    >>> part = ptoas.ProgramRules((ptoas.RULES["PTO-N103"],), frozenset({"memory"}))
    >>> [rule.code for rule in part.rules], sorted(part.chapters)
    (['PTO-N103'], ['memory'])
    """

    rules: tuple[Rule, ...]
    chapters: frozenset[str] = frozenset()


@cache
def _programs(module: str) -> dict[tuple[str, str], str]:
    """Read the examples beside a module of rules: `matmul.pto` of `matmul.py`.

    Each program follows the codes that it is for: `# === fails: PTO-K108 PTO-K105; passes: PTO-K106`.
    """
    package, _, name = module.rpartition(".")
    text = files(package).joinpath(f"{name}.pto").read_text(encoding="utf-8")
    _, *parts = re.split(r"^# === (.*)\n", text, flags=re.MULTILINE)
    return {
        (word, code): program.strip("\n")
        for heading, program in zip(parts[::2], parts[1::2], strict=True)
        for word, _, codes in (side.partition(": ") for side in heading.split("; "))
        for code in codes.split()
    }


RULES: dict[str, Rule] = {}
"""Every rule by its code; importing `ptoas.targets` defines them all."""


def rule(
    code: str,
    *,
    source: str,
    reason: str,
    failing: str = "",
    passing: str = "",
    on: str = "",
    severity: Severity = Severity.ERROR,
    scope: Scope = "instruction",
    aliases: str = "",
    header: bool = False,
    depends_on: Dependence = "target",
    example_isa: str | None = None,
) -> Callable[[Check], Rule]:
    """Make a rule of a check.

    `on` names the targets that the examples are for, separated by blanks; without it they are for all that
    require the rule. What the `header` of August 2026 alone asks for is a warning unless that decides (D28).
    `depends_on` says what the check of a function is given besides the function. Examples of one instruction
    are given in place, programs in the file beside the module.
    """
    severity = Severity.WARNING if header else severity

    def make(check: Check) -> Rule:
        statement = " ".join((check.__doc__ or "").split())
        assert statement, f"{code} has no statement"
        name: str = check.__name__
        made = Rule(
            code,
            name,
            statement,
            source,
            " ".join(reason.split()),
            severity,
            scope,
            check,
            check.__module__,
            (failing.strip("\n"), passing.strip("\n")),
            tuple(on.split()),
            tuple(f"PTO-{alias}" for alias in aliases.split()),
            header,
            depends_on,
            example_isa,
        )
        meaning = f"{statement} {made.reason} [{source}]"
        register_code(code, CodeInfo(statement, meaning, name, severity, source, _explain), made.aliases)
        RULES[code] = made
        return made

    return make


function_rule = partial(rule, scope="function", depends_on="nothing")
"""Make a rule of a check of functions that is the same for all targets."""
target_rule = partial(rule, scope="function")
"""Make a rule of a check of functions and a target."""
access_rule = partial(rule, scope="function", depends_on="accesses")
"""Make a rule of a check of functions and of the accesses to memory that they make."""
channel_rule = partial(rule, scope="channels")
"""Make a rule of a check of channels and a target."""


def _explain(code: str) -> str:
    from ptoas.targets.explain import explain_rule

    return explain_rule(code)


def load_rules() -> None:
    """Import every module of rules, so that the registry is complete."""

    for module in iter_modules(rules.__path__):
        import_module(f"{rules.__name__}.{module.name}")
    import_all("rules")


def all_rules() -> tuple[Rule, ...]:
    """Every rule, sorted by code."""
    return tuple(RULES[code] for code in sorted(RULES))
