"""Arithmetic of two tiles of which one may be smaller."""

from __future__ import annotations

from functools import partial

from ptoas.dialects.pto import partial as dialect
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.machine.arrays import Array, Ufunc, np
from ptoas.machine.machine import Machine, Step, instruction
from ptoas.machine.tiles import Tile
from ptoas.ops.family import NOTHING, applied, require_arithmetic
from ptoas.targets.shared.partial import FIRST, UNLESS


def _sources(op: PtoOp, m: Machine, dst: Tile, *sources: Tile) -> tuple[Tile, ...]:
    """The sources within the destination; one must be as large, unless the target writes zeros else."""
    parts = tuple(tile.with_valid(*_shared(dst, tile)) for tile in sources)
    if m.target.model(op) == "zeros":
        return parts
    if parts != sources or dst.valid not in [tile.valid for tile in sources]:
        what = " and ".join(tile.describe() for tile in sources)
        raise m.refuse("PTO-R105", f"{what} do not cover {dst.describe()}", op)
    return parts


def _shared(one: Tile, other: Tile) -> tuple[int, int]:
    """The extents where both are valid."""
    return min(one.valid[0], other.valid[0]), min(one.valid[1], other.valid[1])


def _merge(dst: Tile, sources: tuple[Tile, ...], result: Array) -> None:
    """Copy elements that only one source has; combine those that both have."""
    if dst.valid not in [tile.valid for tile in sources]:
        dst.store_raw(np.zeros(dst.valid, dst.dtype.raw))
    for src in sources:
        dst.with_valid(*src.valid).store_raw(src.load_raw())
    dst.with_valid(*result.shape).store_raw(result)


def _values(ufunc: Ufunc, op: PtoOp, m: Machine, dst: Tile, src0: Tile, src1: Tile) -> Step:
    if 0 in dst.valid:
        return NOTHING
    require_arithmetic(op, m, dst)
    sources = _sources(op, m, dst, src0, src1)
    reads = tuple(tile.region for tile in sources)
    shared = _shared(*sources)
    a, b = (tile.with_valid(*shared) for tile in sources)
    if shared == dst.valid:
        return Step(applied(dst, ufunc, (a, b)), reads, (dst.region,))

    def run() -> None:
        result = np.asarray(ufunc(a.load(), b.load()), dst.dtype.number)
        _merge(dst, sources, result.view(dst.dtype.raw))

    return Step(run, reads, (dst.region,))


def _takes_first(op: PtoOp, m: Machine, wins: Ufunc, ties: Ufunc) -> Ufunc:
    """The condition under which the target takes the first of two values."""
    model = m.target.model(op)

    def unless_second(a: Array, b: Array) -> Array:
        return ~wins(b, a)

    return {FIRST: ties, UNLESS: unless_second}.get(model, wins)


def _pairs(
    wins: Ufunc,
    ties: Ufunc,
    op: PtoOp,
    m: Machine,
    dst: Tile,
    dst_idx: Tile,
    src0: Tile,
    src1: Tile,
    src0_idx: Tile,
    src1_idx: Tile,
) -> Step:
    """`wins` says where one value is better than another, `ties` where it is at least as good."""
    if 0 in dst.valid:
        return NOTHING
    require_arithmetic(op, m, dst)
    takes_first = _takes_first(op, m, wins, ties)
    values = _sources(op, m, dst, src0, src1)
    indices = _sources(op, m, dst_idx, src0_idx, src1_idx)
    shared = _shared(*values)
    a, b, i, j = (tile.with_valid(*shared) for tile in (*values, *indices))

    def run() -> None:
        first = takes_first(a.load(), b.load())
        value = np.where(first, a.load_raw(), b.load_raw())
        index = np.where(first, i.load_raw(), j.load_raw())
        _merge(dst, values, value)
        _merge(dst_idx, indices, index)

    return Step(run, tuple(tile.region for tile in (*values, *indices)), (dst.region, dst_idx.region))


instruction(dialect.TPartAddOp)(partial(_values, np.add))
instruction(dialect.TPartMulOp)(partial(_values, np.multiply))
instruction(dialect.TPartMaxOp)(partial(_values, np.maximum))
instruction(dialect.TPartMinOp)(partial(_values, np.minimum))
instruction(dialect.TPartArgMaxOp)(partial(_pairs, np.greater, np.greater_equal))
instruction(dialect.TPartArgMinOp)(partial(_pairs, np.less, np.less_equal))
