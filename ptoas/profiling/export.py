"""A profile for other tools: a Chrome trace, CSV, plain data."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO
from typing import TYPE_CHECKING, Any

from ptoas.diagnostics.render import to_json
from ptoas.dialects.pto.enums import Pipe
from ptoas.lowering.provenance import reason_of
from ptoas.profiling.record import ActorKey
from ptoas.profiling.stalls import Lane, Stall
from ptoas.profiling.timeline import LANES, PIPE_NAMES, Slice
from ptoas.runner.observe import loop_name

if TYPE_CHECKING:
    from ptoas.profiling.profile import Profile
    from ptoas.profiling.reasons import Sync


def actor_name(actor: ActorKey, pipes: set[Pipe]) -> str:
    """`core0.veccore0`, with the rank in front where it is not the first: as profilers of the device say."""
    rank, block, core = actor
    kind = "cube" if Pipe.PIPE_M in pipes and Pipe.PIPE_V not in pipes else "vec"
    return f"rank{rank}." * bool(rank) + f"core{block}.{kind}core{core}"


def actor_names(profile: Profile) -> dict[ActorKey, str]:
    return {actor: actor_name(actor, set(lanes)) for actor, lanes in profile.lanes().items()}


def iteration(each: Slice) -> dict[str, int]:
    """Iteration numbers of the loops around an instruction."""
    return dict(zip(map(loop_name, each.work.loops), each.iterations, strict=True))


# --- Chrome trace ------------------------------------------------------------------------------------


def perfetto(profile: Profile) -> dict[str, Any]:
    """Slices by core and pipe; times are microseconds at the target's clock, with cycles as arguments."""
    return {
        "displayTimeUnit": "ns",
        "otherData": {
            "tool": "ptoas profile",
            "target": profile.target.name,
            "clock_mhz": profile.table.mhz,
            "estimate": "times are computed from published and fitted costs, not measured",
        },
        "traceEvents": list(_events(profile)),
    }


def _events(profile: Profile) -> Iterator[dict[str, Any]]:
    file, mhz = profile.source.filename, profile.table.mhz
    lanes = profile.timeline.lanes()
    names = actor_names(profile)
    process = {actor: n for n, actor in enumerate(names)}
    thread = {pipe: n for n, pipe in enumerate(LANES)}
    for actor, name in names.items():
        title = {"name": f"{name} (estimate, {profile.target.name})"}
        yield {"ph": "M", "name": "process_name", "pid": process[actor], "args": title}
        order = {"sort_index": process[actor]}
        yield {"ph": "M", "name": "process_sort_index", "pid": process[actor], "args": order}
    for actor, pipe in lanes:
        place = {"ph": "M", "pid": process[actor], "tid": thread[pipe]}
        yield {**place, "name": "thread_name", "args": {"name": PIPE_NAMES[pipe]}}
        yield {**place, "name": "thread_sort_index", "args": {"sort_index": thread[pipe]}}
    for each, stalls in zip(profile.timeline.slices, profile.stalls.slices, strict=True):
        yield {
            "ph": "X",
            "name": each.work.name,
            "cat": PIPE_NAMES[each.pipe],
            "pid": process[each.actor],
            "tid": thread[each.pipe],
            "ts": each.start / mhz,
            "dur": each.end / mhz - each.start / mhz,
            "args": {
                "line": f"{file}:{each.work.line}",
                "operands": [touch.operand.text() for touch in each.work.touches],
                "cycles": each.cycles,
                "waited": {stall.value: cycles for stall, cycles in stalls},
                "iteration": iteration(each),
                "cost": each.work.cost.text(),
            },
        }
    for number, arrow in enumerate(profile.timeline.arrows):
        source, target = profile.timeline.slices[arrow.source], profile.timeline.slices[arrow.target]
        flow = {"cat": "sync", "name": arrow.label, "id": number}
        # Inside the slice, so that a viewer finds whose end it is.
        inside = source.start + source.cycles * 0.999
        places = [{"pid": process[each.actor], "tid": thread[each.pipe]} for each in (source, target)]
        yield {**flow, "ph": "s", **places[0], "ts": inside / mhz}
        yield {**flow, "ph": "f", "bp": "e", **places[1], "ts": target.start / mhz}


# --- CSV, JSON ---------------------------------------------------------------------------------------

COLUMNS = ("line", "op", "pipe", "call_count", "cycles", "running_time(us)", "waited_cycles",
           *(f"waited_{stall.value}" for stall in Stall), "critical_cycles", "estimated", "code")  # fmt: skip


def csv_text(profile: Profile) -> str:
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for line in sorted(profile.lines(), key=lambda line: (line.line, line.pipe.value)):
        code = " ".join(profile.source.line_text(line.line).split())
        # A cell that begins so would be a formula in a spreadsheet.
        code = f"'{code}" if code[:1] in ("=", "+", "-", "@") else code
        time = round(line.cycles / profile.table.mhz, 4)
        waited = [round(cycles, 2) for cycles in (line.waited, *line.stalls.values())]
        numbers = (line.count, round(line.cycles, 2), time, *waited, round(line.critical, 2))
        writer.writerow((line.line, line.name, PIPE_NAMES[line.pipe], *numbers, int(line.estimated), code))
    return out.getvalue()


def as_dict(profile: Profile) -> dict[str, Any]:
    names = actor_names(profile)
    read, written = profile.moved
    return {
        "target": profile.target.name,
        "entry": profile.entry,
        "clock_mhz": profile.table.mhz,
        "total_cycles": profile.total,
        "range_cycles": [profile.low, profile.high],
        "microseconds": profile.microseconds,
        "instructions": profile.instructions,
        "bound_cycles": profile.bound,
        "slowdown": profile.slowdown,
        "confidence": profile.confidence(),
        "bytes": {"read": read, "written": written},
        "pipes": {
            names[actor]: {PIPE_NAMES[pipe]: lane_dict(lane) for pipe, lane in lanes.items()}
            for actor, lanes in profile.lanes().items()
        },
        "loops": [
            {
                "line": loop.line,
                "core": names[loop.actor],
                "iterations": loop.iterations,
                "cycles": loop.cycles,
                "pipes": {PIPE_NAMES[pipe]: lane_dict(lane) for pipe, lane in loop.lanes.items()},
            }
            for loop in profile.loops
        ],
        "lines": [
            {**vars(line), "pipe": PIPE_NAMES[line.pipe], "stalls": stalls_dict(line.stalls)}
            for line in sorted(profile.lines(), key=lambda e: e.line)
        ],
        "critical_path": [
            {**_place(each), "pipe": PIPE_NAMES[each.pipe], "count": n, "cycles": c}
            for each, n, c in profile.critical_lines()
        ],
        "slices": [
            {
                **_place(each),
                "core": names[each.actor],
                "pipe": PIPE_NAMES[each.pipe],
                "start": each.start,
                "end": each.end,
                "iteration": iteration(each),
            }
            for each in profile.timeline.slices
        ],
        "flags": [sync_dict(sync) for sync in profile.syncs],
        "remarks": [to_json(remark) for remark in profile.remarks],
        "notes": profile.trace.notes,
        "stats": profile.stats().as_dict(),
    }


def _place(each: Slice) -> dict[str, Any]:
    return {"line": each.work.line, "op": each.work.name}


def stalls_dict(stalls: dict[Stall, float]) -> dict[str, float]:
    """Cycles by the name of the reason."""
    return {stall.value: cycles for stall, cycles in stalls.items()}


def lane_dict(lane: Lane) -> dict[str, float]:
    """The time of a pipe; the numbers sum to the total."""
    return {"busy": lane.busy, **stalls_dict(lane.stalls), "idle": lane.idle}


def sync_dict(sync: Sync) -> dict[str, Any]:
    """A flag or barrier, and why it is there."""

    return {
        "op": sync.op.name.removeprefix("pto."),
        "lines": list(sync.lines),
        "inserted": reason_of(sync.op) is not None,
        "executions": sync.executions,
        "delay_cycles": sync.delay,
        "cost_cycles": sync.cost,
        "reasons": [reason.text() for reason in sync.best()],
    }
