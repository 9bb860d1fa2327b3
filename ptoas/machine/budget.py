"""Limit of the local memory of tiles (D22)."""

from __future__ import annotations

from ptoas.dialects.pto.instruction import PtoOp
from ptoas.machine.machine import Machine
from ptoas.machine.tiles import Tile


def check_tile(op: PtoOp, m: Machine, tile: Tile) -> None:
    """Check that a tile is inside its memory, and inside the part available to tiles."""
    end = tile.address + tile.size_bytes
    memory = tile.memory
    if tile.address < 0 or end > memory.size:
        raise m.fail(
            "PTO-R104",
            f"{tile.describe()} ends at byte {end}; {memory.loc.value} of {m.target.name} has "
            f"{memory.size} bytes",
            op,
        )
    if not m.checks.budget or memory.limit is None:
        return
    limit = m.target.memory_size(memory.loc, m.simt)
    if limit is not None and end > limit:
        why = " besides the reserved region and the data cache" if end <= memory.size else ""
        raise m.fail(
            "PTO-R401",
            f"{tile.describe()} ends at byte {end}; tiles may use {limit} bytes of {memory.loc.value} on "
            f"{m.target.name}{why}",
            op,
        )
