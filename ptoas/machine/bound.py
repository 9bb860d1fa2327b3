"""An instruction with the bytes of its operands, as the detection of races sees it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

from xdsl.ir import Operation, SSAValue

from ptoas.analysis.effects import Effects, touched
from ptoas.analysis.storage import underlying_tile
from ptoas.dialects.pto.enums import Pipe
from ptoas.dialects.pto.types import TileType
from ptoas.machine.tiles import Tile
from ptoas.machine.touched import TouchedBytes


@dataclass(frozen=True, eq=False)
class DynamicAccess:
    """One access of an instruction that runs (`analysis.order.Seen`)."""

    op: Operation
    pipe: Pipe
    write: bool
    value: SSAValue
    spot: Hashable
    is_global: bool
    is_whole: bool
    beside: list[DynamicAccess]


class PipeAccess:
    """An access of one pipe to some bytes: number `at` of an instruction's."""

    __slots__ = ("at", "bound", "pipe", "touched", "write")

    def __init__(self, touched: TouchedBytes, pipe: int, write: bool, bound: BoundInstruction, at: int):
        self.touched = touched
        self.pipe = pipe
        self.write = write
        self.bound = bound
        self.at = at

    @property
    def op(self) -> Operation:
        return self.bound.op


class BoundInstruction:
    """An instruction and, by operand, the bytes that it touches."""

    def __init__(self, op: Operation, effects: Effects, operands: list[tuple[TouchedBytes, ...]]):
        self.op = op
        self.effects = effects
        self.operands = operands

    def value(self, at: int) -> SSAValue:
        """The value touched by the access of this number."""
        return touched(self.op, self.effects.accesses[at].operand)

    @cached_property
    def seen(self) -> list[DynamicAccess]:
        """Its accesses in their order; made at the first overlap, which is rare."""
        found: list[DynamicAccess] = []
        for at, access in enumerate(self.effects.accesses):
            value = self.value(at)
            is_tile = isinstance(value.type, TileType)
            is_whole = is_tile and underlying_tile(value)[0].type == value.type
            spot = self._spot(access.operand)
            found.append(
                DynamicAccess(self.op, access.pipe, access.write, value, spot, not is_tile, is_whole, found)
            )
        return found

    def _spot(self, operand: int) -> Hashable:
        """Equal for tiles that lie in the same bytes; views are not compared."""
        source = self.operands[operand][0].source if self.operands[operand] else None
        if not isinstance(source, Tile):
            return object()
        return source.memory, source.address, source.size_bytes
