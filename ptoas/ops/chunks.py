"""Iteration of a collective over data larger than its staging tile (document 003, Large Tile Support).

A rank's data is (D0, D1, D2, H, W). If D0 * D1 * D2 * H rows of W columns fit the tile's valid region, a
rank is one chunk. Otherwise each of the D0 * D1 * D2 planes of H x W is covered by a window of the tile's
valid size that slides along the columns, then along the rows; the last window of a direction is smaller
where the size does not divide it. With two tiles, chunks go to ping and pong in turns.

>>> walk = ChunkSequence(ranks=2, shape=(1, 1, 1, 5, 3), size=(4, 2), tiles=2)
>>> [(c.rank, c.row, c.col, c.rows, c.cols, c.tile) for c in walk][:5]
[(0, 0, 0, 4, 2, 0), (0, 0, 2, 4, 1, 1), (0, 4, 0, 1, 2, 0), (0, 4, 2, 1, 1, 1), (1, 0, 0, 4, 2, 0)]
>>> len(walk)
8
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod


@dataclass(frozen=True)
class Chunk:
    """One load into a staging tile and one store from it."""

    rank: int
    plane: tuple[int, int, int] | None
    """The plane; `None`: all of them, stacked as rows of the tile."""
    row: int
    col: int
    rows: int
    """Rows of the tile that the chunk fills; of a plane, unless it is all of them."""
    cols: int
    tile: int
    """0: ping, 1: pong."""

    @property
    def place(self) -> tuple[slice, slice, slice, slice, slice]:
        """The chunk's part of a rank's data."""
        if self.plane is None:
            everything = slice(None)
            return everything, everything, everything, everything, everything
        a, b, c = (slice(n, n + 1) for n in self.plane)
        return a, b, c, slice(self.row, self.row + self.rows), slice(self.col, self.col + self.cols)


@dataclass(frozen=True)
class ChunkSequence:
    """All chunks of a collective, by number; counted, not listed."""

    ranks: int
    shape: tuple[int, ...]
    """The five extents of a rank's data."""
    size: tuple[int, int]
    """Valid rows and columns of a staging tile."""
    tiles: int = 1

    @property
    def fits(self) -> bool:
        """True if the data of a rank is a single chunk."""
        return prod(self.shape[:4]) <= self.size[0] and self.shape[4] <= self.size[1]

    @property
    def windows(self) -> tuple[int, int]:
        """Positions of the window along rows and columns of a plane."""
        (rows, cols), (height, width) = self.size, self.shape[3:]
        return -(-height // rows), -(-width // cols)

    @property
    def per_rank(self) -> int:
        if not prod(self.shape):
            return 0
        return 1 if self.fits else prod(self.shape[:3]) * prod(self.windows)

    def __len__(self) -> int:
        return self.ranks * self.per_rank

    def __getitem__(self, number: int) -> Chunk:
        if not 0 <= number < len(self):
            raise IndexError(number)
        tile = number % self.tiles
        rank, rest = divmod(number, self.per_rank)
        if self.fits:
            return Chunk(rank, None, 0, 0, prod(self.shape[:4]), self.shape[4], tile)
        down, across = self.windows
        rest, column = divmod(rest, across)
        rest, row = divmod(rest, down)
        rest, c = divmod(rest, self.shape[2])
        a, b = divmod(rest, self.shape[1])
        row, column = row * self.size[0], column * self.size[1]
        rows = min(self.size[0], self.shape[3] - row)
        cols = min(self.size[1], self.shape[4] - column)
        return Chunk(rank, (a, b, c), row, column, rows, cols, tile)

    def __iter__(self) -> Iterator[Chunk]:
        return (self[number] for number in range(len(self)))

    def left(self, tile: int) -> list[Chunk]:
        """Return the final contents of a staging tile: the last chunk of each size, in order of arrival."""
        found: dict[tuple[int, int], Chunk] = {}
        for number in self._last_numbers():
            chunk = self[number]
            if chunk.tile == tile:
                # Reinserted, so that the order is that of the last use.
                found.pop((chunk.rows, chunk.cols), None)
                found[chunk.rows, chunk.cols] = chunk
        return list(found.values())

    def _last_numbers(self) -> list[int]:
        """Numbers of chunks among which are, for each of two tiles, the last ones of each size.

        The last window of a direction may be smaller than the others. Which tile gets a chunk follows from
        its number being even or odd; of two neighbours in some direction one is even, unless none ever is.
        """
        count = len(self)
        if self.fits:
            return list(range(max(0, count - self.tiles), count))
        (down, across), planes = self.windows, self.ranks * prod(self.shape[:3])
        return [
            (plane * down + row) * across + column
            for plane in range(max(0, planes - 2), planes)
            for row in range(max(0, down - 3), down)
            for column in range(max(0, across - 3), across)
        ]

    def remainder(self, static: tuple[bool, bool]) -> tuple[str, int, int] | None:
        """The direction, extent and window that does not divide it, of the directions that can't shrink."""
        if self.fits:
            return None
        extents = zip(("rows", "columns"), self.shape[3:], self.size, static, strict=True)
        return next(((word, n, size) for word, n, size, fixed in extents if fixed and n % size), None)
