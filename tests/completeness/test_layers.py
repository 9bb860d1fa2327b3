"""Nothing to the left of `text -> dialect -> rows of a target -> passes -> C++ | machine` knows its right."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from ptoas.dialects.pto import OPS

ROOT = Path(__file__).parents[2] / "ptoas"
RIGHT = ("targets", "lowering", "machine", "ops", "runner", "build", "cli")
KNOWS_NOT = {
    "ir": ("dialects", "grammar", "analysis", *RIGHT),
    "grammar": RIGHT,
    "dialects": ("analysis", "grammar", *RIGHT),
    "analysis": ("grammar", *RIGHT),
    "targets": ("grammar", "lowering", "machine", "ops", "runner", "build", "cli"),
    "lowering": ("machine", "ops", "runner", "build", "cli"),
    "machine": ("grammar", "lowering", "runner", "build", "cli"),
    "ops": ("grammar", "lowering", "runner", "build", "cli"),
}
"""By package, those that it does not import, wherever the import stands."""

EXCEPT = {
    ("dialects", "ptoas.dialects.pto.type_text"): "xDSL asks a type to read its own parameters",
    ("grammar", "ptoas.targets.defaults"): "what a text leaves out is what its target says",
    ("targets", "ptoas.lowering.launch"): "where tiles end that passes add, only passes know (D36)",
}


def imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


@pytest.mark.parametrize("package", KNOWS_NOT)
def test_a_package_does_not_know_what_stands_to_its_right(package: str) -> None:
    forbidden = tuple(f"ptoas.{name}" for name in KNOWS_NOT[package])
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sorted((ROOT / package).rglob("*.py"))
        for name in sorted(imported(path))
        if name.startswith(forbidden)
        and not any(name.startswith(known) for at, known in EXCEPT if at == package)
    ]
    assert wrong == []


def test_the_grammar_names_no_instruction() -> None:
    """What it must know, a tile that a text does not declare and a window of a view, the dialect makes."""
    instructions = {op.__module__ for op in OPS}
    wrong = {
        f"{path.name} imports {name}"
        for path in (ROOT / "grammar").glob("*.py")
        for name in imported(path) & instructions
    }
    assert wrong == {"prelude.py imports ptoas.dialects.pto.views"}


def test_an_instruction_has_few_homes() -> None:
    """`mgather`, the oldest: its rows, rules, body and what rewrites it; all else asks the declaration."""
    named = [
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        if "dialects" not in path.parts and re.search(r"\bMGatherOp\b", path.read_text(encoding="utf-8"))
    ]
    assert len(named) <= 8, named
