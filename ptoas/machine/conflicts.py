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

from ptoas.analysis.visibility import LINE
from ptoas.diagnostics import Diagnostic, Note
from ptoas.machine.accesses import AccessRecord, united
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
        for diagnostic in _of_memory(_suspects(touched), launch, target) or _of_lines(touched, launch, target)
    ]


def share_written_bytes(parts: Sequence[Sequence[AccessRecord]]) -> bool:
    """Return True if two accesses touch a common byte and one writes it, in any order."""
    by_memory: defaultdict[int, list[AccessRecord]] = defaultdict(list)
    for number, records in enumerate(parts):
        for record in records:
            by_memory[record.memory].append(replace(record, actor=number, atomic=None))
    return any(_suspects(touched) for touched in by_memory.values())


def _of_lines(records: Sequence[AccessRecord], launch: Launch, target: str) -> list[Diagnostic]:
    """The first two actors that write to one line in no order, one of them through the data cache (D53)."""
    writes = [record for record in records if record.write]
    rests = _rests_of_lines(writes)
    suspects = set(_suspects([*rests, *writes])) if rests else set[AccessRecord]()
    pairs = product(
        (rest for rest in rests if rest in suspects), (each for each in writes if each in suspects)
    )
    for rest, other in pairs:
        if _unordered(rest, other):
            return [_lost_line(rest, other, launch, target)]
    return []


def _rests_of_lines(writes: Sequence[AccessRecord]) -> list[AccessRecord]:
    """The rest of the lines that scalar stores write back: bytes that their actor has not stored."""
    by_actor: defaultdict[int, list[AccessRecord]] = defaultdict(list)
    for record in writes:
        if record.cached:
            by_actor[record.actor].append(record)
    found: list[AccessRecord] = []
    for stores in by_actor.values():
        first, end = united(np.concatenate([store.pieces for store in stores])).T
        before = np.maximum(first // LINE * LINE, np.append(0, end[:-1])), first
        behind = end, np.minimum(-(-end // LINE) * LINE, np.append(first[1:], end[-1] + LINE))
        rest = np.unique(np.hstack([before, behind]).T, axis=0)
        rest = rest[rest[:, 0] < rest[:, 1]]
        for store in stores:
            own = np.isin(rest[:, 0] // LINE, (store.pieces - [0, 1]) // LINE)
            found.append(replace(store, pieces=rest[own], atomic=None))
    return found


def _lost_line(store: AccessRecord, other: AccessRecord, launch: Launch, target: str) -> Diagnostic:
    at = int(_common(store.pieces, other.pieces)[0, 0]) // LINE * LINE
    through = f"({store.what})" if store.what == other.what else f"({store.what} and {other.what})"
    return finding(
        "PTO-R313",
        f"{launch.names([store.actor, other.actor])} write to bytes {at} to {at + LINE - 1} of %{store.name} "
        f"{through}: each writes the whole line back, and what one of them has stored is lost",
        span=store.span,
        notes=() if store.span == other.span else (Note("the other write", other.span),),
        fix=f"let each write lines of {LINE} bytes of its own",
        target=target,
    )


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
    return bool(len(_common(writer.pieces, other.pieces)))


def _common(a: Array, b: Array) -> Array:
    """The intervals of a list that have bytes in common with intervals of another."""
    at = np.searchsorted(b[:, 1], a[:, 0], "right")
    inside = at < len(b)
    return a[inside][b[at[inside], 0] < a[inside, 1]]


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
