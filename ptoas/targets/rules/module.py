"""Attributes of modules and functions: the target (D2), the tail of a function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp

from ptoas.analysis.function import FunctionFacts
from ptoas.analysis.structure import functions, walk_of
from ptoas.diagnostics import Severity
from ptoas.diagnostics.spelling import did_you_mean
from ptoas.dialects.sync_tail import SPELLINGS, TAIL_HINT, tail_of
from ptoas.targets.named import TARGET_ATTRIBUTE
from ptoas.targets.rule import Violation, Violations, function_rule, mismatch, rule
from ptoas.targets.target import Target


def _named_target(module: ModuleOp) -> Target | None:
    """The target that a module names; `None` if it names none that is known."""
    from ptoas.targets import UnknownTargetError, get_target

    named = module.attributes.get(TARGET_ATTRIBUTE)
    try:
        return get_target(named.data) if isinstance(named, StringAttr) else None
    except UnknownTargetError:
        return None


@rule(
    "PTO-T101",
    source="D2",
    reason="It is the name of a target.",
    on="a5",
    scope="module",
)
def target_attribute_is_a_string(module: ModuleOp, target: Target) -> Violations:
    """pto.target_arch must be a string."""
    named = module.attributes.get(TARGET_ATTRIBUTE)
    if named is not None and not isinstance(named, StringAttr):
        yield Violation(
            f"{TARGET_ATTRIBUTE}: found {named}, expected a string such as {target.name!r}".replace("'", '"'),
            op=module,
            field=TARGET_ATTRIBUTE,
        )


@rule(
    "PTO-T102",
    source="D1, D2",
    reason="A program for an unknown machine can't be checked.",
    on="a5",
    scope="module",
)
def named_target_exists(module: ModuleOp, target: Target) -> Violations:
    """pto.target_arch must name a known target."""
    from ptoas.targets import TARGETS

    named = module.attributes.get(TARGET_ATTRIBUTE)
    if isinstance(named, StringAttr) and _named_target(module) is None:
        required = f"one of {', '.join(TARGETS)}"
        names = [name for each in TARGETS.values() for name in (each.name, *each.aliases)]
        yield Violation(
            f'{TARGET_ATTRIBUTE}: found "{named.data}", expected {required}',
            op=module,
            field=TARGET_ATTRIBUTE,
            fix=did_you_mean(named.data.lower(), names, cutoff=0.5),
        )


@rule(
    "PTO-T103",
    source="D2",
    reason="--target overrides the module's target.",
    on="a5",
    severity=Severity.NOTE,
    scope="module",
)
def module_names_the_checked_target(module: ModuleOp, target: Target) -> Violations:
    """A module should be checked for the target that it names."""
    other = _named_target(module)
    if other is not None and other.name != target.name:
        yield Violation(
            f"the module is written for {other.name}, not for this target",
            op=module,
            field=TARGET_ATTRIBUTE,
        )


@function_rule(
    "PTO-G102",
    source="PTOAS options of insert-sync: auto-sync tail",
    reason="An unknown hint would be ignored silently.",
    failing='func.func @kernel() attributes {pto.auto_sync_tail_hint = "none"} {\n  return\n}',
    passing='func.func @kernel() attributes {pto.auto_sync_tail_hint = "barrier-all"} {\n  return\n}',
)
def tail_hint_exists(facts: FunctionFacts, _target: Target) -> Violations:
    """pto.auto_sync_tail_hint must be barrier-all or mte3-to-s-event0."""
    hint = facts.func.attributes.get(TAIL_HINT)
    if hint is not None and tail_of(facts.func) is None:
        required = " or ".join(f'"{word}"' for word in SPELLINGS)
        yield mismatch(TAIL_HINT, hint, required, op=facts.func, field=TAIL_HINT)


@rule(
    "PTO-G103",
    source="ptoas",
    reason="The tiles of a function have fixed addresses, so each call would overwrite those of its caller.",
    scope="module",
)
def function_does_not_call_itself(module: ModuleOp, _target: Target) -> Violations:
    """A function must not call itself, directly or indirectly."""
    found = functions(module)
    by_name = {(function.parent_op(), function.sym_name.data): function for function in found}
    calls = {
        function: [
            (call, callee)
            for call in walk_of(function, CallOp)
            if (callee := by_name.get((function.parent_op(), call.callee.string_value()))) is not None
        ]
        for function in found
    }
    reported: set[FuncOp] = set()
    for function in _without_leaves(calls):
        for call, callee in calls[function]:
            if callee not in reported and _reaches(callee, function, calls):
                name = function.sym_name.data
                through = "" if callee is function else f" through @{callee.sym_name.data}"
                yield Violation(f"@{name} calls itself{through}", op=call, fix="write a loop")
        reported.add(function)


Calls = Mapping[FuncOp, Sequence[tuple[CallOp, FuncOp]]]
"""The functions of a module, each with its calls and the functions that these call."""


def _without_leaves(calls: Calls) -> list[FuncOp]:
    """The functions from which a cycle of calls is reached; usually empty."""
    callers: dict[FuncOp, list[FuncOp]] = {}
    for function, made in calls.items():
        for _, callee in made:
            callers.setdefault(callee, []).append(function)
    left = {function: len(made) for function, made in calls.items()}
    leaves = [function for function, count in left.items() if count == 0]
    while leaves:
        for caller in callers.get(leaves.pop(), ()):
            left[caller] -= 1
            if left[caller] == 0:
                leaves.append(caller)
    return [function for function, count in left.items() if count]


def _reaches(start: FuncOp, end: FuncOp, calls: Calls) -> bool:
    """Return True if one function calls another, directly or indirectly; it reaches itself."""
    seen, work = {start}, [start]
    while work:
        for _, callee in calls[work.pop()]:
            if callee not in seen:
                seen.add(callee)
                work.append(callee)
    return end in seen
