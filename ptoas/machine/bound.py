"""An instruction with the bytes of its operands, as the detection of races sees it."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property

from xdsl.ir import Operation

from ptoas.analysis.effects import Effects
from ptoas.analysis.order import ExecutedAccess, executed_accesses
from ptoas.machine.tiles import Tile
from ptoas.machine.touched import TouchedBytes


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

    @property
    def access(self) -> ExecutedAccess:
        return self.bound.accesses[self.at]


class BoundInstruction:
    """An instruction and, by operand, the bytes that it touches."""

    def __init__(self, op: Operation, effects: Effects, operands: list[tuple[TouchedBytes, ...]]):
        self.op = op
        self.effects = effects
        self.operands = operands

    @cached_property
    def accesses(self) -> list[ExecutedAccess]:
        """Its accesses in their order; made at the first overlap, which is rare."""
        return executed_accesses(self.op, self.effects, self._spot)

    def _spot(self, operand: int) -> Hashable:
        """Equal for tiles that lie in the same bytes; views are not compared."""
        source = self.operands[operand][0].source if self.operands[operand] else None
        if not isinstance(source, Tile):
            return object()
        return source.memory, source.address, source.size_bytes
