"""Sorting and merging of pairs of a value and its index (see the chapter for their form).

A device compares values as its header relies on it: a negative NaN is the least of all, a positive one the
greatest, and the two zeros are equal.
"""

from __future__ import annotations

from typing import Any

from ptoas.dialects.pto.sort import TMrgSortOp, TSort32Op
from ptoas.machine.arrays import Array, np
from ptoas.machine.counts import Counts
from ptoas.machine.dtypes import DType
from ptoas.machine.machine import Machine, Step, instruction
from ptoas.machine.tiles import Region, Tile
from ptoas.ops.family import NOTHING

BLOCK = 32
"""Values that are sorted together."""
PAIR = 8
"""Bytes of a pair."""


def rising(bits: Array, dtype: DType) -> Array:
    """Numbers in 32 bits that rise as the values fall: the order of a sort."""
    if dtype.is_integer:
        return ~(bits.view(dtype.number).astype(np.int32).view(np.uint32) ^ np.uint32(1 << 31))
    wide = bits.astype(np.uint32) << np.uint32(32 - 8 * dtype.size)
    sign = np.uint32(1 << 31)
    magnitude = wide & ~sign
    return np.where((wide & sign != 0) & (magnitude != 0), sign | magnitude, ~sign - magnitude)


@instruction(TSort32Op)
def tsort32(op: TSort32Op, m: Machine, dst: Tile, src: Tile, idx: Tile, tmp: Tile | None = None) -> Step:
    pads = m.target.has_pipes
    rows, cols = src.valid
    if 0 in (rows, cols):
        return NOTHING
    each = PAIR // src.dtype.size
    whole = -(-cols // BLOCK) * BLOCK if pads else cols
    if dst.valid[0] != rows or dst.cols < each * whole or idx.valid[0] not in (1, rows):
        message = f"{rows} rows of {cols} values with {idx.describe()} do not fit {dst.describe()}"
        raise m.refuse("PTO-R140", message, op)
    if idx.valid[1] < cols:
        raise m.refuse("PTO-R105", f"{idx.describe()} has fewer than the {cols} values of a row", op)
    indices = idx.with_valid(idx.valid[0], cols)
    out = dst.with_valid(rows, each * cols)
    rest = whole - cols
    junk = dst.part(0, each * cols, (rows, each * rest)) if rest else None
    clobbers: tuple[Region, ...] = () if junk is None else (junk.region,)
    full = cols // BLOCK * BLOCK
    first = np.arange(0, full, BLOCK)[:, None]
    starts = np.arange(0, rows * cols, cols)[:, None]

    def run() -> None:
        values, numbers = src.load_raw(), indices.load_raw()
        key = rising(values, src.dtype).astype(np.uint64) << np.uint64(32) | numbers
        order = np.empty((rows, cols), np.intp)
        if full:
            blocks = key[:, :full].reshape(rows, -1, BLOCK).argsort(axis=2)
            order[:, :full] = (blocks + first).reshape(rows, full)
        if full < cols:
            order[:, full:] = full + key[:, full:].argsort(axis=1)
        # From one row of numbers, NumPy takes three times as fast as along an axis of several.
        places = order + starts
        numbers = numbers.reshape(-1).take(places if len(numbers) == rows else order)
        out.store_raw(pairs(values.reshape(-1).take(places), numbers))

    return Step(run, (src.region, indices.region), (out.region,), clobbers)


def pairs(values: Array, indices: Array) -> Array:
    """Bit patterns of values and of their indices as rows of pairs, in elements of the values' size."""
    rows, cols = values.shape
    words = np.empty((rows, cols, 2), np.uint32)
    words[..., 0] = values
    words[..., 1] = indices
    return words.reshape(rows, 2 * cols).view(values.dtype)


@instruction(TMrgSortOp)
def tmrgsort(op: TMrgSortOp, m: Machine, **operands: Any) -> Step:
    return (_blocks if op.is_blocks else _lists)(op, m, **operands)


def _words(tile: Tile) -> Array:
    """The pairs of a row as whole numbers of 64 bits: the value in the lower half."""
    return np.ascontiguousarray(tile.load_raw()).view(np.uint64)[0]


def _keys(words: Array, dtype: DType) -> Array:
    """The order in which a merge takes the pairs of one list.

    It looks at the first that is left of each list. One behind a smaller one is taken right after that,
    as if it were no larger: a list that is not sorted is merged by the least that came so far.
    """
    values = (words & np.uint64((1 << 8 * dtype.size) - 1)).astype(dtype.raw)
    return np.maximum.accumulate(rising(values, dtype), axis=-1)


def _blocks(op: TMrgSortOp, m: Machine, dst: Tile, srcs: tuple[Tile, ...]) -> Step:
    (src,) = srcs
    cols, each = src.valid[1], PAIR // src.dtype.size
    limit = cols if m.target.has_pipes else min(cols, dst.valid[1])

    def run(length: int) -> None:
        group = 4 * length
        if length <= 0 or length % each or dst.cols < limit:
            raise m.refuse("PTO-R141", f"{src.describe()} can't be merged in blocks of {length} elements", op)
        if limit % group and m.target.model(op) == "whole groups":
            raise m.refuse("PTO-R141", f"{limit} elements are not a multiple of four blocks of {length}", op)
        done = limit // group * group
        if not done:
            return
        words = _words(src.with_valid(1, done))
        keys = _keys(words.reshape(-1, 4, length // each), src.dtype).reshape(-1, group // each)
        order = keys.argsort(axis=1, kind="stable")
        merged = np.take_along_axis(words.reshape(keys.shape), order, axis=1)
        out = dst.with_valid(1, done)
        out.store_raw(merged.reshape(1, -1).view(dst.dtype.raw))
        if m.checks.init:
            out.region.mark(op)

    return Step(run, (src.region,))


def _lists(
    op: TMrgSortOp, m: Machine, dst: Tile, srcs: tuple[Tile, ...], excuted: Counts, tmp: Tile | None = None
) -> Step:
    stops, device = op.stops, m.target.has_pipes
    each = PAIR // dst.dtype.size
    counts = [src.valid[1] // each for src in srcs]
    parts = [src.with_valid(1, count * each) for src, count in zip(srcs, counts, strict=True)]
    capacity = dst.valid[1] // each
    origin = np.repeat(np.arange(len(srcs)), counts)

    def run() -> None:
        words = np.concatenate([_words(part) for part in parts])
        keys = np.concatenate([_keys(_words(part), dst.dtype) for part in parts])
        order = keys.argsort(kind="stable")
        taken = len(order)
        if stops:
            ends = [np.flatnonzero(origin[order] == n)[-1] + 1 for n in range(len(srcs)) if counts[n]]
            taken = 0 if 0 in counts else int(min(ends))
        if not device:
            taken = min(taken, capacity)
        if stops or not device:
            excuted.set(np.bincount(origin[order[:taken]], minlength=len(srcs)))
        kept = min(taken, capacity)
        out = dst.with_valid(1, kept * each)
        if kept:
            out.store_raw(words[order[:kept]].reshape(1, -1).view(dst.dtype.raw))
        if not m.checks.init:
            return
        if kept:
            out.region.mark(op)
        rest = dst.part(0, kept * each, (1, (capacity - kept) * each)) if device and kept < capacity else None
        if rest is not None:
            # What is left of the scratch tile is copied along.
            rest.region.clobber(op)

    return Step(run, tuple(part.region for part in parts))
