"""Optimisation remarks, from the timeline, the indices of gathers and the reasons of flags."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from ptoas.diagnostics import Diagnostic, Note, Severity
from ptoas.dialects.pto.enums import Coalesce, GatherOOB, Pipe
from ptoas.dialects.pto.gather import IndexedMemoryOp
from ptoas.dialects.pto.memory import TLoadOp
from ptoas.grammar.spans import span_of
from ptoas.lowering.provenance import reason_of
from ptoas.machine.errors import line_of
from ptoas.profiling.dependences import Dependences
from ptoas.profiling.loops import covered, repeated_loops
from ptoas.profiling.reasons import Sync
from ptoas.profiling.record import Trace
from ptoas.profiling.timeline import NOTHING, Cause, Slice, Timeline
from ptoas.profiling.work import BURST, GM, Work

MOST_IDLE = 0.5
"""The share of idle threads past which a launch is worth a remark."""
SCATTERED = 2.0
"""Ratio of bursts to those of sorted indices from which a remark is made."""
FEW = 64
"""Indices below which their order does not matter."""
DOMINATES = 0.5
OVERLAPS = 1.05
"""Ratio of a loop's time to its lower bound from which a remark is made."""


def remarks(
    trace: Trace, timeline: Timeline, bound: Timeline, fresh: Timeline, needs: Dependences, syncs: list[Sync]
) -> list[Diagnostic]:
    """All remarks, in the order of the program."""
    works = list(dict.fromkeys(trace.executed()))
    found = [
        *_gathers(trace),
        *_launches(works),
        *_narrow_loads(works),
        *_scalar_walks(timeline),
        *_loops(timeline, bound, fresh, needs),
        *_needless(syncs),
    ]
    once = {(each.code, each.span.offset, each.span.file): each for each in reversed(found)}
    return sorted(once.values(), key=Diagnostic.sort_key)


def _remark(
    code: str, message: str, op: Operation, fix: str | None = None, notes: tuple[Note, ...] = ()
) -> Diagnostic:
    return Diagnostic(code, message, span_of(op), Severity.NOTE, notes, fix, op=op)


def _gathers(trace: Trace) -> Iterator[Diagnostic]:
    for op, seen in trace.patterns.indices.items() if trace.patterns else ():
        launches = trace.target.uses_simt(op)
        if not seen.by_row and seen.whole_rows and seen.count:
            yield _remark(
                "PTO-O101",
                f"all {seen.count:,} indices of this Elem gather count through whole rows of the table; in "
                "Row mode that is one transfer a row",
                op,
                fix="write mgather.row with one index a row",
            )
        elif launches and seen.count >= FEW and seen.bursts > SCATTERED * seen.sorted_bursts:
            yield _remark(
                "PTO-O102",
                f"the indices touch {seen.bursts:,} pieces of {BURST} bytes; sorted they would touch "
                f"{seen.sorted_bursts:,}",
                op,
                fix="sort the indices, or lay the table out in the order of use",
            )
        if seen.by_row and 0 < seen.row_bytes < BURST:
            yield _remark(
                "PTO-O104", f"a row has {seen.row_bytes} bytes, a burst of global memory {BURST}", op
            )
        zero = trace.target.value(op, "gatherOob") is GatherOOB.Zero
        if zero and seen.count and not seen.outside:
            yield _remark(
                "PTO-O105",
                f"none of the {seen.count:,} indices of this run is outside the {seen.capacity:,} that the "
                "table has",
                op,
                fix="leave the mode out where the indices are known to be in bounds",
            )


def _launches(works: list[Work]) -> Iterator[Diagnostic]:
    for work in works:
        idle = work.cost.values.get("idle", 0.0)
        if isinstance(work.op, IndexedMemoryOp) and work.pipe is Pipe.PIPE_V and idle > MOST_IDLE:
            rows, cols = (int(work.cost.values[name]) for name in ("rows", "cols"))
            yield _remark(
                "PTO-O103", f"{idle:.0%} of the launched threads have no element of {rows}x{cols}", work.op
            )


def _narrow_loads(works: list[Work]) -> Iterator[Diagnostic]:
    for work in works:
        if not isinstance(work.op, TLoadOp):
            continue
        view = next((t.operand for t in work.touches if t.operand.memory == GM), None)
        if view is None or view.rows < 2 or view.nz:
            continue
        row = view.cols * view.size
        if row < BURST and view.span > view.bytes:
            yield _remark(
                "PTO-O104",
                f"the load has {view.rows} rows of {row} bytes with gaps between them; a burst of global "
                f"memory has {BURST}",
                work.op,
            )


def _scalar_walks(timeline: Timeline) -> Iterator[Diagnostic]:
    cycles: dict[Operation, float] = {}
    for each in timeline.slices:
        by_element = each.work.cost.key.endswith(f".{Coalesce.Elem.value}")
        if each.pipe is Pipe.PIPE_S and by_element:
            cycles[each.work.op] = cycles.get(each.work.op, 0.0) + each.cycles
    busy = sum(each.cycles for each in timeline.slices)
    total = sum(cycles.values())
    if busy and total > DOMINATES * busy:
        op = max(cycles, key=lambda each: cycles[each])
        yield _remark(
            "PTO-O106",
            f"gathers by element on the scalar pipe take {total / busy:.0%} of all pipes' time, "
            f"this one {cycles[op]:,.0f} cycles",
            op,
            fix="gather rows, or load the table into a tile and use tgather",
        )


# --- loops -----------------------------------------------------------------------------------------


def _loops(timeline: Timeline, data: Timeline, fresh: Timeline, needs: Dependences) -> Iterator[Diagnostic]:
    """Remarks on loops that lose time to single buffers, or to flags that wait for more than they order."""
    for _, _, depth, numbers in repeated_loops(timeline):
        taken, needed, free = (
            covered((one.slices[n].start, one.slices[n].end) for n in numbers)
            for one in (timeline, data, fresh)
        )
        if needed > OVERLAPS * free and needed - free > taken - needed:
            yield from _one_buffer(data, needs, numbers, depth, needed, free)
        elif taken > OVERLAPS * needed:
            yield from _coarse_flags(timeline, needs, numbers, taken, needed)


def _one_buffer(
    data: Timeline, needs: Dependences, numbers: list[int], depth: int, needed: float, free: float
) -> Iterator[Diagnostic]:
    """The instruction that loses most because the tile that it fills is in use since the turn before."""
    lost: dict[tuple[Operation, Operation], float] = {}
    found: dict[tuple[Operation, Operation], tuple[Slice, Slice, str]] = {}
    for n in numbers:
        each = data.slices[n]
        if each.via is not Cause.REUSE:
            continue
        user = data.slices[each.cause]
        if user.iterations[:depth] != each.iterations[:depth] and user.pipe is not each.pipe:
            key = (each.work.op, user.work.op)
            lost[key] = lost.get(key, 0.0) + each.waited
            found[key] = (each, user, needs.reuse[n][each.cause])
    if not lost:
        return
    key = max(lost, key=lambda key: lost[key])
    each, user, name = found[key]
    loop = each.work.loops[depth - 1]
    yield _remark(
        "PTO-O107",
        f"the loop at line {line_of(loop)} does not overlap because line {each.work.line} ({each.work.name}) "
        f"waits for line {user.work.line} ({user.work.name}) of the turn before: both use %{name}; with two "
        f"buffers it would take about {free:,.0f} cycles, not {needed:,.0f}",
        each.work.op,
        fix=f"use two tiles in turns for %{name}",
        notes=(Note(f"{user.work.name} uses %{name} here", span_of(user.work.op)),),
    )


def _coarse_flags(
    timeline: Timeline, needs: Dependences, numbers: list[int], taken: float, needed: float
) -> Iterator[Diagnostic]:
    """The wait that goes on longest after the data of its instruction is there."""
    lost: dict[Operation, float] = {}
    found: dict[Operation, Slice] = {}
    for n in numbers:
        each = timeline.slices[n]
        if isinstance(each.via, Operation):
            after = (*needs.data[n], *needs.reuse[n])
            ready = max([each.free, *(timeline.slices[m].end for m in after)])
            if each.start > ready:
                lost[each.via] = lost.get(each.via, 0.0) + each.start - ready
                found[each.via] = each
    if not lost:
        return
    via = max(lost, key=lambda op: lost[op])
    each = found[via]
    cause = timeline.slices[each.cause].work if each.cause != NOTHING else each.work
    inserted = " (set by the compiler)" if reason_of(via) is not None else ""
    yield _remark(
        "PTO-O109",
        f"line {each.work.line} ({each.work.name}) waits for line {cause.line} ({cause.name}) at a "
        f"flag{inserted} that orders less: the loop takes {taken:,.0f} cycles, its data alone about "
        f"{needed:,.0f}",
        each.work.op,
        fix="raise a flag of its own right after the last use of what the instruction touches",
    )


# --- flags -----------------------------------------------------------------------------------------


def _needless(syncs: list[Sync]) -> Iterator[Diagnostic]:
    for sync in syncs:
        if sync.reasons or reason_of(sync.op) is not None:
            continue
        cost = f"it costs {sync.delay:,.0f} cycles and" if sync.delay else "it"
        what = "this barrier" if sync.is_barrier else "this wait for a flag"
        notes = (Note("the flag is raised here", span_of(sync.raised)),) if sync.raised is not None else ()
        yield _remark(
            "PTO-O108",
            f"{what}: {cost} orders nothing in this run",
            sync.op,
            fix="leave it out" if sync.is_barrier else "leave the pair out",
            notes=notes,
        )
