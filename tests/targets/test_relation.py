"""Relations of extents: how they are compared, what they say, and of which slots."""

from __future__ import annotations

import re
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from ptoas import RULES, TARGETS, parse
from ptoas.dialects.pto.element_types import BY_TEXT
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.targets.relation import COMPARISONS, Relation, Relations
from ptoas.targets.rule import Rule
from ptoas.targets.rules.examples import instruction, mgather, mscatter
from ptoas.targets.specs import elements
from ptoas.verifier.verify import verify_targets


def facts(**tiles: Any) -> Any:
    """Facts of an instruction with these tiles, by slot."""
    several = {slot: tile if isinstance(tile, list) else [tile] for slot, tile in tiles.items()}
    return SimpleNamespace(
        operand=lambda slot, at=0: several[slot][at], values=lambda slot: several.get(slot, ())
    )


def messages(relation: Relation, op: Any = None, **extents: Any) -> list[str]:
    """The messages of a relation for tiles with these valid extents."""
    tiles = {
        slot: SimpleNamespace(valid=valid, valid_rows=valid[0], valid_cols=valid[1])
        for slot, valid in extents.items()
    }
    return [violation.message for violation in relation.violations(op, facts(**tiles))]


def of_scalars(relation: Relation, attribute: str | None = None, constant: int | None = None) -> list[Any]:
    """The violations of a relation for an instruction with the attribute `mode` and the operand `at`."""
    op = SimpleNamespace(signature=lambda: SimpleNamespace(fields=("mode",)))
    target = SimpleNamespace(value=lambda _op, _name: attribute)
    know: Any = SimpleNamespace(target=target, constants=lambda _slot: (constant,), values=lambda _slot: ())
    return list(relation.violations(op, know))


@pytest.mark.parametrize(
    ("comparison", "holds", "fails", "unknown"),
    [
        ("==", (16, 16), (8, 16), True),
        (">=", (17, 16), (15, 16), True),
        ("<=", (15, 16), (17, 16), True),
        ("%", (48, 16), (24, 16), True),
        ("%+", (48, 16), (0, 16), True),
        ("in", (7, range(8)), (8, range(8)), True),
        ("is", (16, 16), (8, 16), False),
        ("opens as", (8, 16), (DYNAMIC, 16), False),
    ],
)
def test_comparisons(comparison: str, holds: Any, fails: Any, unknown: bool) -> None:
    relation = Relation(f"dst.valid_cols {comparison}", lambda op, _: op)
    found, required = holds
    assert not messages(relation, required, dst=(1, found))
    found, required = fails
    assert messages(relation, required, dst=(1, found))
    assert bool(messages(relation, required, dst=(1, DYNAMIC))) is not unknown


def test_every_comparison_is_tested() -> None:
    assert set(COMPARISONS) == {"==", ">=", "<=", "%", "%+", "in", "is", "opens as"}


@pytest.mark.parametrize(
    ("text", "when", "error"),
    [
        ("dst.cols", "", "compares with one of ==, >=, <=, %, %+, in, is, opens as"),
        ("dst.cols < 8", "", "compares with one of"),
        ("dst.colums == 8", "", "no measure 'colums'"),
        ("dst.cols == 2 * src.colums", "", "no measure 'colums'"),
        ("dst.cols == 8", "src.cols", "'src.cols' is no condition"),
        ("dst.cols == 8", "src.cols >= 8", "'src.cols >= 8' is no condition"),
        ("dst.cols == 8", "src.colums > 8", "no measure 'colums'"),
        ("dst.cols == 8, not {src.colums}", "", "no measure 'colums'"),
    ],
)
def test_a_wrong_text_is_an_error_at_once(text: str, when: str, error: str) -> None:
    with pytest.raises(ValueError, match=re.escape(error)) as raised:
        Relation(text, when=when)
    assert str(raised.value).startswith(text)


def test_an_operand_may_be_one_of_several() -> None:
    relation = Relation("parts[1].valid_cols == parts[0].valid_cols, as the first")
    one, other = SimpleNamespace(valid_cols=8), SimpleNamespace(valid_cols=9)
    (found,) = relation.violations(None, facts(parts=[one, other]))
    assert found.slot == ("parts", 1)
    assert found.message.endswith("found 9, expected 8, as the first")
    assert not list(relation.violations(None, facts(parts=[one])))


def test_words_of_a_table_depend_on_its_key() -> None:
    relation = Relation("dst.memory in ways[src.memory]", what="move from {src.memory}")
    vec, left = (SimpleNamespace(loc=SimpleNamespace(value=word)) for word in ("vec", "left"))
    ways = {"vec": "vec mat"}
    assert not list(relation.violations(None, facts(src=vec, dst=vec), ways=ways))
    (found,) = relation.violations(None, facts(src=vec, dst=left), ways=ways)
    assert found.message == "move from vec: found left, expected vec or mat"
    (found,) = relation.violations(None, facts(src=left, dst=left), ways=ways)
    assert found.message == "move from left: found left, expected none"


def test_a_table_without_a_key_has_element_types() -> None:
    relation = Relation("dst.element in types")
    tile = SimpleNamespace(type=SimpleNamespace(element_type=BY_TEXT["hif8"].type))
    assert not list(relation.violations(None, facts(dst=tile), types=elements("f16 hif8")))
    (found,) = relation.violations(None, facts(dst=tile), types=elements("f16 f32"))
    assert found.message == "element type of $dst: found !pto.hif8, expected f16 or f32"


def test_a_condition_may_name_a_parameter_of_the_row() -> None:
    relation, know = (
        Relation("dst.valid_cols == 8", when="whole == True"),
        facts(dst=SimpleNamespace(valid_cols=9)),
    )
    assert list(relation.violations(None, know, whole=True))
    assert not list(relation.violations(None, know, whole=False))


def test_dimensions_are_compared_one_by_one() -> None:
    relation = Relation("dst.valid >= src.valid, as ${slot}")
    assert messages(relation, dst=(16, 32), src=(16, 8)) == []
    assert messages(relation, dst=(DYNAMIC, 32), src=(16, DYNAMIC)) == []
    found = messages(relation, dst=(32, 8), src=(16, 16))
    assert found == ["valid shape of $dst: found 32x8, expected at least 16x16, as $src"]


def test_an_operand_that_is_not_given_breaks_no_relation() -> None:
    relation = Relation("tmp.valid_cols >= 64")
    assert messages(relation, tmp=(1, 8)) == ["valid columns of $tmp: found 8, expected at least 64"]
    assert messages(relation, dst=(1, 8)) == []


def test_condition_is_evaluated_before_the_operands() -> None:
    """The instruction may not have the slot at all."""

    def never(_op: Any, _know: Any) -> bool:
        return False

    assert messages(Relation("bias.valid_cols == rhs.valid_cols", when=never)) == []


@pytest.mark.parametrize(
    ("when", "rows", "compared"),
    [
        ("src.valid_rows > 1", 2, True),
        ("src.valid_rows > 1", 1, False),
        ("src.valid_rows > 1", DYNAMIC, False),
        ("src.valid_rows == ?", DYNAMIC, True),
        ("src.valid_rows == ?", 1, False),
        ("src.valid_rows != 1 and src.valid_cols == 8", 2, True),
        ("src.valid_rows != 1 and src.valid_cols == 9", 2, False),
    ],
)
def test_condition_is_a_text(when: str, rows: int, compared: bool) -> None:
    assert bool(messages(Relation("src.valid_cols == 16", when=when), src=(rows, 8))) is compared


def test_sides_are_calculated_as_far_as_they_are_known() -> None:
    relation = Relation("dst.valid_cols == a.valid_cols + b.valid_cols // 2, together")
    assert messages(relation, dst=(1, 20), a=(1, 16), b=(1, 8)) == []
    assert messages(relation, dst=(1, 21), a=(1, 16), b=(1, 8)) == [
        "valid columns of $dst: found 21, expected 20, together"
    ]
    assert messages(relation, dst=(1, 21), a=(1, 16), b=(1, DYNAMIC)) == []


def test_alternatives_are_all_named() -> None:
    relation = Relation("dst.valid_cols == 1 or 2 or src.valid_cols: whatever")
    assert messages(relation, dst=(1, 2), src=(1, 8)) == messages(relation, dst=(1, 8), src=(1, 8)) == []
    assert messages(relation, dst=(1, 3), src=(1, 8)) == [
        "valid columns of $dst: found 3, expected 1, 2 or 8: whatever"
    ]


def test_a_function_calculates_what_is_required() -> None:
    relation = Relation("dst.valid_cols <=", lambda op, _: op.limit, ", limit", "width of ${slot}")
    assert messages(relation, SimpleNamespace(limit=8), dst=(1, 9)) == [
        "width of $dst: found 9, expected at most 8, limit"
    ]


def test_parameters_of_a_row_reach_the_function() -> None:
    def most(_op: Any, _know: Any, limit: int = 4) -> range:
        return range(limit)

    check, know = Relations((Relation("at in", most),)), _indexed(5)
    op = SimpleNamespace(signature=lambda: SimpleNamespace(fields=()))
    assert [each.message for each in check(op, know)] == ["at: found 5, expected 0 to 3"]
    assert list(check(op, know, limit=6)) == []


def _indexed(at: int) -> Any:
    return SimpleNamespace(constants=lambda _slot: (at,))


def test_attributes_are_compared_where_they_are_given() -> None:
    relation = Relation("mode == eq or ne", what="mode of i32")
    (found,) = of_scalars(relation, attribute="lt")
    assert (found.message, found.field) == ("mode of i32: found lt, expected eq or ne", "mode")
    assert of_scalars(relation, attribute="ne") == of_scalars(relation) == []


def test_constants_count_from_0() -> None:
    relation = Relation("at in 0 to 15")
    for number in (-1, 16):
        (found,) = of_scalars(relation, constant=number)
        assert found.message == f"at: found {number}, expected 0 to 15"
        assert (found.slot, found.part) == (("at", 0), "value")
    assert of_scalars(relation, constant=15) == of_scalars(relation) == []


def test_each_operand_of_a_slot_is_compared() -> None:
    op = SimpleNamespace(signature=lambda: SimpleNamespace(fields=()))
    know: Any = SimpleNamespace(constants=lambda _slot: (4, None, 0))
    (found,) = Relation("sizes >= 1").violations(op, know)
    assert (found.message, found.slot) == ("sizes[2]: found 0, expected at least 1", ("sizes", 2))


def test_an_end_of_a_range_may_be_a_parameter_of_the_row() -> None:
    op = SimpleNamespace(signature=lambda: SimpleNamespace(fields=()))
    relation = Relation("at in 0 to most")
    (found,) = relation.violations(op, _indexed(16), most=15)
    assert found.message == "at: found 16, expected 0 to 15"
    assert not list(relation.violations(op, _indexed(16), most=31))


def test_values_may_be_shown_in_other_words() -> None:
    f16, f32 = (SimpleNamespace(element_type=BY_TEXT[text].type) for text in ("f16", "f32"))
    src = SimpleNamespace(size=4, type=f32)
    know = facts(dst=SimpleNamespace(size=2, element_name="f16", type=f16), src=src)
    relation = Relation("dst.sized == src.element_bytes, as $src", what="{words} for {src.element}")
    (found,) = relation.violations(None, know)
    assert found.message == "element size for f32: found f16, 2 bytes, expected 4 bytes, as $src"
    src.size = 2
    assert list(relation.violations(None, know)) == []


def test_a_constant_between_multiples_is_shown_between_them() -> None:
    (found,) = of_scalars(Relation("at % 16"), constant=20)
    assert (found.message, found.fix) == ("at: found 20, expected a multiple of 16", "use 16 or 32")
    assert found.related[0].message.startswith("blocks begin at")


def test_another_layout_is_declared_and_drawn() -> None:
    text = instruction("tgather", "16x16xf32", "16x16xf32, blayout=col_major", "16x16xi32")
    (found,) = verify_targets(parse(text), ["a5"]).diagnostics
    assert found.fix == "declare `%s0` as `!pto.tile_buf<vec, 16x16xf32>`"
    assert any("by their place in memory" in note.message for note in found.notes)


def test_quotes_keep_signs_from_being_read() -> None:
    know = facts(result=SimpleNamespace(layout_text="col_major + none_box"))
    relation = Relation("result.order == 'row_major + none_box'")
    (found,) = relation.violations(None, know)
    assert found.message == "layout of $result: found col_major + none_box, expected row_major + none_box"
    assert found.slot is None, "the whole statement"


def test_condition_on_the_opcode() -> None:
    op = SimpleNamespace(mnemonic=lambda: "tmov", valid_cols=0)
    assert messages(Relation("dst.valid_cols == 8", when="opcode == tmov"), op, dst=(1, 9))
    assert not messages(Relation("dst.valid_cols == 8", when="opcode == tneg"), op, dst=(1, 9))


def test_an_unknown_constant_is_not_a_known_one() -> None:
    (found,) = of_scalars(Relation("at is 16"))
    assert found.message == "at: found ?, expected 16"


def test_a_relation_may_follow_from_others() -> None:
    first, second = Relation("a.valid_cols == 8"), Relation("b.valid_cols == 8", follows=True)
    tiles = {"a": SimpleNamespace(valid_cols=1), "b": SimpleNamespace(valid_cols=1)}
    know = facts(**tiles)
    assert [each.slot for each in Relations((first, second))(None, know)] == [("a", 0)]
    tiles["a"].valid_cols = 8
    assert [each.slot for each in Relations((first, second))(None, know)] == [("b", 0)]


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
    check = rule.check.func if isinstance(rule.check, partial) else rule.check
    return check.stated if isinstance(check, Relations) else ()


def slots_in(text: str, op: type[PtoOp]) -> list[str]:
    """The slots, attributes and names of constants in a text, as an instruction calls them."""
    names = re.findall(r"(?<![.\w])([A-Za-z]\w*)(?:\[\d\])?\.", text)
    return [getattr(op, name) if name.isupper() else name for name in names]


def test_relations_are_of_slots_that_the_instruction_has() -> None:
    used: set[Relation] = set()
    for op, rule, relation in stated():
        names = {slot.name for slot in op.signature().slots} | {*op.signature().fields, "result"}
        if not {*(slots_in(relation.found, op) or [relation.found])} <= names:
            continue
        used.add(relation)
        condition = relation.when if isinstance(relation.when, str) else ""
        needed = slots_in(f"{relation.right} {condition}", op)
        assert {*needed} <= names or relation.when, f"{rule} of {op.name}: {needed}"
    unused = {relation.text for _, _, relation in stated() if relation not in used}
    assert not unused, f"no instruction has what these compare: {unused}"


def test_rules_of_relations_are_in_rows() -> None:
    every = {rule for rule in RULES.values() if relations_of(rule)}
    assert len(every) >= 120
    assert every == {rule for _, rule, _ in stated()}
