"""Two profiles side by side: what got faster or slower, and which flags appeared or vanished."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from rich.markup import escape
from rich.table import Table

from ptoas.profiling.profile import Line, Profile
from ptoas.profiling.reasons import Sync
from ptoas.profiling.stalls import Lane, Stall
from ptoas.profiling.summary import code, flag_label, head, printed, table_of_columns
from ptoas.profiling.timeline import LANES, PIPE_NAMES

MOST_LINES = 20
LEAST = 0.5
"""Cycles below which nothing has changed."""


@dataclass(frozen=True)
class LineChange:
    """One instruction of both programs, or of one."""

    first: Line | None
    second: Line | None

    def cycles(self) -> tuple[float, float]:
        """Work and waiting in both, in cycles."""
        one, two = (0.0 if e is None else e.cycles + e.waited for e in (self.first, self.second))
        return one, two

    @property
    def either(self) -> Line:
        found = self.first or self.second
        assert found is not None
        return found


@dataclass(frozen=True)
class FlagChange:
    """A flag or barrier of one program or of both."""

    text: str
    first: Sync | None
    second: Sync | None

    @property
    def change(self) -> str:
        """`appeared`, `vanished`, or empty."""
        return "appeared" if self.first is None else "vanished" if self.second is None else ""

    def costs(self) -> tuple[float, float]:
        return self.first.cost if self.first else 0.0, self.second.cost if self.second else 0.0


@dataclass
class ProfileComparison:
    """Two profiles, the first being what the second is compared with.

    >>> import ptoas
    >>> text = '''
    ... .arg %x : !pto.memref<64x64xf32>
    ... %a = tload %x : (!pto.memref<64x64xf32>) -> !pto.tile<64x64xf32>
    ... '''
    >>> first, second = (ptoas.profile(ptoas.parse(text), target=name) for name in ("a2a3", "a5"))
    >>> found = ProfileComparison(first, second)
    >>> [(name, round(one), round(two)) for name, one, two in found.totals()][:2]
    [('total', 399, 399), ('data alone', 399, 399)]
    >>> [change.either.name for change in found.lines()], found.flags()
    (['tload'], [])
    """

    first: Profile
    second: Profile

    @property
    def unit(self) -> str:
        """Cycles, or nanoseconds where the clocks differ."""
        return "cycles" if self.first.table.mhz == self.second.table.mhz else "ns"

    def scaled(self, one: float, two: float) -> tuple[float, float]:
        """Cycles of both in the common unit."""
        if self.unit == "cycles":
            return one, two
        return one / self.first.table.mhz * 1e3, two / self.second.table.mhz * 1e3

    def totals(self) -> Iterator[tuple[str, float, float]]:
        """Figures of both as wholes, in cycles."""
        one, two = self.first, self.second
        yield "total", one.total, two.total
        yield "data alone", one.bound, two.bound
        yield "flags and barriers add", one.total - one.bound, two.total - two.bound
        pipes = [_by_pipe(each) for each in (one, two)]
        for pipe in LANES:
            if any(pipe in each for each in pipes):
                lanes = [each.get(pipe, Lane()) for each in pipes]
                yield f"{PIPE_NAMES[pipe]} works", lanes[0].busy, lanes[1].busy
                for stall in Stall:
                    waits = [lane.stalls[stall] for lane in lanes]
                    if max(waits) >= LEAST:
                        yield f"{PIPE_NAMES[pipe]} waits: {stall.value}", waits[0], waits[1]

    def lines(self) -> list[LineChange]:
        """The instructions of both, what changed most first."""
        places = _matching(self.first.source.text.splitlines(), self.second.source.text.splitlines())
        after = {(each.line, each.name, each.pipe): each for each in self.second.lines()}
        found: list[LineChange] = []
        alone: list[Line] = []
        for one in self.first.lines():
            two = after.pop((places.get(one.line, 0), one.name, one.pipe), None)
            found += [LineChange(one, two)] if two else []
            alone += [] if two else [one]
        return sorted([*found, *_paired(alone, list(after.values()))], key=_most_changed)

    def flags(self) -> list[FlagChange]:
        """The flags and barriers of both by what they order."""
        one, two = (_by_text(each) for each in (self.first, self.second))
        found = [FlagChange(text, one[text], two[text]) for text in one if text in two]
        rest = {text: sync for text, sync in two.items() if text not in one}
        for text, sync in one.items():
            if text not in two:
                # Another flag may have taken over what it ordered.
                same = next((other for other in rest if flag_label(rest[other]) == flag_label(sync)), None)
                found.append(FlagChange(text, sync, rest.pop(same) if same else None))
        found += [FlagChange(text, None, sync) for text, sync in rest.items()]
        return sorted(found, key=lambda each: (not each.change, -abs(_difference(each.costs()))))

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "first": _side(self.first),
            "second": _side(self.second),
            "unit": self.unit,
            "totals": {name: list(self.scaled(one, two)) for name, one, two in self.totals()},
            "lines": [
                {
                    "op": each.either.name,
                    "pipe": PIPE_NAMES[each.either.pipe],
                    "lines": [e.line if e else None for e in (each.first, each.second)],
                    "time": list(self.scaled(*each.cycles())),
                }
                for each in self.lines()
            ],
            "flags": [
                {"flag": each.text, "change": each.change, "adds": list(self.scaled(*each.costs()))}
                for each in self.flags()
            ],
        }

    def summary(self, colour: bool = False, width: int = 100) -> str:
        """The text that the command prints."""
        first = f"first:  {escape(name_of(self.first))} {head(self.first)}"
        second = f"second: {escape(name_of(self.second))} {head(self.second)}"
        tables = self._totals(), self._lines(width), self._flags(width)
        return printed([first, second, *tables], colour, width)

    def _totals(self) -> Table:
        table = table_of_columns(f"side by side, in {self.unit}", "what", "first", "second", "change")
        for name, *both in self.totals():
            table.add_row(name, *self.cells(both[0], both[1]))
        return table

    def _lines(self, width: int) -> Table:
        columns = ("line", "line", "instruction", "pipe", "first", "second", "change", "source")
        table = table_of_columns(f"lines that changed: work and waiting, in {self.unit}", *columns)
        changed = [each for each in self.lines() if abs(_difference(each.cycles())) >= LEAST]
        for each in changed[:MOST_LINES]:
            places = [str(line.line) if line else "-" for line in (each.first, each.second)]
            profile = self.first if each.first else self.second
            table.add_row(
                *places, each.either.name, PIPE_NAMES[each.either.pipe], *self.cells(*each.cycles()),
                code(profile, each.either.line, width - 66),
            )  # fmt: skip
        if len(changed) > MOST_LINES:
            table.add_row("…", "", f"{len(changed) - MOST_LINES} more")
        return table

    def _flags(self, width: int) -> Table:
        title = f"flags and barriers that changed, and what each adds, in {self.unit}"
        table = table_of_columns(title, "change", "first", "second", "what it orders")
        changed = [e for e in self.flags() if e.change or abs(_difference(e.costs())) >= LEAST]
        for each in changed[:MOST_LINES]:
            cells = self.cells(*each.costs())[:2]
            table.add_row(each.change, *cells, escape(each.text[: width - 30]))
        if len(changed) > MOST_LINES:
            table.add_row("", "", "", f"and {len(changed) - MOST_LINES} more")
        return table

    def cells(self, one: float, two: float) -> tuple[str, str, str]:
        """Both numbers in the common unit, and the change."""
        one, two = self.scaled(one, two)
        share = f"{(two - one) / one:+.0%}" if one >= LEAST and abs(two - one) >= LEAST else ""
        return f"{one:,.0f}", f"{two:,.0f}", share


def name_of(profile: Profile) -> str:
    """The file of a profile without its folder."""
    return profile.source.filename.rpartition("/")[2]


def _difference(both: tuple[float, float]) -> float:
    return both[1] - both[0]


def _side(profile: Profile) -> dict[str, Any]:
    return {
        "file": profile.source.filename,
        "target": profile.target.name,
        "entry": profile.entry,
        "clock_mhz": profile.table.mhz,
        "total_cycles": profile.total,
        "range_cycles": [profile.low, profile.high],
        "bound_cycles": profile.bound,
    }


def _most_changed(change: LineChange) -> tuple[float, int]:
    return -abs(_difference(change.cycles())), change.either.line


def _paired(first: list[Line], second: list[Line]) -> Iterator[LineChange]:
    """Lines without a place in the other text: each matches the next of its kind that runs as often."""
    rest = sorted(second, key=lambda each: each.line)
    for one in sorted(first, key=lambda each: each.line):
        kind = (one.name, one.pipe, one.count)
        two = next((each for each in rest if (each.name, each.pipe, each.count) == kind), None)
        rest = [each for each in rest if each is not two]
        yield LineChange(one, two)
    yield from (LineChange(None, two) for two in rest)


def _by_pipe(profile: Profile) -> dict[object, Lane]:
    """The time of each pipe, summed over the cores."""
    found: dict[object, Lane] = {}
    for (_, pipe), lane in profile.stalls.lanes.items():
        whole = found.setdefault(pipe, Lane())
        whole.busy += lane.busy
        for stall, cycles in lane.stalls.items():
            whole.stalls[stall] += cycles
    return found


def _matching(first: list[str], second: list[str]) -> dict[int, int]:
    """Lines of the second text by lines of the first: equal ones, and those that match."""
    found: dict[int, int] = {}
    texts = [[" ".join(line.split()) for line in lines] for lines in (first, second)]
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, *texts, autojunk=False).get_opcodes():
        if tag in ("equal", "replace"):
            found.update((i + 1, j + 1) for i, j in zip(range(i1, i2), range(j1, j2), strict=False))
    return found


def _by_text(profile: Profile) -> dict[str, Sync]:
    """Flags and barriers by what they are and order; of equal ones the later have a number."""
    found: dict[str, Sync] = {}
    for sync in profile.syncs:
        best = sync.best()
        reason = best[0] if best else None
        orders = (
            f": {reason.first.name} before {reason.second.name} (%{reason.later.operand.name})"
            if reason
            else ""
        )
        text = plain = f"{flag_label(sync)}{orders}"
        number = 1
        while text in found:
            number += 1
            text = f"{plain} ({number})"
        found[text] = sync
    return found
