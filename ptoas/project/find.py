"""Selection of the files of a command: those that are named, and all programs below a directory.

Below a directory, folders and files that are hidden, that a `.gitignore` lists, or that the configuration
excludes are passed over; a file or a build output of PyPTO that is named is worked on whatever lists it.
Lines of a `.gitignore` whose wildcards would take too long to match are left out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ptoas.diagnostics import Diagnostic, Source, Span
from ptoas.diagnostics.files import read_plain
from ptoas.project.patterns import has_too_many_wildcards

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

SUFFIX = ".pto"
EMPTY_DIRECTORY_CODE = "PTO-T201"


def find_files(
    paths: Sequence[str], exclude: Sequence[str] = (), root: Path | None = None
) -> tuple[list[str], list[Diagnostic]]:
    """The files to work on: those named, `-`, all `.pto` below a directory; and what the paths lack.

    `exclude` are patterns as in a `.gitignore`, counted from `root`.
    """
    found: dict[str, None] = {}
    problems: list[Diagnostic] = []
    for path in paths:
        if path == "-" or not os.path.isdir(path):
            found[path] = None
            continue
        inside = sorted(_below(Path(path), _Lists.above(Path(path), exclude, root)))
        if not inside:
            span = Span(Source("", path), 0, 1)
            problems.append(Diagnostic(EMPTY_DIRECTORY_CODE, f"no {SUFFIX} file is below {path}", span))
        found.update(dict.fromkeys(inside))
    return list(found), problems


@dataclass(frozen=True)
class _Lists:
    """Ignore patterns with the directory they are relative to, nearest last."""

    specs: tuple[tuple[Path, GitIgnoreSpec], ...] = field(default=())

    @staticmethod
    def above(folder: Path, exclude: Sequence[str], root: Path | None) -> _Lists:
        """The lists of the repository around a folder, and those of the configuration, which win."""
        lists = _Lists()
        absolute = Path(os.path.abspath(folder))
        around = [absolute, *absolute.parents]
        top = next((at for at, each in enumerate(around) if (each / ".git").exists()), 0)
        for each in reversed(around[1 : top + 1]):
            lists = lists.with_file(each)
        if lists.specs and _is_build_output(absolute) and lists.has(str(absolute), True):
            lists = _Lists()  # generated, so git ignores it; but it is named
        return lists if not exclude else lists.with_lines(root or Path.cwd(), exclude)

    def with_file(self, folder: Path) -> _Lists:
        try:
            text = read_plain(folder / ".gitignore").decode("utf-8", "replace")
        except OSError:
            return self
        lines = [line for line in text.splitlines() if not has_too_many_wildcards(line)]
        return self.with_lines(folder, lines)

    def with_lines(self, folder: Path, lines: Sequence[str]) -> _Lists:
        from pathspec import GitIgnoreSpec  # only where there is a list

        return _Lists((*self.specs, (folder, GitIgnoreSpec.from_lines(lines))))

    def has(self, path: str, is_folder: bool) -> bool:
        """Return True if a path is ignored; the nearest list that matches decides."""
        for folder, spec in reversed(self.specs):
            below = os.path.relpath(path, folder)
            if below.startswith(os.pardir):
                continue
            included = spec.check_file(f"{below}/" if is_folder else below).include
            if included is not None:
                return included
        return False


def _is_build_output(folder: Path) -> bool:
    """Return True if PyPTO wrote the folder, or folders in it: programs are in `ptoas/`."""
    return any(any(folder.glob(pattern)) for pattern in (f"ptoas/*{SUFFIX}", f"*/ptoas/*{SUFFIX}"))


def _below(folder: Path, lists: _Lists) -> Iterator[str]:
    lists = lists.with_file(Path(os.path.abspath(folder)))
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    # As `rglob` names files: `a.pto` below `.`, not `./a.pto`.
    before = os.path.join("" if folder == Path() else folder, "")
    for entry in entries:
        is_folder = entry.is_dir(follow_symlinks=False)
        matches = is_folder or (entry.name.endswith(SUFFIX) and not os.path.isdir(entry.path))
        if not matches or entry.name.startswith("."):
            continue
        path = before + entry.name
        if lists.specs and lists.has(os.path.abspath(path), is_folder):
            continue
        if is_folder:
            yield from _below(Path(path), lists)
        else:
            yield path
