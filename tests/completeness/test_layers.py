"""The order of packages, and where imports stand."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import ptoas
from ptoas.dialects.pto import OPS
from tests.completeness.packages import ORDER, ROOT, graph, imported, package_of

CONTRIBUTING = ROOT.parent / "CONTRIBUTING.md"
MOST_FUNCTION_IMPORTS = 60


def test_every_package_has_its_place_in_the_order() -> None:
    folders = {path.name for path in ROOT.iterdir() if (path / "__init__.py").exists()}
    assert folders == set(ORDER)


def test_the_root_holds_the_public_names_only() -> None:
    files = {path.name for path in ROOT.iterdir() if path.is_file()}
    assert files == {"__init__.py", "__main__.py", "py.typed"}


@pytest.mark.parametrize("package", ORDER)
def test_a_package_imports_only_from_packages_to_its_left(package: str) -> None:
    allowed = set(ORDER[: ORDER.index(package) + 1])
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sorted((ROOT / package).rglob("*.py"))
        for name in sorted(imported(path))
        if (other := package_of(name)) is not None and other not in allowed
    ]
    assert wrong == []


def test_no_package_has_the_name_of_a_public_function() -> None:
    functions = {name for name in ptoas.__all__ if callable(getattr(ptoas, name))}
    assert not functions & set(ORDER)


def function_imports(path: Path) -> Iterator[str]:
    """Yield the imports of our own modules that stand inside functions."""
    for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in function.body:
                for each in ast.walk(node):
                    if isinstance(each, ast.ImportFrom) and (each.module or "").startswith("ptoas"):
                        yield f"{path.relative_to(ROOT)}:{each.lineno} {each.module}"


def test_imports_stand_at_the_top_of_the_file() -> None:
    found = sorted({each for path in ROOT.rglob("*.py") for each in function_imports(path)})
    assert len(found) <= MOST_FUNCTION_IMPORTS, found


def test_the_graph_of_packages_is_that_of_the_imports() -> None:
    assert f"```mermaid\n{graph()}\n```" in CONTRIBUTING.read_text(encoding="utf-8")


def test_the_grammar_names_no_instruction() -> None:
    """The dialect provides the two that it needs: undeclared tiles and windows of views."""
    instructions = {op.__module__ for op in OPS}
    wrong = {
        f"{path.name} imports {name}"
        for path in (ROOT / "grammar").glob("*.py")
        for name in imported(path) & instructions
    }
    assert wrong == {"op_template.py imports ptoas.dialects.pto.views"}


def test_an_instruction_is_used_in_few_modules() -> None:
    """`mgather`, the oldest: its rows, rules, body and what rewrites it; all else asks the declaration."""
    named = [
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        if "dialects" not in path.parts and re.search(r"\bMGatherOp\b", path.read_text(encoding="utf-8"))
    ]
    assert len(named) <= 8, named
