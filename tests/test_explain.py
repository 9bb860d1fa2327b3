"""`ptoas explain`: codes, instructions, targets, decisions."""

from __future__ import annotations

import pytest

import ptoas
from ptoas.dialects.pto import OPS
from ptoas.project.explain import CODES, explain
from ptoas.project.lookup import explain_name
from ptoas.targets import TARGETS


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.mnemonic())
def test_explain_shows_the_forms_and_targets_of_an_instruction(op: type[ptoas.UnaryOp]) -> None:
    text = explain_name(op.mnemonic())
    assert text.startswith(f"{op.mnemonic()}: ") and text == explain_name(f"pto.{op.mnemonic()}")
    listed = text.partition("\ntargets\n")[2]
    assert all(name in listed for name in TARGETS)


def test_explain_accepts_suffixes_of_an_instruction() -> None:
    assert explain_name("mgather.row.clamp") == explain_name("mgather")


@pytest.mark.parametrize("code", sorted(CODES))
def test_explain_accepts_a_code_without_its_prefix(code: str) -> None:
    assert explain_name(code.removeprefix("PTO-")) == explain_name(code.lower()) == explain(code)


@pytest.mark.parametrize("name", ["a5", "a3", "a2a3", "cpu"])
def test_explain_describes_a_target(name: str) -> None:
    assert "memories" in explain_name(name)


@pytest.mark.parametrize(("name", "meant"), [("trowmx", "trowmax"), ("mgahter", "mgather"), ("a2a", "a2a3")])
def test_explain_suggests_the_closest_name(name: str, meant: str) -> None:
    with pytest.raises(ptoas.UsageError, match=f"did you mean '{meant}'"):
        explain_name(name)
