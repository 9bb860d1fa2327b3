"""Arithmetic on tiles with a scalar: tables of functions."""

from __future__ import annotations

from ptoas.dialects.pto import tile_scalar as dialect
from ptoas.machine.arrays import Array, np
from ptoas.machine.machine import Machine
from ptoas.ops.division import divide, power, remainder
from ptoas.ops.family import Function, elementwise, elementwise_of, into, leaky_relu, shift
from ptoas.targets.shared.elementwise import PRODUCT_OF_DST, ROUNDED_ONCE

elementwise(
    {
        dialect.TAddSOp: np.add,
        dialect.TSubSOp: np.subtract,
        dialect.TMulSOp: np.multiply,
        dialect.TMaxSOp: np.maximum,
        dialect.TMinSOp: np.minimum,
        dialect.TAndSOp: np.bitwise_and,
        dialect.TOrSOp: np.bitwise_or,
        dialect.TXorSOp: np.bitwise_xor,
        dialect.TPowSOp: power,
        dialect.TLReluOp: leaky_relu,
    },
    "src",
    scalar=True,
)


def _divide(op: dialect.TDivSOp, m: Machine) -> Function:
    """The tile by the scalar or the scalar by the tile; A2/A3 multiplies in place by the reciprocal."""
    quotient = divide(op, m)
    multiplies = m.target.model(op) == "multiplies in place"

    def calculate(a: Array, scalar: Array, out: Array | None = None) -> Array:
        if op.dividend is not None:
            return quotient(np.broadcast_to(scalar, a.shape), a, out=out)
        if multiplies and out is not None and np.may_share_memory(a, out):
            return np.multiply(a, a.dtype.type(np.float32(1) / np.float32(scalar)), out=out)
        return quotient(a, scalar, out=out)

    return calculate


elementwise_of(
    {
        dialect.TDivSOp: _divide,
        dialect.TRemSOp: remainder(np.remainder, np.floor),
        dialect.TFmodSOp: remainder(np.fmod, np.trunc),
        dialect.TShlSOp: shift(np.left_shift),
        dialect.TShrSOp: shift(np.right_shift),
    },
    "src",
    scalar=True,
)


def _accumulate(op: dialect.TAxpyOp, m: Machine) -> Function:
    """Product and sum are rounded once where the row says so, else each of them: the product to the source's
    type in the simulator, to the destination's on A2/A3."""
    model = m.target.model(op)

    def calculate(src: Array, dst: Array, scalar: Array, out: Array | None = None) -> Array:
        if model == ROUNDED_ONCE:
            exact = src.astype(np.float64) * np.float64(scalar) + dst.astype(np.float64)
            return into(out, exact.astype(dst.dtype))
        if model == PRODUCT_OF_DST:
            src, scalar = src.astype(dst.dtype), np.asarray(scalar).astype(dst.dtype)
        return np.add(dst, np.multiply(src, scalar).astype(dst.dtype), out=out)

    return calculate


elementwise_of({dialect.TAxpyOp: _accumulate}, "src", "dst", scalar=True)


def _then_add(first: Function) -> Function:
    def calculate(a: Array, b: Array, scalar: Array, out: Array | None = None) -> Array:
        return np.add(first(a, scalar, out=out), b, out=out)

    return calculate


elementwise(
    {dialect.TAddSCOp: _then_add(np.add), dialect.TSubSCOp: _then_add(np.subtract)},
    "src0",
    "src1",
    scalar=True,
)
