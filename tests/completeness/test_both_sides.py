"""Every rule has programs on both sides in tests/isa: some that break it, some that just do not.

That the examples of `ptoas explain` fail and pass is tested in tests/targets/test_rules.py, and that a
program misses the rule once it is gone, in tests/isa/test_isa.py.
"""

from __future__ import annotations

from functools import cache

import pytest

from ptoas.dialects.pto.instruction import PtoOp
from ptoas.grammar.parse import parse
from ptoas.targets import TARGETS
from ptoas.targets.rule import RULES, Rule
from ptoas.targets.rules.operands import rules_for
from ptoas.targets.target import Target
from tests.isa.annotations import TOGETHER, Program, all_programs

PAIRS = [(target, rule) for target in TARGETS.values() for rule in target.rules()]


@cache
def readable() -> dict[str, list[tuple[Program, frozenset[type]]]]:
    """The programs of each file, with the instructions that they hold."""
    found: dict[str, list[tuple[Program, frozenset[type]]]] = {}
    for program in all_programs():
        if not program.front_end:
            held = frozenset(type(op) for op in parse(program.text).walk() if isinstance(op, PtoOp))
            found.setdefault(program.file, []).append((program, held))
    return found


def judged_by(rule: Rule, target: Target) -> frozenset[type]:
    """The instructions whose rows have the rule; none when it judges whole functions."""
    return frozenset(op for op, row in target.rows() if rule in (*rules_for(row), *row.rules))


@pytest.mark.parametrize(
    ("target", "rule"), PAIRS, ids=lambda x: getattr(x, "code", getattr(x, "name", None))
)
def test_a_rule_has_both_sides(target: Target, rule: Rule) -> None:
    where = TOGETHER if rule.is_about_portability else target.name
    judged = judged_by(rule, target)
    failing = [
        file
        for file, programs in readable().items()
        if any(code == rule.code for program, _ in programs for _, code in program.expected(where))
    ]
    assert failing, f"no program expects {rule.code} on {where}"
    # Legal in the same file, and seen by the rule: it holds an instruction that the rule speaks of.
    passing = [
        program.name
        for file in failing
        for program, held in readable()[file]
        if not program.expected(target.name) and not program.expected(where) and (not judged or judged & held)
    ]
    assert passing, f"no program of {', '.join(failing)} obeys {rule.code} on {target.name}"


def test_every_rule_is_listed_by_a_target() -> None:
    assert set(RULES) == {rule.code for target in TARGETS.values() for rule in target.rules()}
