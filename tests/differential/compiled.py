"""The compiler's way: many programs in one translation unit, and the search for the one that breaks it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.cpp.harness import Built, CompileError, run_built


def compiled(built: Sequence[Built], directory: Path) -> dict[str, str]:
    """Failures by the name of the program: C++ that does not compile, or other bytes."""
    found: dict[str, str] = {}
    groups: dict[tuple[str, bool], list[Built]] = {}
    for each in built:
        groups.setdefault((each.case.target, each.case.aicore), []).append(each)
    for group in groups.values():
        found.update(_run(group, directory))
    return found


def _run(built: Sequence[Built], directory: Path) -> dict[str, str]:
    try:
        lines = run_built(built, directory)
    except CompileError as error:
        if len(built) == 1:
            lines = [line for line in str(error).splitlines() if "error" in line or "ends with" in line]
            return {built[0].case.name: " ".join(lines)[:400]}
        middle = len(built) // 2
        return {**_run(built[:middle], directory), **_run(built[middle:], directory)}
    return {line.partition(" ")[0]: line.partition(": ")[2] for line in lines}
