"""Event ids for flags: two flags between the same pipes that are up together need two ids."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

from xdsl.ir import Operation

from ptoas.analysis.effects import Flag
from ptoas.analysis.structure import Order
from ptoas.dialects.pto.enums import Event

if TYPE_CHECKING:
    from ptoas.lowering.insert_sync import Pair

_EVENT_NUMBER = {event: number for number, event in enumerate(Event)}


def allocate_events(
    pairs: Sequence[Pair], order: Order, reserved: Mapping[Operation, Collection[Flag]], count: int
) -> None:
    """Give each pair the lowest id that is down while it is up; raise flags later where ids run out.

    `reserved` are the flags that an instruction, or what is called, raises itself: such an id must be down
    around it.
    """
    by_pipes: dict[tuple[object, object], list[Pair]] = {}
    for pair in pairs:
        by_pipes.setdefault(pair.pipes, []).append(pair)
    used_inside: dict[tuple[object, object, int], list[int]] = {}
    for op, flags in reserved.items():
        for source, destination, event in flags:
            key = (source, destination, _EVENT_NUMBER[event])
            used_inside.setdefault(key, []).append(2 * order.start[op])
    for starts in used_inside.values():
        starts.sort()
    for pipes, members in by_pipes.items():
        inside = {event: used_inside.get((*pipes, event), []) for event in range(count)}
        _colour(members, order, inside, count)


def _span(pair: Pair, order: Order) -> tuple[int, int]:
    """The interval in which the flag is set: odd numbers are after operations, even ones before."""
    down = 2 * order.start[pair.before]
    if pair.after is not None:
        return 2 * order.end[pair.after] + 1, down
    first = pair.block.first_op
    assert first is not None
    return 2 * order.start[first] - 1, down


def _colour(pairs: list[Pair], order: Order, inside: dict[int, list[int]], count: int) -> None:
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
            (e for e in range(count) if e not in taken and not _clashes(inside[e], raised, down)), None
        )
        if event is None:
            # No id is left: the flag that is awaited last is raised right before that instead. It then waits
            # for more than it needs to, never for less.
            victim = max(
                (other for other in (pair, *up) if id(other) not in shortened), key=lambda p: spans[id(p)][1]
            )
            shortened.add(id(victim))
            victim.after = victim.before.prev_op
            spans[id(victim)] = _span(victim, order)
            heappush(waiting, (spans[id(victim)], numbers[id(victim)], victim))
            if victim is not pair:
                up.remove(victim)
                heappush(waiting, ((raised, down), number, pair))
            continue
        pair.event = event
        up.append(pair)


def _clashes(starts: list[int], raised: int, down: int) -> bool:
    """Return True if an instruction that uses the id itself runs while the flag is set."""
    at = bisect_left(starts, raised)
    return at < len(starts) and starts[at] < down
