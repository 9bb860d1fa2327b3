"""Arguments in a program's own comments: `# ARGS: idx=arange --ranks 4`.

What `ptoas run` takes as `--arg NAME=VALUE` stands there without `--arg`, beside those options of `run` that
a check depends on. Several lines add up. A line may name targets that it is for: `# ARGS[a5]: ...`.

A program may come from anywhere: the files that it names are relative to it and at or below its directory,
and it can only lower the command's limits.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ptoas.diagnostics import Diagnostic, PtoasError, Source, Span
from ptoas.diagnostics.spelling import did_you_mean
from ptoas.machine.source import DEFAULT_MAX_STEPS
from ptoas.runner.assertions import comments
from ptoas.runner.reference import below_program
from ptoas.runner.values import file_of
from ptoas.verifier.check import resolve_target

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

CODE = "PTO-E954"
_LIST = re.compile(r"\[[^\]]*\]")
"""A list of numbers as a value, which may have blanks in it."""

_LINE = re.compile(r"(?://|#)\s*ARGS(?:\[(?P<targets>[^\]\n]*)\])?:\s*(?P<text>[^\n]*)")

OPTIONS: dict[str, type | None] = {
    "--entry": str,
    "--ranks": str,
    "--blocks": int,
    "--schedule": int,
    "--schedules": int,
    "--seed": int,
    "--sync": str,
    "--isa": str,
    "--check": str,
    "--max-steps": int,
    "--aicore": None,
    "--legalize": None,
    "--unchecked": None,
    "--sparse-credits": None,
}
"""Options of `run` that a file may set, with their types."""


@dataclass
class Arguments:
    """The initial arguments of a run."""

    values: list[str] = field(default_factory=list[str])
    """`NAME=VALUE`."""
    options: dict[str, Any] = field(default_factory=dict[str, Any])

    def values_except(self, others: Sequence[str]) -> list[str]:
        """The values whose names are not among these: `NAME=VALUE`, too."""
        named = {text.partition("=")[0] for text in others}
        return [text for text in self.values if text.partition("=")[0] not in named]


def target_of(module: Callable[[], ModuleOp], target: str | None) -> str:
    """The target whose lines apply to a run; for all targets, the lines that name none."""
    if target == "all":
        return ""

    return resolve_target(module(), target).name


def find_arguments(source: Source, target: str, max_steps: int = DEFAULT_MAX_STEPS) -> Arguments:
    """The arguments of a program for a target; raises for what is none, and for more than `max_steps`."""
    found = Arguments()
    problems: list[Diagnostic] = []
    for match, targets in comments(source, _LINE, CODE, problems):
        if not targets or target in targets:
            _read(source, match, found, problems, max_steps)
    if problems:
        raise PtoasError(problems)
    return found


def _inside(source: Source, value: str) -> str | None:
    """A value with its file relative to the program, or None if that is not at or below its directory."""
    file = file_of(value)
    if file is None:
        return value
    path = below_program(source, file)
    return None if path is None else str(path) + value[len(file) :]


def _read(
    source: Source, match: re.Match[str], found: Arguments, problems: list[Diagnostic], max_steps: int
) -> None:
    text = match["text"].rstrip()
    span = Span(source, match.start("text"), max(1, len(text)))

    def wrong(message: str, fix: str | None = None) -> None:
        problems.append(Diagnostic(CODE, message, span, fix=fix))

    try:
        words = shlex.split(_LIST.sub(lambda found: found[0].replace(" ", ""), text))
    except ValueError as error:
        return wrong(f"ARGS can't be read: {str(error).lower()}")
    rest = iter(words)
    after_unknown = False
    for word in rest:
        name, equals, value = word.partition("=")
        may_be_a_value, after_unknown = after_unknown, False
        if not word.startswith("-"):
            if equals and name:
                inside = _inside(source, value)
                if inside is None:
                    wrong(
                        f"`{value}` is not below the program's directory",
                        f"pass it on the command line: --arg {word}",
                    )
                else:
                    found.values.append(f"{name}={inside}")
            elif not may_be_a_value:
                wrong(f"`{word}` is neither NAME=VALUE nor an option")
            continue
        if name not in OPTIONS:
            wrong(f"ARGS takes no `{name}`; it takes {', '.join(OPTIONS)}", did_you_mean(name, OPTIONS))
            after_unknown = not equals
            continue
        kind = OPTIONS[name]
        key = {"--check": "checks"}.get(name, name[2:].replace("-", "_"))
        if kind is None:
            found.options[key] = True
            continue
        argument = value if equals else next(rest, None)
        try:
            if argument is None:
                raise ValueError
            found.options[key] = kind(argument)
            if key == "max_steps" and found.options[key] > max_steps:
                wrong(
                    f"a program can't raise the limit of {max_steps} steps to {argument}",
                    f"pass it on the command line: --max-steps {argument}",
                )
        except ValueError:
            wrong(f"`{name}` needs {'a number' if kind is int else 'a value'}")
    return None
