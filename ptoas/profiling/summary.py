"""A profile on a terminal."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ptoas.diagnostics.render import visible
from ptoas.profiling.export import actor_names
from ptoas.profiling.timeline import LANES

if TYPE_CHECKING:
    from ptoas.profiling.profile import Profile

TOP = 10
BARS = "▏▎▍▌▋▊▉█"


def summary(profile: Profile, colour: bool = False, width: int = 100) -> str:
    out = StringIO()
    console = Console(
        file=out, width=width, force_terminal=colour, no_color=not colour, highlight=False, soft_wrap=True
    )
    console.print(_head(profile))
    if not profile.timeline.slices:
        console.print("no instruction runs on a pipe: there is nothing to time")
        return out.getvalue().rstrip()
    console.print(_estimates(profile))
    for table in (_pipes(profile), _critical(profile, width), _top(profile, width)):
        console.print()
        console.print(table)
    console.print()
    console.print(_traffic(profile))
    for note in profile.trace.notes:
        console.print(f"assumed: {escape(note)}")
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def _head(profile: Profile) -> str:
    spread = "" if profile.low == profile.high else f" ({profile.low:,.0f} to {profile.high:,.0f})"
    actors = len(profile.busy())
    cores = f" on {actors} cores" if actors > 1 else ""
    return (
        f"@{profile.entry} on {profile.target.name}: [bold]{profile.total:,.0f} cycles[/]{spread}{cores}, "
        f"{profile.microseconds:g} µs at {profile.table.mhz:g} MHz"
    )


def _estimates(profile: Profile) -> str:
    estimated, count, share = profile.estimates()
    return (
        f"{count:,} instruction{'s' * (count != 1)}, {estimated:,} of them on estimates: {share:.0%} of the "
        "pipes' time; nothing here was measured on your device"
    )


def _table(title: str, *columns: str) -> Table:
    table = Table(
        title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, padding=(0, 2, 0, 0)
    )
    for column in columns:
        left = column in ("pipe", "core", "line", "instruction", "", "source", "waits")
        table.add_column(column, justify="left" if left else "right", no_wrap=True, overflow="ellipsis")
    return table


def _bar(share: float, width: int = 20) -> str:
    eighths = round(share * width * 8)
    whole, rest = divmod(eighths, 8)
    return "█" * whole + (BARS[rest - 1] if rest else "")


def _pipes(profile: Profile) -> Table:
    names, busy = actor_names(profile), profile.busy()
    several = len(busy) > 1
    table = _table("busy", *["core"] * several, "pipe", "cycles", "share", "")
    shown = sorted(busy, key=lambda actor: -max(busy[actor].values()))[:8]
    for actor in sorted(shown):
        for pipe in LANES:
            if pipe in busy[actor]:
                share = busy[actor][pipe] / profile.total if profile.total else 0.0
                row = [
                    pipe.value.removeprefix("PIPE_"),
                    f"{busy[actor][pipe]:,.0f}",
                    f"{share:.0%}",
                    _bar(share),
                ]
                table.add_row(*[names[actor]] * several, *row)
    if len(busy) > len(shown):
        table.add_row(f"and {len(busy) - len(shown)} more")
    return table


def _code(profile: Profile, line: int, width: int) -> str:
    text = visible(" ".join(profile.source.line_text(line).split()))
    return escape(text if len(text) <= width else text[: width - 1] + "…")


def _critical(profile: Profile, width: int) -> Table:
    """The way that decides the total, as runs of lines; of many turns of a loop the first ones."""
    table = _table("critical path", "line", "instruction", "pipe", "times", "cycles", "source")
    merged: dict[tuple[int, str, str], list[float]] = {}
    for each, count, cycles in profile.critical_lines():
        row = merged.setdefault((each.work.line, each.work.name, each.pipe.value), [0, 0.0])
        row[0] += count
        row[1] += cycles
    for (line, name, pipe), (count, cycles) in list(merged.items())[:TOP]:
        table.add_row(
            str(line), name, pipe.removeprefix("PIPE_"), f"{count:,.0f}", f"{cycles:,.0f}",
            _code(profile, line, width - 46),
        )  # fmt: skip
    if len(merged) > TOP:
        table.add_row("…", f"{len(merged) - TOP} more lines")
    return table


def _top(profile: Profile, width: int) -> Table:
    table = _table("top lines", "line", "instruction", "pipe", "times", "cycles", "share", "source")
    busy = sum(line.cycles for line in profile.lines()) or 1.0
    for line in profile.lines()[:TOP]:
        mark = "~" if line.estimated else ""
        table.add_row(
            str(line.line), line.name, line.pipe.value.removeprefix("PIPE_"), f"{line.count:,}",
            f"{mark}{line.cycles:,.0f}", f"{line.cycles / busy:.0%}", _code(profile, line.line, width - 54),
        )  # fmt: skip
    return table


def _traffic(profile: Profile) -> str:
    read, written = profile.moved
    seconds = profile.total / profile.table.mhz / 1e6
    speed = f"{(read + written) / seconds / 1e9:.1f} GB/s" if seconds else "nothing"
    return f"global memory: {read:,} bytes read, {written:,} written; {speed} over the whole"
