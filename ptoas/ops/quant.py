"""Quantisation: rows with a scale each, and blocks of 32 numbers with a power of two each."""

from __future__ import annotations

from typing import NamedTuple

import ml_dtypes

from ptoas.dialects.pto.enums import MxGroupAxis, QuantScaleAlg, QuantType, VecStoreMode
from ptoas.dialects.pto.quant import TDequantOp, TQuantMxOp, TQuantOp
from ptoas.machine import float4
from ptoas.machine.arrays import Array, np
from ptoas.machine.machine import Machine, Step, instruction
from ptoas.machine.tiles import Region, Tile
from ptoas.ops.family import same_region

BLOCK = 32
"""Numbers that share a scale."""


def _rowwise(op: TQuantOp | TDequantOp, m: Machine, dst: Tile, *parameters: Tile) -> list[Tile]:
    """The first column of each tile of parameters."""
    rows = dst.valid[0]
    for tile in parameters:
        if tile.valid[0] < rows or tile.valid[1] < 1:
            message = f"{tile.describe()} has fewer than the {rows} rows of the destination"
            raise m.refuse("PTO-R142", message, op)
    return [tile.with_valid(rows, 1) for tile in parameters]


@instruction(TQuantOp)
def tquant(
    op: TQuantOp,
    m: Machine,
    dst: Tile,
    src: Tile,
    fp: Tile,
    offset: Tile | None = None,
    tmp: Tile | None = None,
) -> Step:
    limits = (-128, 127) if op.quant_type.data is QuantType.INT8_SYM else (0, 255)
    (part,) = same_region(op, m, dst, src)
    scales, *offsets = _rowwise(op, m, dst, fp, *([] if offset is None else [offset]))

    def run() -> None:
        x = part.load() * scales.load()
        for tile in offsets:
            x += tile.load()
        if np.isnan(x.max(initial=0)):
            x[np.isnan(x)] = 0
        np.rint(x, out=x).clip(*limits, out=x)
        if dst.boxed:
            dst.store_raw(x.astype(dst.dtype.number).view(dst.dtype.raw))
        else:
            dst.number[...] = x

    reads = tuple(tile.region for tile in (part, scales, *offsets))
    return Step(run, reads, (dst.region,))


@instruction(TDequantOp)
def tdequant(op: TDequantOp, m: Machine, dst: Tile, src: Tile, scale: Tile, offset: Tile) -> Step:
    (part,) = same_region(op, m, dst, src)
    scales, offsets = _rowwise(op, m, dst, scale, offset)

    def run() -> None:
        x = part.load().astype(np.float32) - offsets.load()
        dst.store_raw((x * scales.load()).view(dst.dtype.raw))

    return Step(run, tuple(tile.region for tile in (part, scales, offsets)), (dst.region,))


# --- blocks --------------------------------------------------------------------------------------


class BlockScales(NamedTuple):
    """Facts of each block: largest magnitude, eight-bit exponent and scale."""

    largest: Array
    exponent: Array
    scale: Array


class Format(NamedTuple):
    """Return the quantised elements of the blocks."""

    greatest: float
    """The largest number of the format."""
    exponent: int
    """Its exponent, without the bias."""
    pairs: bool


FP8 = Format(448.0, 8, False)
FP4 = Format(6.0, 2, True)


def blocks_of(x: Array, form: Format, algorithm: QuantScaleAlg, skips: bool = False) -> BlockScales:
    """The scales of blocks along the last dimension, from numbers in f32. `skips`: what is no number does not
    count.

    `ocp`: the exponent of the largest magnitude less that of the format's largest number. `nv`: that of the
    magnitude divided by this number, one more where it is no power of two.
    """
    magnitude = np.abs(x)
    if form.pairs and algorithm is QuantScaleAlg.OCP:
        # It looks at the upper halves of the bits.
        bits = np.max(magnitude.view(np.uint32) & np.uint32(0xFFFF0000), axis=-1)
        largest = bits.view(np.float32)
    else:
        largest = np.fmax.reduce(magnitude, axis=-1, initial=0) if skips else np.max(magnitude, axis=-1)
    if algorithm is QuantScaleAlg.OCP:
        exponent = np.maximum(_biased(largest) - form.exponent, 0)
    else:
        exponent = _rounded_up(largest * np.float32(1 / np.float32(form.greatest)))
    exponent = np.where(np.isnan(largest), 0xFF, exponent).astype(np.uint8)
    bits = (np.uint32(254) - exponent.astype(np.uint32)) << np.uint32(23)
    least = np.ldexp(np.float32(1), -127)
    scale = np.where(exponent >= 254, least, bits.view(np.float32))
    return BlockScales(largest, exponent, np.where(exponent == 0xFF, np.float32(np.nan), scale))


def _biased(x: Array) -> Array:
    """The eight bits of the exponent of f32."""
    return ((x.view(np.uint32) >> np.uint32(23)) & np.uint32(0xFF)).astype(np.int64)


def _rounded_up(x: Array) -> Array:
    bits, exponent = x.view(np.uint32) & np.uint32(0x7FFFFF), _biased(x)
    more = (bits > 0) & (exponent < 0xFE) & ~((exponent == 0) & (bits <= 0x400000))
    return np.where(exponent == 0xFF, 0xFE, exponent + more)


def encoded(x: Array, scale: Array, form: Format, short: bool) -> Array:
    """Numbers times their scale in the format, whose largest number is what is too large. `short`: the
    product is rounded to bf16 first, as for a source of that type."""
    scaled = x * scale
    if not form.pairs:
        small = np.where(np.isnan(scaled), scaled, np.clip(scaled, -form.greatest, form.greatest))
        codes = small.astype(ml_dtypes.float8_e4m3fn).view(np.uint8)
        return np.where(np.isnan(scaled), np.uint8(0x7F), codes)
    rounded = scaled.astype(ml_dtypes.bfloat16).astype(np.float32) if short else scaled
    # NaN has no code: the largest code is used.
    return np.where(np.isnan(rounded), np.uint8(7), float4.encode(rounded, "f4E2M1x2"))


@instruction(TQuantMxOp)
def tquant_mx(
    op: TQuantMxOp,
    m: Machine,
    dst: Tile,
    src: Tile,
    exp: Tile,
    max: Tile,
    scaling: Tile,
    exp_zz: Tile | None = None,
) -> Step:
    form = FP4 if op.makes_pairs else FP8
    down = op.axis is MxGroupAxis.Axis0
    # The simulator takes the larger of two as C++ does, so that what is no number is passed over.
    skips = not m.target.has_pipes and not form.pairs
    rows, cols = src.valid
    groups = (rows // BLOCK, cols) if down else (rows, cols // BLOCK)
    pack = 2 if form.pairs else 1
    outs = [(max, groups), (scaling, groups), (exp, _shown(groups, op.is_interleaved))]
    fits = all(_fits(tile.valid, shape, down) for tile, shape in outs)
    whole = (rows if down else cols) % BLOCK == 0
    if not (whole and fits) or dst.valid != (rows, cols // pack) or cols % pack:
        message = f"the extents of {src.describe()}, {dst.describe()} and the results of blocks do not match"
        raise m.refuse("PTO-R142", message, op)
    short = src.dtype.text == "bf16"

    def run() -> None:
        numbers = src.load().astype(np.float32)
        lines = np.ascontiguousarray(numbers.T if down else numbers)
        parts = lines.reshape(lines.shape[0], -1, BLOCK)
        with np.errstate(all="ignore"):
            found = blocks_of(parts, form, op.algorithm, skips)
            codes = encoded(parts, found.scale[..., None], form, short).reshape(lines.shape)
            largest, scale = (a.astype(src.dtype.number) for a in (found.largest, found.scale))
        if down:
            codes, largest, scale, exponent = codes.T, largest.T, scale.T, found.exponent.T
        else:
            exponent = found.exponent
        if form.pairs:
            codes = float4.packed(codes)
        dst.store_raw(np.ascontiguousarray(codes).view(dst.dtype.raw))
        for tile, values in ((max, largest), (scaling, scale)):
            tile.store_raw(np.ascontiguousarray(values).view(tile.dtype.raw).reshape(tile.valid))
        shown = _interleaved(exponent) if op.is_interleaved else exponent
        exp.store_raw(np.ascontiguousarray(shown).reshape(exp.valid))
        if exp_zz is not None:
            zz = op.store_mode is not None and op.store_mode.data is VecStoreMode.NZ
            order = in_boxes(exponent) if zz else exponent
            exp_zz.store_raw(order.reshape(exp_zz.valid))

    writes: list[Region] = [tile.region for tile in (dst, exp, max, scaling)]
    if exp_zz is not None:
        writes.append(exp_zz.region)
    return Step(run, (src.region,), tuple(writes))


def _shown(groups: tuple[int, int], interleaved: bool) -> tuple[int, int]:
    return (groups[0] // 2, groups[1] * 2) if interleaved else groups


def _fits(valid: tuple[int, int], groups: tuple[int, int], down: bool) -> bool:
    """One value a block: where the blocks are, or in one row."""
    return valid == groups or (not down and valid == (1, groups[0] * groups[1]))


def _interleaved(exponent: Array) -> Array:
    """The exponents of two neighbouring rows side by side, column by column."""
    rows, cols = exponent.shape
    return exponent.reshape(rows // 2, 2, cols).transpose(0, 2, 1).reshape(rows // 2, 2 * cols)


def in_boxes(exponent: Array) -> Array:
    """Boxes of 16 rows and 2 columns one after the other, row by row; rows that are missing are zeros."""
    rows, cols = exponent.shape
    more = -rows % 16
    whole = np.pad(exponent, ((0, more), (0, 0)))
    return whole.reshape(-1, 16, cols // 2, 2).transpose(0, 2, 1, 3).reshape(-1)
