"""TGATHER in its three forms, and TGATHERB: gathers within tiles (document 004, D18, D19)."""

from __future__ import annotations

from collections.abc import Callable

from ptoas.dialects.pto.enums import CmpMode
from ptoas.dialects.pto.gather import TGatherBOp, TGatherOp
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import DYNAMIC, TileType
from ptoas.machine.arrays import Array, np
from ptoas.machine.checks import check_region
from ptoas.machine.machine import Machine, Step, instruction
from ptoas.machine.tiles import Region, Tile
from ptoas.ops.compare import MODES, UI8
from ptoas.ops.indexing import checked, index_reader
from ptoas.targets.shared.compare_gather import LANES, CompareModel, scratch_bytes

BLOCK = 32
"""Bytes of a block of TGATHERB."""


@instruction(TGatherOp)
def tgather(op: TGatherOp, m: Machine, **operands: Tile) -> Step:
    forms = {"index": by_index, "compare": by_comparison, "mask": by_mask}
    return forms[op.form](op, m, **operands)


def by_index(op: TGatherOp, m: Machine, dst: Tile, src: Tile, indices: Tile, tmp: Tile | None = None) -> Step:
    rows, cols = dst.valid
    if rows > indices.rows or cols > indices.cols:
        message = (
            f"%{dst.name} is valid for [{rows}, {cols}], %{indices.name} has only [{indices.rows}, "
            f"{indices.cols}]"
        )
        raise m.refuse("PTO-R105", message, op)
    if m.target.has_pipes:
        check_full(op, m, dst, indices)
    index = indices.with_valid(rows, cols)
    flat, offsets = src.counted
    count = len(flat) if offsets is None else len(offsets)
    strict = m.checks.mem and not m.checks.unchecked
    read = index_reader(index, m, flat=False)

    if strict:
        read = checked(read, count, op, m, "indices", index, f"%{src.name}, which has {count} elements")
    simple = strict and offsets is None and not dst.boxed and not m.target.sign_extends_index

    def run() -> None:
        found = read()
        inside = found < count
        chosen = np.where(inside, found, 0).astype(np.intp)
        values = flat[chosen if offsets is None else offsets[chosen]]
        # D19: outside the source there is zero, once that is let through at all.
        dst.store_raw(np.where(inside, values, flat.dtype.type(0)))

    def run_simple() -> None:
        flat.take(read(), 0, dst.raw, "clip")

    def places() -> Array:
        found = read()
        chosen = found[found < count].astype(np.intp)
        return chosen if offsets is None else offsets[chosen]

    work = only_written(op, m, src, places, run_simple if simple else run)
    return Step(work, reads=(index.region,), writes=(dst.region,))


def check_full(op: TGatherOp, m: Machine, *tiles: Tile) -> None:
    """Check that the valid columns are all of a tile's, as on devices (document 004), also for run-time
    extents.
    """
    for tile in tiles:
        width = tile.cols if tile.boxed else max(tile.cols, tile.row_stride // tile.dtype.size)
        if tile.type.valid_cols == DYNAMIC and tile.valid[1] != width and m.checks.mem:
            message = (
                f"{tile.describe()} is valid for {tile.valid[1]} columns of {width}; {m.target.name} reads "
                "them without gaps"
            )
            raise m.refuse("PTO-R123", message, op)


def only_written(
    op: PtoOp, m: Machine, src: Tile, places: Callable[[], Array], work: Callable[[], None]
) -> Callable[[], None]:
    """Only the elements that are chosen have to be initialised, not the whole source."""
    if not m.checks.init:
        return work
    everything = src.full.region

    def run() -> None:
        if everything.ready != everything.bits.epoch and not everything.complete():
            check_region(op, m, src.elements(places()))
        work()

    return run


def by_mask(op: TGatherOp, m: Machine, dst: Tile, src: Tile, tmp: Tile | None = None) -> Step:
    assert op.mask_pattern is not None
    first, step = op.mask_pattern.data.places
    along_columns = op.axis is not None and op.axis.data == "col"

    def too_many(what: str, dst: Tile) -> Exception:
        return m.refuse("PTO-R108", f"{what} are kept, but {dst.describe()} has space for fewer", op)

    rows, cols = src.valid
    if m.target.has_pipes and not along_columns:
        check_full(op, m, dst)
    if along_columns:
        kept_rows = len(range(first, rows, step))
        if kept_rows > dst.rows or cols > dst.cols:
            raise too_many(f"{kept_rows} rows of {cols}", dst)
        target = dst.with_valid(kept_rows, cols)

        def run_columns() -> None:
            target.store_raw(src.load_raw()[first::step])

        return Step(run_columns, reads=(src.region,), writes=(target.region,))
    kept = rows * len(range(first, cols, step))
    if kept > dst.rows * dst.cols:
        raise too_many(f"{kept} elements", dst)
    flat = dst.flat
    offsets = None if dst.in_order else dst.offsets.reshape(-1)[:kept]

    def run() -> None:
        stream = src.load_raw()[:, first::step].reshape(-1)
        if offsets is None:
            flat[:kept] = stream
        else:
            flat[offsets] = stream

    places = np.arange(kept) if offsets is None else offsets
    return Step(run, reads=(src.region,), writes=(dst.elements(places),))


def by_comparison(
    op: TGatherOp,
    m: Machine,
    dst: Tile,
    src: Tile,
    cdst: Tile,
    indices: Tile | None = None,
    tmp: Tile | None = None,
) -> Step:
    """Per row of the source: where it compares with the threshold, packed from the row's start, and how
    many."""
    compare = MODES[CmpMode.EQ if op.cmp_mode is None else op.cmp_mode.data]
    first_index = 0 if op.offset is None else op.offset.value.data
    model: CompareModel = m.target.model(op)
    rows, cols = src.valid
    if rows > dst.rows or rows > cdst.rows * cdst.cols:
        message = f"{rows} rows are compared, {dst.describe()} and {cdst.describe()} have room for fewer"
        raise m.refuse("PTO-R108", message, op)
    # A window counts as the tile that it looks into.
    width = src.cols if src.boxed else src.row_stride // src.dtype.size
    if model.whole_repeats:
        width = -(-cols // LANES) * LANES
    position = first_index + np.arange(rows)[:, None] * width + np.arange(cols)[None, :]
    position = position.astype(np.int64)
    counted = cdst.offsets.reshape(-1)[:rows]
    counts_region = cdst.elements(counted)
    thresholds = None if indices is None else indices.offsets.reshape(-1)[:rows]

    def keep(found: Array) -> None:
        counts = np.add.reduce(found, axis=1)
        most = int(counts.max()) if rows else 0
        if most > dst.cols:
            row = int(counts.argmax())
            message = (
                f"{most} elements of row {row} of %{src.name} are kept, a row of {dst.describe()} has room "
                f"for {dst.cols}"
            )
            raise m.refuse("PTO-R108", message, op)
        row, col = np.nonzero(found)
        slot = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
        places = dst.offsets[row, slot]
        dst.flat[places] = position[row, col].astype(dst.dtype.number).view(dst.dtype.raw)
        cdst.flat[counted] = counts.astype(cdst.dtype.number).view(cdst.dtype.raw)
        if m.checks.init and len(places):
            dst.elements(places).mark(op)

    def run(threshold: float) -> None:
        keep(compare(src.dtype.numbers(src.load_raw()), src.dtype.scalar(threshold)))

    def run_tile() -> None:
        assert indices is not None
        values = indices.flat[thresholds].view(indices.dtype.number)
        keep(compare(_compared(src, model), _thresholds(values, src, model)[:, None]))

    bytes_after = _bytes_after(tmp, src) if tmp is not None and model.after_scratch else ()
    if indices is None:
        return Step(run, reads=(src.region,), writes=(counts_region,), clobbers=bytes_after)
    read = indices.elements(np.asarray(thresholds))
    return Step(run_tile, reads=(src.region, read), writes=(counts_region,), clobbers=bytes_after)


def _bytes_after(tmp: Tile, src: Tile) -> tuple[Region, ...]:
    """The bytes that are clobbered from the start of the scratch tile on, behind its end where it is small;
    a tile that the compiler has placed has no bytes there."""
    size = scratch_bytes(src.type, src.valid[0], tmp.type)
    if size <= tmp.size_bytes or tmp.address + size > tmp.bits.base + len(tmp.bits.written):
        return ()
    type = TileType.of(UI8, 1, size, loc=tmp.type.loc.data)
    return (Tile(type, tmp.memory, tmp.address, (1, size), tmp.name, tmp.bits, origin=tmp.origin).region,)


def _compared(src: Tile, model: CompareModel) -> Array:
    """The elements of the source as the target compares them."""
    values = src.dtype.numbers(src.load_raw())
    if values.dtype.kind != "f":
        return values if model.signed else values.astype(src.dtype.raw).astype(np.int64)
    if model.rounds and src.dtype.size == 4:
        # To 32 bits, which are then compared without a sign.
        limit = 2.0**31
        whole = np.clip(np.nan_to_num(np.rint(values.astype(np.float64))), -limit, limit - 1)
        return whole.astype(np.int64) & 0xFFFFFFFF
    return values


def _thresholds(thresholds: Array, src: Tile, model: CompareModel) -> Array:
    """One threshold a row, in the type that is compared."""
    is_float = src.dtype.numbers(src.load_raw()).dtype.kind == "f"
    signed = thresholds.astype(f"i{thresholds.dtype.itemsize}")
    if is_float and src.dtype.size == 2:
        return signed.astype(np.int16).astype(np.float32)
    if is_float and not model.rounds:
        return signed.astype(np.float32)
    return signed.astype(np.int64) if model.signed else thresholds.astype(np.int64)


@instruction(TGatherBOp)
def tgatherb(op: TGatherBOp, m: Machine, dst: Tile, src: Tile, offsets: Tile) -> Step:
    """Block b of row i of the destination is the block of the source at byte `offsets[i, b]`."""
    rows, cols = dst.valid
    width = cols * dst.dtype.size
    # The simulator moves whole blocks only; the devices mask the last one.
    blocks = -(-width // BLOCK) if m.target.has_pipes else width // BLOCK
    if rows > offsets.rows or blocks > offsets.cols:
        message = f"{rows}x{blocks} blocks are gathered, but {offsets.describe()} has fewer offsets"
        raise m.refuse("PTO-R105", message, op)
    chosen = offsets.with_valid(rows, blocks)
    available = src.size_bytes - BLOCK + 1
    read = index_reader(chosen, m, flat=False)

    if m.checks.mem and not m.checks.unchecked:
        limit = max(available, 0)
        what = f"%{src.name}: a block of {BLOCK} bytes starts before byte {limit} of it"
        read = checked(read, limit, op, m, "offsets", chosen, what)
    moved = min(width, blocks * BLOCK)
    written = dst.with_valid(rows, moved // dst.dtype.size)
    windows = np.ndarray((max(available, 0), BLOCK), np.uint8, src.memory.data, src.address, (1, 1))

    def run() -> None:
        found = read()
        inside = found < available
        if not windows.size or not found.size:
            return
        data = windows[np.where(inside, found, 0).astype(np.intp)].reshape(rows, blocks * BLOCK)
        bits = np.ascontiguousarray(data[:, :moved]).view(dst.dtype.raw)
        if not inside.all():
            # Elements out of bounds are not changed.
            keep = np.repeat(inside, BLOCK, axis=1)[:, : moved : dst.dtype.size]
            bits = np.where(keep, bits, written.load_raw())
        written.store_raw(bits)

    def places() -> Array:
        found = read()
        bytes_ = found[found < available].astype(np.intp)[:, None] + np.arange(BLOCK)
        return np.unique(bytes_ // src.dtype.size)

    work = only_written(op, m, src, places, run)
    return Step(work, reads=(chosen.region,), writes=(written.region,))
