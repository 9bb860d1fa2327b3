"""Copies between tiles: whole, in part, side by side, transposed, padded."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from ptoas.dialects.pto import movement as dialect
from ptoas.dialects.pto.enums import AccToVecMode, CompactMode, MxGroupAxis, SLayout, TileLoc
from ptoas.dialects.pto.geometry import steps_made
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.machine.arrays import Array, np
from ptoas.machine.checks import check_region
from ptoas.machine.machine import Machine, Step, instruction
from ptoas.machine.tiles import MOST_PARTS, Region, Tile, in_runs
from ptoas.machine.undef import Lanes
from ptoas.ops.family import lanes, same_region
from ptoas.ops.fixpipe import (
    Convert,
    as_it_is,
    check_columns,
    check_scales,
    check_steps,
    conversion,
    steps,
    warn_of_undefined,
)
from ptoas.ops.memory import BURST, pad_bits
from ptoas.ops.quant import in_boxes

BOX = 16
"""Rows of a box of exponents."""


@instruction(dialect.TMovOp)
def tmov(
    op: dialect.TMovOp, m: Machine, dst: Tile, src: Tile, fp: Tile | None = None, tmp: Tile | None = None
) -> Step:
    """Copy the elements that are valid in both tiles; widen a bias, convert an accumulator."""
    if tmp is not None:
        return reordered(op, m, dst, src)
    if turns_pairs(dst, src):
        return turning(op, m, dst, src)
    src = first_half(op, m, src)
    rows, cols = (min(pair) for pair in zip(dst.valid, src.valid, strict=True))
    source, target = src.with_valid(rows, cols), dst.with_valid(rows, cols)
    convert = converting(op, m, src, dst, fp)
    check_columns(op, m, fp, 0, cols)
    check_blocks(op, m, src, dst)
    regions = (source.region, *scales(fp)), (target.region,)
    if convert is as_it_is:
        return Step(copying(source, target), *regions, lanes=None if fp else lanes(source))
    return Step(lambda *word: target.store_raw(convert(source.load_raw(), *word)), *regions)


def check_blocks(op: dialect.TMovOp, m: Machine, src: Tile, dst: Tile) -> None:
    """Say so, where only the run knows that blocks are made of rows at other steps than the tile has; of
    static extents `verify` says it (PTO-K127)."""
    if not m.target.has_pipes or src.boxed or not dst.type.is_nz or dst.type.loc.data is not TileLoc.Vec:
        return
    rows = steps_made(dst.valid[0], dst.type.compact)
    if src.type.loc.data is TileLoc.Vec and rows != dst.rows and dst.valid[1] > dst.geometry.cols.box:
        m.warn(
            "PTO-R951",
            f"tmov: {dst.describe()} is written in steps of {rows} rows from one block of columns to the "
            f"next, and lies in steps of {dst.rows}",
            op,
        )


def first_half(op: dialect.FixpipeOp, m: Machine, src: Tile) -> Tile:
    """Return the part of an accumulator that goes to this core's unified buffer if it is distributed to two
    halves and this one plays the first of them."""
    mode = None if op.acc_to_vec_mode is None else op.acc_to_vec_mode.data
    if m.lane_memories or not m.target.has_pipes:
        return src
    rows, cols = src.valid
    match mode:
        case AccToVecMode.DualModeSplitM:
            return src.with_valid(rows // 2, cols)
        case AccToVecMode.DualModeSplitN:
            return src.with_valid(rows, cols // 2)
        case _:
            return src


def turns_pairs(dst: Tile, src: Tile) -> bool:
    """Return True if packed pairs are row neighbours on one side and column neighbours on the other."""
    boxed = src.boxed and dst.boxed and dst.type.loc.data in (TileLoc.Left, TileLoc.Right)
    return boxed and src.dtype.kind == "pairs" and src.type.slayout is not dst.type.slayout


def turning(op: dialect.TMovOp, m: Machine, dst: Tile, src: Tile) -> Step:
    """fp4 that is transposed: bytes are taken apart in the one direction and put together in the other."""
    if turned(dst) != src.valid:
        raise does_not_fit(op, m, src, dst)
    return Step(lambda: dst.store_raw(turn(src.load_raw(), src)), (src.region,), (dst.region,))


def turned(dst: Tile) -> tuple[int, int]:
    """The extents of a tile of pairs, as one counts them that has its pairs along the other dimension."""
    rows, cols = dst.valid
    return (rows // 2, 2 * cols) if dst.type.slayout is SLayout.RowMajor else (2 * rows, cols // 2)


def turning_bits(src: Tile) -> Convert:
    def convert(bits: Array, *_: int, **__: int) -> Array:
        return turn(bits, src)

    return convert


def turn(pairs: Array, src: Tile) -> Array:
    """Pairs of neighbours in a row of `src` as those of neighbours in a column, or the other way round."""
    rows, cols = pairs.shape
    by_row = src.type.slayout is SLayout.RowMajor
    numbers = np.stack((pairs & 0xF, pairs >> 4), axis=2 if by_row else 1)
    numbers = numbers.reshape(rows, 2 * cols) if by_row else numbers.reshape(2 * rows, cols)
    low, high = (numbers[0::2], numbers[1::2]) if by_row else (numbers[:, 0::2], numbers[:, 1::2])
    return low | high << 4


def reordered(op: dialect.TMovOp, m: Machine, dst: Tile, src: Tile) -> Step:
    """Exponents of blocks in boxes, by the order of addresses: the pitch of neither tile is looked at. What
    completes the last boxes along axis1 is zeroed in the source and copied from there."""
    down = op.axis is MxGroupAxis.Axis0
    rows, cols = (src if down else dst).valid
    count = rows * cols
    capacity = count if down else -(-rows // BOX) * BOX * cols
    odd = rows % 2 or cols % BOX if down else cols % 2
    if odd or capacity > min(src.flat.size, dst.flat.size) or src.valid not in ((rows, cols), (1, count)):
        raise does_not_fit(op, m, src, dst)
    taken, made = src.elements(np.arange(count)), dst.elements(np.arange(capacity))
    zeros = src.elements(np.arange(count, capacity))

    def run() -> None:
        src.flat[count:capacity] = 0
        exponents = src.flat[:count].reshape(rows, cols)
        dst.flat[:capacity] = in_boxes(exponents.T if down else exponents)

    return Step(run, (taken,), (made, zeros) if capacity > count else (made,))


def copying(source: Tile, target: Tile) -> Callable[[], None]:
    """Bit patterns of one valid region to another, from box to box where strides can say it."""
    arrays = target.paired_with(source)
    if arrays is None:
        return lambda: target.store_raw(source.load_raw())
    into, out_of = in_runs(*arrays)

    def run() -> None:
        into[...] = out_of

    return run


def converting(op: dialect.FixpipeOp, m: Machine, src: Tile, dst: Tile, fp: Tile | None) -> Convert:
    warn_of_undefined(op, m, src)
    if src.type.loc.data is TileLoc.Acc:
        check_steps(op, m, src, steps(src, by_valid(op, src, dst)))
    check_scales(op, m, fp)
    return conversion(src, dst.dtype, fp, op.pre_quant is not None, op.relu_pre_mode)


def by_valid(op: dialect.FixpipeOp, src: Tile, dst: Tile) -> bool:
    """Return True if the library derives accumulator strides from the valid extents instead of the type."""
    if dst.boxed:
        return False
    if isinstance(op, dialect.TExtractOp):
        return src.type.compact is CompactMode.Normal
    return isinstance(op, dialect.TInsertOp) or src.type.valid[0] in (DYNAMIC, src.type.rows)


def scales(fp: Tile | None) -> tuple[Region, ...]:
    return () if fp is None else (fp.region,)


@instruction(dialect.TFillPadOp)
def tfillpad(op: dialect.TFillPadOp, m: Machine, dst: Tile, src: Tile) -> Step:
    """A device fills the destination's valid rows across all physical columns, the simulator the whole
    tile."""
    model = m.target.model(op)
    rows, cols = src.valid
    if 0 in dst.valid:
        return Step(lambda: None)
    filled = dst.full if model.whole else dst.with_valid(dst.valid[0], dst.cols)
    if rows > filled.valid[0] or cols > dst.cols:
        raise does_not_fit(op, m, src, filled)
    pad = dst.type.pad if op.pad_value is None else op.pad_value.data
    padded = np.full(filled.valid, pad_bits(m, dst.dtype, pad))
    until = cols
    if model.keeps_bursts and src.type.pad is dst.type.pad:
        # What a load has padded already comes along with the last burst of each row.
        until = min(src.cols, -(-cols * src.dtype.size // BURST) * BURST // src.dtype.size)
    source = src.with_valid(rows, until)

    def run() -> None:
        padded[:rows, :until] = source.load_raw()
        filled.store_raw(padded)

    if until == cols:
        return Step(run, (src.region,), (filled.region,))
    written = np.ones(filled.valid, bool)
    written[:rows, cols:until] = False
    copied = dst.elements(dst.offsets[: filled.valid[0]][~written])

    def run_and_copy() -> None:
        known = source.region.complete()
        run()
        if known:
            copied.mark(op)

    return Step(run_and_copy, (src.region,), (dst.elements(dst.offsets[: filled.valid[0]][written]),))


def does_not_fit(op: PtoOp, m: Machine, source: Tile, target: Tile) -> Exception:
    rows, cols = source.valid
    destination = f"[{target.valid[0]}, {target.valid[1]}] of {target.describe()}"
    return m.refuse("PTO-R105", f"[{rows}, {cols}] of %{source.name} does not fit {destination}", op)


@instruction(dialect.TTransOp)
def ttrans(op: dialect.TTransOp, m: Machine, dst: Tile, src: Tile, tmp: Tile | None = None) -> Step:
    rows, cols = src.valid
    if cols > dst.rows or rows > dst.cols:
        raise does_not_fit(op, m, src, dst.full)
    target = dst.with_valid(cols, rows)
    turned = Lanes((src.valid,), turned=True)
    return Step(
        lambda: target.store_raw(src.load_raw().T.copy()), (src.region,), (target.region,), lanes=turned
    )


@instruction(dialect.TConcatOp)
def tconcat(op: dialect.TConcatOp, m: Machine, dst: Tile, src0: Tile, src1: Tile) -> Step:
    rows, left, right = dst.valid[0], src0.valid[1], src1.valid[1]
    if left + right > dst.cols:
        raise does_not_fit(op, m, src0.with_valid(rows, left + right), dst.full)
    (first,) = same_region(op, m, dst.with_valid(rows, left), src0)
    (second,) = same_region(op, m, dst.with_valid(rows, right), src1)
    target = dst.with_valid(rows, left + right)

    def run() -> None:
        target.store_raw(np.concatenate((first.load_raw(), second.load_raw()), axis=1))

    return Step(run, (first.region, second.region), (target.region,))


@instruction(dialect.TConcatIdxOp)
def tconcatidx(
    op: dialect.TConcatIdxOp, m: Machine, dst: Tile, src0: Tile, src1: Tile, src0_idx: Tile, src1_idx: Tile
) -> Step:
    """Devices stop at the destination's valid columns; the simulator writes on, which is an error here."""
    rows, width = dst.valid[0], dst.valid[1] if m.target.has_pipes else dst.cols
    counts = same_region(op, m, dst.with_valid(rows, 1), src0_idx, src1_idx)
    unit = src0_idx.dtype.size
    columns, places = np.arange(width), dst.offsets[:rows, :width]

    def part(tile: Tile, start: Array, count: Array) -> None:
        """Copy a number of columns of a source, to column `start` of the destination."""
        if (count < 0).any() or (count > tile.cols).any():
            raise m.refuse("PTO-R105", f"{count.max()} columns are read, but {tile.describe()} has fewer", op)
        here = (columns >= start) & (columns < start + count)
        at = np.broadcast_to(np.clip(columns - start, 0, tile.cols - 1), here.shape)
        chosen = np.take_along_axis(tile.offsets[:rows], at, axis=1)[here]
        if m.checks.init:
            check_region(op, m, tile.elements(chosen))
        dst.flat[places[here]] = tile.flat[chosen]
        dst.elements(places[here]).mark(op)

    def run() -> None:
        first, second = (index.load().astype(np.int64) // unit for index in counts)
        if m.target.has_pipes:
            first = np.minimum(first, width)
            second = np.minimum(second, width - first)
        elif (first + second > width).any():
            total = (first + second).max()
            raise m.refuse("PTO-R105", f"{total} columns do not fit {dst.describe()}", op)
        part(src0, np.zeros_like(first), first)
        part(src1, first, second)

    return Step(run, tuple(tile.region for tile in counts))


def inside(op: PtoOp, m: Machine, tile: Tile, row: int, col: int, shape: tuple[int, int]) -> None:
    """Stop unless a rectangle lies in a tile: on the simulator in what is valid, on a device in all of it."""
    (height, width), (rows, cols) = shape, tile.held if m.target.has_pipes else tile.valid
    if row < 0 or col < 0 or row + height > rows or col + width > cols:
        message = (
            f"rows {row} to {row + height}, columns {col} to {col + width} are outside {tile.describe()}, "
            f"which has [{rows}, {cols}]"
        )
        raise m.refuse("PTO-R107", message, op)


@instruction(dialect.TExtractOp)
def textract(op: dialect.TExtractOp, m: Machine, dst: Tile, src: Tile, fp: Tile | None = None) -> Step:
    half = first_half(op, m, src)
    if half is not src:
        # From index 0, as the rules require: the half selects the source elements, not the destination.
        src, dst = half, dst.with_valid(*(min(pair) for pair in zip(dst.valid, half.valid, strict=True)))
    convert: Convert = converting(op, m, src, dst, fp)
    shape = dst.valid
    if turns_pairs(dst, src):
        shape, convert = turned(dst), turning_bits(src)
    rows, cols = shape

    @lru_cache(MOST_PARTS)
    def copying_part(part: Tile) -> Callable[[], None]:
        return copying(part, dst)

    def run(row: int, col: int, *word: int) -> None:
        inside(op, m, src, row, col, shape)
        check_columns(op, m, fp, col, cols)
        part = src.part(row, col, shape)
        places = None if part is not None else src.offsets[row : row + rows, col : col + cols]
        if m.checks.init and (part is None or part.region.ready != part.bits.epoch):
            check_region(op, m, src.elements(places) if part is None else part.region)
        if part is not None and convert is as_it_is:
            copying_part(part)()
        else:
            bits = src.flat[places] if part is None else part.load_raw()
            dst.store_raw(convert(bits, *word, at=col))

    return Step(run, scales(fp), (dst.region,))


@instruction(dialect.TInsertOp)
def tinsert(op: dialect.TInsertOp, m: Machine, dst: Tile, src: Tile, fp: Tile | None = None) -> Step:
    src = first_half(op, m, src)
    convert = converting(op, m, src, dst, fp)
    check_columns(op, m, fp, 0, src.valid[1])
    shape = covered(op, src, dst) if m.target.has_pipes else src.valid

    def run(row: int, col: int, *word: int) -> None:
        inside(op, m, dst, row, col, shape)
        bits = convert(src.load_raw(), *word)
        if shape != src.valid:
            dst.elements(dst.offsets[row : row + shape[0], col : col + shape[1]]).clobber(op)
        dst.store_at(row, col, bits).mark(op)

    return Step(run, (src.region, *scales(fp)))


def covered(op: dialect.TInsertOp, src: Tile, dst: Tile) -> tuple[int, int]:
    """Return the region written by an insertion.

    An accumulator written to boxes covers all of its rows and whole blocks of columns; a part covers whole
    blocks. Outside the valid region the contents are undefined.
    """
    rows, cols = src.valid
    if op.tinsert_mode is not None:
        return -(-rows // BOX) * BOX, cols
    if src.type.loc.data is not TileLoc.Acc or not dst.boxed:
        return rows, cols
    width = dst.geometry.cols.box
    return src.rows, -(-cols // width) * width
