"""The cost model against published measurements: writes docs/calibration.md.

python -m benchmarks.calibration
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import ptoas
from benchmarks.kernels import PROGRAMS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "calibration.md"
DATA: dict[str, Any] = tomllib.loads((Path(__file__).parent / "calibration.toml").read_text(encoding="utf-8"))

HEAD = """# The cost model against measurements

Every published measurement that one of our programs can stand for: what the model predicts, what was
measured, and the ratio of both. Rows that are far off stay. `python -m benchmarks.calibration` writes this
page from [benchmarks/calibration.toml](../benchmarks/calibration.toml); the programs are in
[benchmarks/kernels.py](../benchmarks/kernels.py).

"""


SOURCES = """
## Sources

A: device or simulator named, conditions stated. B: something that a model needs is missing. C: one number.

| | confidence | where |
|---|---|---|
"""


@dataclass(frozen=True)
class Row:
    """One measurement, and the program that stands for it."""

    source: str
    what: str
    figure: str
    measured: float
    target: str = "a2a3"
    program: str = ""
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    text: str = ""
    blocks: int = 1
    used: bool = False

    def predicted(self) -> float:
        """The figure in the profile of the program."""
        return figure(walked(self.code(), self.target, self.blocks), self.figure)

    def code(self) -> str:
        return self.text or PROGRAMS[self.program](**self.arguments)

    @property
    def unit(self) -> str:
        """The unit of the figure."""
        name = self.figure.partition(":")[0]
        return {"us": "µs"}.get(name, name)


@cache
def walked(text: str, target: str, blocks: int) -> ptoas.Profile:
    return ptoas.profile(ptoas.parse(text), target=target, static=True, force=True, blocks=blocks)


def figure(profile: ptoas.Profile, name: str) -> float:
    """A figure by its name in the table."""
    kind, _, instructions = name.partition(":")
    seconds = profile.total / profile.table.mhz / 1e6
    if not instructions:
        moved = sum(profile.moved)
        return {"us": seconds * 1e6, "cycles": profile.total, "GB/s": moved / seconds / 1e9}[kind]
    if kind == "cycles":
        return sum(mean(profile, each)[0] for each in instructions.split(","))
    cycles, moved = mean(profile, instructions)
    return moved / cycles * profile.table.mhz / 1e3


def mean(profile: ptoas.Profile, name: str) -> tuple[float, float]:
    """Cycles and bytes of an execution of an instruction."""
    found = [each for each in profile.timeline.slices if each.work.name == name]
    cycles = sum(each.cycles for each in found)
    return cycles / len(found), sum(each.work.moved for each in found) / len(found)


def rows() -> list[Row]:
    return [Row(**entry) for entry in DATA["row"]]


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def page() -> str:
    """The page as text."""
    table = [
        "| source | target | measured | unit | predicted | measured | ratio | in the model |",
        "|---|---|---|---|---|---|---|---|",
    ]
    ratios: list[float] = []
    free: list[float] = []
    for row in rows():
        predicted = row.predicted()
        ratio = predicted / row.measured
        ratios.append(ratio)
        free += [] if row.used else [ratio]
        used = "yes" if row.used else ""
        table.append(
            f"| {row.source} | {row.target} | {row.what} | {row.unit} | {number(predicted)} | "
            f"{number(row.measured)} | {ratio:.2f} | {used} |"
        )
    sources = [f"| {name} | {grade} | {where} |" for name, (grade, where) in DATA["sources"].items()]
    unused = [f"| {name} | {why} |" for name, why in DATA["unused"].items()]
    return (
        f"{HEAD}{agreement(ratios, free)}\n\n"
        + "\n".join(table).replace("| measured | unit", "| what | unit", 1)
        + "\n\nIn the model: its constants were chosen with this figure, so that the row proves little.\n"
        + SOURCES
        + "\n".join(sources)
        + "\n\n## Measurements without a row\n\n| | why |\n|---|---|\n"
        + "\n".join(unused)
        + "\n"
    )


def agreement(ratios: list[float], free: list[float]) -> str:
    """How far the ratios are from 1, those that the model was made with apart."""

    def off(values: list[float]) -> list[float]:
        return [max(value, 1 / value) - 1 for value in values]

    within, half, worst = sum(each <= 0.25 for each in off(free)), median(off(free)), max(off(free)) + 1
    return (
        f"{len(ratios)} rows. Of the {len(free)} that the model was not made with, {within} are within 25 %, "
        f"half are within {half:.0%}, and the worst is off by a factor of {worst:.1f}."
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
