"""One of several tiles. `split-multi-tiles` resolves them before a program runs."""

from __future__ import annotations

from ptoas.dialects.pto.multi_tile import MultiTileGetOp
from ptoas.machine.machine import Machine, value
from ptoas.machine.tiles import Tile, Unplaced


@value(MultiTileGetOp)
def multi_tile_get(op: MultiTileGetOp, m: Machine, *operands: Tile | Unplaced | int) -> Tile | Unplaced:
    count = len(op.source)
    slot = operands[count]
    assert isinstance(slot, int)
    if not 0 <= slot < count:
        message = f"there is no tile {slot}; the {count} tiles are numbered from 0"
        raise m.refuse("PTO-R155", message, op, operand=count)
    tile = operands[slot]
    assert not isinstance(tile, int)
    return tile
