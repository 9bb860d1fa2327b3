"""Arithmetic on tiles, element by element: tables of what each instruction calculates."""

from __future__ import annotations

from ptoas.dialects.pto import elementwise as dialect
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.machine.arrays import Array, np
from ptoas.machine.machine import Binder, Machine, Step, instruction
from ptoas.machine.tiles import Tile
from ptoas.ops.family import Function, elementwise, elementwise_of, mnemonic, wider

elementwise(
    {
        dialect.TAddOp: np.add,
        dialect.TSubOp: np.subtract,
        dialect.TMulOp: np.multiply,
        dialect.TMaxOp: np.maximum,
        dialect.TMinOp: np.minimum,
    },
    "src0",
    "src1",
)

elementwise(
    {dialect.TAddSOp: np.add, dialect.TSubSOp: np.subtract, dialect.TMulSOp: np.multiply}, "src", scalar=True
)

elementwise(
    {dialect.TAbsOp: np.absolute, dialect.TNegOp: np.negative, dialect.TExpOp: wider(np.exp)},
    "src",
)


def divide(op: PtoOp, m: Machine) -> Function:
    """Floats divide as IEEE 754 says; integers towards zero, and by zero not at all."""

    def quotient_of(a: Array, b: Array, out: Array | None = None) -> Array:
        if a.dtype.kind not in "iu":
            return np.divide(a, b, out=out)
        if (b == 0).any():
            row, col = (int(n) for n in np.argwhere(b == 0)[0])
            raise m.fail("PTO-R502", f"{mnemonic(op)}: the divisor at [{row}, {col}] is zero", op)
        # floor_divide rounds down: where the signs differ and something is left, one more is towards zero.
        quotient = np.floor_divide(a, b)
        quotient += ((a < 0) != (b < 0)) & (quotient * b != a)
        return np.positive(quotient, out=out)

    return quotient_of


elementwise_of({dialect.TDivOp: divide}, "src0", "src1")


@instruction(dialect.TCIOp)
def tci(op: dialect.TCIOp, m: Machine) -> Binder:
    step = -1 if op.descending is not None and op.descending.value.data else 1

    def bind(dst: Tile) -> Step:
        row = dst.with_valid(1, dst.valid[1]) if dst.valid[0] else dst
        count = np.arange(dst.valid[1]) * step
        number = dst.dtype.number

        def run(start: float) -> None:
            numbers = count + (int(start) if dst.dtype.is_integer else start)
            row.store_raw(numbers.astype(number).view(dst.dtype.raw))

        return Step(run, writes=(row.region,))

    return bind
