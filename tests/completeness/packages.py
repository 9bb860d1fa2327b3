"""The packages of ptoas, their order, and the graph of their imports.

`python -m tests.completeness.packages` prints the graph for CONTRIBUTING.md.
"""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2] / "ptoas"

ORDER = (
    "diagnostics",
    "ir",
    "dialects",
    "grammar",
    "analysis",
    "targets",
    "lowering",
    "verifier",
    "machine",
    "ops",
    "runner",
    "compiler",
    "profiling",
    "report",
    "simulator",
    "build",
    "project",
    "editors",
    "lsp",
    "cli",
)
"""A package imports only from itself and from packages to its left."""


def imported(path: Path) -> set[str]:
    """Return the names of all modules that a file imports, wherever the import stands."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def package_of(module: str) -> str | None:
    """Return the package of a module of ptoas, None for other modules and for the root."""
    parts = module.split(".")
    return parts[1] if parts[0] == "ptoas" and len(parts) > 1 and parts[1] in ORDER else None


def dependencies() -> dict[str, set[str]]:
    """Return the packages that each package imports."""
    found: dict[str, set[str]] = {}
    for package in ORDER:
        modules = {name for path in (ROOT / package).rglob("*.py") for name in imported(path)}
        found[package] = {other for name in modules if (other := package_of(name))} - {package}
    return found


def graph() -> str:
    """Return the imports between packages as a Mermaid diagram, without those that follow from others."""
    direct = dependencies()
    reached: dict[str, set[str]] = {}
    lines = ["graph RL"]
    for package in ORDER:
        others = direct[package]
        indirect = {far for other in others for far in reached.get(other, ())}
        reached[package] = others | indirect
        lines += [f"    {package} --> {other}" for other in ORDER if other in others - indirect]
    return "\n".join(lines)


if __name__ == "__main__":
    print(graph())
