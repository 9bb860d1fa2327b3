"""A row, a column or a scalar, repeated over a tile."""

from __future__ import annotations

from ptoas.dialects.pto import expand as dialect
from ptoas.machine.arrays import np
from ptoas.machine.machine import Binder, Machine, Step, instruction
from ptoas.machine.tiles import Tile


@instruction(dialect.TRowExpandOp)
def trowexpand(op: dialect.TRowExpandOp, m: Machine) -> Binder:
    """The first element of each row of the source, along the row."""

    def bind(dst: Tile, src: Tile) -> Step:
        rows = dst.valid[0]
        if src.valid[0] < rows or src.valid[1] < 1:
            raise m.fail(
                "PTO-R105", f"trowexpand: {src.describe()} is not valid for {rows} rows of one element", op
            )
        first = src.with_valid(rows, 1)
        return Step(lambda: dst.store_raw(first.load_raw()), (first.region,), (dst.region,))

    return bind


@instruction(dialect.TColExpandOp)
def tcolexpand(op: dialect.TColExpandOp, m: Machine) -> Binder:
    """The first row of the source, down the columns."""

    def bind(dst: Tile, src: Tile) -> Step:
        cols = dst.valid[1]
        if src.valid[1] < cols or src.valid[0] < 1:
            raise m.fail(
                "PTO-R105", f"tcolexpand: {src.describe()} is not valid for one row of {cols} elements", op
            )
        first = src.with_valid(1, cols)
        return Step(lambda: dst.store_raw(first.load_raw()), (first.region,), (dst.region,))

    return bind


@instruction(dialect.TExpandSOp)
def texpands(op: dialect.TExpandSOp, m: Machine) -> Binder:
    def bind(dst: Tile) -> Step:
        scalar, raw = dst.dtype.scalar, dst.dtype.raw

        def run(value: float) -> None:
            dst.store_raw(np.asarray(scalar(value)).view(raw))

        return Step(run, writes=(dst.region,))

    return bind
