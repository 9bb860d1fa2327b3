"""Pictures of lanes: the timeline of a run, and the mean iteration of a loop."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ptoas.profiling.export import actor_names
from ptoas.profiling.timeline import LANES, PIPE_NAMES, Slice
from ptoas.report.draw import LEFT, WIDTH, colour, fitted, line, picture, rect, steps, text

if TYPE_CHECKING:
    from ptoas.profiling.loops import Loop
    from ptoas.profiling.profile import Profile

LANE = 22
MOST_CORES = 8


def timeline(profile: Profile, alone: bool = True) -> str:
    """Pipes as lanes; slices that are narrower than half a point are drawn together."""
    total = profile.total or 1.0
    scale = (WIDTH - LEFT - 12) / total
    critical = set(profile.timeline.critical())
    names, at = actor_names(profile), 24.0
    lanes = profile.timeline.lanes()
    shown = list(names)[:MOST_CORES]
    parts: list[str] = []
    place: dict[Slice, float] = {}
    for actor in shown:
        if len(names) > 1:
            parts.append(text(6, at + 14, names[actor], "title"))
            at += 20
        for pipe in (pipe for pipe in LANES if (actor, pipe) in lanes):
            parts.append(rect(LEFT, at, WIDTH - LEFT - 12, LANE - 2, "", 'class="lane"'))
            share = sum(each.cycles for each in lanes[actor, pipe]) / total
            parts.append(text(6, at + 14, PIPE_NAMES[pipe]))
            parts.append(text(LEFT - 6, at + 14, f"{share:.0%}", "dim small", "end"))
            parts += _slices(lanes[actor, pipe], at, scale, critical, place)
            at += LANE
        at += 6
    for arrow in profile.timeline.arrows[:200]:
        one, two = (profile.timeline.slices[n] for n in (arrow.source, arrow.target))
        if one in place and two in place:
            y1, y2 = place[one], place[two]
            x1, x2 = LEFT + one.end * scale, LEFT + two.start * scale
            bend = f"M{x1:.1f} {y1:.1f}C{x1 + 8:.1f} {y1:.1f} {x2 - 8:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"
            parts.append(f'<path d="{bend}" class="arrow"><title>{escape(arrow.label)}</title></path>')
    if len(names) > len(shown):
        parts.append(text(6, at + 12, f"and {len(names) - len(shown)} more cores", "dim"))
        at += 18
    for cycle in steps(profile.total):
        x = LEFT + cycle * scale
        parts.insert(0, line(x, 20, x, at))
        parts.append(text(x, 14, f"{cycle:,.0f}", "dim small", "middle"))
    parts.append(text(6, 14, "cycles", "dim small"))
    return picture(WIDTH, at + 4, parts, alone, f"timeline of {profile.entry} on {profile.target.name}")


def _slices(
    lane: list[Slice], y: float, scale: float, critical: set[Slice], place: dict[Slice, float]
) -> list[str]:
    parts: list[str] = []
    run: list[Slice] = []

    def close() -> None:
        if run:
            start, end = run[0].start * scale, run[-1].end * scale
            what = f"{len(run)} instructions, from line {run[0].work.line}"
            # As dense as the pipe is busy there.
            share = sum(each.cycles for each in run) * scale / max(end - start, 1e-9)
            more = f'opacity="{0.2 + 0.8 * min(1.0, share):.2f}" data-line="{run[0].work.line}"'
            width = max(end - start, 0.4)
            parts.append(rect(LEFT + start, y + 1, width, LANE - 4, colour(run[0].pipe), more, what))
            run.clear()

    for each in lane:
        place[each] = y + LANE / 2 - 1
        width = each.cycles * scale
        if width < 0.5:
            if run and (each.end - run[0].start) * scale > 2:
                close()
            run.append(each)
            continue
        close()
        x = LEFT + each.start * scale
        edge = 'class="critical"' if each in critical else ""
        said = f"line {each.work.line}: {each.work.name}, {each.cycles:,.0f} cycles from {each.start:,.0f}"
        more = f'rx="2" data-line="{each.work.line}" {edge}'
        parts.append(rect(x, y + 1, width, LANE - 4, colour(each.pipe), more, said))
        label = fitted(each.work.name, width - 6)
        if label:
            parts.append(text(x + 4, y + 13.5, label, "on"))
    close()
    return parts


def loop_picture(loop: Loop) -> str:
    """A mean iteration: each instruction where it starts on average, and what comes into the next on top."""
    lanes = [pipe for pipe in LANES if pipe in loop.lanes]
    reach = max([loop.each, *(step.end for step in loop.steps)]) or 1.0
    scale, parts = (WIDTH - LEFT - 12) / reach, [text(6, 14, "cycles", "dim small")]
    bottom = 24.0 + LANE * len(lanes)
    for cycle in steps(reach):
        parts += [
            line(LEFT + cycle * scale, 20, LEFT + cycle * scale, bottom),
            text(LEFT + cycle * scale, 14, f"{cycle:,.0f}", "dim small", "middle"),
        ]
    for n, pipe in enumerate(lanes):
        at = 24 + LANE * n
        parts.append(rect(LEFT, at, WIDTH - LEFT - 12, LANE - 2, "", 'class="lane"'))
        parts.append(text(6, at + 14, PIPE_NAMES[pipe]))
    for step in loop.steps:
        at, x, width = (
            24 + LANE * lanes.index(step.pipe),
            LEFT + step.start * scale,
            (step.end - step.start) * scale,
        )
        work = step.work
        tooltip = (
            f"line {work.line}: {work.name}, {step.cycles:,.0f} cycles, {step.count:g} times an iteration"
        )
        # What is executed several times is as dense as it works there.
        dense = step.cycles / max(step.end - step.start, 1e-9)
        more = f'rx="2" opacity="{0.2 + 0.8 * min(1.0, dense):.2f}" data-line="{work.line}"'
        parts.append(rect(x, at + 1, max(width, 0.7), LANE - 4, colour(step.pipe), more, tooltip))
        label = fitted(work.name, width - 6)
        if label:
            parts.append(text(x + 4, at + 13.5, label, "on"))
    end = LEFT + loop.each * scale
    parts.append(line(end, 20, end, bottom, "limit"))
    return picture(WIDTH, bottom + 4, parts, False, f"mean iteration of the loop at line {loop.line}")
