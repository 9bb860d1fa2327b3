"""Event ids for flags: two flags between the same pipes that are up together need two ids."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from heapq import heapify, heappop, heappush

from xdsl.ir import Operation

from ptoas.analysis.effects import Flag
from ptoas.analysis.structure import Order
from ptoas.dialects.pto.clauses import first_clause
from ptoas.dialects.pto.enums import Event
from ptoas.lowering.flag_pairs import Pair, SlotFlags

_Span = tuple[int, int]
_Used = list[list[_Span]]
"""For each event, when it is used in another way than by a pair."""

_EVENT_NUMBER = {event: number for number, event in enumerate(Event)}


def allocate_events(
    pairs: Sequence[Pair],
    slots: Sequence[SlotFlags],
    order: Order,
    reserved: Mapping[Operation, Collection[Flag]],
    count: int,
    written: Collection[Flag] = (),
) -> list[Pair]:
    """Give each pair the lowest id that is down while it is up; raise flags later where ids run out.

    The program's own events, which stay where they are, get theirs first. Then flags of slots do, but never
    the last one; return pairs in the place of those that get none. A pair that finds no id keeps -1.
    `reserved` are the flags that an instruction, or what is called, raises itself: such an id must be down
    around it. `written` are those of the program: no pair may have them.
    """
    by_pipes: dict[tuple[object, object], list[Pair]] = {}
    for pair in pairs:
        if pair.record is None:
            by_pipes.setdefault(pair.pipes, []).append(pair)
    used: dict[tuple[object, object], _Used] = {}
    for op, flags in reserved.items():
        at = 2 * order.start[op]
        for source, destination, event in flags:
            in_use = used.setdefault((source, destination), [[] for _ in range(count)])
            in_use[_EVENT_NUMBER[event]].append((at, at))
    for source, destination, event in written:
        in_use = used.setdefault((source, destination), [[] for _ in range(count)])
        in_use[_EVENT_NUMBER[event]] = [(-1, 2 * len(order.start) + 1)]
    for pair in pairs:
        if pair.record is not None:
            _allocate_event(pair, order, used.setdefault(pair.pipes, [[] for _ in range(count)]))
    added: list[Pair] = []
    for flags in slots:
        in_use = used.setdefault(flags.pipes, [[] for _ in range(count)])
        if not _allocate_slots(flags, order, in_use):
            for pair in flags.pairs():
                added.append(pair)
                by_pipes.setdefault(pair.pipes, []).append(pair)
    for pipes, members in by_pipes.items():
        in_use = used.get(pipes, [[] for _ in range(count)])
        _colour(members, order, [sorted(spans) for spans in in_use])
    return added


def _allocate_event(pair: Pair, order: Order, used: _Used) -> None:
    """Find an id for an event of the program."""
    span = _span(pair, order)
    for event, spans in enumerate(used):
        if not any(_overlap(span, other) for other in spans):
            pair.event = event
            spans.append(span)
            return


def _allocate_slots(flags: SlotFlags, order: Order, used: _Used) -> bool:
    """Find events in a row for a loop, as many as are left; return False if there are none."""
    span = 2 * order.start[flags.loop], 2 * order.end[flags.loop] + 1
    needed = flags.count
    for size in range(needed, min(needed, 2) - 1, -1):
        for first in range(len(used) - size):
            ids = used[first : first + size]
            if not any(_overlap(span, other) for spans in ids for other in spans):
                flags.event = first
                if size < needed:
                    flags.shorten(size)
                for spans in ids:
                    spans.append(span)
                return True
    return False


def _overlap(one: _Span, other: _Span) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def _span(pair: Pair, order: Order) -> tuple[int, int]:
    """The interval in which the flag is set: odd numbers are after operations, even ones before."""
    down = 2 * order.start[pair.before]
    if pair.after is not None:
        return 2 * order.end[pair.after] + 1, down
    first = pair.block.first_op
    assert first is not None
    return 2 * order.start[first] - 1, down


def _colour(pairs: list[Pair], order: Order, used: _Used) -> None:
    spans = {id(pair): _span(pair, order) for pair in pairs}
    numbers = {id(pair): number for number, pair in enumerate(pairs)}
    waiting = [(spans[id(pair)], number, pair) for number, pair in enumerate(pairs)]
    heapify(waiting)
    shortened: set[int] = set()
    up: list[Pair] = []
    while waiting:
        (raised, down), number, pair = heappop(waiting)
        up = [other for other in up if spans[id(other)][1] >= raised]
        taken = {other.event for other in up}
        event = next(
            (e for e, spans in enumerate(used) if e not in taken and not _clashes(spans, raised, down)), None
        )
        if event is None:
            # No id is left: the flag that is awaited last is raised right before that instead. It then waits
            # for more than it needs to, never for less.
            movable = [other for other in (pair, *up) if id(other) not in shortened]
            if not movable:
                pair.event, pair.note = -1, "; no event is left, so all pipes wait"
                continue
            victim = max(movable, key=lambda p: spans[id(p)][1])
            shortened.add(id(victim))
            victim.after = first_clause(victim.before).prev_op
            victim.note = "; set as late as this because no event is left"
            spans[id(victim)] = _span(victim, order)
            heappush(waiting, (spans[id(victim)], numbers[id(victim)], victim))
            if victim is not pair:
                up.remove(victim)
                heappush(waiting, ((raised, down), number, pair))
            continue
        pair.event = event
        up.append(pair)


def _clashes(spans: list[_Span], raised: int, down: int) -> bool:
    """Return True if an id is used in another way while the flag is set; the spans do not overlap."""
    at = bisect_left(spans, (down, down))
    return at > 0 and spans[at - 1][1] > raised
