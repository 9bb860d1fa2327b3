"""A profile on a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ptoas.diagnostics.render import visible
from ptoas.profiling.export import actor_names
from ptoas.profiling.stalls import Lane, Stall
from ptoas.profiling.timeline import LANES, PIPE_NAMES

if TYPE_CHECKING:
    from ptoas.profiling.profile import Profile
    from ptoas.profiling.reasons import Sync

TOP = 10
MOST_CORES = 8
LEFT = ("pipe", "core", "line", "instruction", "", "source", "flag or barrier", "what", "what it orders")
"""Columns of words."""


def summary(profile: Profile, colour: bool = False, width: int = 100) -> str:
    if not profile.timeline.slices:
        nothing = "no instruction runs on a pipe: there is nothing to time"
        return printed([head(profile, bold=True), nothing], colour, width)
    texts = [head(profile, bold=True), *bound_text(profile), confidence_text(profile)]
    tables = [_pipes(profile), _flags(profile, width), _loops(profile)]
    tables += [_critical(profile, width), _top(profile, width)]
    notes = [f"assumed: {escape(note)}" for note in profile.trace.notes]
    return printed([*texts, *tables, "", _traffic(profile), *notes], colour, width)


def printed(parts: Iterable[str | Table], colour: bool, width: int) -> str:
    """Lines and tables as a terminal shows them; an empty line stands before a table with rows."""
    out = StringIO()
    console = Console(
        file=out, width=width, force_terminal=colour, no_color=not colour, highlight=False, soft_wrap=True
    )
    for part in parts:
        match part:
            case Table(row_count=0):
                continue
            case Table():
                console.print()
            case _:
                pass
        console.print(part)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def head(profile: Profile, bold: bool = False) -> str:
    """The total, with its range."""
    actors = len(profile.lanes())
    cores = f" on {actors} cores" if actors > 1 else ""
    cycles = f"{profile.total:,.0f} cycles"
    return (
        f"@{profile.entry} on {profile.target.name}: {f'[bold]{cycles}[/]' if bold else cycles} "
        f"({profile.low:,.0f} to {profile.high:,.0f}){cores}, "
        f"{profile.microseconds:g} µs at {profile.table.mhz:g} MHz"
    )


def bound_text(profile: Profile) -> list[str]:
    """The time that data alone needs, and what several cores lose to the chip."""
    above = profile.total - profile.bound
    found = [f"data alone needs {profile.bound:,.0f} cycles; flags and barriers add {above:,.0f}"]
    if above < 0.5:
        found = [f"data alone needs {profile.bound:,.0f} cycles; flags and barriers add nothing"]
    if profile.slowdown > 1:
        found.append(
            f"transfers take {profile.slowdown:.2f} times as long as on one core: the chip moves no more"
        )
    return found


def confidence_text(profile: Profile) -> str:
    """The share of the pipes' time by confidence."""
    count = profile.instructions
    shares = ", ".join(f"{name} {share:.0%}" for name, share in profile.confidence().items())
    return (
        f"{count:,} instruction{'s' * (count != 1)}; confidence in the pipes' time: {shares}; nothing here "
        "was measured on your device"
    )


def table_of_columns(title: str, *columns: str) -> Table:
    """A table without lines; columns of words are on the left."""
    table = Table(
        title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, padding=(0, 2, 0, 0)
    )
    for column in columns:
        left = column in LEFT
        table.add_column(column, justify="left" if left else "right", no_wrap=True, overflow="ellipsis")
    return table


STALL_NAMES = [stall.value for stall in Stall]


def _stalls(lane: Lane) -> list[str]:
    return [f"{cycles:,.0f}" if cycles >= 0.5 else "-" for cycles in lane.stalls.values()]


def _pipes(profile: Profile) -> Table:
    """The time of each pipe; a row sums to the total."""
    names, busy = actor_names(profile), profile.lanes()
    several = len(busy) > 1
    columns = ("pipe", "busy", "share", *STALL_NAMES, "idle")
    table = table_of_columns("pipes: cycles at work, and standing still for", *["core"] * several, *columns)
    shown = sorted(busy, key=lambda actor: -max(lane.busy for lane in busy[actor].values()))[:MOST_CORES]
    for actor in sorted(shown):
        for pipe in LANES:
            if pipe in busy[actor]:
                lane = busy[actor][pipe]
                share = lane.busy / profile.total if profile.total else 0.0
                row = [PIPE_NAMES[pipe], f"{lane.busy:,.0f}", f"{share:.0%}", *_stalls(lane)]
                table.add_row(*[names[actor]] * several, *row, f"{lane.idle:,.0f}")
    if len(busy) > len(shown):
        table.add_row(f"and {len(busy) - len(shown)} more")
    return table


def flag_label(sync: Sync) -> str:
    """`wait_flag MTE2->V EVENT_ID0`, `barrier PIPE_V`."""
    words = [str(getattr(value, "data", value)) for value in sync.op.properties.values()]
    pipes = [word.removeprefix("PIPE_") for word in words if word.startswith("PIPE_")]
    rest = [word for word in words if not word.startswith("PIPE_")]
    return " ".join([sync.op.name.removeprefix("pto."), "->".join(pipes), *rest])


def _flags(profile: Profile, width: int) -> Table:
    """The flags and barriers that cost most, above what data needs."""
    table = table_of_columns(
        "flags and barriers", "line", "flag or barrier", "times", "stood still", "adds", "source"
    )
    costly = sorted((sync for sync in profile.syncs if sync.cost >= 0.5), key=lambda sync: -sync.cost)
    for sync in costly[:TOP]:
        label, line = flag_label(sync), sync.lines[-1]
        table.add_row(
            str(line), label, f"{sync.executions:,}", f"{sync.delay:,.0f}", f"{sync.cost:,.0f}",
            code(profile, line, width - 44 - len(label)),
        )  # fmt: skip
    return table


def _loops(profile: Profile) -> Table:
    """A mean iteration of each loop."""
    table = table_of_columns(
        "loops: a mean iteration", "line", "times", "cycles", "pipe", "busy", *STALL_NAMES
    )
    for loop in profile.loops[:3]:
        start = [str(loop.line), f"{loop.iterations:,}", f"{loop.each:,.0f}"]
        for pipe in LANES:
            if pipe in loop.lanes:
                lane = loop.lanes[pipe]
                table.add_row(*start, PIPE_NAMES[pipe], f"{lane.busy:,.0f}", *_stalls(lane))
                start = ["", "", ""]
    return table


def code(profile: Profile, line: int, width: int) -> str:
    """A line of the program, cut to a width."""
    text = visible(" ".join(profile.source.line_text(line).split()))
    width = max(width, 12)
    return escape(text if len(text) <= width else text[: width - 1] + "…")


def _critical(profile: Profile, width: int) -> Table:
    """The way that decides the total, as runs of lines; of many turns of a loop the first ones."""
    table = table_of_columns("critical path", "line", "instruction", "pipe", "times", "cycles", "source")
    merged: dict[tuple[int, str, str], list[float]] = {}
    for each, count, cycles in profile.critical_lines():
        row = merged.setdefault((each.work.line, each.work.name, PIPE_NAMES[each.pipe]), [0, 0.0])
        row[0] += count
        row[1] += cycles
    for (line, name, pipe), (count, cycles) in list(merged.items())[:TOP]:
        table.add_row(
            str(line), name, pipe, f"{count:,.0f}", f"{cycles:,.0f}", code(profile, line, width - 46)
        )
    rest = list(merged.values())[TOP:]
    if rest:
        count, cycles = (sum(each) for each in zip(*rest, strict=True))
        table.add_row("…", f"{len(rest)} more lines", "", f"{count:,.0f}", f"{cycles:,.0f}")
    between = profile.total - sum(cycles for _, cycles in merged.values())
    if between >= 0.5:
        table.add_row("", "issue, fences", "", "", f"{between:,.0f}")
    return table


def _top(profile: Profile, width: int) -> Table:
    table = table_of_columns("top lines", "line", "instruction", "pipe", "times", "cycles", "share", "source")
    busy = sum(line.cycles for line in profile.lines()) or 1.0
    for line in profile.lines()[:TOP]:
        mark = "~" if line.estimated else ""
        table.add_row(
            str(line.line), line.name, PIPE_NAMES[line.pipe], f"{line.count:,}",
            f"{mark}{line.cycles:,.0f}", f"{line.cycles / busy:.0%}", code(profile, line.line, width - 54),
        )  # fmt: skip
    return table


def _traffic(profile: Profile) -> str:
    read, written = profile.moved
    seconds = profile.total / profile.table.mhz / 1e6
    speed = f"{(read + written) / seconds / 1e9:.1f} GB/s" if seconds else "nothing"
    return f"global memory: {read:,} bytes read, {written:,} written; {speed} over the whole"
