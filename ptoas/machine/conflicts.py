"""Unordered accesses of different actors to common bytes.

Two accesses of different actors conflict if one of them writes and no chain of releases and acquires orders
them. That is the same however the actors take turns. A scalar that one stores and another loads is how actors
tell each other something, and no conflict; nor are atomic accesses of one kind.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product

from ptoas.diagnostics import Diagnostic, Note
from ptoas.machine.accesses import AccessRecord
from ptoas.machine.actors import Launch
from ptoas.machine.arrays import Array, np
from ptoas.machine.errors import finding

MOST_NAMED = 8
"""Actors that a report names for one pair of statements."""


def conflicts(records: Iterable[AccessRecord], launch: Launch, target: str) -> list[Diagnostic]:
    """Each pair of statements once, with the actors concerned."""
    by_memory: defaultdict[int, list[AccessRecord]] = defaultdict(list)
    for record in records:
        by_memory[record.memory].append(record)
    return [
        diagnostic
        for touched in by_memory.values()
        for diagnostic in _of_memory(_suspects(touched), launch, target)
    ]


def share_written_bytes(parts: Sequence[Sequence[AccessRecord]]) -> bool:
    """Return True if two accesses touch a common byte and one writes it, in any order."""
    by_memory: defaultdict[int, list[AccessRecord]] = defaultdict(list)
    for number, records in enumerate(parts):
        for record in records:
            by_memory[record.memory].append(replace(record, actor=number, atomic=None))
    return any(_suspects(touched) for touched in by_memory.values())


def _of_memory(records: Sequence[AccessRecord], launch: Launch, target: str) -> list[Diagnostic]:
    statements: defaultdict[tuple[int, str, bool], list[AccessRecord]] = defaultdict(list)
    for record in records:
        statements[record.span.offset, record.what, record.write].append(record)
    groups = list(statements.values())
    found: list[Diagnostic] = []
    for (n, writers), (m, others) in product(enumerate(groups), repeat=2):
        # Two statements that write are one pair, whichever is looked at first.
        if writers[0].write and not (others[0].write and m < n):
            pairs = _clashes(writers, others)
            if pairs:
                found.append(_report(pairs, launch, target))
    return found


def _clashes(
    writers: Sequence[AccessRecord], others: Sequence[AccessRecord]
) -> list[tuple[AccessRecord, AccessRecord]]:
    """The first other actor that each writer conflicts with."""
    found: dict[int, tuple[AccessRecord, AccessRecord]] = {}
    for writer in writers:
        if writer.actor in found:
            continue
        later = (o for o in others if writers is not others or o.actor > writer.actor)
        other = next((other for other in later if _unordered(writer, other)), None)
        if other is not None:
            found[writer.actor] = writer, other
        if len(found) == MOST_NAMED:
            break
    return list(found.values())


def _unordered(writer: AccessRecord, other: AccessRecord) -> bool:
    if writer.actor == other.actor or writer.before(other) or other.before(writer):
        return False
    if writer.scalar and other.scalar and not other.write:
        return False
    if writer.atomic is not None and writer.atomic == other.atomic:
        return False
    return _meet(writer.pieces, other.pieces)


def _meet(a: Array, b: Array) -> bool:
    """Return True if two lists of intervals have a common byte."""
    at = np.searchsorted(b[:, 1], a[:, 0], "right")
    inside = at < len(b)
    return bool((b[at[inside], 0] < a[inside, 1]).any())


def _suspects(records: Sequence[AccessRecord]) -> list[AccessRecord]:
    """Accesses to bytes that several actors touch and one writes; usually none."""
    if not any(record.write for record in records) or len({record.actor for record in records}) < 2:
        return []
    kinds = {kind: -1 - n for n, kind in enumerate({r.atomic for r in records if r.atomic is not None})}
    who = np.repeat(
        [record.actor if record.atomic is None else kinds[record.atomic] for record in records],
        [len(record.pieces) for record in records],
    )
    pieces = np.concatenate([record.pieces for record in records])
    writes = np.repeat([r.write for r in records], [len(r.pieces) for r in records])
    bounds = np.unique(pieces)
    several = (_covered(bounds, pieces, who) > 1) & (_covered(bounds, pieces[writes], who[writes]) > 0)
    before = np.concatenate([[0], np.cumsum(several)])
    return [
        record
        for record in records
        if (before[np.searchsorted(bounds, record.pieces)] @ np.array([-1, 1])).any()
    ]


def _covered(bounds: Array, pieces: Array, who: Array) -> Array:
    """The number of actors that touch each interval between two bounds."""
    size = len(bounds)
    order = np.lexsort((pieces[:, 0], who))
    pieces, base = pieces[order], who[order] * size
    starts, ends = (np.searchsorted(bounds, pieces[:, side]) for side in (0, 1))
    # Pieces of one actor count once: what an earlier one of it covers is cut off.
    reached = np.concatenate([[base[0]], np.maximum.accumulate(ends + base)[:-1]]) - base
    starts = np.minimum(np.maximum(starts, reached), ends)
    return np.cumsum(np.bincount(starts, minlength=size) - np.bincount(ends, minlength=size))


def _report(pairs: Sequence[tuple[AccessRecord, AccessRecord]], launch: Launch, target: str) -> Diagnostic:
    writer, other = pairs[0]
    actors = {record.actor for record, _ in pairs}
    there = launch.names([other.actor])
    does = "writes" if other.write else "reads"
    if (writer.what, writer.span, other.write) == (other.what, other.span, True):
        # Each of them is a writer and the other.
        actors |= {record.actor for _, record in pairs}
        what = f"{launch.names(actors)} write %{writer.name} ({writer.what}), and nothing orders these"
    else:
        verb = "write" if len(actors) > 1 else "writes"
        what = (
            f"{launch.names(actors)} {verb} %{writer.name} ({writer.what}), and nothing orders that before "
            f"or after {there}, which {does} it ({other.what})"
        )
    notes = [Note(f"{there} {does} it here", other.span)]
    fix = None
    if writer.signal_op is not None:
        signal_label, where = writer.signal_op
        notes.append(Note(f"{signal_label} is sent before a fence makes the write visible", where))
        fix = "add `fence.barrier_all #pto.fence_scope<gm>` between the write and the notification"
    code, description = _kind(launch, {*actors, other.actor})
    return finding(code, what, span=writer.span, notes=tuple(notes), fix=fix or description, target=target)


def _kind(launch: Launch, actors: set[int]) -> tuple[str, str | None]:
    """The level of the unordered actors (cores, blocks or ranks), and the operation that would order
    them.
    """
    places = {launch.place(actor)[:2] for actor in actors}
    if len(places) == 1:
        return "PTO-R915", "add a channel, or set_intra_block and wait_intra_block, between the two"
    if len({rank for rank, _ in places}) == 1:
        return "PTO-R306", "let each block write a part of its own, or combine with an atomic store"
    return "PTO-R802", None
