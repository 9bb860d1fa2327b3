"""Commands on directories: one line per file, then a summary; failures do not stop the rest."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ptoas.cli.terminal import progress
from ptoas.diagnostics import Diagnostic, Source, UsageError
from ptoas.diagnostics.render import render, to_json, visible
from ptoas.project.find import find_files
from ptoas.project.pool import collecting, map_files, worker_count

if TYPE_CHECKING:
    from ptoas.project.settings import Settings

T = TypeVar("T")

Summary = tuple[str, dict[str, Any]]
"""The result in a few words, and as data."""

Work = Callable[[str], Summary]
"""Processing of one file; raises on failure."""

Parts = Callable[[str], Sequence[tuple[str, Callable[[], Summary]]]]
"""A file as several pieces of work: the name of each, and the work."""


@dataclass
class FileOutcome:
    """Result for one file."""

    path: str
    part: str = ""
    """The part of the file, if it has several."""
    words: str = ""
    data: dict[str, Any] = field(default_factory=dict[str, Any])
    errors: tuple[Diagnostic, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.errors

    def line(self) -> str:
        if self.ok:
            return f"ok    {visible(self.path + self.part)}: {self.words}"
        return f"fail  {render(self.errors[:1], 'concise')}"

    def as_json(self) -> dict[str, Any]:
        errors = [to_json(error) for error in self.errors]
        part = {"part": self.part} if self.part else {}
        return {"file": self.path, **part, "ok": self.ok, **self.data, "errors": errors}


def is_tree(paths: Sequence[str]) -> bool:
    """Return True if the paths may be more than one file."""
    return len(paths) != 1 or os.path.isdir(paths[0])


def refuse(paths: Sequence[str], of: str | None = None, **options: object) -> None:
    """Reject options for a single program if a directory is given."""
    rejected = [name for name, value in options.items() if value]
    if rejected:
        of = of or f"one file; there are {len(paths)} paths"
        raise UsageError(f"--{rejected[0].replace('_', '-')} goes with {of}")


def map_with_progress(
    work: Callable[[str], T], files: Sequence[str], jobs: int | str, on_crash: Callable[[Diagnostic], T]
) -> Iterator[T]:
    """Apply `work` to files as `map_files` does, with a bar."""
    with progress() as advance:
        done = map_files(work, files, worker_count(jobs, len(files)), on_crash)
        for number, result in enumerate(done, 1):
            yield result
            if advance is not None:
                advance("files", number, len(files))


def run_batch(
    paths: Sequence[str],
    command: str,
    work: Work,
    as_json: bool = False,
    parts: Parts | None = None,
    *,
    jobs: int | str = 1,
    quiet: bool = False,
    settings: Settings | None = None,
) -> int:
    """Do it for every file, or for every part of every file; returns the exit code.

    `settings` may exclude some. For several processes `work` is a function of a module, or a partial of one.
    """
    files, problems = (
        find_files(paths) if settings is None else find_files(paths, settings.exclude, settings.root)
    )
    outcomes = [FileOutcome(problem.span.file, errors=(problem,)) for problem in problems]
    for outcome in outcomes if not as_json else ():
        click.echo(outcome.line())
    do = partial(_of_file, command=command, work=work, parts=parts)
    for found in map_with_progress(do, files, jobs, _crashed):
        for outcome in found:
            outcomes.append(outcome)
            if not as_json and not (quiet and outcome.ok):
                click.echo(outcome.line())
    good = sum(outcome.ok for outcome in outcomes)
    named = "files" if parts is None else "functions"
    counts = {named: len(outcomes), "ok": good, "failed": len(outcomes) - good}
    if as_json:
        click.echo(json.dumps({**counts, "outcomes": [o.as_json() for o in outcomes]}, indent=2))
    else:
        noun = named if len(outcomes) != 1 else named[:-1]
        click.echo(f"{len(outcomes)} {noun}: {good} ok, {counts['failed']} failed")
    return 0 if good == len(outcomes) else 1


def _crashed(finding: Diagnostic) -> Iterable[FileOutcome]:
    return [FileOutcome(finding.span.file, errors=(finding,))]


def _of_file(path: str, command: str, work: Work, parts: Parts | None) -> Iterable[FileOutcome]:
    if parts is None:
        return [_one(path, "", command, lambda: work(path))]
    return _parts(path, command, parts)


def _parts(path: str, command: str, parts: Parts) -> Iterator[FileOutcome]:
    """Work on each part of a file, and report it at once."""
    findings: list[Diagnostic] = []
    found: Sequence[tuple[str, Callable[[], Summary]]] = ()
    with collecting(Source("", path), command, findings):
        found = parts(path)
    if findings:
        yield FileOutcome(path, errors=tuple(findings))
    for part, do in found:
        yield _one(path, part, command, do)


def _one(path: str, part: str, command: str, work: Callable[[], Summary]) -> FileOutcome:
    findings: list[Diagnostic] = []
    words, data = "", dict[str, Any]()
    with collecting(Source("", path), command, findings):
        words, data = work()
    return FileOutcome(path, part, words, data, tuple(findings))
