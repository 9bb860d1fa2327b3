"""The slices of a timeline as columns of whole numbers, deflated: 60,000 of them fit into a page."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from zlib import compress

from ptoas.machine.arrays import np
from ptoas.profiling.stalls import Stall

if TYPE_CHECKING:
    from ptoas.profiling.profile import Profile
    from ptoas.profiling.work import Work

TENTHS = 10
MOST_TENTHS = 1e8
"""Cycles up to which a tenth fits into 32 bits; longer runs are stored in whole cycles."""


def columns(values: Sequence[Sequence[int]]) -> str:
    """Columns of equal length, one after the other.

    >>> from base64 import b64decode
    >>> from zlib import decompress
    >>> list(decompress(b64decode(columns([[1, 2], [3, 4]]))))[::4]
    [1, 2, 3, 4]
    """
    return b64encode(compress(np.array(values, "<i4").tobytes(), 9)).decode("ascii")


def pack(
    profile: Profile, lanes: Mapping[Any, int], works: Mapping[Work, int], labels: Mapping[str, int]
) -> tuple[int, str, str]:
    """Steps a cycle, and the columns of slices and of arrows.

    A slice is its lane, its instruction, the gap to the one before on its lane, its length, whether it
    decides the total, and what its pipe waited for. An arrow is the distance of its source from the source of
    the one before, that of its target from its source, and its label.
    """
    scale = TENTHS if profile.total < MOST_TENTHS else 1
    critical = set(profile.timeline.critical_numbers())
    ended: dict[int, int] = {}
    slices: list[list[int]] = [[] for _ in range(5 + len(Stall))]
    kinds = {stall: n for n, stall in enumerate(Stall)}
    for number, (each, parts) in enumerate(zip(profile.timeline.slices, profile.stalls.slices, strict=True)):
        lane = lanes[each.actor, each.pipe]
        # Differences of rounded times: nothing adds up over many slices.
        start, end = round(each.start * scale), round(each.end * scale)
        row = [lane, works[each.work], start - ended.get(lane, 0), end - start, int(number in critical)]
        ended[lane] = end
        waits = [0] * len(Stall)
        for stall, cycles in parts:
            waits[kinds[stall]] += round(cycles * scale)
        if parts:
            # The parts sum to the gap, rounded or not.
            waits[kinds[parts[-1][0]]] += row[2] - sum(waits)
        for column, value in zip(slices, [*row, *waits], strict=True):
            column.append(value)
    arrows: list[list[int]] = [[], [], []]
    before = 0
    for arrow in profile.timeline.arrows:
        for column, value in zip(
            arrows,
            (arrow.source - before, arrow.target - arrow.source, labels[arrow.label]),
            strict=True,
        ):
            column.append(value)
        before = arrow.source
    return scale, columns(slices), columns(arrows)
