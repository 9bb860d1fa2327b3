"""Scalar stores of different actors to one line of the data cache (D53).

A scalar store has no mask of bytes: the core writes the whole line back, with the bytes that were in memory
when it fetched it. Two actors that nothing orders lose what one of them has written to a common line, also
where they have no byte in common.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from ptoas.analysis.visibility import LINE
from ptoas.diagnostics import Diagnostic, Note
from ptoas.machine.accesses import AccessRecord, united
from ptoas.machine.actors import Launch
from ptoas.machine.arrays import Array, np
from ptoas.machine.errors import finding


@dataclass
class _Writer:
    """Writes of one actor to one memory."""

    records: list[AccessRecord]
    lines: Array
    """The numbers of the lines, in order."""
    pieces: Array
    scalar: bool


def shared_lines(records: Sequence[AccessRecord], launch: Launch, target: str) -> list[Diagnostic]:
    """The first two actors that write one line of a memory in no order, one of them scalars."""
    by_actor: defaultdict[tuple[int, bool], list[AccessRecord]] = defaultdict(list)
    for record in records:
        if record.write and record.origin is not None:
            by_actor[record.actor, record.scalar].append(record)
    if len({actor for actor, _ in by_actor}) < 2 or not any(scalar for _, scalar in by_actor):
        return []
    writers = [_writer(found, scalar) for (_, scalar), found in by_actor.items()]
    for one, other in combinations(writers, 2):
        if not (one.scalar or other.scalar) or one.records[0].actor == other.records[0].actor:
            continue
        common = np.intersect1d(one.lines, other.lines)
        if len(common) and not _write_the_same(one, other, common):
            pair = _unordered(one, other, common)
            if pair is not None:
                return [_report(*pair, int(common[0]), launch, target)]
    return []


def _writer(records: list[AccessRecord], scalar: bool) -> _Writer:
    pieces = united(np.concatenate([_pieces(record) for record in records]))
    return _Writer(records, _lines(pieces), pieces, scalar)


def _pieces(record: AccessRecord) -> Array:
    return record.pieces - record.origin


def _lines(pieces: Array) -> Array:
    """The numbers of the lines that pieces touch."""
    first, last = pieces[:, 0] // LINE, (pieces[:, 1] - 1) // LINE
    return np.unique(np.concatenate([np.arange(a, b + 1) for a, b in zip(first, last, strict=True)]))


def _write_the_same(one: _Writer, other: _Writer, common: Array) -> bool:
    """Return True if both write the same bytes of the common lines: each has all that it writes back."""
    return one.scalar and other.scalar and np.array_equal(_in(one.pieces, common), _in(other.pieces, common))


def _in(pieces: Array, lines: Array) -> Array:
    first, last = pieces[:, 0] // LINE, (pieces[:, 1] - 1) // LINE
    return pieces[np.isin(first, lines) | np.isin(last, lines)]


def _unordered(one: _Writer, other: _Writer, common: Array) -> tuple[AccessRecord, AccessRecord] | None:
    for first in one.records:
        for second in other.records:
            if first.before(second) or second.before(first):
                continue
            both = np.intersect1d(_lines(_pieces(first)), _lines(_pieces(second)))
            if len(np.intersect1d(both, common)):
                return (first, second) if first.scalar else (second, first)
    return None


def _report(one: AccessRecord, other: AccessRecord, line: int, launch: Launch, target: str) -> Diagnostic:
    actors = launch.names([one.actor, other.actor])
    through = f"({one.what})" if one.what == other.what else f"({one.what} and {other.what})"
    return finding(
        "PTO-R313",
        f"{actors} write to bytes {line * LINE} to {(line + 1) * LINE - 1} of %{one.name} {through}: each "
        "writes the whole line back, and what one of them has stored is lost",
        span=one.span,
        notes=() if one.span == other.span else (Note("the other store", other.span),),
        fix=f"let each write lines of {LINE} bytes of its own",
        target=target,
    )
