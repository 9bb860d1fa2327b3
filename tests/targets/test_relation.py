"""Relations of extents: how they are compared, what they say, and of which slots."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ptoas import RULES, TARGETS, parse
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.targets.relation import COMPARISONS, MEASURES, Relation, Relations
from ptoas.targets.rule import Rule
from ptoas.targets.rules.examples import instruction, mgather, mscatter
from ptoas.verifier.verify import verify_targets


def messages(relation: Relation, op: Any = None, **extents: Any) -> list[str]:
    """The messages of a relation for tiles with these valid extents."""
    tiles = {slot: SimpleNamespace(valid=valid, valid_cols=valid[1]) for slot, valid in extents.items()}
    know: Any = SimpleNamespace(tile=tiles.get, is_tile=tiles.__contains__, values=tiles.__contains__)
    return [violation.message for violation in relation.violations(op, know)]


@pytest.mark.parametrize(
    ("comparison", "holds", "fails", "unknown"),
    [
        ("equal to", (16, 16), (8, 16), True),
        ("at least", (17, 16), (15, 16), True),
        ("at most", (15, 16), (17, 16), True),
        ("multiple of", (48, 16), (24, 16), True),
        ("one or", (1, 16), (2, 16), True),
        ("known as", (16, 16), (8, 16), False),
        ("open as", (8, 16), (DYNAMIC, 16), False),
    ],
)
def test_comparisons(comparison: str, holds: tuple[int, int], fails: tuple[int, int], unknown: bool) -> None:
    compare = COMPARISONS[comparison][1]
    assert compare(*holds) and not compare(*fails)
    assert compare(DYNAMIC, 16) is unknown


def test_every_comparison_is_tested() -> None:
    assert set(COMPARISONS) == {
        "equal to", "at least", "at most", "multiple of", "one or", "known as", "open as"
    }  # fmt: skip


def test_dimensions_are_compared_one_by_one() -> None:
    relation = Relation("dst.valid", "at least", "src.valid", ", as ${slot}")
    assert messages(relation, dst=(16, 32), src=(16, 8)) == []
    assert messages(relation, dst=(DYNAMIC, 32), src=(16, DYNAMIC)) == []
    found = messages(relation, dst=(32, 8), src=(16, 16))
    assert found == ["valid shape of $dst: found 32x8, expected at least 16x16, as $src"]


def test_an_operand_that_is_not_given_breaks_no_relation() -> None:
    relation = Relation("tmp.valid_cols", "at least", 64)
    assert messages(relation, tmp=(1, 8)) == ["valid columns of $tmp: found 8, expected at least 64"]
    assert messages(relation, dst=(1, 8)) == []


def test_condition_is_evaluated_before_the_operands() -> None:
    """The instruction may not have the slot at all."""

    def never(_op: Any, _know: Any) -> bool:
        return False

    assert messages(Relation("bias.valid_cols", "equal to", "rhs.valid_cols", when=never)) == []


def test_a_function_calculates_what_is_required() -> None:
    relation = Relation("dst.valid_cols", "at most", lambda op, _: op.limit, ", limit", "width of ${slot}")
    assert messages(relation, SimpleNamespace(limit=8), dst=(1, 9)) == [
        "width of $dst: found 9, expected at most 8, limit"
    ]


def test_a_slot_may_be_a_constant_of_the_class() -> None:
    for text, slot in (
        (mgather("row", "16x32xf32, valid=16x24", "64x32xf32", "1x16xi32"), "dst"),
        (mscatter("row", "16x32xf32, valid=16x24", "64x32xf32", "1x16xi32"), "src"),
    ):
        (found,) = verify_targets(parse(text), ["a5"]).diagnostics
        assert found.message.endswith(f"found 32, expected 24, the valid columns of `%{slot}`")


def test_a_relation_finds_every_extent_that_is_wrong() -> None:
    text = instruction("tgather", "16x16xf32", "16x16xf32", "16x16xi32", "8x16xf32")
    found = {d.message for d in verify_targets(parse(text), ["a2a3"]).diagnostics if d.code == "PTO-B107"}
    assert found == {
        "element type of `%s2`: found f32, expected i32, as `%s1`",
        "valid shape of `%s2`: found 8x16, expected 16x16, as `%s1`",
    }


def stated() -> list[tuple[type[PtoOp], Rule, Relation]]:
    """Every relation with the instructions whose rows state it."""
    rows = [each for target in TARGETS.values() for each in target.rows()]
    return [(op, rule, each) for op, row in rows for rule in row.rules for each in relations_of(rule)]


def relations_of(rule: Rule) -> tuple[Relation, ...]:
    return rule.check.stated if isinstance(rule.check, Relations) else ()


def test_relations_are_of_slots_that_the_instruction_has() -> None:
    for op, rule, relation in stated():
        slots = {slot.name for slot in op.signature().slots}
        for text in (relation.found, relation.required):
            if not isinstance(text, str):
                continue
            slot, _, measure = text.partition(".")
            assert measure in MEASURES and relation.comparison in COMPARISONS, rule
            known = getattr(op, slot) if slot.isupper() else slot
            assert known in slots or relation.when is not None, f"{rule} of {op.name}: {text}"


def test_rules_of_relations_are_in_rows() -> None:
    every = {rule for rule in RULES.values() if relations_of(rule)}
    assert len(every) >= 25
    assert every == {rule for _, rule, _ in stated()}
