"""What could be faster, from the timeline, the indices of gathers and the reasons of flags."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from ptoas.diagnostics import Diagnostic, Note, Severity
from ptoas.dialects.pto.enums import Coalesce, GatherOOB, Pipe
from ptoas.dialects.pto.gather import IndexedMemoryOp
from ptoas.dialects.pto.memory import TLoadOp
from ptoas.location import span_of
from ptoas.lowering.because import reason_of
from ptoas.machine.errors import line_of
from ptoas.profiling.reasons import Reason, Sync
from ptoas.profiling.record import Trace, What
from ptoas.profiling.timeline import Slice, Timeline
from ptoas.profiling.work import BURST, GM, Work

MOST_IDLE = 0.5
"""The share of idle threads past which a launch is worth a remark."""
SCATTERED = 2.0
"""How many times as many bursts as sorted indices would touch."""
FEW = 64
"""Indices below which their order does not matter."""
DOMINATES = 0.5
OVERLAPS = 1.2
"""How many times as long as its busiest pipe a loop may take."""
WORTH = 0.25
"""The share of that which one instruction must wait to be called the reason."""


def remarks(trace: Trace, timeline: Timeline, syncs: list[Sync]) -> list[Diagnostic]:
    """All remarks, in the order of the program."""
    works = {id(e.subject): e.subject for e in trace.events if e.what is What.WORK}
    found = [
        *_gathers(trace),
        *_launches(list(works.values())),
        *_narrow_loads(list(works.values())),
        *_scalar_walks(timeline),
        *_loops(timeline, syncs),
        *_needless(syncs),
    ]
    once = {(each.code, each.span.offset, each.span.file): each for each in reversed(found)}
    return sorted(once.values(), key=Diagnostic.sort_key)


def _remark(
    code: str, message: str, op: Operation, fix: str | None = None, notes: tuple[Note, ...] = ()
) -> Diagnostic:
    return Diagnostic(code, message, span_of(op), Severity.NOTE, notes, fix)


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
    walks: dict[Operation, float] = {}
    for each in timeline.slices:
        by_element = each.work.cost.key.endswith(f".{Coalesce.Elem.value}")
        if each.pipe is Pipe.PIPE_S and by_element:
            walks[each.work.op] = walks.get(each.work.op, 0.0) + each.cycles
    busy = sum(each.cycles for each in timeline.slices)
    total = sum(walks.values())
    if busy and total > DOMINATES * busy:
        op = max(walks, key=lambda each: walks[each])
        yield _remark(
            "PTO-O106",
            f"scalar walks of gathers take {total / busy:.0%} of all pipes' time, this one {walks[op]:,.0f} "
            "cycles",
            op,
            fix="gather rows, or load the table into a tile and use tgather",
        )


# --- loops -----------------------------------------------------------------------------------------


def _loops(timeline: Timeline, syncs: list[Sync]) -> Iterator[Diagnostic]:
    refills = _refills(syncs)
    by_loop: dict[tuple[Operation, object], list[Slice]] = {}
    for each in timeline.slices:
        for loop in each.work.loops:
            by_loop.setdefault((loop, each.actor), []).append(each)
    for (loop, _), slices in by_loop.items():
        depth = slices[0].work.loops.index(loop)
        if len({each.turns[: depth + 1] for each in slices}) < 2:
            continue
        busy: dict[Pipe, float] = {}
        for each in slices:
            busy[each.pipe] = busy.get(each.pipe, 0.0) + each.cycles
        covered, bound = _covered(slices), max(busy.values())
        if len(busy) < 2 or covered <= OVERLAPS * bound:
            continue
        blocked = _blocked(slices, depth, refills)
        if blocked is None or blocked[3] < WORTH * (covered - bound):
            continue
        one, other, name, waited = blocked
        yield _remark(
            "PTO-O107",
            f"the loop at line {line_of(loop)} does not overlap because line {one.line} ({one.name}) waits "
            f"for line {other.line} ({other.name}) of the turn before, {waited:,.0f} of {covered:,.0f} "
            f"cycles: both use %{name}; with two buffers it would take about {bound:,.0f}",
            one.op,
            fix=f"use two tiles in turns for %{name}",
            notes=(Note(f"{other.name} uses %{name} here", span_of(other.op)),),
        )


def _covered(slices: list[Slice]) -> float:
    """Cycles in which at least one of the slices goes on."""
    total, end = 0.0, 0.0
    for each in sorted(slices, key=lambda each: each.start):
        if each.end > end:
            total += each.end - max(end, each.start)
            end = each.end
    return total


def _blocked(
    slices: list[Slice], depth: int, refills: dict[Operation, dict[Operation, Reason]]
) -> tuple[Work, Work, str, float] | None:
    """The instruction that loses most because the tile that it fills is in use since the turn before.

    What it loses counts from when it could have started if its pipe had waited for nothing in its turn: a
    flag of another instruction may make it wait longer than its own tile does.
    """
    lost: dict[tuple[Operation, Operation], float] = {}
    found: dict[tuple[Operation, Operation], tuple[Work, Work, str]] = {}
    latest: dict[Operation, Slice] = {}
    waited: dict[tuple[object, ...], float] = {}
    for each in slices:
        turn = each.turns[: depth + 1]
        lane = (each.pipe, turn)
        waited[lane] = waited.get(lane, 0.0) + each.waited
        ideal = each.start - waited[lane]
        for first, reason in refills.get(each.work.op, {}).items():
            user = latest.get(first)
            if user is None or user.pipe is each.pipe or user.turns[: depth + 1] == turn or user.end <= ideal:
                continue
            key = (each.work.op, user.work.op)
            lost[key] = lost.get(key, 0.0) + user.end - ideal
            found[key] = (each.work, user.work, reason.name)
        latest[each.work.op] = each
    longest = max(lost, key=lambda key: lost[key], default=None)
    return None if longest is None else (*found[longest], lost[longest])


def _refills(syncs: list[Sync]) -> dict[Operation, dict[Operation, Reason]]:
    """By instruction, why it has to wait for which others before it fills a local tile."""
    found: dict[Operation, dict[Operation, Reason]] = {}
    for reason in (reason for sync in syncs for reason in sync.reasons.values()):
        filled = {t.operand.name for t in reason.second.touches if t.write and t.operand.memory != GM}
        if reason.writes and reason.name in filled:
            found.setdefault(reason.second.op, {})[reason.first.op] = reason
    return found


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
