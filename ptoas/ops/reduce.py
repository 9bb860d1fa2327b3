"""Reductions along rows and down columns, and where the largest and smallest elements are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from ptoas.dialects.pto import reduce as dialect
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.machine.arrays import Array, Ufunc, np
from ptoas.machine.machine import Machine, Step, instruction
from ptoas.machine.tiles import Tile
from ptoas.ops.family import NOTHING, require_arithmetic

Reduction = Callable[[Array], Callable[[], Array]]
"""A reduction of the valid region of a source along one axis to one row of results."""

Make = Callable[[PtoOp, Machine], Reduction]


def _reductions(axis: int, table: Mapping[type[PtoOp], Make]) -> None:
    for cls, make in table.items():
        instruction(cls)(partial(_reduced, make, axis))


def _reduced(
    make: Make, axis: int, op: PtoOp, m: Machine, dst: Tile, src: Tile, tmp: Tile | None = None
) -> Step:
    if dst.valid == (0, 0):
        return NOTHING
    require_arithmetic(op, m, src)
    rows, cols = src.valid
    if m.target.has_pipes and not axis and 0 in src.valid:
        return NOTHING  # The headers return (D34).
    shape = (rows, 1) if axis else (1, cols)
    if 0 in src.valid or dst.valid[0] < shape[0] or dst.valid[1] < shape[1]:
        raise m.refuse("PTO-R105", f"{rows} rows of {cols} elements do not fit {dst.describe()}", op)
    part = dst.with_valid(*shape)
    return Step(_into(part, make(op, m), src), (src.region,), (part.region,))


def _into(part: Tile, function: Reduction, src: Tile) -> Callable[[], None]:
    """The results in the destination's element type; rows and columns without boxes are assigned as they
    are."""
    shape, number, raw = part.valid, part.dtype.number, part.dtype.raw
    if part.boxed or src.boxed:
        return lambda: part.store_raw(function(src.load())().astype(number).reshape(shape).view(raw))
    reduce = function(src.number)
    target = part.number[0] if shape[0] == 1 else part.number[:, 0]

    def run() -> None:
        target[...] = reduce()

    return run


def _along_rows(ufunc: Ufunc) -> Make:
    """Integers wrap; the short floats are calculated in f32 and rounded once, sums of f32 in pairs.

    No document fixes the order, and targets differ in it.
    """

    def prepare(a: Array) -> Callable[[], Array]:
        if a.dtype.kind in "iu" or a.dtype == np.float32:
            return lambda: ufunc.reduce(a, axis=1, dtype=a.dtype)
        return lambda: ufunc.reduce(a.astype(np.float32), axis=1)

    return lambda _op, _m: prepare


def _down_columns(ufunc: Ufunc) -> Make:
    """Row after row, each result rounded to the element type. That is how NumPy reduces rows that follow each
    other; a single column it would sum up in pairs."""

    def prepare(a: Array) -> Callable[[], Array]:
        if a.shape[1] > 1 and a.strides[0] > a.strides[1]:
            return lambda: ufunc.reduce(a, axis=0, dtype=a.dtype)
        return lambda: ufunc.accumulate(a, axis=0, dtype=a.dtype)[-1]

    return lambda _op, _m: prepare


def _column_sum(op: PtoOp, m: Machine) -> Reduction:
    assert isinstance(op, dialect.TColSumOp)
    if op.in_pairs and m.target.model(op) == "pairs":
        return lambda a: partial(_in_pairs, a)
    return _down_columns(np.add)(op, m)


def _in_pairs(a: Array) -> Array:
    """Two neighbours at a time; a row that is left over is added to the first sum."""
    while len(a) > 1:
        sums = np.add(a[: len(a) - 1 : 2], a[1::2], dtype=a.dtype)
        if len(a) % 2:
            sums[0] += a[-1]
        a = sums
    return a[0]


def _first(position: Callable[..., Array], least: float, axis: int) -> Make:
    """The first element that no later one exceeds: one that is no number does so only as the very first."""

    def prepare(a: Array) -> Callable[[], Array]:
        if a.dtype.kind in "iu":
            return partial(position, a, axis)
        rows, cols = a.shape
        starts = np.arange(rows) * cols if axis else np.arange(cols)

        def find(wide: Array, flat: Array) -> Array:
            found = position(wide, axis)
            # NumPy finds what is no number before all else: then one of those found is none, and so is the
            # sum of their squares.
            values = flat[(found if axis else found * cols) + starts]
            squares = values.dot(values)
            if squares == squares:
                return found
            unordered = np.isnan(wide)
            found = position(np.where(unordered, np.float32(least), wide), axis)
            return np.where(unordered.take(0, axis), 0, found)

        if a.dtype == np.float32 and a.flags.c_contiguous and axis:
            flat = a.reshape(-1)
            find_here = a.argmax if position is np.ndarray.argmax else a.argmin

            def find_quickly() -> Array:
                """The same, without a call more than it needs."""
                found = find_here(1)
                values = flat[found + starts]
                squares = values.dot(values)
                return found if squares == squares else find(a, flat)

            return find_quickly
        if a.dtype == np.float32 and a.flags.c_contiguous:
            return partial(find, a, a.reshape(-1))

        def find_in_copy() -> Array:
            wide = np.ascontiguousarray(a, np.float32)
            return find(wide, wide.reshape(-1))

        return find_in_copy

    return lambda _op, _m: prepare


_reductions(
    1,
    {
        dialect.TRowSumOp: _along_rows(np.add),
        dialect.TRowProdOp: _along_rows(np.multiply),
        dialect.TRowMaxOp: _along_rows(np.maximum),
        dialect.TRowMinOp: _along_rows(np.minimum),
        dialect.TRowArgMaxOp: _first(np.ndarray.argmax, -np.inf, 1),
        dialect.TRowArgMinOp: _first(np.ndarray.argmin, np.inf, 1),
    },
)
_reductions(
    0,
    {
        dialect.TColSumOp: _column_sum,
        dialect.TColProdOp: _down_columns(np.multiply),
        dialect.TColMaxOp: _down_columns(np.maximum),
        dialect.TColMinOp: _down_columns(np.minimum),
        dialect.TColArgMaxOp: _first(np.ndarray.argmax, -np.inf, 0),
        dialect.TColArgMinOp: _first(np.ndarray.argmin, np.inf, 0),
    },
)
