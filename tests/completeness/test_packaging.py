"""What is installed is complete: declared dependencies, the source distribution and the wheel."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMES_WITH = {"markupsafe": "jinja2", "typing_extensions": "xdsl"}
"""Packages that a dependency depends on."""
EXTRAS = {"mpi4py": "runner/ranks/mpi.py", "lsprotocol": "lsp/", "pygls": "lsp/"}
"""Packages of an extra, and who may import them."""
HOSTS = {"pygments": "editors/lexer.py"}
"""Packages that load a module of ours as their plug-in."""


def declared() -> set[str]:
    """Names of the packages that every installation has."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = [re.match(r"[\w.-]+", text) for text in project["dependencies"]]
    return {name.group().replace("-", "_").lower() for name in names if name}


def imported(path: Path) -> set[str]:
    """Top-level packages that a file imports anywhere."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found - set(sys.stdlib_module_names) - {"ptoas"}


def test_every_imported_package_is_a_dependency() -> None:
    missing: list[str] = []
    for path in sorted((ROOT / "ptoas").rglob("*.py")):
        here = path.relative_to(ROOT / "ptoas").as_posix()
        for name in imported(path):
            optional = EXTRAS | HOSTS
            if COMES_WITH.get(name, name) not in declared() and not (
                name in optional and here.startswith(optional[name])
            ):
                missing.append(f"{here} imports {name}")
    assert missing == []
