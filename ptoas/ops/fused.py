"""Fused and pairwise arithmetic."""

from __future__ import annotations

from ptoas.dialects.pto import fused as dialect
from ptoas.machine.arrays import Array, Ufunc, np
from ptoas.machine.machine import Machine, Step, instruction
from ptoas.machine.tiles import Tile
from ptoas.ops.elementwise import relu
from ptoas.ops.family import NOTHING, Function, elementwise, elementwise_of, into, lanes, needed, same_region
from ptoas.targets.shared.elementwise import ROUNDED_ONCE
from ptoas.targets.shared.fused import CLEARED, STEPWISE


def _sub_relu(a: Array, b: Array, out: Array | None = None) -> Array:
    return into(out, relu(np.subtract(a, b)))


def _multiply_add(op: dialect.MultiplyAddOp, m: Machine) -> Function:
    """A product and a sum, of which one operand is the destination; rounded once where the row says so."""
    rounded_once = m.target.model(op) == ROUNDED_ONCE

    def calculate(a: Array, b: Array, dst: Array, out: Array | None = None) -> Array:
        factor, summand = (b, dst) if isinstance(op, dialect.TMulAddDstOp) else (dst, b)
        if rounded_once:
            exact = a.astype(np.float64) * factor.astype(np.float64) + summand.astype(np.float64)
            result = exact.astype(a.dtype)
        else:
            result = np.add(np.multiply(a, factor), summand)
        return into(out, relu(result) if isinstance(op, dialect.TFusedMulAddReluOp) else result)

    return calculate


elementwise({dialect.TSubReluOp: _sub_relu}, "src0", "src1")
elementwise_of(
    dict.fromkeys((dialect.TMulAddDstOp, dialect.TFusedMulAddOp, dialect.TFusedMulAddReluOp), _multiply_add),
    "src0",
    "src1",
    "dst",
)


def _to_half(a: Array) -> Array:
    """The nearest f16; what is too large becomes the largest."""
    largest = np.finfo(np.float16).max
    return np.clip(a, -largest, largest).astype(np.float16)


def _to_byte(a: Array) -> Array:
    return np.clip(np.rint(np.nan_to_num(a.astype(np.float32), posinf=127)), 0, 127).astype(np.int8)


def _narrowing(combine: Ufunc) -> Function:
    def calculate(a: Array, b: Array, out: Array | None = None) -> Array:
        result = relu(combine(a, b))
        return into(out, _to_half(result) if a.dtype == np.float32 else _to_byte(result))

    return calculate


elementwise(
    {dialect.TAddReluConvOp: _narrowing(np.add), dialect.TSubReluConvOp: _narrowing(np.subtract)},
    "src0",
    "src1",
)

_SHIFT = np.float32(2**17)


@instruction(dialect.TAddDeqReluOp)
def tadddeqrelu(
    op: dialect.TAddDeqReluOp, m: Machine, dst: Tile, src0: Tile, src1: Tile, tmp: Tile | None = None
) -> Step:
    factors = (1 / _SHIFT, _SHIFT) if m.target.model(op) == STEPWISE else (np.float32(1), np.float32(1))
    a, b = same_region(op, m, dst, src0, src1)

    def run(scale: float) -> None:
        total = np.add(a.load(), b.load()).astype(np.float32)
        scaled = total * factors[0] * np.float32(scale) * factors[1]
        dst.store_raw(_to_half(relu(scaled)).view(dst.dtype.raw))

    return Step(run, (a.region, b.region), (dst.region,), lanes=lanes(src0, src1))


@instruction(dialect.TPairReduceSumOp)
def tpairreducesum(op: dialect.TPairReduceSumOp, m: Machine, dst: Tile, src: Tile) -> Step:
    clears = m.target.model(op) == CLEARED
    rows, cols = dst.valid
    if 0 in dst.valid:
        return NOTHING
    (part,) = same_region(op, m, dst, src)
    half = dst.with_valid(rows, cols // 2)

    def run() -> None:
        numbers = part.load()
        if clears:
            dst.store_raw(np.zeros(dst.valid, dst.dtype.raw))
        sums = np.add(numbers[:, 0::2], numbers[:, 1::2])
        half.store_raw(np.asarray(sums, dst.dtype.number).view(dst.dtype.raw))

    return Step(run, (part.region,), ((dst if clears else half).region,))


@instruction(dialect.TInterleaveOp)
def tinterleave(op: dialect.TInterleaveOp, m: Machine, dst: Tile, dst1: Tile, src0: Tile, src1: Tile) -> Step:
    if 0 in dst.valid:
        return NOTHING
    rows, cols = dst.valid
    parts = same_region(op, m, dst, src0, src1)

    def run() -> None:
        sequence = np.stack([part.load_raw() for part in parts], axis=2).reshape(rows, 2 * cols)
        dst.store_raw(np.ascontiguousarray(sequence[:, :cols]))
        dst1.store_raw(np.ascontiguousarray(sequence[:, cols:]))

    return Step(run, tuple(part.region for part in parts), (dst.region, dst1.region))


@instruction(dialect.TDeinterleaveOp)
def tdeinterleave(
    op: dialect.TDeinterleaveOp, m: Machine, dst: Tile, dst1: Tile, src0: Tile, src1: Tile | None = None
) -> Step:
    if 0 in dst.valid:
        return NOTHING
    if src1 is None:
        parts = (needed(op, m, dst, src0, dst.valid[0], 2 * dst.valid[1]),)
    else:
        parts = same_region(op, m, dst, src0, src1)

    def run() -> None:
        sequence = np.concatenate([part.load_raw() for part in parts], axis=1)
        dst.store_raw(np.ascontiguousarray(sequence[:, 0::2]))
        dst1.store_raw(np.ascontiguousarray(sequence[:, 1::2]))

    return Step(run, tuple(part.region for part in parts), (dst.region, dst1.region))
