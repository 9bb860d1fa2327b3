"""Pictures as SVG, standalone or with the colours of a page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape
from typing import TYPE_CHECKING

from ptoas.dialects.pto.enums import Pipe
from ptoas.lowering.provenance import reason_of
from ptoas.machine.errors import line_of
from ptoas.profiling.patterns import Argument, Indices
from ptoas.profiling.timeline import LANES, PIPE_NAMES
from ptoas.profiling.work import BURST
from ptoas.report.memory import Memory

if TYPE_CHECKING:
    from ptoas.profiling.profile import Profile

WIDTH = 960
LEFT = 118
MOST_ROWS = 48
"""Instructions that the picture of flags shows."""

HEAD = (
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" '
    'orient="auto"><path d="M0 0L8 4L0 8z" fill="var(--dim)"/></marker></defs>'
)

LIGHT = {
    "ink": "#1f2430", "dim": "#646c7d", "line": "#d8dce4", "paper": "#ffffff", "raised": "#f4f6f9",
    "MTE2": "#3b76c4", "MTE1": "#1f9c98", "M": "#d9822b", "V": "#4f9d4a", "FIX": "#8a63c0",
    "MTE3": "#b0762f", "S": "#7c8494", "bad": "#d33a3a", "warm": "#e9a400", "wait-data": "#9aa6bb",
    "wait-slot": "#8b6fd1", "wait-flag": "#d33a3a", "wait-event": "#d6499b", "wait-structural": "#c9a53b",
}  # fmt: skip
DARK = {
    "ink": "#e6e8ee", "dim": "#98a1b3", "line": "#363c49", "paper": "#171a21", "raised": "#20242d",
    "MTE2": "#5c97e6", "MTE1": "#35b8b3", "M": "#f09a45", "V": "#69bd63", "FIX": "#a982e0",
    "MTE3": "#cf9548", "S": "#99a2b3", "bad": "#f06060", "warm": "#f2b92e", "wait-data": "#76829a",
    "wait-slot": "#a48bea", "wait-flag": "#f06060", "wait-event": "#ef6fb8", "wait-structural": "#d9b855",
}  # fmt: skip


def variables(colours: dict[str, str]) -> str:
    return "".join(f"--{name}:{value};" for name, value in colours.items())


_RULES = (
    "text{font:12px system-ui,'DejaVu Sans',sans-serif;fill:var(--ink)}"
    ".dim{fill:var(--dim)}.small{font-size:10px}.on{fill:#fff;font-size:10px}.title{font-weight:600}"
    ".lane{fill:var(--raised)}.grid{stroke:var(--line);stroke-width:1}.bad{fill:var(--bad)}"
    ".limit{stroke:var(--bad);stroke-dasharray:4 3}.arrow{stroke:var(--dim);fill:none;stroke-width:1.2}"
    ".again{stroke-dasharray:4 3}.needless{stroke:var(--bad);stroke-dasharray:3 3}"
    ".critical{stroke:var(--ink);stroke-width:1.4}"
)
STYLE = re.sub(r"(?<=})(?=[.t])|^", ".ptoas ", _RULES)
"""Style of our pictures only, in any page."""


def picture(width: float, height: float, parts: Iterable[str], alone: bool, label: str) -> str:
    """Join the parts of a picture; a standalone one has its own colours, light and dark."""
    style = STYLE
    if alone:
        style = (
            f".ptoas{{{variables(LIGHT)}background:var(--paper)}}"
            f"@media(prefers-color-scheme:dark){{.ptoas{{{variables(DARK)}}}}}{STYLE}"
        )
    return (
        f'<svg class="ptoas" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" role="img" aria-label="{escape(label)}">'
        f"<style>{style}</style>"
        f"{''.join(parts)}</svg>"
    )


def rect(x: float, y: float, w: float, h: float, fill: str, more: str = "", title: str = "") -> str:
    head = f'<rect x="{x:.2f}" y="{y:.2f}" width="{max(w, 0):.2f}" height="{h:.2f}" fill="{fill}" {more}'
    return f"{head}><title>{escape(title)}</title></rect>" if title else f"{head}/>"


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str = "grid") -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def colour(pipe: Pipe) -> str:
    return f"var(--{PIPE_NAMES[pipe]})"


def steps(total: float, count: int = 8, base: int = 10) -> list[float]:
    """Round numbers from 0 to a total: multiples of powers of a base."""
    unit = 1.0
    while unit * base <= total / count:
        unit *= base
    step = next(unit * n for n in (1, 2, 4 if base == 16 else 5, 8, base) if unit * n >= total / count)
    return [step * n for n in range(int(total / step) + 1)]


def fitted(words: str, width: float, size: float = 6.2) -> str:
    """Truncate a text to a width; return an empty text if almost nothing fits."""
    room = int(width / size)
    return words if len(words) <= room else words[: room - 1] + "…" if room > 2 else ""


# --- memory ------------------------------------------------------------------------------------------


def memory_map(memories: list[Memory], alone: bool = True) -> str:
    """Addresses upwards, the program from left to right; tiles as boxes."""
    parts: list[str] = []
    at = 8.0
    for memory in memories:
        drawn, height = _memory(memory, at)
        parts += drawn
        at += height
    if not memories:
        parts.append(text(6, 20, "no tile has an address that is known before a run", "dim"))
        at = 30
    return picture(WIDTH, at, parts, alone, "memory map")


def _memory(memory: Memory, top: float) -> tuple[list[str], float]:
    body = max(90.0, min(260.0, 26.0 * len(memory.boxes)))
    limit = memory.limits.get("budget")
    used = memory.end or 1
    reach = used * 1.08 if limit is None or limit > used * 4 else max(limit, used) * 1.04
    y0, count = top + 26 + body, max(1, len(memory.lines))
    column = (WIDTH - LEFT - 12) / count

    def y(address: float) -> float:
        return y0 - address / reach * body

    share = "" if limit is None else f"{used / limit:.0%} of {limit:,}, "
    tiles = f"{len(memory.boxes)} tile{'s' * (len(memory.boxes) != 1)}"
    head = f"{memory.loc} of @{memory.function}: {tiles} up to {used:,} bytes, {share}"
    parts = [text(6, top + 14, f"{head}{memory.peak():,} needed at once", "title")]
    if limit is not None:
        parts += _gauge(memory.end, memory.peak(), limit, y0, body)
    parts.append(rect(LEFT, y0 - body, WIDTH - LEFT - 12, body, "", 'class="lane"'))
    for address in steps(reach, 5, 16):
        parts.append(line(LEFT, y(address), WIDTH - 12, y(address)))
        parts.append(text(LEFT - 6, y(address) + 4, f"{int(address):#x}", "dim small", "end"))
    labels: list[str] = []
    for box in memory.boxes:
        x, w = LEFT + box.first * column, (box.last - box.first + 1) * column
        h = max(y(box.start) - y(box.end), 1.0)
        lines = [memory.lines[n] for n in (box.first, box.last) if n < len(memory.lines)]
        tooltip = f"%{box.name}: {box.end - box.start:,} bytes at {box.start:#x}, lines {lines}, {box.type}"
        more = f'class="tile" rx="2" stroke="var(--paper)" opacity=".85" data-line="{box.line}"'
        parts.append(rect(x + 0.5, y(box.end), w - 1, h, "var(--MTE2)", more, tooltip))
        label = fitted(f"%{box.name} {box.end - box.start:,} B", w - 8)
        if label and h > 11:
            labels.append(text(x + 5, (y(box.start) + y(box.end)) / 2 + 3.5, label, "on"))
    for one, other in memory.overlaps():
        first, last = max(one.first, other.first), min(one.last, other.last)
        low, high = max(one.start, other.start), min(one.end, other.end)
        more = 'class="overlap" opacity=".8"'
        tooltip = f"%{one.name} and %{other.name} share {high - low:,} bytes while both are needed"
        width = (last - first + 1) * column
        parts.append(
            rect(LEFT + first * column, y(high), width, y(low) - y(high), "var(--bad)", more, tooltip)
        )
    parts += labels
    for name, size in memory.limits.items():
        if size <= reach:
            parts.append(line(LEFT, y(size), WIDTH - 12, y(size), "limit"))
            parts.append(text(WIDTH - 16, y(size) - 3, f"{name} {size // 1024} KB", "bad small", "end"))
    every = max(1, count // 24)
    for n in range(0, len(memory.lines), every):
        parts.append(text(LEFT + (n + 0.5) * column, y0 + 14, str(memory.lines[n]), "dim small", "middle"))
    parts.append(text(LEFT - 6, y0 + 16, "line", "dim small", "end"))
    return parts, body + 54


def _gauge(used: int, peak: int, limit: int, bottom: float, height: float) -> list[str]:
    """The whole of a memory: what tiles take, and a line at what is needed at once."""

    def y(size: int) -> float:
        return bottom - min(1.0, size / limit) * height

    tooltip = f"{used:,} of {limit:,} bytes, {peak:,} needed at once"
    return [
        rect(8, bottom - height, 16, height, "", 'class="lane"', tooltip),
        rect(8, y(used), 16, bottom - y(used), "var(--MTE2)", 'opacity=".85"', tooltip),
        line(6, y(peak), 26, y(peak), "limit"),
        text(16, bottom + 14, f"{used / limit:.0%}", "dim small", "middle"),
    ]


# --- flags -------------------------------------------------------------------------------------------


def flags(profile: Profile, alone: bool = True) -> str:
    """Instructions in the order of the program, each in the column of its pipe, and the waits between."""
    works = sorted({w.op: w for w in profile.works()}.values(), key=lambda work: work.order)
    shown = works[:MOST_ROWS]
    used = [pipe for pipe in LANES if any(work.pipe is pipe for work in works)]
    column = (WIDTH - 60) / max(1, len(used))
    order = profile.trace.order
    row = {work.order: 34 + 26 * n for n, work in enumerate(shown)}
    parts: list[str] = [HEAD]
    for n, pipe in enumerate(used):
        x = 50 + (n + 0.5) * column
        parts += [text(x, 16, PIPE_NAMES[pipe], "title", "middle"), line(x, 24, x, 34 + 26 * len(shown))]
    for sync in profile.syncs:
        ends = {(r.first.pipe, r.second.pipe): (r.first, r.second) for r in reversed(sync.best())}
        place = order.get(sync.op, 0)
        if not ends:
            below = next((work for work in shown if work.order > place), None)
            y = row[below.order] - 4 if below is not None else 34 + 26 * len(shown)
            if reason_of(sync.op) is None:
                parts.append(line(50, y, WIDTH - 10, y, "needless"))
                parts.append(
                    text(WIDTH - 12, y - 2, f"line {sync.lines[-1]} orders nothing", "bad small", "end")
                )
        for one, two in list(ends.values())[:2]:
            if one.order in row and two.order in row and one.pipe is not two.pipe:
                xs = [50 + (used.index(work.pipe) + 0.5) * column for work in (one, two)]
                back = row[two.order] <= row[one.order]  # of the turn before
                y1, y2 = row[one.order] + (0 if back else 18), row[two.order] + (18 if back else 0)
                bend = f"M{xs[0]:.1f} {y1:.1f}L{xs[1]:.1f} {y2:.1f}"
                why = escape("; ".join(reason.text() for reason in sync.best()[:3]))
                kind = f'class="arrow{" again" * back}" marker-end="url(#head)"'
                parts.append(f'<path d="{bend}" {kind}><title>{why}</title></path>')
    for work in shown:
        x, y = 50 + used.index(work.pipe) * column, row[work.order]
        parts.append(text(42, y + 13, str(work.line), "dim small", "end"))
        wide = min(column - 16, 180.0)
        left = x + (column - wide) / 2
        more = f'rx="3" data-line="{work.line}"'
        parts.append(rect(left, y, wide, 18, colour(work.pipe), more, work.cost.text()))
        parts.append(text(left + wide / 2, y + 12.5, fitted(work.name, wide - 6), "on", "middle"))
    height = 44.0 + 26 * len(shown)
    if len(works) > len(shown):
        parts.append(text(50, height, f"and {len(works) - len(shown)} more instructions", "dim"))
    return picture(WIDTH, height + 10, parts, alone, "flags and what they order")


# --- access patterns ---------------------------------------------------------------------------------


def access(arguments: list[Argument], indices: Iterable[Indices], alone: bool = True) -> str:
    """A strip for each argument: the darker, the more often its bytes were read or written."""
    parts: list[str] = []
    at = 6.0
    most = max([1e-9, *(float(max(a.reads.max(), a.writes.max())) for a in arguments)])
    for argument in arguments:
        rows = "" if not argument.row else f", rows of {argument.row:,} bytes"
        head = f"%{argument.name}: {argument.bytes:,} bytes of {argument.dtype}{rows}"
        parts.append(text(6, at + 14, f"{head}; {argument.touched():.0%} of it touched", "title"))
        at += 20
        for kind, counts, name in (("read", argument.reads, "MTE2"), ("written", argument.writes, "MTE3")):
            if not counts.any():
                continue
            parts.append(text(LEFT - 6, at + 13, kind, "dim small", "end"))
            parts.append(rect(LEFT, at, WIDTH - LEFT - 12, 18, "", 'class="lane"'))
            width = (WIDTH - LEFT - 12) / len(counts)
            for first, last, count in _runs(counts.tolist()):
                shade = 0.25 + 0.75 * min(1.0, count / most)
                low, high = int(first * argument.step), int(last * argument.step)
                tooltip = f"bytes {low:,} to {high:,}: {kind} {count:.3g} times"
                more = f'class="touched" shape-rendering="crispEdges" opacity="{shade:.2f}"'
                x, fill = LEFT + first * width, f"var(--{name})"
                parts.append(rect(x, at, (last - first) * width, 18, fill, more, tooltip))
            at += 20
        parts.append(text(LEFT, at + 9, "0", "dim small"))
        parts.append(text(WIDTH - 12, at + 9, f"{argument.bytes:,}", "dim small", "end"))
        at += 18
    for seen in indices:
        parts.append(text(6, at + 12, pattern_text(seen), "dim"))
        at += 18
    if not arguments:
        parts.append(
            text(6, 20, "no argument in global memory was touched, or the program was not run", "dim")
        )
        at = 30
    return picture(WIDTH, at + 6, parts, alone, "access patterns")


def _runs(counts: list[float]) -> Iterator[tuple[int, int, float]]:
    """Stretches that were touched equally often, and at all: the first, the end, how often."""
    first = 0
    for n in range(1, len(counts) + 1):
        if n == len(counts) or counts[n] != counts[first]:
            if counts[first] > 0:
                yield first, n, counts[first]
            first = n


def pattern_text(seen: Indices) -> str:
    """Draw the global-memory addresses accessed by one gather or scatter."""

    name = f"line {line_of(seen.op)}, {seen.op.name.removeprefix('pto.')}: {seen.count:,} indices"
    if seen.by_row:
        kind = "whole bursts" if seen.row_bytes >= BURST else f"less than a burst of {BURST}"
        return f"{name} of rows of {seen.row_bytes} bytes, {kind}"
    ideal = seen.sorted_bursts == seen.bursts
    return f"{name} of elements touch {seen.bursts:,} pieces of {BURST} bytes, " + (
        "coalesced as well as they can be" if ideal else f"{seen.sorted_bursts:,} if they were sorted"
    )
