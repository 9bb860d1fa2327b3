"""Every rule is documented, its examples are true, and the reference page is up to date."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import ptoas
from ptoas.diagnostics.codes import ALIASES
from ptoas.grammar.parse import parse
from ptoas.project.explain import UnknownCodeError, explain
from ptoas.project.rule_pages import (
    CHAPTERS,
    describe,
    render_rules,
    render_targets,
    rules_of,
    targets_with,
)
from ptoas.targets import TARGETS
from ptoas.targets.explain import example_targets
from ptoas.targets.isa import HEADERS
from ptoas.targets.rule import RULES, Rule
from ptoas.targets.rules.examples import mgather
from ptoas.verifier.verify import verify_targets

ROOT = Path(__file__).parents[2]
EVERY = sorted(RULES.values(), key=lambda rule: rule.code)


def codes(text: str, rule: Rule) -> dict[str, set[str]]:
    """Codes found in an example: one target after the other, portability for all of them together."""
    module = parse(text, "example.pto")
    targets = example_targets(rule)
    groups = [targets] if rule.code.startswith("PTO-W") else [(target,) for target in targets]
    isa = HEADERS if rule.header else rule.example_isa
    return {" ".join(g): {d.code for d in verify_targets(module, g, isa=isa).diagnostics} for g in groups}


@pytest.mark.parametrize("rule", EVERY, ids=lambda rule: rule.code)
def test_the_failing_example_fails(rule: Rule) -> None:
    for targets, found in codes(rule.failing, rule).items():
        assert rule.code in found, targets
        if not rule.code.startswith("PTO-W"):
            assert found == {rule.code}, f"{targets}: the example breaks other rules too"


@pytest.mark.parametrize("dependence", ["nothing", "accesses", "target"])
def test_names_of_parameters_of_a_check_mean_nothing(
    dependence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = next(rule for rule in EVERY if rule.scope == "function" and rule.depends_on == dependence)
    before, check = codes(rule.failing, rule), rule.check
    given: list[object] = []

    def renamed(_target: object, touches: object) -> object:
        given.append(touches)
        return check(_target, touches)

    monkeypatch.setitem(vars(rule), "check", renamed)
    assert codes(rule.failing, rule) == before
    assert given and {isinstance(each, list) for each in given} == {dependence == "accesses"}


def test_targets_together_find_what_each_finds_alone() -> None:
    """A rule that is asked once for all targets gives its answer to each that has it, and to no other."""
    asked = [rule for rule in EVERY if rule.scope == "function"]
    assert {rule.depends_on for rule in asked} == {"nothing", "accesses", "target"}
    for rule in asked:
        module = parse(rule.failing, "example.pto")
        together = verify_targets(module, TARGETS).diagnostics
        for target in TARGETS:
            alone = {(d.code, d.message, d.span.offset) for d in verify_targets(module, [target]).diagnostics}
            named = {(d.code, d.message, d.span.offset) for d in together if target in d.targets}
            assert {each for each in named if each[0] == rule.code} == {
                each for each in alone if each[0] == rule.code
            }, (rule, target)


@pytest.mark.parametrize("rule", EVERY, ids=lambda rule: rule.code)
def test_the_passing_example_passes(rule: Rule) -> None:
    for targets, found in codes(rule.passing, rule).items():
        portable = rule.code.startswith("PTO-W")
        assert rule.code not in found if portable else not found, targets


@pytest.mark.parametrize("rule", EVERY, ids=lambda rule: rule.code)
def test_a_rule_is_documented(rule: Rule) -> None:
    assert re.fullmatch(r"PTO-[A-Z]\d{3}", rule.code)
    assert rule.code[4] in CHAPTERS
    assert rule.statement.endswith(".") and rule.reason.endswith(".") and rule.source
    assert rule.failing != rule.passing
    assert set(rule.on) < set(targets_with(rule)), "examples for all targets need no `on`"


@pytest.mark.parametrize("rule", EVERY, ids=lambda rule: rule.code)
def test_explain_contains_all_parts(rule: Rule) -> None:
    text = explain(rule.code.lower())
    flat = " ".join(text.split())
    examples = (*rule.failing.splitlines(), *rule.passing.splitlines())
    for part in (rule.statement, rule.reason, rule.source, *examples):
        assert " ".join(part.split()) in flat


def test_explain_accepts_former_codes() -> None:
    for old, code in ALIASES.items():
        assert old not in RULES
        text = explain(old)
        assert text.startswith(f"{old} is part of {code} now.") and RULES[code].statement.split()[0] in text


def test_explain_accepts_parser_codes_and_rejects_unknown_ones() -> None:
    assert "PTO-P030" in explain("PTO-P030")
    with pytest.raises(UnknownCodeError, match="PTO-A108"):
        explain("PTO-A199")


def test_explain_accepts_decisions_and_documents() -> None:
    assert explain("D21").startswith("D21: ") and "a single address or flag" in explain("d21")
    assert explain("000").startswith("000: MGATHER, the full page")
    with pytest.raises(UnknownCodeError, match="D99"):
        explain("D99")


def test_rules_of_a_target() -> None:
    on_cpu = {rule.code for rule in rules_of("cpu")}
    assert "PTO-A301" in on_cpu and "PTO-F101" not in on_cpu
    assert [entry["code"] for entry in json.loads(render_rules("json", "cpu"))] == [
        rule.code for rule in rules_of("cpu")
    ]
    assert len(render_rules("table").splitlines()) == len(RULES) + 1


def test_a_rule_as_data() -> None:
    data = describe(RULES["PTO-A201"])
    assert (
        data["targets"] == ["a5", "a5-custom"]
        and data["severity"] == "error"
        and data["chapter"].startswith("MGATHER")
    )


@pytest.mark.parametrize("style", ["table", "markdown"])
def test_targets_as_text(style: str) -> None:
    text = render_targets(style)
    for target in TARGETS.values():
        assert target.title in text
    assert "216 KB" in text and "192 KB" in text and "host memory" in text


def test_targets_as_data() -> None:
    data = {entry["name"]: entry for entry in json.loads(render_targets("json"))}
    assert data["a5"]["unified buffer"]["tiles with SIMT"] == 216 * 1024
    assert data["a2a3"]["aliases"][:3] == ["a2", "a3", "ascend910b"]


def test_a_slip_in_a_destination_is_named() -> None:
    """`%rows` defines a tile by being a destination (D23); the reader of `%row` learns where to look."""
    text = """
.arg %x : !pto.memref<16x32xf32>
%row = pto.alloc_tile : !pto.tile_buf<vec, 16x32xf32>
tload %rows, %x : (!pto.tile_buf<vec, 16x32xf32>, !pto.memref<16x32xf32>)
tstore %row, %x
"""
    report = ptoas.verify(ptoas.parse(text), target="a5")
    fixes = [d.fix for d in report.diagnostics if d.code == "PTO-U106"]
    assert fixes == ["`%rows` is written and never read: did you mean `%row` there?"]
    other = text.replace("%rows", "%elsewhere")
    report = ptoas.verify(ptoas.parse(other), target="a5")
    assert [d.fix for d in report.diagnostics if d.code == "PTO-U106"] == [None]


@pytest.mark.parametrize(("table", "taking"), [("64x32xf32, strides=[40, 1]", "a2a3"), ("64x32xf32", None)])
def test_a_form_of_table_is_pointed_out_where_it_is_taken(table: str, taking: str | None) -> None:
    """The target that refuses it has an error of its own, and no warning about itself."""
    index, result = "!pto.tile<1x16xi32>", "!pto.tile<16x32xf32>"
    module = parse(
        f".arg %table : !pto.memref<{table}>\n.arg %idx : {index}\n"
        f"%dst = mgather.row %table, %idx : (!pto.memref<{table}>, {index}) -> {result}\n",
        "example.pto",
    )
    report = verify_targets(module, ["a2a3", "a5"])
    assert [d.targets for d in report.diagnostics if d.code == "PTO-W104"] == ([(taking,)] if taking else [])


def test_ignored_strides_name_the_first_index_that_reads_elsewhere() -> None:
    def message(target: str, table: str, mode: str, index: str, tile: str) -> tuple[str, str]:
        text = mgather(mode, tile, table, index)
        (found,) = [d for d in ptoas.verify(ptoas.parse(text), target).diagnostics if d.code == "PTO-A223"]
        return found.severity.value, found.message

    padded = message("a2a3", "64x32xf32, strides=[40, 1]", "elem", "16x32xi32", "16x32xf32")
    assert (
        padded[0] == "warning"
        and "index 32 reads the element at offset 32 and not the one at 40" in padded[1]
    )
    columns = "64x8xf32, nd, strides=[16, 2]"
    severity, text = message("cpu", columns, "elem", "16x8xi32", "16x8xf32")
    assert severity == "warning" and "index 1 reads the element at offset 1 and not the one at 2" in text
    assert message("a2a3", columns, "elem", "16x8xi32", "16x8xf32")[0] == "error"  # D30
    planes = "2x8x32xf32, strides=[512, 40, 1]"
    assert (
        "index 8 reads the row at offset 320 and not the one at 512"
        in message("a2a3", planes, "row", "1x16xi32", "16x32xf32")[1]
    )


@pytest.mark.parametrize(("target", "code"), [("a2a3", "PTO-A202"), ("a5", "PTO-A201")])
def test_element_index_in_row_mode_mentions_the_default(target: str, code: str) -> None:
    """The Auto and Manual examples of document 000 name no mode."""
    for mode, default in (("", True), ("row", False)):
        text = mgather(mode, "16x16xf32", "64x16xf32", "16x16xi32")
        (found,) = [d for d in ptoas.verify(ptoas.parse(text), target).diagnostics if d.code == code]
        assert (f"Row mode, the default of {target}" in found.message) == default
        assert (found.fix == "write mgather.elem, which has an index for each element") == default
    other = ptoas.verify(ptoas.parse(mgather("", "16x16xf32", "64x16xf32", "1x8xi32")), target)
    fix = "declare `%idx` as `!pto.tile_buf<vec, 1x16xi32>`"
    assert [d.fix for d in other.diagnostics if d.code == code] == [fix]
