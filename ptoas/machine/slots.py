"""Popped tiles: a tile in a slot is valid until the slot is released."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xdsl.ir import Operation

from ptoas.diagnostics import Note
from ptoas.grammar.spans import span_of
from ptoas.machine.memory import Bits
from ptoas.machine.tiles import Tile

if TYPE_CHECKING:
    from ptoas.machine.machine import Machine
    from ptoas.machine.tiles import Tile
    from ptoas.machine.touched import TouchedBytes


@dataclass(eq=False, slots=True)
class PoppedSlot:
    """One pop: which slot it was, and whether it is still held."""

    op: Operation
    number: int
    tile: Tile | None = None
    copied: bool = False
    """True if the tile is a copy of the slot, which survives the release."""
    ended: Operation | None = None
    """The operation that released it."""
    how: str = ""
    freed: Operation | None = None
    touched: tuple[TouchedBytes, ...] = ()
    """Its bytes, for the check of races."""

    def give_back(self, op: Operation) -> None:
        self.freed = op
        if not self.copied:
            self.end(op, "freed")

    def end(self, op: Operation, how: str) -> None:
        if self.ended is None:
            self.ended, self.how = op, how


class SlotBits(Bits):
    """Initialised bytes of a slot, and the pop that its tile belongs to."""

    __slots__ = ("filled", "held")

    def __init__(self, size: int, base: int):
        super().__init__(size, base)
        self.held: PoppedSlot | None = None
        self.filled: Hashable = None
        """The bytes of the marks; for others the marks are made again."""

    def hold(self, held: PoppedSlot, filled: Hashable, mark: Callable[[], None]) -> None:
        """Register a new tile in the slot.

        `filled` are its bytes; if they are the same as before and no others were written, the marks stay.
        """
        self.held = held
        if self.filled != filled or self.top:
            self.written[:] = False
            self.filled = filled
            self.epoch += 1
            mark()
            self.top = 0


def watched(
    op: Operation, machine: Machine, values: list[object], run: Callable[..., None]
) -> Callable[..., None]:
    """The step, refused where one of its tiles is a popped one that is no longer there."""

    tiles = [value for value in values if isinstance(value, Tile) and isinstance(value.bits, SlotBits)]
    if not tiles:
        return run

    def checked(*scalars: Any) -> None:
        for tile in tiles:
            bits = tile.bits
            assert isinstance(bits, SlotBits)
            pop = bits.held
            if pop is None or pop.ended is not None:
                raise released_slot_error(op, machine, tile, pop)
            if pop.freed is not None:
                warn_of_copied_slot(op, machine, tile, pop)
        run(*scalars)

    return checked


def warn_of_copied_slot(op: Operation, machine: Machine, tile: Tile, pop: PoppedSlot) -> None:
    """The tile is a copy, and still there; where a pop does not copy it would not be."""
    pop.freed = None
    name = op.name.removeprefix("pto.")
    machine.warn(
        "PTO-R905",
        f"{name} uses %{tile.name} after its slot was freed; a pop copies the tile on "
        f"{machine.target.name}, but on other targets the slot may hold the next tile",
        op,
    )


def released_slot_error(op: Operation, machine: Machine, tile: Tile, pop: PoppedSlot | None) -> Exception:
    name = op.name.removeprefix("pto.")
    if pop is None or pop.ended is None:
        return machine.fail("PTO-R905", f"{name}: {tile.describe()} is not popped", op)
    return machine.fail(
        "PTO-R905",
        f"{name} uses %{tile.name} after its slot was {pop.how}: it may hold a later tile",
        op,
        notes=(Note("popped here", span_of(pop.op)), Note(f"{pop.how} here", span_of(pop.ended))),
        fix="move the tfree after the last use of the tile",
    )
