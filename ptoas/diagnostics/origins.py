"""Locations in the file that a program was generated from, as `loc("model.py":42:7)` records them (D50)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_ROOT_MARKERS = ("ptoas.toml", "pyproject.toml", ".git")
_MAX_BYTES = 1 << 20


@dataclass(frozen=True)
class OriginLocation:
    """The innermost file-line-column location of a statement, and the whole text of its `loc(...)`."""

    file: str
    line: int
    column: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def line_text(self) -> str:
        """Return the line of the file, or "" unless it is a Python file at or below the project root.

        A program may name any file, so nothing else may be shown.
        """
        try:
            path = Path(self.file).resolve()
            if path.suffix != ".py" or not path.is_relative_to(project_root()):
                return ""
            if not path.is_file() or path.stat().st_size > _MAX_BYTES:
                return ""
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, ValueError, RuntimeError):
            return ""
        return lines[self.line - 1] if 1 <= self.line <= len(lines) else ""


def project_root() -> Path:
    """Return the nearest directory upwards with a project file, or else the current directory."""
    here = Path.cwd().resolve()
    for folder in (here, *here.parents):
        if any((folder / marker).exists() for marker in _ROOT_MARKERS):
            return folder
    return here
