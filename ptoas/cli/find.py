"""Which files a command works on: those that are named, and all programs below a directory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ptoas.diagnostics import Diagnostic, Source, Span

SUFFIX = ".pto"
EMPTY_DIRECTORY_CODE = "PTO-T201"


def find_files(paths: Sequence[str]) -> tuple[list[str], list[Diagnostic]]:
    """The files to work on: those named, `-`, all `.pto` below a directory; and what the paths lack."""
    found: dict[str, None] = {}
    problems: list[Diagnostic] = []
    for path in paths:
        if path == "-" or not os.path.isdir(path):
            found[path] = None
            continue
        inside = sorted(str(file) for file in Path(path).rglob(f"*{SUFFIX}") if not file.is_dir())
        if not inside:
            span = Span(Source("", path), 0, 1)
            problems.append(Diagnostic(EMPTY_DIRECTORY_CODE, f"no {SUFFIX} file is below {path}", span))
        found.update(dict.fromkeys(inside))
    return list(found), problems
