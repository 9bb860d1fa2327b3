"""One page with everything: the data of a profile, and the template around it."""

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
from ptoas.profiling.export import actor_names
from ptoas.profiling.summary import bound_text, confidence_text, flag_label
from ptoas.profiling.timeline import PIPE_NAMES
from ptoas.profiling.work import Work
from ptoas.report.draw import (
    DARK,
    LIGHT,
    access,
    flags,
    memory_map,
    timeline,
    variables,
)
from ptoas.report.memory import memories_of
from ptoas.runner.report import excerpt

if TYPE_CHECKING:
    from jinja2 import Environment

    from ptoas.profiling.profile import Profile
    from ptoas.profiling.reasons import Sync

TEMPLATES = Path(__file__).parent / "templates"

MOST_SLICES = 20_000
"""Slices that the page can zoom into; later ones are in the picture only."""
MOST_ARROWS = 20_000


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Jinja2, which escapes all that comes from a program."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    loader = FileSystemLoader(TEMPLATES)
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)


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
    """The whole page."""
    template = environment().get_template("page.html")
    from markupsafe import Markup

    drawn = {name: Markup(svg) for name, svg in pictures(profile, alone=False).items()}
    return template.render(
        profile=profile,
        confidence=confidence_text(profile),
        bound=bound_text(profile),
        drawn=drawn,
        light=variables(LIGHT),
        dark=variables(DARK),
        data=Markup(_json(_data(profile))),
        lines=list(_lines(profile)),
        pipes=list(dict.fromkeys(PIPE_NAMES[pipe] for _, pipe in profile.timeline.lanes())),
        busy=_busy(profile),
        top=profile.lines()[:10],
        pipe_names=PIPE_NAMES,
        flags=[_flag(sync) for sync in profile.syncs],
        stats=[line.partition("  ") for line in profile.stats().lines()],
        arguments=list(_arguments(profile)),
        visible=visible,
    )


def _json(data: dict[str, Any]) -> str:
    """JSON inside a script element: nothing in it ends the element."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c").replace("&", "\\u0026")


def _data(profile: Profile) -> dict[str, Any]:
    """Timeline data for the page's script."""
    lanes = {key: n for n, key in enumerate(profile.timeline.lanes())}
    names = actor_names(profile)
    works: dict[int, int] = {}
    told: list[list[Any]] = []
    for work in profile.works():
        works[id(work)] = len(works)
        told.append([work.line, work.name, _tip(work)])
    slices = profile.timeline.slices[:MOST_SLICES]
    critical = {id(each) for each in profile.timeline.critical()}
    arrows = [a for a in profile.timeline.arrows if max(a.source, a.target) < len(slices)][:MOST_ARROWS]
    labels = {label: n for n, label in enumerate(dict.fromkeys(arrow.label for arrow in arrows))}
    return {
        "total": profile.total,
        "mhz": profile.table.mhz,
        "left": len(profile.timeline.slices) - len(slices),
        "lanes": [[names[actor], PIPE_NAMES[pipe]] for actor, pipe in lanes],
        "works": told,
        "lane": [lanes[each.actor, each.pipe] for each in slices],
        "work": [works[id(each.work)] for each in slices],
        "start": [round(each.start, 1) for each in slices],
        "end": [round(each.end, 1) for each in slices],
        "turns": [",".join(map(str, each.iterations)) for each in slices],
        "critical": [n for n, each in enumerate(slices) if id(each) in critical],
        "labels": list(labels),
        "arrows": [[arrow.source, arrow.target, labels[arrow.label]] for arrow in arrows],
    }


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
            "text": visible(source.line_text(number)),
            "cycles": cycles,
            "share": 0.0 if cycles is None else cycles / most,
            "tip": "\n\n".join(dict.fromkeys(tips.get(number, ()))),
            "found": found.get(number, ()),
        }


def _busy(profile: Profile) -> list[tuple[str, str, float, float]]:
    names = actor_names(profile)
    return [
        (names[actor], PIPE_NAMES[pipe], cycles, cycles / profile.total if profile.total else 0.0)
        for (actor, pipe), cycles in profile.timeline.busy().items()
    ]


def _flag(sync: Sync) -> dict[str, Any]:
    inserted = reason_of(sync.op)
    reasons = [reason.text() for reason in sync.best()]
    return {
        "label": flag_label(sync),
        "lines": sync.lines,
        "inserted": inserted is not None,
        "times": sync.executions,
        "delay": sync.delay,
        "reasons": reasons[:4] or ([inserted] if inserted else []),
        "more": max(0, len(reasons) - 4),
        "needless": not reasons and inserted is None,
    }


def _arguments(profile: Profile) -> Iterator[tuple[str, str, str]]:
    """Name, shape and type, and an excerpt of what it held after the run."""

    values = profile.result.arguments if profile.result is not None else {}
    written = profile.result.outputs if profile.result is not None else {}
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            shape = "x".join(map(str, value.shape))
            shown = " ".join(excerpt(value.reshape(-1)).split())
            yield name, f"{shape}x{value.dtype}{', written' if name in written else ''}", shown
        else:
            yield name, "scalar", str(value)
