"""One figure of a benchmark: samples of ours and of what stands beside it, their ratio, its limit.

Both are measured in turns in one run, so that a slow moment of the machine meets both; of each the best
counts. A ratio survives a change of machine, a time does not.
"""

from __future__ import annotations

import gc
import os
import platform
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from math import inf
from typing import Any

LEAST_NOISE = 0.1
"""A ratio that changes by less than a tenth has not changed."""


@dataclass(frozen=True)
class Row:
    """A line of the table. The ratio is what ours costs, or, with `speed`, how many times as fast it is."""

    what: str
    beside: str
    ours: Sequence[float]
    theirs: Sequence[float]
    at_most: float | None = None
    at_least: float | None = None
    speed: bool = False
    unit: str = "s"

    @property
    def ratio(self) -> float:
        return self._ratio(self.ours, self.theirs)

    def _ratio(self, ours: Sequence[float], theirs: Sequence[float]) -> float:
        cost = min(ours) / min(theirs)
        return 1 / cost if self.speed else cost

    @property
    def noise(self) -> float:
        """Relative difference of the ratio between the first and the second half of the samples."""
        least = min(len(self.ours), len(self.theirs))
        if least < 2:
            return 0.0
        half = least // 2
        first = self._ratio(self.ours[:half], self.theirs[:half])
        second = self._ratio(self.ours[half:], self.theirs[half:])
        return abs(first - second) / self.ratio

    @property
    def limit(self) -> str:
        if self.at_most is not None:
            return f"<= {self.at_most:g}"
        return "" if self.at_least is None else f">= {self.at_least:g}"

    @property
    def ok(self) -> bool:
        if self.at_most is not None:
            return self.ratio <= self.at_most
        return self.at_least is None or self.ratio >= self.at_least

    def as_json(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "beside": self.beside,
            "ours": _round(min(self.ours)),
            "theirs": _round(min(self.theirs)),
            "unit": self.unit,
            "ratio": _round(self.ratio),
            "noise": _round(self.noise),
            "speed": self.speed,
            "limit": self.limit,
            "ok": self.ok,
        }


def _round(number: float) -> float:
    return float(f"{number:.4g}")


def in_turns(
    *functions: Callable[[], object],
    repeats: int,
    clock: Callable[[], float] = time.process_time,
    before: Callable[[], object] = lambda: None,
    per: int = 1,
) -> list[list[float]]:
    """Samples of each function, one after the other in every turn; `before` is not measured.

    The clock is this process's own time unless told otherwise: what else the machine does matters little.
    """
    samples: list[list[float]] = [[] for _ in functions]
    gc.collect()
    gc.freeze()  # what is there now stays: it is not looked at again before every sample
    for _ in range(repeats):
        for function, times in zip(functions, samples, strict=True):
            before()
            gc.collect()
            start = clock()
            function()
            times.append((clock() - start) / per)
    gc.unfreeze()
    return samples


# --- tables ----------------------------------------------------------------------------------------


def amount(value: float, unit: str = "s") -> str:
    """A time or a size as a person would say it."""
    if unit != "s":
        return f"{value:.3g} {unit}"
    for scale, name in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if value * scale >= 1 or name == "µs":
            return f"{value * scale:.3g} {name}"
    raise AssertionError("unreachable")


def table(rows: Iterable[Row]) -> str:
    """Every figure in one Markdown table."""
    lines = [("what", "ptoas", "beside it", "", "ratio", "limit", "")]
    for row in rows:
        mark = "" if not row.limit else "ok" if row.ok else "OVER"
        times = (amount(min(row.ours), row.unit), amount(min(row.theirs), row.unit))
        lines.append((row.what, times[0], row.beside, times[1], f"{row.ratio:.2f}", row.limit, mark))
    return _markdown(lines, right=(1, 3, 4))


def _markdown(lines: Sequence[Sequence[str]], right: Sequence[int]) -> str:
    widths = [max(3, *(len(line[n]) for line in lines)) for n in range(len(lines[0]))]

    def shown(line: Sequence[str]) -> str:
        cells = [
            text.rjust(w) if n in right else text.ljust(w)
            for n, (text, w) in enumerate(zip(line, widths, strict=True))
        ]
        return f"| {' | '.join(cells)} |"

    rule = ["-" * (w - 1) + ":" if n in right else "-" * w for n, w in enumerate(widths)]
    return "\n".join([shown(lines[0]), f"| {' | '.join(rule)} |", *map(shown, lines[1:])])


# --- results that are kept -------------------------------------------------------------------------


def machine() -> dict[str, Any]:
    """Relevant properties of the machine, without its identity."""
    return {
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "xdsl": version("xdsl"),
        "date": date.today().isoformat(),
    }


def results(rows: Iterable[Row]) -> dict[str, Any]:
    return {"machine": machine(), "rows": [row.as_json() for row in rows]}


def change(then: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[float, str]:
    """The relative change of a ratio, and its name.

    It is called so only beyond the noise of both runs.
    """
    if not then["ratio"]:
        return (0.0, "") if not now["ratio"] else (inf, "SLOWER")
    difference = now["ratio"] / then["ratio"] - 1
    noise = max(LEAST_NOISE, then["noise"] + now["noise"])
    if abs(difference) <= noise:
        return difference, ""
    return difference, "faster" if (difference > 0) == now["speed"] else "SLOWER"


def comparison(then: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, bool]:
    """The ratios of two runs side by side, and whether none is worse."""
    old = {row["what"]: row for row in then["rows"]}
    new = {row["what"]: row for row in now["rows"]}
    lines = [("what", "then", "now", "change", "")]
    fine = True
    for what in [*new, *(what for what in old if what not in new)]:
        if what not in old or what not in new:
            kept, mark = (new[what], "new") if what in new else (old[what], "gone")
            ratio = f"{kept['ratio']:.2f}"
            lines.append((what, *(("", ratio) if mark == "new" else (ratio, "")), "", mark))
            continue
        difference, mark = change(old[what], new[what])
        fine = fine and mark != "SLOWER"
        ratios = (f"{old[what]['ratio']:.2f}", f"{new[what]['ratio']:.2f}")
        lines.append((what, *ratios, f"{difference:+.0%}", mark))
    return _markdown(lines, right=(1, 2, 3)), fine
