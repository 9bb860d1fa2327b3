"""Conversions of the fixpipe, applied to an accumulator on its way out.

The order is: read, convert or quantise, relu, write. A scale is a 64-bit word: bits 0 to 31 are a float, bits
37 to 45 a signed offset and bit 46 the sign of 8-bit results, bits 32 to 35 the shift of 16-bit ones. Of the
words for columns only bits 13 to 31 of the float count.
"""

from __future__ import annotations

from collections.abc import Callable

from ptoas.dialects.pto.enums import ReluPreMode, ReluPreModeAttr, SLayout
from ptoas.dialects.pto.geometry import BOX_ROWS
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.machine.arrays import Array, np
from ptoas.machine.dtypes import DType
from ptoas.machine.machine import Machine
from ptoas.machine.tiles import Tile

Convert = Callable[..., Array]
"""Bits of the source, the word of a scalar scale where there is one, and, as `at`, the column of the
accumulator that they begin with; bits of the destination."""

LARGEST = {"f16": 65504.0, "bf16": 3.3895313892515355e38, "f8E4M3FN": 448.0}

COLUMN_BITS = np.uint32(0xFFFFE000)


def conversion(src: Tile, dst: DType, fp: Tile | None, scaled: bool, relu: ReluPreModeAttr | None) -> Convert:
    """Return the conversion of the bits of an accumulator, or of any other source, to those of the
    destination.
    """
    source = src.dtype
    plain = relu is None or relu.data is ReluPreMode.NoRelu
    if source is dst and plain and not scaled and fp is None:
        return as_it_is

    def convert(bits: Array, word: int | None = None, at: int = 0) -> Array:
        values = bits.view(source.number)
        words = None
        if fp is not None:
            # Scales belong to columns of the accumulator: those of a part begin with its first one.
            words = fp.load_raw()[0, at : at + values.shape[1]].astype(np.uint64)
        elif word is not None:
            words = np.array([word & (2**64 - 1)], np.uint64)
        return finished(values, words, fp is not None, plain, dst)

    return convert


def finished(values: Array, words: Array | None, by_column: bool, plain: bool, dst: DType) -> Array:
    """The bits of the destination: values times their scales, if there are any, with a relu unless plain."""
    result = rounded(values, dst) if words is None else quantised(values, words, by_column, dst)
    if not plain:
        result = np.maximum(result, np.zeros((), result.dtype))
    return dst.encode(result).view(dst.raw)


def check_scales(op: PtoOp, m: Machine, fp: Tile | None) -> None:
    """Scales of columns are packed words of 64 bits; the headers do not ask, so `run` does."""
    if fp is None or (fp.dtype.size == 8 and fp.type.slayout is SLayout.NoneBox):
        return
    raise m.refuse(
        "PTO-R132",
        f"scales of columns must be 64-bit words in one plain row, found {fp.describe()}",
        op,
        fix="declare them as 1xNxui64, with the bits of a float in the lower half of each word",
    )


def check_columns(op: PtoOp, m: Machine, fp: Tile | None, first: int, count: int) -> None:
    """Each column of an accumulator that is moved has a scale."""
    if fp is not None and first + count > fp.valid[1]:
        message = (
            f"columns {first} to {first + count} of the accumulator need as many scales, {fp.describe()} has "
            f"{fp.valid[1]}"
        )
        raise m.refuse("PTO-R950", message, op)


def warn_of_undefined(op: PtoOp, m: Machine, src: Tile) -> None:
    """Say so once, if some of an accumulator is what its product left undefined."""
    if src.memory.has_undefined(src):
        m.warn(
            "PTO-R158",
            f"{op.mnemonic()}: some of {src.describe()} is undefined: its product has fewer rows or columns",
            op,
        )


def check_steps(op: PtoOp, m: Machine, src: Tile, rows: int) -> None:
    """Say so, if an accumulator is read at other steps than its product wrote it with; `rows` are those from
    one block of columns to the next."""
    if not m.target.has_pipes or src.valid[1] <= src.geometry.cols.box:
        return
    walked = src.memory.walked.get(src.address, rows)
    if walked != rows:
        m.warn(
            "PTO-R951",
            f"{op.mnemonic()}: {src.describe()} is read in steps of {rows} rows from one block of "
            f"columns to the next, but its product wrote it in steps of {walked}",
            op,
        )


def steps(src: Tile, by_valid: bool) -> int:
    """Rows from one block of columns of an accumulator to the next: by its type, or by what is valid."""
    if by_valid:
        return -(-src.valid[0] // BOX_ROWS) * BOX_ROWS
    return src.rows if src.type.packs else src.geometry.cols.outer // src.geometry.cols.box


def as_it_is(bits: Array, *_: int, at: int = 0) -> Array:
    return bits


def rounded(values: Array, dst: DType) -> Array:
    """Without a scale: to the nearest number, ties to even; what is too large becomes the largest."""
    if dst.is_integer or dst.size == 4:
        return values
    return np.clip(values, -largest(dst), largest(dst))


def largest(dst: DType) -> float:
    """The largest number of a float type that converts from an accumulator."""
    return LARGEST.get(dst.text, float("inf"))


def quantised(values: Array, words: Array, by_column: bool, dst: DType) -> Array:
    """Times the scale, and what the type of the destination adds to that."""
    low = (words & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    scale = (low & COLUMN_BITS if by_column else low).view(np.float32)
    if dst.text == "i16":
        shift = ((words >> np.uint64(32)) & np.uint64(15)).astype(np.int64) + 1
        return np.clip(values.astype(np.int64) >> shift, -(2**15), 2**15 - 1)
    product = values.astype(np.float32) * scale
    if not dst.is_integer:
        return np.clip(product, -largest(dst), largest(dst))
    field = ((words >> np.uint64(37)) & np.uint64(511)).astype(np.int64)
    offset = np.where(field > 255, field - 512, field)
    signed = ((words >> np.uint64(46)) & np.uint64(1)).astype(bool)
    least, most = np.where(signed, -128, 0), np.where(signed, 127, 255)
    return np.clip(np.rint(product + offset.astype(np.float32)), least, most).astype(np.int64)
