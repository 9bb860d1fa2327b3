"""Public reports of wrong programs, each as programs of our own; see README.md for the format."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.isa.annotations import TARGETS, Program, read

HERE = Path(__file__).parent

SYNCHRONISATION = {
    "missing flag",
    "wrong pipe",
    "event reuse",
    "loop-carried",
    "zero-trip loop",
    "double buffer",
    "scalar cache",
    "missing fence",
}
"""Classes of bugs that cannot happen where ptoas sets the flags and fences."""

OF_TOOLS = {"precision", "refused wrongly"}
"""Classes of bugs of an assembler or a simulator; the programs are right."""

CLASSES = (
    SYNCHRONISATION
    | OF_TOOLS
    | {
        "a line of several cores",
        "partial clean",
        "overlapping addresses",
        "clobbered tile",
        "uninitialised read",
        "out of bounds",
        "fence or signal between ranks",
        "deadlock of channels",
        "other deadlocks",
        "layout or fractal",
        "type or saturation",
        "valid shape",
        "UB overflow",
        "refused rightly",
    }
)

_HEAD = re.compile(
    r"\A# (?P<reports>[^:\n]+): (?P<summary>[^\n]+)\n"
    r"# class: (?P<classes>[^\n]+)\n(?:# targets: (?P<targets>[^\n]+)\n)?\n"
)


@dataclass(frozen=True)
class BugReport:
    """A public report, or several of one bug."""

    path: Path
    reports: str
    """Repositories and numbers, `PTOAS 533`."""
    summary: str
    classes: tuple[str, ...]
    targets: tuple[str, ...]
    """The targets that have the instructions of the report."""
    broken: tuple[Program, ...]
    fixed: tuple[Program, ...]

    @property
    def about_flags(self) -> bool:
        return not SYNCHRONISATION.isdisjoint(self.classes)


def report_of(path: Path) -> BugReport:
    head = _HEAD.match(path.read_text(encoding="utf-8"))
    assert head, f"{path.name}: a file begins with its report and its class"
    classes = tuple(head["classes"].split(", "))
    assert set(classes) <= CLASSES, f"{path.name}: unknown class in {classes}"
    targets = tuple(head["targets"].split(", ")) if head["targets"] else TARGETS
    programs = read(path)
    broken = tuple(program for program in programs if program.title.startswith("broken"))
    fixed = tuple(program for program in programs if program.title.startswith("fixed"))
    assert len(broken) + len(fixed) == len(programs), f"{path.name}: a program is broken or fixed"
    return BugReport(path, head["reports"], head["summary"], classes, targets, broken, fixed)


@cache
def all_reports() -> tuple[BugReport, ...]:
    paths = sorted(HERE.glob("k*.pto"), key=lambda path: int(re.sub(r"\D", "", path.stem)))
    return tuple(report_of(path) for path in paths)
