"""Comparisons into masks of bits, and choices by them."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType, Signedness

from ptoas.dialects.pto import compare as dialect
from ptoas.dialects.pto.enums import CmpMode
from ptoas.dialects.pto.geometry import Axis, Geometry
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import TileType
from ptoas.machine.arrays import Array, Ufunc, np
from ptoas.machine.machine import Machine, Step, instruction
from ptoas.machine.tiles import Region, Tile
from ptoas.ops.family import require_arithmetic, same_region

UI8 = IntegerType(8, Signedness.UNSIGNED)

MODES: dict[CmpMode, Ufunc] = {
    CmpMode.EQ: np.equal,
    CmpMode.NE: np.not_equal,
    CmpMode.LT: np.less,
    CmpMode.LE: np.less_equal,
    CmpMode.GT: np.greater,
    CmpMode.GE: np.greater_equal,
}


def _bytes_of(op: PtoOp, m: Machine, mask: Tile, rows: int, cols: int) -> Tile:
    """The bytes of a mask that hold the bits of so many rows and columns."""
    width, used = mask.cols * mask.dtype.size, -(-cols // 8)
    if rows > mask.rows or used > width:
        message = f"{mask.describe()} has fewer than one bit for each of {rows}x{cols} elements"
        raise m.refuse("PTO-R105", message, op)
    type = TileType.of(UI8, mask.rows, width, loc=mask.type.loc.data)
    # Bytes in the mask's own rows: a window of a wider mask keeps the step of the whole.
    plain = Geometry(Axis(1, mask.row_stride, mask.row_stride), Axis(1, 1, 1))
    return Tile(
        type, mask.memory, mask.address, (rows, used), mask.name, mask.bits, plain, origin=mask.origin
    )


def _comparing(op: dialect.CompareOp, m: Machine, dst: Tile, src: Tile) -> tuple[Ufunc, Tile, Tile]:
    """Return the comparison operands, the bytes of the mask, and the part of it that is written."""
    require_arithmetic(op, m, src)
    bits = _bytes_of(op, m, dst, *src.valid)
    written = bits.full if m.target.model(op) == "clears" else bits
    return MODES[m.target.value(op, "cmpMode")], bits, written


def _padding(bits: Tile) -> Region | None:
    """Return the bytes of the mask rows after their last bit."""
    rows, used = bits.valid
    if not rows or used == bits.cols:
        return None
    padding = bits.part(0, used, (rows, bits.cols - used))
    return None if padding is None else padding.region


def _pack(answers: Array, bits: Tile, written: Tile, padding: Region | None) -> None:
    if written is not bits:
        written.raw[...] = 0
    elif padding is not None:
        padding.pad()
    bits.raw[...] = np.packbits(answers, axis=1, bitorder="little")


@instruction(dialect.TCmpOp)
def tcmp(op: dialect.TCmpOp, m: Machine, dst: Tile, src0: Tile, src1: Tile) -> Step:
    compare, bits, written = _comparing(op, m, dst, src0)
    padding = _padding(bits)
    (other,) = same_region(op, m, src0, src1)

    def run() -> None:
        _pack(compare(src0.load(), other.load()), bits, written, padding)

    return Step(run, (src0.region, other.region), (written.region,))


@instruction(dialect.TCmpSOp)
def tcmps(op: dialect.TCmpSOp, m: Machine, dst: Tile, src: Tile) -> Step:
    compare, bits, written = _comparing(op, m, dst, src)
    padding = _padding(bits)

    def run(scalar: float) -> None:
        _pack(compare(src.load(), src.dtype.scalar(scalar)), bits, written, padding)

    return Step(run, (src.region,), (written.region,))


def _chosen(bits: Tile, cols: int) -> Array:
    return np.unpackbits(bits.raw, axis=1, count=cols, bitorder="little").view(np.bool_)


@instruction(dialect.TSelOp)
def tsel(
    op: dialect.TSelOp, m: Machine, dst: Tile, mask: Tile, src0: Tile, src1: Tile, tmp: Tile | None = None
) -> Step:
    bits = _bytes_of(op, m, mask, *dst.valid)
    a, b = same_region(op, m, dst, src0, src1)

    def run() -> None:
        dst.store_raw(np.where(_chosen(bits, dst.valid[1]), a.load_raw(), b.load_raw()))

    return Step(run, (bits.region, a.region, b.region), (dst.region,))


@instruction(dialect.TSelSOp)
def tsels(op: dialect.TSelSOp, m: Machine, dst: Tile, mask: Tile, src: Tile, tmp: Tile | None = None) -> Step:
    bits = _bytes_of(op, m, mask, *dst.valid)
    (a,) = same_region(op, m, dst, src)

    def run(scalar: float) -> None:
        other = np.asarray(dst.dtype.scalar(scalar)).view(dst.dtype.raw)
        dst.store_raw(np.where(_chosen(bits, dst.valid[1]), a.load_raw(), other))

    return Step(run, (bits.region, a.region), (dst.region,))
