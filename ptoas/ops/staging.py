"""Staging tiles of collectives and transfers: check that they can hold the chunks, and leave
the last ones there."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import prod

from ptoas.dialects.pto.comm import StagedOp
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.machine.arrays import Array
from ptoas.machine.machine import Machine
from ptoas.machine.memory import View
from ptoas.machine.tiles import Region, Tile
from ptoas.ops.chunks import Chunk, ChunkSequence
from ptoas.ops.transfer import array_of
from ptoas.targets.isa import HEADERS


class Staged:
    """One execution of an instruction that moves data through tiles."""

    shape: tuple[int, ...]
    """The extents of the transferred data of each rank."""

    def __init__(self, op: StagedOp, m: Machine):
        self.op = op
        self.machine = m

    def wrong(self, message: str, code: str = "PTO-R105", fix: str | None = None) -> Exception:
        return self.machine.refuse(code, message, self.op, fix=fix)

    def array(self, view: View) -> Array:
        return array_of(self.op, self.machine, view)

    def walk(self, ranks: int, tiles: Sequence[Tile]) -> ChunkSequence:
        """The chunks through these tiles; refuses tiles that can't take them."""
        size = tiles[0].valid
        if 0 in size:
            raise self.wrong(f"{tiles[0].describe()} has no valid element to move data through")
        walk = ChunkSequence(ranks, self.shape, size, len(tiles))
        written = tiles[0].type.valid
        wrong = walk.remainder((written[0] != DYNAMIC, written[1] != DYNAMIC))
        if wrong is not None:
            word, extent, window = wrong
            raise self.wrong(
                f"{extent} {word} of a rank are no multiple of the {window} valid {word} of "
                f"%{tiles[0].name}, which are static"
            )
        self._warn_of_more(walk, tiles[0])
        return walk

    def _warn_of_more(self, walk: ChunkSequence, tile: Tile) -> None:
        """Open extents, of the tile or the data, where the tile turns out to be more; `verify` warns of those
        that it knows (PTO-C120)."""
        rows, cols = prod(self.shape[:4]), self.shape[4]
        is_open = DYNAMIC in (*tile.type.valid, *self.op.moved.shape)
        if not walk.fits or tile.valid == (rows, cols) or not is_open:
            return
        message = (
            f"{self.op.mnemonic()}: {tile.describe()} is valid for [{tile.valid[0]}, {tile.valid[1]}], but "
            f"[{rows}, {cols}] is transferred: the headers of August 2026 store all of its valid "
            "region"
        )
        if self.machine.isa == HEADERS:
            raise self.machine.fail("PTO-R125", message, self.op)
        self.machine.warn("PTO-R125", message, self.op)

    def check_apart(self, tiles: Sequence[Tile]) -> None:
        """The next chunk is loaded while another is stored or added to: their tiles must not share bytes."""
        if not self.machine.checks.race:
            return
        for first, second in combinations(tiles, 2):
            if first.overlaps(second):
                raise self.wrong(
                    f"PIPE_MTE2 loads a chunk into {second.describe()} while {first.describe()} still holds "
                    f"another: they share bytes",
                    "PTO-R301",
                )

    def leave(self, tiles: Sequence[Tile], walk: ChunkSequence, sources: Sequence[Array]) -> None:
        """Write the last chunks into the tiles."""
        for part, chunk in _last_chunks(tiles, walk):
            part.store_raw(sources[chunk.rank][chunk.place].reshape(chunk.rows, chunk.cols))

    def filled(self, tiles: Sequence[Tile], walk: ChunkSequence) -> tuple[Region, ...]:
        """The bytes of the tiles that chunks went through."""
        return tuple(part.region for part, _ in _last_chunks(tiles, walk))


def _last_chunks(tiles: Sequence[Tile], walk: ChunkSequence) -> list[tuple[Tile, Chunk]]:
    """The parts of the tiles that the last chunks fill."""
    return [
        (tile.with_valid(chunk.rows, chunk.cols), chunk)
        for n, tile in enumerate(tiles)
        for chunk in walk.left(n)
    ]
