"""Shared behaviour of instruction families: the processed region of each tile and one NumPy call.

Arithmetic is the element type's own: integers wrap, floats are rounded once an operation. The types shorter
than f32 are calculated in f32 and rounded then, which gives the correctly rounded sum, difference, product
and quotient.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ptoas.dialects.pto.instruction import PtoOp
from ptoas.machine.arrays import Array, np
from ptoas.machine.machine import Machine, Step, instruction
from ptoas.machine.memory import View
from ptoas.machine.tiles import Tile
from ptoas.machine.undef import Lanes
from ptoas.targets.row import Row
from ptoas.targets.shared.elementwise import SIX_BITS

Function = Callable[..., Array]
"""A function of arrays, then scalars, with `out=` if the result may be written in place."""


NOTHING = Step(lambda *_: None)
"""Body of an instruction whose destination has an empty valid region."""


def require_arithmetic(op: PtoOp, m: Machine, operand: Tile | View) -> None:
    if operand.dtype.coded:
        raise m.refuse("PTO-R505", f"{operand.dtype.short} does not support arithmetic", op)


def covers(m: Machine, tile: Tile, rows: int, cols: int) -> bool:
    """Return True if a source is valid for this many rows and columns. Devices do not check this if it is not
    told to: without the check of memory, the elements need only be there."""
    extents = tile.valid if m.checks.mem or not m.target.has_pipes else (tile.rows, tile.cols)
    return extents[0] >= rows and extents[1] >= cols


def same_region(op: PtoOp, m: Machine, dst: Tile, *sources: Tile) -> tuple[Tile, ...]:
    """The part of each source that the destination's valid region needs; it must be valid there."""
    return tuple(needed(op, m, dst, tile, *dst.valid) for tile in sources)


def needed(op: PtoOp, m: Machine, dst: Tile, tile: Tile, rows: int, cols: int) -> Tile:
    """Return the required rows and columns of a source.

    If it is valid for fewer, a device that walks the destination reads past its valid region: that is a
    warning, and uninitialised bytes are tracked.
    """
    if not covers(m, tile, rows, cols):
        found = (
            f"the valid shape of {tile.describe()} is [{tile.valid[0]}, {tile.valid[1]}], the destination "
            f"{dst.describe()} needs [{rows}, {cols}]"
        )
        row = m.target.row(op)
        reads_past_valid = m.target.has_pipes and isinstance(row, Row) and row.reads_past_valid
        if not reads_past_valid or rows > tile.rows or cols > tile.cols:
            raise m.refuse("PTO-R105", found, op)
        m.warn("PTO-R945", f"{op.mnemonic()}: {found}: the device reads beyond the valid region", op)
    return tile.with_valid(rows, cols)


def lanes(*sources: Tile) -> Lanes:
    """Declare that each result element depends on one element of each of these, whatever part is read."""
    return Lanes(tuple(tile.valid for tile in sources))


def applied(dst: Tile, function: Function, sources: tuple[Tile, ...]) -> Callable[..., None]:
    """`dst = function(sources, scalars)`: one call with the destination as `out` where strides allow it."""
    if dst.boxed or any(tile.boxed for tile in sources):

        def run_boxed(*scalars: Any) -> None:
            result = function(*(tile.load() for tile in sources), *scalars)
            dst.store_raw(np.asarray(result, dst.dtype.number).view(dst.dtype.raw))

        return run_boxed
    out = dst.number
    arrays = tuple(tile.number for tile in sources)
    return partial(function, *arrays, out=out)


Make = Callable[[Any, Machine], Function]
"""A function that needs to know the operation: to read an attribute, or to fail at its line."""


def always(function: Function) -> Make:
    return lambda _op, _m: function


def elementwise(table: Mapping[type[PtoOp], Function], *slots: str, scalar: bool = False) -> None:
    """Register `dst = function(slots..., scalars...)`, element by element, for each class of a table."""
    elementwise_of({cls: always(function) for cls, function in table.items()}, *slots, scalar=scalar)


def elementwise_of(table: Mapping[type[PtoOp], Make], *slots: str, scalar: bool = False) -> None:
    """The same for functions that are made for their operation."""
    for cls, make in table.items():
        instruction(cls)(partial(_elementwise, make, slots, scalar))


def _elementwise(
    make: Make, slots: tuple[str, ...], scalar: bool, op: PtoOp, m: Machine, dst: Tile, **operands: Tile
) -> Step:
    sources = [operands[slot] if slot != "dst" else dst for slot in slots]
    require_arithmetic(op, m, dst)
    parts = same_region(op, m, dst, *sources)
    run = applied(dst, make(op, m), parts)
    if scalar:
        run = _with_scalars(run, sources[0].dtype.scalar)
    reads = tuple(part.region for part in parts)
    return Step(run, reads, (dst.region,), lanes=lanes(*sources))


def _with_scalars(run: Callable[..., None], convert: Callable[[float], Any]) -> Callable[..., None]:
    """The step with its scalar in the element type of the first source. In a loop it is often the same one
    again, and converted then."""
    last: float | None = None
    scalar: Any = None

    def converted(value: float) -> None:
        nonlocal last, scalar
        if value is not last:
            last, scalar = value, convert(value)
        run(scalar)

    return converted


def into(out: Array | None, result: Array) -> Array:
    """A result that was not calculated in place, where it belongs."""
    if out is None:
        return result
    out[...] = result
    return out


def wider(function: Callable[..., Array]) -> Function:
    """A function that is calculated in double and rounded once to the element type."""

    def calculate(*arrays: Array, out: Array | None = None) -> Array:
        result = function(*(np.asarray(a, np.float64) for a in arrays))
        return into(out, np.asarray(result).astype(arrays[0].dtype))

    return calculate


def leaky_relu(a: Array, slope: Array, out: Array | None = None) -> Array:
    """Leaky ReLU: keep positive elements, multiply all others and NaNs."""
    return into(out, np.where(a > 0, a, np.multiply(a, slope)))


def shift(function: Function, least: int = 0) -> Make:
    """A shift that stops at a count that no document gives a meaning: the width, or `least` bits if that is
    more. Nothing of a short number is left then but its sign, shifted to the right."""

    def make(op: PtoOp, m: Machine) -> Function:
        masked = m.target.model(op) == SIX_BITS

        def calculate(a: Array, count: Array, out: Array | None = None) -> Array:
            if masked:
                return function(a, count & a.dtype.type(63), out=out)
            bits = max(8 * a.dtype.itemsize, least)
            wrong = (count < 0) | (count >= bits)
            if np.any(wrong):
                found = np.asarray(count)[wrong][0]
                raise m.refuse("PTO-R503", f"a shift by {found} is outside 0 to {bits - 1}", op)
            return function(a, count, out=out)

        return calculate

    return make
