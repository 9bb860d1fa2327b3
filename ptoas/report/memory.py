"""Addresses and live ranges of tiles, for the memory map."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import func
from xdsl.ir import Operation, SSAValue

from ptoas.analysis.liveness import Liveness
from ptoas.analysis.storage import places_of
from ptoas.dialects.pto.enums import TileLoc
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import TileType
from ptoas.dialects.pto.views import AllocTileOp
from ptoas.machine.errors import line_of
from ptoas.profiling.work import pipe_of
from ptoas.targets import Target


@dataclass
class Box:
    """One tile: its bytes, and the instructions between which it is needed."""

    name: str
    start: int
    end: int
    first: int
    last: int
    """Positions among the instructions of the function."""
    line: int
    type: str

    def meets(self, other: Box) -> bool:
        """Return True if both are live at the same time in the same bytes."""
        return (
            self.first <= other.last
            and other.first <= self.last
            and self.start < other.end
            and other.start < self.end
        )


@dataclass
class Memory:
    """One local memory in one function."""

    loc: str
    function: str
    boxes: list[Box]
    lines: list[int]
    """The line of each instruction."""
    limits: dict[str, int] = field(default_factory=dict[str, int])
    """Bytes by what they are the limit of."""

    @property
    def end(self) -> int:
        return max((box.end for box in self.boxes), default=0)

    def overlaps(self) -> list[tuple[Box, Box]]:
        return [
            (one, other)
            for n, one in enumerate(self.boxes)
            for other in self.boxes[:n]
            if one.meets(other) and (one.start, one.end) != (other.start, other.end)
        ]

    def peak(self) -> int:
        """The most bytes that are needed at once."""
        edges = sorted({box.first for box in self.boxes})
        return max(
            (sum(b.end - b.start for b in self.boxes if b.first <= at <= b.last) for at in edges), default=0
        )


def memories_of(functions: list[func.FuncOp], target: Target) -> list[Memory]:
    """The memories that tiles with a known address lie in, function by function."""
    simt = any(target.uses_simt(op) for function in functions for op in function.walk())
    found: list[Memory] = []
    for function in functions:
        if function.body.blocks:
            found += _memories(function, target, simt)
    return found


def _memories(function: func.FuncOp, target: Target, simt: bool) -> list[Memory]:
    places, liveness = places_of(function), Liveness(function)
    instructions = [op for op in function.walk() if isinstance(op, PtoOp) and pipe_of(op, target) is not None]
    order = [liveness.order.start[op] for op in instructions]
    arguments = [a for a in function.body.block.args if isinstance(a.type, TileType)]
    roots: list[SSAValue] = [*arguments]
    roots += [op.result for op in function.walk() if isinstance(op, AllocTileOp)]
    by_loc: dict[TileLoc, list[Box]] = {}
    for root in roots:
        address, live = places.address(root), liveness.live(root)
        if address is None or live is None:
            continue
        inside = [n for n, at in enumerate(order) if live.first <= at <= live.last]
        first, last = (inside[0], inside[-1]) if inside else (0, 0)
        owner = root.owner if isinstance(root.owner, Operation) else function
        name, size = root.name_hint or "?", live.type.size_bytes
        box = Box(name, address, address + size, first, last, line_of(owner), str(live.type))
        by_loc.setdefault(live.type.loc.data, []).append(box)
    lines = [line_of(op) for op in instructions]
    return [
        Memory(loc.value, function.sym_name.data, boxes, lines, _limits(target, loc, simt))
        for loc, boxes in by_loc.items()
    ]


def _limits(target: Target, loc: TileLoc, simt: bool) -> dict[str, int]:
    limits: dict[str, int] = {}
    usable = target.memory_size(loc, simt)
    if usable is not None:
        limits["budget"] = usable
    if loc is TileLoc.Vec and target.ub is not None:
        if simt and target.ub.default_budget is not None:
            limits["without dynUBufSize"] = target.ub.default_budget
        if target.ub.total != usable:
            limits["UB"] = target.ub.total
    return limits
