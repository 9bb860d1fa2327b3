"""A tree of files at a time: one line a file, then a summary; what fails does not stop the rest."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import click

from ptoas.cli.terminal import progress
from ptoas.cli.verify_files import find_files
from ptoas.diagnostics import Diagnostic, PtoasError, Source, Span, UsageError
from ptoas.diagnostics.internal import internal_error
from ptoas.diagnostics.render import render, to_json, visible

Work = Callable[[str], tuple[str, dict[str, Any]]]
"""What is done with one file: a few words on how it went, and the same as data. Raises what is wrong."""


@dataclass
class Outcome:
    """How it went with one file."""

    path: str
    words: str = ""
    data: dict[str, Any] = field(default_factory=dict[str, Any])
    errors: tuple[Diagnostic, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.errors

    def line(self) -> str:
        if self.ok:
            return f"ok    {visible(self.path)}: {self.words}"
        return f"fail  {render(self.errors[:1], 'concise')}"

    def as_json(self) -> dict[str, Any]:
        errors = [to_json(error) for error in self.errors]
        return {"file": self.path, "ok": self.ok, **self.data, "errors": errors}


def is_tree(paths: Sequence[str]) -> bool:
    """Whether the paths may be more than one file."""
    return len(paths) != 1 or os.path.isdir(paths[0])


def refuse(paths: Sequence[str], **options: object) -> None:
    """Options that speak of one program say nothing of a tree."""
    given = [name for name, value in options.items() if value]
    if given:
        raise UsageError(f"--{given[0].replace('_', '-')} goes with one file; there are {len(paths)} paths")


def go(paths: Sequence[str], command: str, work: Work, as_json: bool = False) -> int:
    """Do it for every file; returns the exit code."""
    files, problems = find_files(paths)
    outcomes = [Outcome(problem.span.file, errors=(problem,)) for problem in problems]
    for outcome in outcomes if not as_json else ():
        click.echo(outcome.line())
    with progress(command) as advance:
        for number, path in enumerate(files, 1):
            outcomes.append(_one(path, command, work))
            if advance is not None:
                advance(number, len(files))
            if not as_json:
                click.echo(outcomes[-1].line())
    good = sum(outcome.ok for outcome in outcomes)
    counts = {"files": len(outcomes), "ok": good, "failed": len(outcomes) - good}
    if as_json:
        click.echo(json.dumps({**counts, "outcomes": [o.as_json() for o in outcomes]}, indent=2))
    else:
        plural = "s" * (len(outcomes) != 1)
        click.echo(f"{len(outcomes)} file{plural}: {good} ok, {counts['failed']} failed")
    return 0 if good == len(outcomes) else 1


def _one(path: str, command: str, work: Work) -> Outcome:
    try:
        words, data = work(path)
    except PtoasError as error:
        return Outcome(path, errors=tuple(d for d in error.diagnostics if d.is_error))
    except UsageError as error:
        return Outcome(path, errors=(Diagnostic("PTO-T202", str(error), Span(Source("", path), 0, 1)),))
    except Exception as error:
        return Outcome(path, errors=(internal_error(error, (command, path), path),))
    return Outcome(path, words, data)
