"""Public class names are unique in the package, so that a name says which class is meant."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from tests.completeness.packages import ROOT


def duplicates(files: Iterable[Path]) -> dict[str, list[str]]:
    """Return the public class names that several of the files define, with the files."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(path.name)
    return {name: paths for name, paths in found.items() if len(paths) > 1}


def test_no_public_class_name_is_defined_twice() -> None:
    assert duplicates(sorted(ROOT.rglob("*.py"))) == {}


def test_a_second_definition_is_found(tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("class Once: ...\nclass _Own: ...\n".replace("Once", f"Once{name[0]}"))
    (tmp_path / "c.py").write_text("def make():\n    class Oncea: ...\n")
    assert duplicates(sorted(tmp_path.iterdir())) == {"Oncea": ["a.py", "c.py"]}
