"""Rings of channels in local memory: those that the program has placed are left free for them, the others are
placed beside the tiles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import BoolAttr, IntegerAttr, i64
from xdsl.ir import Operation

from ptoas.analysis.structure import of_kinds
from ptoas.dialects.pto.channel import ReserveBufferOp
from ptoas.dialects.pto.enums import TileLoc

STEP = 256
"""Rings begin at multiples of this."""

Span = tuple[int, int]
"""The first byte, and the one behind the last."""


def rings_of(ops: Sequence[Operation]) -> list[ReserveBufferOp]:
    """The rings among the operations of a function."""
    return of_kinds(ops, ReserveBufferOp)


def loc_of(ring: ReserveBufferOp) -> TileLoc:
    """The memory of a ring; its address space has the name of the memory."""
    return TileLoc(ring.space.data.value)


def placed_rings(rings: Iterable[ReserveBufferOp], loc: TileLoc) -> list[Span]:
    """The bytes of a memory that the program itself has given to rings, in their order."""
    found = [
        (ring.address, ring.address + ring.size.value.data)
        for ring in rings
        if ring.address is not None and loc_of(ring) is loc
    ]
    return sorted(found)


def place_rings(
    rings: Sequence[ReserveBufferOp], tiles: Iterable[tuple[TileLoc, Span]]
) -> dict[TileLoc, int]:
    """Give the other rings the lowest addresses where no tile and no ring ever lies; where rings end."""
    busy: dict[TileLoc, list[Span]] = {}
    for loc, span in tiles:
        busy.setdefault(loc, []).append(span)
    for loc in {loc_of(ring) for ring in rings}:
        busy.setdefault(loc, []).extend(placed_rings(rings, loc))
    ends: dict[TileLoc, int] = {}
    for ring in rings:
        loc, size = loc_of(ring), ring.size.value.data
        if ring.address is None:
            start = _lowest(sorted(busy[loc]), size)
            busy[loc].append((start, start + size))
            ring.properties["auto"] = BoolAttr.from_bool(False)
            ring.properties["base"] = IntegerAttr(start, i64)
        assert ring.address is not None
        ends[loc] = max(ends.get(loc, 0), ring.address + size)
    return ends


def _lowest(busy: list[Span], size: int) -> int:
    start = 0
    for low, high in busy:
        if low - start >= size:
            break
        start = max(start, -(-high // STEP) * STEP)
    return start


def gaps_between(spans: Iterable[Span], floor: int, step: int) -> list[tuple[int, float]]:
    """Free intervals from `floor` on, between the reserved ones."""
    gaps: list[tuple[int, float]] = []
    for low, high in spans:
        if high <= floor:
            continue
        if low > floor:
            gaps.append((floor, low))
        floor = -(-high // step) * step
    return [*gaps, (floor, float("inf"))]
