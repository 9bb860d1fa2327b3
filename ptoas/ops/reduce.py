"""Reductions along rows."""

from __future__ import annotations

from collections.abc import Callable

from ptoas.dialects.pto import reduce as dialect
from ptoas.dialects.pto.instruction import ReductionOp
from ptoas.machine.arrays import Array, np
from ptoas.machine.machine import Binder, Machine, Step, instruction
from ptoas.machine.tiles import Tile
from ptoas.ops.family import mnemonic, require_arithmetic


def along_rows(op: ReductionOp, m: Machine, function: Callable[[Array], Array]) -> Binder:
    def bind(dst: Tile, src: Tile, tmp: Tile | None = None) -> Step:
        require_arithmetic(op, m, src)
        rows, cols = src.valid
        if dst.valid[0] < rows or dst.valid[1] < 1 or cols < 1:
            raise m.fail(
                "PTO-R105",
                f"{mnemonic(op)}: {rows} rows of {cols} elements into {dst.describe()}",
                op,
            )
        column = dst.with_valid(rows, 1)
        number, raw = dst.dtype.number, dst.dtype.raw

        def run() -> None:
            result = function(src.load()).astype(number).reshape(rows, 1)
            column.store_raw(result.view(raw))

        return Step(run, (src.region,), (column.region,))

    return bind


@instruction(dialect.TRowSumOp)
def trowsum(op: dialect.TRowSumOp, m: Machine) -> Binder:
    """Integers wrap; the short floats are summed in f32 and rounded once, f32 in pairs.

    No document fixes the order of the sum, and targets differ in it.
    """

    def total(a: Array) -> Array:
        if a.dtype.kind in "iu":
            return np.add.reduce(a, axis=1, dtype=a.dtype)
        return np.add.reduce(a.astype(np.float32), axis=1)

    return along_rows(op, m, total)


@instruction(dialect.TRowMaxOp)
def trowmax(op: dialect.TRowMaxOp, m: Machine) -> Binder:
    return along_rows(op, m, lambda a: np.maximum.reduce(a, axis=1))
