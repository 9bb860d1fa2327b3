"""A row, a column or a scalar, repeated over a tile; alone, or combined with another tile."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ptoas.dialects.pto import expand as dialect
from ptoas.dialects.pto.enums import BLayout
from ptoas.dialects.pto.geometry import BURST
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.machine.arrays import Array, np
from ptoas.machine.machine import Machine, Step, instruction
from ptoas.machine.tiles import Tile
from ptoas.ops.division import divide
from ptoas.ops.family import (
    NOTHING,
    Function,
    Make,
    always,
    applied,
    lanes,
    needed,
    require_arithmetic,
    wider,
)


@instruction(dialect.TRowExpandOp, dialect.TColExpandOp)
def texpand(op: dialect.TRowExpandOp | dialect.TColExpandOp, m: Machine, dst: Tile, src: Tile) -> Step:
    """The first element of each row along the row, or the first row down the columns."""
    extents = (dst.valid[0], 1) if isinstance(op, dialect.TRowExpandOp) else (1, dst.valid[1])
    first = needed(op, m, dst, src, *extents)
    return Step(lambda: dst.store_raw(first.load_raw()), (first.region,), (dst.region,), lanes=lanes(src))


@instruction(dialect.TExpandSOp)
def texpands(op: dialect.TExpandSOp, m: Machine, dst: Tile) -> Step:
    scalar, raw = dst.dtype.scalar, dst.dtype.raw

    def run(value: float) -> None:
        dst.store_raw(np.asarray(scalar(value)).view(raw))

    return Step(run, writes=(dst.region,))


# --- with an operation ---------------------------------------------------------------------------


def expdif(a: Array, b: Array, out: Array | None = None) -> Array:
    """The difference is rounded to the element type before its exponential is taken."""
    return wider(np.exp)(np.subtract(a, b), out=out)


Pick = Callable[[PtoOp, Machine, Tile, Tile, Tile], tuple[Tile, Tile]]
"""The part of each source that is worked with."""


def _expand(table: dict[type[PtoOp], Make], pick: Pick) -> None:
    for cls, make in table.items():
        instruction(cls)(partial(_expanded, make, pick))


def _expanded(
    make: Make, pick: Pick, op: PtoOp, m: Machine, dst: Tile, src0: Tile, src1: Tile, tmp: Tile | None = None
) -> Step:
    if dst.valid == (0, 0):
        return NOTHING
    require_arithmetic(op, m, dst)
    sources = pick(op, m, dst, src0, src1)
    run = applied(dst, _repeating(make(op, m), dst.valid[1], *sources), sources)
    reads = tuple(tile.region for tile in sources)
    return Step(run, reads, (dst.region,), lanes=lanes(src0, src1))


def _by_row(op: PtoOp, m: Machine, dst: Tile, src0: Tile, src1: Tile) -> tuple[Tile, Tile]:
    """The sources: one as the destination, the other a column, or a block of each row."""
    full, each = (src0, src1) if src0.valid == dst.valid else (src1, src0)
    one_row = BURST // each.dtype.size if each.type.blayout is BLayout.RowMajor else 1
    rows = dst.valid[0]
    fits = m.target.has_pipes or each.valid == (rows, one_row)
    if full.valid != dst.valid or not fits:
        message = (
            f"one of {src0.describe()} and {src1.describe()} must have the valid shape of the destination "
            f"{dst.describe()}, the other [{rows}, {one_row}]"
        )
        raise m.refuse("PTO-R105", message, op)
    part = needed(op, m, dst, each, rows, one_row)
    return (full, part) if full is src0 else (part, full)


def _by_column(op: PtoOp, m: Machine, dst: Tile, src0: Tile, src1: Tile) -> tuple[Tile, Tile]:
    """The first as the destination, and a row; a device that finds other extents exchanges the two."""
    cols = dst.valid[1]
    if src0.valid != dst.valid or not (m.target.has_pipes or src1.valid[1] == cols):
        message = (
            f"{src0.describe()} must have the valid shape of {dst.describe()}, and {src1.describe()} a row "
            "of as many columns"
        )
        raise m.refuse("PTO-R105", message, op)
    return src0, needed(op, m, dst, src1, 1, cols)


def _repeating(function: Function, width: int, *sources: Tile) -> Function:
    """The function with blocks repeated along the rows; a column repeats itself."""
    if all(tile.valid[1] in (1, width) for tile in sources):
        return function
    first, second = (np.arange(width) % tile.valid[1] for tile in sources)

    def calculate(a: Array, b: Array, out: Array | None = None) -> Array:
        return function(a[:, first], b[:, second], out=out)

    return calculate


_expand(
    {
        dialect.TRowExpandAddOp: always(np.add),
        dialect.TRowExpandSubOp: always(np.subtract),
        dialect.TRowExpandMulOp: always(np.multiply),
        dialect.TRowExpandDivOp: divide,
        dialect.TRowExpandMaxOp: always(np.maximum),
        dialect.TRowExpandMinOp: always(np.minimum),
        dialect.TRowExpandExpdifOp: always(expdif),
    },
    _by_row,
)
_expand(
    {
        dialect.TColExpandAddOp: always(np.add),
        dialect.TColExpandSubOp: always(np.subtract),
        dialect.TColExpandMulOp: always(np.multiply),
        dialect.TColExpandDivOp: divide,
        dialect.TColExpandMaxOp: always(np.maximum),
        dialect.TColExpandMinOp: always(np.minimum),
        dialect.TColExpandExpdifOp: always(expdif),
    },
    _by_column,
)
