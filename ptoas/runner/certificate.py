"""Statement of a run about the schedules that it did not take; docs/certificate.md has the argument.

Flags, channels, counters and barriers give the same order of accesses in every schedule. If nothing else
orders the actors, and no two accesses of this run are unordered, every schedule gives its result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ptoas.diagnostics import Diagnostic
from ptoas.machine.accesses import AccessRecord
from ptoas.machine.conflicts import conflicts
from ptoas.machine.machine import label
from ptoas.machine.sharing import AGAIN
from ptoas.machine.signal_history import SignalHistory
from ptoas.runner.core import Core, Program
from ptoas.runner.options import Options

SCHEDULE_CODES = ("PTO-R3", "PTO-R8", "PTO-R9")
"""Warnings that say that something is not ordered, or not as it seems."""


@dataclass(frozen=True)
class Certificate:
    """A statement about all schedules of a program, or what prevents it."""

    choices: tuple[str, ...] = ()
    """Choices of a schedule that could change the result; empty: every schedule gives this result."""
    data: tuple[str, ...] = ()
    """Places where data chooses the path; empty: the statement holds for any data."""
    hidden: bool = False
    """True if trying schedules does not show all that they could change."""
    actors: int = 1
    """Number of cores that take turns."""
    explored: int = 1
    """Number of schedules that were run."""
    exhaustive: bool = False
    """True if those were all that could differ."""

    @property
    def every_schedule(self) -> bool:
        return not self.choices or self.exhaustive

    @property
    def any_data(self) -> bool:
        return not self.choices and not self.data

    @property
    def text(self) -> str:
        if not self.choices:
            return f"every schedule gives this result{'' if self.data else ', for any data'}"
        if self.exhaustive:
            return f"every schedule gives this result: all {self.explored} that could differ were run"
        ran = f"{self.explored} schedules were run, not all" if self.explored > 1 else "one schedule was run"
        return f"{ran}; others could differ: {self.choices[0]}"

    def as_dict(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "every_schedule": self.every_schedule,
            "any_data": self.any_data,
            "choices": list(self.choices),
            "data": list(self.data),
            "explored": self.explored,
            "exhaustive": self.exhaustive,
        }


def certificate_of(
    program: Program,
    cores: Sequence[Core],
    records: Sequence[AccessRecord],
    history: SignalHistory | None,
    warnings: Iterable[Diagnostic] = (),
) -> Certificate:
    """The certificate of a run that came to a good end."""
    choices = tuple(dict.fromkeys(_choices(program, cores, records, history, warnings)))
    hidden = any(core.machine.hidden_choices for core in cores) or not _is_fully_checked(program.options)
    actors = cores[0].machine.launch.actors
    return Certificate(choices, program.data_dependences, hidden, actors)


def merged(parts: Sequence[Certificate]) -> Certificate:
    """The certificate of parts of one run that touch no common byte that one of them writes."""
    choices = tuple(dict.fromkeys(choice for part in parts for choice in part.choices))
    return replace(parts[0], choices=choices, hidden=any(part.hidden for part in parts))


def _is_fully_checked(options: Options) -> bool:
    checks = options.checks
    return checks.race and checks.cache and checks.init and not checks.unchecked and not options.forced


def _choices(
    program: Program,
    cores: Sequence[Core],
    records: Sequence[AccessRecord],
    history: SignalHistory | None,
    warnings: Iterable[Diagnostic],
) -> Iterator[str]:
    if not _is_fully_checked(program.options):
        yield "the run did not check everything (--check, --unchecked, --force)"
    for core in cores:
        machine = core.machine
        found = {**machine.choices, **machine.hidden_choices}
        yield from (f"{label(op)} {reason}" for op, reason in found.items())
    yield from (f"{d.code} at line {d.span.line}" for d in warnings if d.code.startswith(SCHEDULE_CODES))
    if history is not None:
        yield from (f"{label(op)}: {reason}" for op, reason in history.order_dependent())
    strict = [_without_exemption(record) for record in records]
    if any(each is not record for each, record in zip(strict, records, strict=True)):
        clashes = conflicts(strict, cores[0].machine.launch, program.target.name)
        yield from (f"at line {each.span.line}, {each.message}" for each in clashes)


def _without_exemption(record: AccessRecord) -> AccessRecord:
    """An access that is not allowed to be atomic, or a scalar that notifies another actor; the access itself
    if it is neither.
    """
    if record.signal or record.atomic == AGAIN or not (record.scalar or record.atomic is not None):
        return record
    return replace(record, scalar=False, atomic=None)
