"""The walk of chunks covers a rank's data once, in windows of the tile's size."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptoas.ops.chunks import Chunk, ChunkSequence

shapes = st.tuples(*[st.integers(1, 3)] * 3, st.integers(1, 9), st.integers(1, 9))
sizes = st.tuples(st.integers(1, 10), st.integers(1, 10))


@settings(max_examples=150)
@given(st.integers(1, 4), shapes, sizes, st.integers(1, 2))
def test_every_element_is_in_one_chunk(ranks: int, shape: tuple[int, ...], size: tuple[int, int], tiles: int):
    walk = ChunkSequence(ranks, shape, size, tiles)
    seen = np.zeros((ranks, *shape), np.int64)
    for number, chunk in enumerate(walk):
        seen[chunk.rank][chunk.place] += 1
        assert chunk.tile == number % tiles
        assert chunk.rows <= size[0] and chunk.cols <= size[1]
        assert seen[chunk.rank][chunk.place].size == chunk.rows * chunk.cols
    assert (seen == 1).all()
    assert sum(1 for _ in walk) == len(walk)


@settings(max_examples=150)
@given(st.integers(1, 4), shapes, sizes, st.integers(1, 2))
def test_tile_contents_equal_those_of_all_chunks_in_turn(
    ranks: int, shape: tuple[int, ...], size: tuple[int, int], tiles: int
):
    """The contents are those of putting every chunk into its tile, one after another."""
    walk = ChunkSequence(ranks, shape, size, tiles)
    for tile in range(tiles):
        its = [chunk for chunk in walk if chunk.tile == tile]
        left = walk.left(tile)
        assert {(c.rows, c.cols) for c in left} == {(c.rows, c.cols) for c in its} and len(left) <= 4
        assert put_over(left) == put_over(its)


def put_over(chunks: list[Chunk]) -> dict[tuple[int, int], Chunk]:
    """The chunk that each element of a tile is from."""
    return {(r, c): chunk for chunk in chunks for r in range(chunk.rows) for c in range(chunk.cols)}


def test_data_that_fits_is_one_chunk_a_rank() -> None:
    walk = ChunkSequence(3, (2, 1, 2, 4, 8), (16, 8))
    assert [(c.rank, c.plane, c.rows, c.cols, c.tile) for c in walk] == [
        (r, None, 16, 8, 0) for r in range(3)
    ]
    assert all(np.empty(walk.shape)[chunk.place].shape == walk.shape for chunk in walk)
    assert len(ChunkSequence(3, (2, 1, 2, 4, 8), (15, 8))) == 3 * 4


@pytest.mark.parametrize(
    ("shape", "size", "static", "wrong"),
    [
        ((1, 1, 1, 10, 8), (4, 8), (True, True), ("rows", 10, 4)),
        ((1, 1, 1, 10, 8), (4, 8), (False, True), None),
        ((1, 1, 1, 8, 10), (8, 4), (True, True), ("columns", 10, 4)),
        ((1, 1, 1, 8, 10), (8, 4), (True, False), None),
        ((1, 1, 1, 3, 10), (4, 5), (True, True), ("rows", 3, 4)),
        ((1, 1, 1, 3, 5), (4, 5), (True, True), None),
    ],
)
def test_static_extents_divide(shape, size, static, wrong) -> None:
    assert ChunkSequence(2, shape, size).remainder(static) == wrong


def test_nothing_to_move() -> None:
    walk = ChunkSequence(2, (1, 1, 1, 0, 8), (4, 4))
    assert len(walk) == prod(walk.shape) == 0 and walk.left(0) == []


@pytest.mark.parametrize("shape", [(1, 1, 1, 0, 4), (0, 1, 1, 4, 4), (1, 1, 1, 4, 0), (1, 0, 1, 9, 9)])
def test_empty_data_has_no_chunk_even_where_it_would_fit(shape: tuple[int, ...]) -> None:
    walk = ChunkSequence(3, shape, (4, 4), 2)
    assert len(walk) == 0 and list(walk) == [] and walk.left(0) == walk.left(1) == []


def test_chunk_outside_the_range_is_rejected() -> None:
    walk = ChunkSequence(2, (1, 1, 1, 8, 8), (4, 4))
    assert walk[0].rank == 0 and walk[7].rank == 1 and len(walk) == 8
    for number in (-1, 8):
        with pytest.raises(IndexError):
            walk[number]
