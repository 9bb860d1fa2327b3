"""One page with everything: the data of a profile, or of two side by side, and the templates around it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ptoas.diagnostics import Diagnostic
from ptoas.diagnostics.render import visible
from ptoas.lowering.provenance import reason_of
from ptoas.machine.arrays import np
from ptoas.profiling.compare import ProfileComparison, name_of
from ptoas.profiling.export import actor_names
from ptoas.profiling.stalls import STALLS, Stall
from ptoas.profiling.summary import bound_text, confidence_text, flag_label
from ptoas.profiling.timeline import LANES, PIPE_NAMES
from ptoas.profiling.work import Work
from ptoas.report.draw import DARK, LIGHT, access, flags, memory_map, variables
from ptoas.report.highlight import coloured
from ptoas.report.lanes import loop_picture, timeline
from ptoas.report.memory import memories_of
from ptoas.report.pack import pack
from ptoas.runner.report import excerpt

if TYPE_CHECKING:
    from jinja2 import Environment

    from ptoas.profiling.loops import Loop
    from ptoas.profiling.profile import Profile
    from ptoas.profiling.reasons import Sync

TEMPLATES = Path(__file__).parent / "templates"

MOST_LOOPS = 4
"""Loops whose mean iteration is drawn."""


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Jinja2, which escapes all that comes from a program."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    loader = FileSystemLoader(TEMPLATES)
    found = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    found.filters["cycles"] = lambda value: f"{value:,.0f}"
    found.filters["share"] = lambda value: f"{value:.0%}"
    shared: dict[str, Any] = {
        "light": variables(LIGHT),
        "dark": variables(DARK),
        "visible": visible,
        "pipe_names": PIPE_NAMES,
    }
    found.globals |= shared
    return found


def pictures(profile: Profile, alone: bool = True) -> dict[str, str]:
    """The pictures of a profile by name."""
    patterns = profile.trace.patterns
    return {
        "timeline": timeline(profile, alone),
        "memory": memory_map(memories_of(profile.functions(), profile.target), alone),
        "flags": flags(profile, alone),
        "access": access(profile.arguments(), patterns.indices.values() if patterns else (), alone),
    }


def page(profile: Profile) -> str:
    """The page of one profile."""
    from markupsafe import Markup

    drawn = {name: Markup(svg) for name, svg in pictures(profile, alone=False).items() if name != "timeline"}
    return (
        environment()
        .get_template("page.html")
        .render(
            title=f"{profile.entry} on {profile.target.name}",
            profile=profile,
            confidence=confidence_text(profile),
            bound=bound_text(profile),
            drawn=drawn,
            timelines=[_data(profile, "timeline", "")],
            lines=list(_lines(profile)),
            pipes=_pipes_of(profile),
            lanes=list(_lanes(profile)),
            stalls={stall.value: text for stall, text in STALLS.items()},
            loops=[_loop(loop) for loop in profile.loops[:MOST_LOOPS]],
            top=profile.lines()[:10],
            flags=[_flag(sync) for sync in profile.syncs],
            stats=[line.partition("  ") for line in profile.stats().lines()],
            arguments=list(_arguments(profile)),
        )
    )


def compare_page(found: ProfileComparison) -> str:
    """The page of two profiles side by side."""
    sides = [("first", "first-timeline", "a", found.first), ("second", "second-timeline", "b", found.second)]
    return (
        environment()
        .get_template("compare.html")
        .render(
            title=f"{name_of(found.first)} and {name_of(found.second)}",
            comparison=found,
            sides=[
                {
                    "name": name,
                    "box": box,
                    "prefix": prefix,
                    "profile": profile,
                    "file": name_of(profile),
                    "lines": list(_lines(profile)),
                    "bound": bound_text(profile),
                }
                for name, box, prefix, profile in sides
            ],
            timelines=[_data(profile, box, prefix) for _, box, prefix, profile in sides],
            pipes=list(dict.fromkeys([*_pipes_of(found.first), *_pipes_of(found.second)])),
            stalls={stall.value: text for stall, text in STALLS.items()},
        )
    )


def _data(profile: Profile, box: str, prefix: str) -> str:
    """Data of one drawing, as JSON inside a script element: nothing in it ends the element."""
    from markupsafe import Markup

    lanes = {key: n for n, key in enumerate(profile.timeline.lanes())}
    names = actor_names(profile)
    works = {work: n for n, work in enumerate(profile.works())}
    arrows = profile.timeline.arrows
    labels = {label: n for n, label in enumerate(dict.fromkeys(arrow.label for arrow in arrows))}
    scale, slices, packed_arrows = pack(profile, lanes, works, labels)
    data = {
        "box": box,
        "prefix": prefix,
        "total": profile.total,
        "mhz": profile.table.mhz,
        "scale": scale,
        "stalls": [stall.value for stall in Stall],
        "lanes": [[names[actor], PIPE_NAMES[pipe]] for actor, pipe in lanes],
        "works": [[work.line, work.name, _tip(work)] for work in works],
        "labels": list(labels),
        "slices": slices,
        "arrows": packed_arrows,
    }
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c").replace("&", "\\u0026")
    return Markup(text)


def _tip(work: Work) -> str:
    """Tooltip of an instruction: operands with types, shapes and addresses, pipe, cost."""
    part = work.cost.parts[0]
    ends = f", {part.low:,.0f} to {part.high:,.0f}" if work.cost.is_range else ""
    verbs = {True: "writes", False: "reads"}
    operands = [
        f"{verbs[touch.write]} {touch.operand.text()} on {PIPE_NAMES[touch.pipe]}" for touch in work.touches
    ]
    return "\n".join(
        [
            f"{work.name}: {part.cycles:,.0f} cycles{ends} on {PIPE_NAMES[part.pipe]}",
            *operands,
            work.cost.text(),
        ]
    )


def _lines(profile: Profile) -> Iterator[dict[str, Any]]:
    """The source, with what each line took and what was found there."""
    from markupsafe import Markup

    found: dict[int, list[Diagnostic]] = {}
    for each in (*profile.warnings, *profile.remarks):
        found.setdefault(each.span.line, []).append(each)
    taken: dict[int, float] = {}
    for line in profile.lines():
        taken[line.line] = taken.get(line.line, 0.0) + line.cycles
    tips: dict[int, list[str]] = {}
    for work in profile.works():
        tips.setdefault(work.line, []).append(_tip(work))
    most = max(taken.values(), default=1.0) or 1.0
    source = profile.source
    for number in range(1, len(source.text.rstrip().splitlines()) + 1):
        cycles = taken.get(number)
        yield {
            "number": number,
            "text": Markup(coloured(visible(source.line_text(number)))),
            "cycles": cycles,
            "share": 0.0 if cycles is None else cycles / most,
            "tip": "\n\n".join(dict.fromkeys(tips.get(number, ()))),
            "found": found.get(number, ()),
        }


def _pipes_of(profile: Profile) -> list[str]:
    """The pipes that have a lane in the timeline."""
    return list(dict.fromkeys(PIPE_NAMES[pipe] for _, pipe in profile.timeline.lanes()))


def _lanes(profile: Profile) -> Iterator[dict[str, Any]]:
    """The time of each pipe: a row sums to the total."""
    names = actor_names(profile)
    for (actor, pipe), lane in profile.stalls.lanes.items():
        yield {
            "core": names[actor],
            "pipe": PIPE_NAMES[pipe],
            "lane": lane,
            "share": lane.busy / profile.total if profile.total else 0.0,
            "stalls": list(lane.stalls.values()),
        }


def _loop(loop: Loop) -> dict[str, Any]:
    from markupsafe import Markup

    lanes = [(PIPE_NAMES[pipe], loop.lanes[pipe]) for pipe in LANES if pipe in loop.lanes]
    return {"loop": loop, "lanes": lanes, "picture": Markup(loop_picture(loop))}


def _flag(sync: Sync) -> dict[str, Any]:
    inserted = reason_of(sync.op)
    reasons = [reason.text() for reason in sync.best()]
    return {
        "label": flag_label(sync),
        "lines": sync.lines,
        "inserted": inserted is not None,
        "times": sync.executions,
        "delay": sync.delay,
        "cost": sync.cost,
        "reasons": reasons[:4] or ([inserted] if inserted else []),
        "more": max(0, len(reasons) - 4),
        "needless": not reasons and inserted is None,
    }


def _arguments(profile: Profile) -> Iterator[tuple[str, str, str]]:
    """Name, shape and type, and an excerpt of its values after the run."""

    values = profile.result.arguments if profile.result is not None else {}
    written = profile.result.outputs if profile.result is not None else {}
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            shape = "x".join(map(str, value.shape))
            shown = " ".join(excerpt(value.reshape(-1)).split())
            yield name, f"{shape}x{value.dtype}{', written' if name in written else ''}", shown
        else:
            yield name, "scalar", str(value)
