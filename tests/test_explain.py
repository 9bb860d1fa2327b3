"""`ptoas explain`: codes, instructions, targets, decisions."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner
from xdsl.ir import TypeAttribute

import ptoas
from ptoas.cli.main import main
from ptoas.diagnostics.data import load_data
from ptoas.dialects.pto import OPS, PTO
from ptoas.project.explain import CODES, explain
from ptoas.project.lookup import explain_name
from ptoas.project.type_pages import type_names
from ptoas.targets import TARGETS


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.mnemonic())
def test_explain_shows_the_forms_and_targets_of_an_instruction(op: type[ptoas.UnaryOp]) -> None:
    text = explain_name(op.mnemonic())
    assert text.startswith(f"{op.mnemonic()}: ") and text == explain_name(f"pto.{op.mnemonic()}")
    listed, _, shown = text.partition("\ntargets\n")[2].partition("\nexample\n")
    assert all(name in listed for name in TARGETS)
    program = dedent(shown.partition("\nC++")[0])
    if op.mnemonic() != "tsync":  # which no target has
        assert any(isinstance(each, op) for each in ptoas.parse(program).walk())


def test_explain_accepts_suffixes_of_an_instruction() -> None:
    assert explain_name("mgather.row.clamp") == explain_name("mgather")


@pytest.mark.parametrize("code", sorted(CODES))
def test_explain_accepts_a_code_without_its_prefix(code: str) -> None:
    assert explain_name(code.removeprefix("PTO-")) == explain_name(code.lower()) == explain(code)


@pytest.mark.parametrize("name", ["a5", "a3", "a2a3", "cpu"])
def test_explain_describes_a_target(name: str) -> None:
    assert "memories" in explain_name(name)


def test_explain_describes_every_type_that_is_read() -> None:
    names = {kind.name.removeprefix("pto.") for kind in PTO.attributes if issubclass(kind, TypeAttribute)}
    assert names <= type_names().keys()
    for name in names:
        assert explain_name(f"!pto.{name}") == explain_name(name)


@pytest.mark.parametrize("name", load_data("types"))
def test_the_example_of_a_type_has_it_and_its_checks_hold(name: str, tmp_path: Path) -> None:
    program = dedent(explain_name(name).partition("\nexample\n")[2])
    spellings = [name, *load_data("types")[name]["aliases"]]
    text = program + str(ptoas.parse(program))
    assert any(f"!pto.{spelling}" in text for spelling in spellings) or "record_event" in text
    path = tmp_path / "example.pto"
    path.write_text(program)
    result = CliRunner().invoke(main, ["test", str(path)])
    assert "0 failed" in result.output and "ok " in result.output, result.output


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("trowmx", "trowmax"),
        ("mgahter", "mgather"),
        ("a2a", "a2a3"),
        ("a6", "a5"),
        ("memreff", "memref"),
        ("A3011", "PTO-A301"),
    ],
)
def test_explain_suggests_the_closest_name(name: str, meant: str) -> None:
    with pytest.raises(ptoas.UsageError, match=f"did you mean `{meant}`"):
        explain_name(name)
