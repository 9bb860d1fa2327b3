"""Emitted C++ compiles without a warning and does what the machine does, byte for byte."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import ptoas
from ptoas.compiler.lower import lower
from ptoas.compiler.run import compile as compile_kernel
from ptoas.diagnostics import PtoasError
from ptoas.runner.values import DEFAULT_MAX_MEMORY, Allowance
from ptoas.targets import TARGETS

from .catalogue import catalogue, moves
from .harness import INCLUDE, Case, run_cases

RANDOM_PROGRAMS = 60
EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.pto"))


@pytest.mark.parametrize("target", TARGETS)
def test_every_program_of_the_catalogue(target: str, tmp_path: Path) -> None:
    cases = catalogue(target, RANDOM_PROGRAMS)
    assert run_cases(cases, tmp_path) == []


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
def test_calls_as_the_documents_declare_them(target: str, tmp_path: Path) -> None:
    cases = [Case(c.name, c.text, target, "doc", arguments=c.arguments) for c in moves(target)]
    assert run_cases(cases, tmp_path) == []


def _arguments(text: str, name: str) -> dict[str, Any]:
    """Arguments that fit the program as it is written; rewriting it hides what is an index."""
    for target in ("a5", "a2a3", "a5-custom"):
        try:
            kernel = compile_kernel(ptoas.parse(text, name), target)
        except PtoasError:
            continue
        return kernel.complete({}, 0, Allowance(DEFAULT_MAX_MEMORY))
    return {}


DECLARED = set(re.findall(r"\b([TM][A-Z0-9_]+)\(", "".join(p.read_text() for p in INCLUDE.rglob("*.hpp"))))
"""The instructions that the reference has: gathers, and what vector cores do. Products are checked by the
examples' own RUN-CHECK lines, since their sums have no fixed order."""


@pytest.mark.parametrize("target", TARGETS)
def test_every_example(target: str, tmp_path: Path) -> None:
    cases: list[Case] = []
    for path in EXAMPLES:
        text = path.read_text()
        try:
            cpp = lower(ptoas.parse(text, path.name), target, legalize=True)
        except PtoasError:
            continue  # not a program of this target; the verifier's tests say which is
        if (
            not set(re.findall(r"^ *(?:pto::)?(?:comm::)?([TM][A-Z0-9_]+)[<(]", cpp, re.MULTILINE))
            <= DECLARED
        ):
            continue
        cases.append(Case(path.stem, text, target, legalize=True, arguments=_arguments(text, path.name)))
    if cases:
        assert run_cases(cases, tmp_path) == []
