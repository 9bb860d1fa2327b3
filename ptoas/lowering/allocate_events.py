"""Event ids for flags: two flags between the same pipes that are up together need two ids."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from heapq import heapify, heappop, heappush

from xdsl.ir import Operation

from ptoas.analysis.effects import Flag
from ptoas.analysis.structure import Order
from ptoas.dialects.pto.clauses import first_clause
from ptoas.dialects.pto.enums import Event, Pipe
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
    by_pipes: defaultdict[tuple[Pipe, Pipe], list[Pair]] = defaultdict(list)
    for pair in pairs:
        if pair.record is None:
            by_pipes[pair.pipes].append(pair)
    used: defaultdict[tuple[Pipe, Pipe], _Used] = defaultdict(lambda: [[] for _ in range(count)])
    for op, flags in reserved.items():
        at = 2 * order.start[op]
        for source, destination, event in flags:
            used[source, destination][_EVENT_NUMBER[event]].append((at, at))
    for source, destination, event in written:
        used[source, destination][_EVENT_NUMBER[event]] = [(-1, 2 * len(order.start) + 1)]
    for pair in pairs:
        if pair.record is not None:
            _allocate_event(pair, order, used[pair.pipes])
    added: list[Pair] = []
    for flags in slots:
        if not _allocate_slots(flags, order, used[flags.pipes]):
            added += flags.pairs()
    for pair in added:
        by_pipes[pair.pipes].append(pair)
    for pipes, members in by_pipes.items():
        _colour(members, order, [sorted(spans) for spans in used[pipes]])
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
    spans = {pair: _span(pair, order) for pair in pairs}
    numbers = {pair: number for number, pair in enumerate(pairs)}
    waiting = [(spans[pair], number, pair) for pair, number in numbers.items()]
    heapify(waiting)
    shortened: set[Pair] = set()
    up: list[Pair] = []
    while waiting:
        (raised, down), number, pair = heappop(waiting)
        up = [other for other in up if spans[other][1] >= raised]
        taken = {other.event for other in up}
        event = next(
            (e for e, busy in enumerate(used) if e not in taken and not _clashes(busy, raised, down)), None
        )
        if event is not None:
            pair.event = event
            up.append(pair)
            continue
        # No id is left: the flag that is awaited last is raised right before that instead. It then waits
        # for more than it needs to, never for less.
        movable = [other for other in (pair, *up) if other not in shortened]
        if not movable:
            pair.event, pair.note = -1, "; no event is left, so all pipes wait"
            continue
        victim = max(movable, key=lambda each: spans[each][1])
        shortened.add(victim)
        victim.after = first_clause(victim.before).prev_op
        victim.note = "; set as late as this because no event is left"
        spans[victim] = _span(victim, order)
        heappush(waiting, (spans[victim], numbers[victim], victim))
        if victim is not pair:
            up.remove(victim)
            heappush(waiting, ((raised, down), number, pair))


def _clashes(spans: list[_Span], raised: int, down: int) -> bool:
    """Return True if an id is used in another way while the flag is set; the spans do not overlap."""
    at = bisect_left(spans, (down, down))
    return at > 0 and spans[at - 1][1] > raised
