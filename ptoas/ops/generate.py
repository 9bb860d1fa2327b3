"""Tiles made of little: triangles, random numbers, histograms."""

from __future__ import annotations

from ptoas.dialects.pto import generate as dialect
from ptoas.machine.arrays import Array, np
from ptoas.machine.machine import Machine, Step, instruction
from ptoas.machine.tiles import Tile
from ptoas.ops.family import needed

WORD = 0xFFFFFFFF
LANES = 64
"""Words in one vector register; four of them are made at a time."""
BINS = 256


@instruction(dialect.TTriOp)
def ttri(op: dialect.TTriOp, m: Machine, dst: Tile) -> Step:
    upper = op.upper_or_lower is not None and op.upper_or_lower.value.data == 1
    rows, cols = dst.valid
    distance = np.arange(cols) - np.arange(rows)[:, None]

    def run(diag: int) -> None:
        ones = distance >= diag if upper else distance <= diag
        dst.store_raw(dst.dtype.encode(ones.astype(np.float64)).view(dst.dtype.raw))

    return Step(run, (), (dst.region,))


@instruction(dialect.TRandomOp)
def trandom(op: dialect.TRandomOp, m: Machine, dst: Tile) -> Step:
    """Each of 64 lanes makes four words out of its own counter. A device stores them lane by lane, and counts
    on behind the last lane of a row; the simulator stores them word by word, and counts a quarter of a row
    further each time."""
    rounds = 10 if op.rounds is None else op.rounds.value.data
    rows, cols = dst.valid
    turns = -(-cols // (4 * LANES))
    row = np.arange(rows, dtype=np.uint64)[:, None, None]
    turn = np.arange(turns, dtype=np.uint64)[:, None]
    if m.target.has_pipes:
        start = row * np.uint64((turns - 1) * LANES + (cols - 1) % LANES + 1) + turn * np.uint64(LANES)
    else:
        start = (row * np.uint64(turns) + turn) * np.uint64(dst.cols // 4)
    steps = start + np.arange(LANES, dtype=np.uint64)

    def run(k0: int, k1: int, *counter: int) -> None:
        words = philox(counted(counter, steps), (k0, k1), rounds)
        words = np.moveaxis(words, 0, -1 if m.target.has_pipes else -2)
        dst.store_raw(words.reshape(rows, -1)[:, :cols].astype(np.uint32))

    return Step(run, (), (dst.region,))


def counted(counter: tuple[int, ...], steps: Array) -> list[Array]:
    """A counter of four words, so many steps further."""
    words: list[Array] = []
    carry = steps
    for word in counter:
        total = (carry & np.uint64(WORD)) + np.uint64(word & WORD)
        words.append(total & np.uint64(WORD))
        carry = (carry >> np.uint64(32)) + (total >> np.uint64(32))
    return words


def philox(counter: list[Array], key: tuple[int, int], rounds: int) -> Array:
    """Philox 4x32 (Salmon et al., 2011): four words out of each counter."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for n in range(rounds):
        first, second = c0 * np.uint64(0xD2511F53), c2 * np.uint64(0xCD9E8D57)
        key0, key1 = (k0 + n * 0x9E3779B9) & WORD, (k1 + n * 0xBB67AE85) & WORD
        c0 = (second >> np.uint64(32)) ^ c1 ^ np.uint64(key0)
        c2 = (first >> np.uint64(32)) ^ c3 ^ np.uint64(key1)
        c1, c3 = second & np.uint64(WORD), first & np.uint64(WORD)
    return np.stack([c0, c1, c2, c3])


@instruction(dialect.THistogramOp)
def thistogram(op: dialect.THistogramOp, m: Machine, dst: Tile, src: Tile, idx: Tile) -> Step:
    """The counts are summed up from bin to bin, as the device's instruction leaves them.

    16 bits: each row has a filter of its own. 32 bits: row `n` of the index filters the `n`-th byte from the
    top, on a device for each column, on the simulator with its first element.
    """
    byte = op.number
    rows, cols = src.valid
    if dst.valid[0] < rows or dst.valid[1] < BINS:
        raise m.refuse("PTO-R105", f"{dst.describe()} has no space for {rows} rows of {BINS} bins", op)
    target = dst.with_valid(rows, BINS)
    higher = range(src.dtype.size - 1, byte, -1)
    by_row = src.dtype.size == 2
    shape = (rows, len(higher)) if by_row else (len(higher), cols if m.target.has_pipes else 1)
    # The highest byte has no filter; its index is ignored.
    filters = needed(op, m, dst, idx, *shape) if higher else idx.with_valid(0, 0)
    row_start = np.arange(rows)[:, None] * BINS

    def run() -> None:
        values, selected = src.load(), filters.load()
        passed = np.ones(values.shape, bool)
        for at, number in enumerate(higher):
            selected_here = selected if by_row else selected[at : at + 1]
            passed &= (values >> 8 * number & 0xFF) == selected_here
        bins = (row_start + (values >> 8 * byte & 0xFF))[passed]
        counts = np.bincount(bins, minlength=rows * BINS).reshape(rows, BINS)
        target.store_raw(np.cumsum(counts, axis=1).astype(np.uint32))

    return Step(run, (src.region, filters.region), (target.region,))
