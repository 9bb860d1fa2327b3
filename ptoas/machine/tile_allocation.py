"""Making tiles: their address, their valid extents, and which bytes count as written."""

from __future__ import annotations

from collections.abc import Callable

from ptoas.dialects.pto.types import TileType
from ptoas.dialects.pto.views import AllocTileOp, SetValidShapeOp, SubviewOp, TAssignOp
from ptoas.machine.budget import check_tile
from ptoas.machine.machine import Machine
from ptoas.machine.memory import Bits
from ptoas.machine.overwritten import tracker_of
from ptoas.machine.tiles import Tile, TileOrigin, Unplaced

KEPT = 256
"""Number of cached views of one operation: enough for loops over few, no burden for loops over many."""


def valid_extents(
    op: AllocTileOp | SetValidShapeOp | SubviewOp, m: Machine, type: TileType, rows: int, cols: int
) -> tuple[int, int]:
    """The extents, if they fit the physical tile."""
    if not (0 <= rows <= type.rows and 0 <= cols <= type.cols):
        message = f"valid extents [{rows}, {cols}] exceed the tile's {type.rows}x{type.cols}"
        raise m.refuse("PTO-R107", message, op)
    return rows, cols


def place(
    op: AllocTileOp | TAssignOp,
    m: Machine,
    type: TileType,
    address: int,
    valid: tuple[int, int],
    name: str,
    own_bits: bool,
) -> Tile:
    """A tile at an address. With `own_bits` it counts as unwritten whatever was at its address before."""
    loc = type.loc.data
    if loc not in m.target.memories:
        raise m.fail("PTO-R104", f"{m.target.name} has no memory for tiles with loc={loc.value}", op)
    memory = m.memory(loc)
    bits = None
    if own_bits:
        # What does not fit is refused when it is reached; nothing is kept for it.
        fits = 0 <= address <= memory.size - type.size_bytes
        m.hold(type.size_bytes if fits else 0, op)
        bits = Bits(type.size_bytes if fits else 0, address)
    return Tile(type, memory, address, valid, name, bits, origin=TileOrigin(address, type.size_bytes, op))


def begin_lifetime(tile: Tile) -> None:
    """An allocated tile holds nothing that was written through it before."""
    if tile.bits is not tile.memory.bits:
        tile.bits.forget()
    else:
        tracker_of(tile.memory).find(tile.origin).forget()


def tile_name(op: AllocTileOp) -> str:
    return op.result.name_hint or "tile"


def alloc_tile(op: AllocTileOp, m: Machine, own_bits: bool = False) -> Callable[..., Tile | Unplaced]:
    """Called with the address (or `None`) and the valid extents, the type's own where they are fixed."""
    type = op.tile_type
    name = tile_name(op)
    kept: dict[tuple[int, int, int], Tile] = {}

    def run(address: int | None, rows: int, cols: int) -> Tile | Unplaced:
        valid = valid_extents(op, m, type, rows, cols)
        if address is None:
            return Unplaced(type, valid, name)
        tile = kept.get((address, rows, cols))
        if tile is None:
            if len(kept) >= KEPT:
                m.held -= sum(len(old.bits.written) for old in kept.values()) if own_bits else 0
                kept.clear()
            tile = place(op, m, type, address, valid, name, own_bits)
            check_tile(op, m, tile)
            kept[address, rows, cols] = tile
        begin_lifetime(tile)
        return tile

    return run
