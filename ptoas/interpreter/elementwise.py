"""Arithmetic on tiles, with the element type's own: integers wrap, floats are rounded once an operation.

The types shorter than f32 are calculated in f32 and rounded then, which gives the correctly rounded sum,
difference, product and quotient.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ptoas.dialects.pto import elementwise as dialect
from ptoas.dialects.pto.instruction import BinaryOp, PtoOp, ReductionOp, ScalarOp, UnaryOp
from ptoas.interpreter.arrays import Array, np
from ptoas.interpreter.machine import Binder, Machine, Step, instruction
from ptoas.interpreter.tiles import Tile

Function = Callable[..., Array]


def require_arithmetic(op: PtoOp, m: Machine, tile: Tile) -> None:
    if tile.dtype.coded:
        raise m.fail("PTO-R505", f"{op.name.removeprefix('pto.')}: {tile.dtype.short} has no arithmetic", op)


def same_region(op: PtoOp, m: Machine, dst: Tile, *sources: Tile) -> tuple[Tile, ...]:
    """The part of each source that the destination's valid region needs; it must be valid there."""
    rows, cols = dst.valid
    for tile in sources:
        if tile.valid[0] < rows or tile.valid[1] < cols:
            raise m.fail(
                "PTO-R105",
                f"{op.name.removeprefix('pto.')}: {tile.describe()} is valid for [{tile.valid[0]}, "
                f"{tile.valid[1]}], the destination {dst.describe()} for [{rows}, {cols}]",
                op,
            )
    return tuple(tile.with_valid(rows, cols) for tile in sources)


def applied(dst: Tile, function: Function, sources: tuple[Tile, ...]) -> Callable[..., None]:
    """`dst = function(sources, scalars)`: one call with the destination as `out` where strides allow it."""
    if dst.boxed or any(tile.boxed for tile in sources):

        def run_boxed(*scalars: Any) -> None:
            result = function(*(tile.load() for tile in sources), *scalars)
            dst.store_raw(np.asarray(result, dst.dtype.number).view(dst.dtype.raw))

        return run_boxed
    out = dst.number
    if len(sources) == 1:
        (a,) = (tile.number for tile in sources)
        return lambda *scalars: function(a, *scalars, out=out)
    a, b = (tile.number for tile in sources)
    return lambda: function(a, b, out=out)


# --- tile and tile -------------------------------------------------------------------------------


def binary(op: BinaryOp, m: Machine, function: Function) -> Binder:
    def bind(dst: Tile, src0: Tile, src1: Tile) -> Step:
        require_arithmetic(op, m, dst)
        parts = same_region(op, m, dst, src0, src1)
        run = applied(dst, function, parts)
        return Step(run, reads=tuple(part.region for part in parts), writes=(dst.region,))

    return bind


@instruction(dialect.TAddOp)
def tadd(op: dialect.TAddOp, m: Machine) -> Binder:
    return binary(op, m, np.add)


@instruction(dialect.TSubOp)
def tsub(op: dialect.TSubOp, m: Machine) -> Binder:
    return binary(op, m, np.subtract)


@instruction(dialect.TMulOp)
def tmul(op: dialect.TMulOp, m: Machine) -> Binder:
    return binary(op, m, np.multiply)


@instruction(dialect.TMaxOp)
def tmax(op: dialect.TMaxOp, m: Machine) -> Binder:
    return binary(op, m, np.maximum)


@instruction(dialect.TMinOp)
def tmin(op: dialect.TMinOp, m: Machine) -> Binder:
    return binary(op, m, np.minimum)


@instruction(dialect.TDivOp)
def tdiv(op: dialect.TDivOp, m: Machine) -> Binder:
    """Floats divide as IEEE 754 says; integers towards zero, and by zero not at all."""

    def divide(a: Array, b: Array, out: Array | None = None) -> Array:
        if a.dtype.kind not in "iu":
            return np.divide(a, b, out=out)
        if (b == 0).any():
            row, col = (int(n) for n in np.argwhere(b == 0)[0])
            raise m.fail("PTO-R502", f"tdiv: the divisor at [{row}, {col}] is zero", op)
        # floor_divide rounds down: where the signs differ and something is left, one more is towards zero.
        quotient = np.floor_divide(a, b)
        quotient += ((a < 0) != (b < 0)) & (quotient * b != a)
        return np.positive(quotient, out=out)

    return binary(op, m, divide)


# --- tile and scalar -----------------------------------------------------------------------------


def with_scalar(op: ScalarOp, m: Machine, function: Function) -> Binder:
    def bind(dst: Tile, src: Tile) -> Step:
        require_arithmetic(op, m, dst)
        (part,) = same_region(op, m, dst, src)
        work = applied(dst, function, (part,))
        scalar = dst.dtype.scalar

        def run(value: float) -> None:
            work(scalar(value))

        return Step(run, reads=(part.region,), writes=(dst.region,))

    return bind


@instruction(dialect.TAddSOp)
def tadds(op: dialect.TAddSOp, m: Machine) -> Binder:
    return with_scalar(op, m, np.add)


@instruction(dialect.TSubSOp)
def tsubs(op: dialect.TSubSOp, m: Machine) -> Binder:
    return with_scalar(op, m, np.subtract)


@instruction(dialect.TMulSOp)
def tmuls(op: dialect.TMulSOp, m: Machine) -> Binder:
    return with_scalar(op, m, np.multiply)


@instruction(dialect.TExpandSOp)
def texpands(op: dialect.TExpandSOp, m: Machine) -> Binder:
    def bind(dst: Tile) -> Step:
        scalar, raw = dst.dtype.scalar, dst.dtype.raw

        def run(value: float) -> None:
            dst.store_raw(np.asarray(scalar(value)).view(raw))

        return Step(run, writes=(dst.region,))

    return bind


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


# --- one tile ------------------------------------------------------------------------------------


def unary(op: UnaryOp, m: Machine, function: Function) -> Binder:
    def bind(dst: Tile, src: Tile) -> Step:
        require_arithmetic(op, m, dst)
        (part,) = same_region(op, m, dst, src)
        run = applied(dst, function, (part,))
        return Step(run, reads=(part.region,), writes=(dst.region,))

    return bind


@instruction(dialect.TAbsOp)
def tabs(op: dialect.TAbsOp, m: Machine) -> Binder:
    return unary(op, m, np.absolute)


@instruction(dialect.TNegOp)
def tneg(op: dialect.TNegOp, m: Machine) -> Binder:
    return unary(op, m, np.negative)


@instruction(dialect.TExpOp)
def texp(op: dialect.TExpOp, m: Machine) -> Binder:
    """Calculated in double and rounded once to the element type."""

    def exponential(a: Array, out: Array | None = None) -> Array:
        result = np.exp(a.astype(np.float64)).astype(a.dtype)
        if out is not None:
            out[...] = result
        return result

    return unary(op, m, exponential)


@instruction(dialect.TMovOp)
def tmov(op: dialect.TMovOp, m: Machine) -> Binder:
    """A copy of what is valid in both."""

    def bind(dst: Tile, src: Tile) -> Step:
        rows, cols = (min(pair) for pair in zip(dst.valid, src.valid, strict=True))
        source, target = src.with_valid(rows, cols), dst.with_valid(rows, cols)
        if source.boxed or target.boxed:
            return Step(lambda: target.store_raw(source.load_raw()), (source.region,), (target.region,))
        out, a = target.raw, source.raw

        def run() -> None:
            out[...] = a

        return Step(run, (source.region,), (target.region,))

    return bind


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


# --- along rows ----------------------------------------------------------------------------------


def along_rows(op: ReductionOp, m: Machine, function: Callable[[Array], Array]) -> Binder:
    def bind(dst: Tile, src: Tile, tmp: Tile | None = None) -> Step:
        require_arithmetic(op, m, src)
        rows, cols = src.valid
        if dst.valid[0] < rows or dst.valid[1] < 1 or cols < 1:
            raise m.fail(
                "PTO-R105",
                f"{op.name.removeprefix('pto.')}: {rows} rows of {cols} elements into {dst.describe()}",
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
