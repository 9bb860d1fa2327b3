"""Live ranges of tiles, and the peak of the bytes that are live at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, OpResult, SSAValue

from ptoas.analysis.forwarding import forwards_values, passed_on
from ptoas.analysis.storage import names_another
from ptoas.analysis.structure import Order, enclosing_loops
from ptoas.dialects.pto.instruction import Instruction, PtoOp
from ptoas.dialects.pto.types import TileType

ALIGNMENT = 32
"""Bytes; the memory engines move blocks of this size."""


@dataclass(frozen=True)
class LiveTile:
    """A local tile, the positions between which it is needed, and its bytes."""

    root: SSAValue
    type: TileType
    first: int
    last: int

    @cached_property
    def bytes(self) -> int:
        return -(-self.type.size_bytes // ALIGNMENT) * ALIGNMENT

    def overlaps(self, other: LiveTile) -> bool:
        return self.first <= other.last and other.first <= self.last


def uses(root: SSAValue) -> Iterator[Operation]:
    """Operations that work on a tile: directly, through a window, or under the name that a loop or a
    branch gives it."""
    seen = {root}
    work = [root]
    while work:
        for use in work.pop().uses:
            if not names_another(use.operation.__class__):
                yield use.operation
            if forwards_values(use.operation.__class__):
                _follow(passed_on(use), seen, work)
            if _holds(use.operation.__class__):
                _follow(use.operation.results, seen, work)


def _follow(values: Iterable[SSAValue], seen: set[SSAValue], work: list[SSAValue]) -> None:
    for value in values:
        if value not in seen:
            seen.add(value)
            work.append(value)


@cache
def _holds(kind: type[Operation]) -> bool:
    """Return True if results extend the lifetime of an operation's tiles.

    A session writes to its scratch until the last wait.
    """
    return issubclass(kind, PtoOp) and kind.EXTENDS_LIFETIME


class Liveness:
    """Live ranges of the tiles of one function, in the numbers of its operations."""

    def __init__(self, function: FuncOp, ops: Sequence[Operation] | None = None):
        self.order = Order(function, ops)
        self._known: dict[SSAValue, LiveTile | None] = {}
        self._loops: dict[Block | None, tuple[Operation, ...]] = {}

    def live(self, root: SSAValue) -> LiveTile | None:
        """The live range of a tile; `None` if it is unused."""
        if root not in self._known:
            self._known[root] = self._find(root)
        return self._known[root]

    def _find(self, root: SSAValue) -> LiveTile | None:
        type = root.type
        assert isinstance(type, TileType)
        if not isinstance(root, OpResult):
            # The caller fills a tile argument before the function and may look at it afterwards (D24).
            return LiveTile(root, type, 0, len(self.order.start) - 1)
        around = self._loops_around(root.owner)
        spans = [self._span(op, around) for op in uses(root)]
        if isinstance(root.owner, Instruction):
            spans.append(self._span(root.owner, around))
        if not spans:
            return None
        return LiveTile(root, type, min(first for first, _ in spans), max(last for _, last in spans))

    def _loops_around(self, op: Operation) -> tuple[Operation, ...]:
        """The loops around an operation, the innermost first: the same for all of its block."""
        found = self._loops.get(op.parent)
        if found is None:
            found = self._loops[op.parent] = tuple(enclosing_loops(op))
        return found

    def _span(self, op: Operation, around: Sequence[Operation]) -> tuple[int, int]:
        """The stretch in which a use keeps a tile busy: what is defined outside a loop and used inside is
        needed for all of its turns. `around` are the loops around the definition."""
        start = self.order.start[op]
        span = start, start
        loops = self._loops_around(op)
        for loop in () if loops is around else loops:
            if loop in around:
                break
            span = self.order.start[loop] + 1, self.order.end[loop]
        return span


def peak(tiles: Iterable[LiveTile]) -> tuple[int, tuple[LiveTile, ...]]:
    """The most bytes that are needed at once, and the tiles that need them, where that is first so."""
    tiles = tuple(tiles)
    changes = sorted(
        change for tile in tiles for change in ((tile.first, 0, tile.bytes), (tile.last, 1, -tile.bytes))
    )
    total = best = at = 0
    for position, _, bytes in changes:
        total += bytes
        if total > best:
            best, at = total, position
    return best, tuple(tile for tile in tiles if best and tile.first <= at <= tile.last)
