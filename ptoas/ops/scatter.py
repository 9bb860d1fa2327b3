"""MSCATTER: rows or elements of a tile into global memory; TSCATTER: elements of a tile into a tile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ptoas.dialects.pto.enums import Coalesce, ScatterAtomicOp, ScatterConflict, ScatterOOB
from ptoas.dialects.pto.gather import MScatterOp, TScatterOp
from ptoas.machine.arrays import Array, Ufunc, np
from ptoas.machine.machine import Machine, Step, instruction
from ptoas.machine.memory import View
from ptoas.machine.tiles import Tile
from ptoas.ops.gather import wrapped
from ptoas.ops.indexing import Reader, checked, index_reader
from ptoas.ops.tables import Table, check_index_extents, check_not_empty, table_of

_ATOMICS: dict[ScatterAtomicOp, Ufunc] = {
    ScatterAtomicOp.Add: np.add,
    ScatterAtomicOp.Max: np.maximum,
    ScatterAtomicOp.Min: np.minimum,
}


@instruction(MScatterOp)
def mscatter(op: MScatterOp, m: Machine, src: Tile, idx: Tile, mem: View) -> Step:
    by_row = m.target.value(op, "coalesce") is Coalesce.Row
    oob = ScatterOOB.Undefined if op.scatter_oob is None else op.scatter_oob.data
    atomic = ScatterAtomicOp.None_ if op.scatter_atomic_op is None else op.scatter_atomic_op.data
    unspecified = op.scatter_conflict is not None and op.scatter_conflict.data is ScatterConflict.Default
    check_not_empty(op, m, src)
    check_index_extents(op, m, src, idx, by_row)
    table = table_of(op, m, mem, src, by_row)
    if by_row:
        src = src.with_valid(src.valid[0], table.width)
    read = remapped(op, m, table, idx, index_reader(idx, m, flat=by_row), oob)
    limit = table.reachable() if oob is ScatterOOB.Undefined else table.capacity
    table = table.stretched(limit)
    order = walk_order(src) if table.nz and not by_row and atomic is ScatterAtomicOp.None_ else None

    def chosen(indices: Array) -> Array | None:
        """The selected indices; `None`: all."""
        inside = indices < limit if oob is ScatterOOB.Skip or not m.checks.mem else None
        return None if inside is None or inside.all() else inside

    def run() -> None:
        indices = read()
        values = src.load_raw()
        if order is not None:
            indices, values = indices.reshape(-1)[order], values.reshape(-1)[order]
        inside = chosen(indices)
        if inside is not None:
            indices, values = indices[inside], values[inside]
        if not indices.size:
            return
        if unspecified and atomic is ScatterAtomicOp.None_ and m.checks.mem:
            warn_conflicts(op, m, idx, indices, values)
        put(table, indices.astype(np.intp), values, src, _ATOMICS.get(atomic))

    def places() -> Array:
        indices = read()
        inside = chosen(indices)
        return table.addresses(indices if inside is None else indices[inside])

    kind = None if atomic is ScatterAtomicOp.None_ else atomic
    return Step(run, reads=(src.region, idx.region), places=places, atomic=kind)


def remapped(op: MScatterOp, m: Machine, table: Table, idx: Tile, read: Reader, oob: ScatterOOB) -> Reader:
    """Indices as the out-of-bounds mode leaves them; `skip` leaves them as they are."""
    capacity = table.capacity
    match oob:
        case ScatterOOB.Skip:
            return read
        case ScatterOOB.Undefined if m.checks.mem:
            limit = table.reachable() if m.checks.unchecked else capacity
            where = "the buffer itself, which holds" if m.checks.unchecked else "the table: its capacity is"
            fix = "choose skip, clamp or wrap, or correct the index"
            return checked(read, limit, op, m, "idx", idx, f"{where} {limit} {table.unit}", fix)
        case ScatterOOB.Undefined:
            return read
        case _ if capacity == 0:
            raise m.refuse("PTO-R101", f"the table has no {table.unit}", op)
        case ScatterOOB.Wrap:
            return wrapped(read, capacity)
        case ScatterOOB.Clamp:

            def clamped() -> Array:
                indices = read()
                top = min(capacity - 1, int(np.iinfo(indices.dtype).max))
                return np.minimum(indices, indices.dtype.type(top))

            return clamped


def walk_order(src: Tile) -> Array:
    """The NZ walk: block column, row, column in block. Of two writes to one place the later one stays."""
    rows, cols = src.valid
    c0 = 32 // src.dtype.size
    r, c = np.divmod(np.arange(rows * cols), cols)
    # Columns of a block are already in order, and the sort is stable.
    return np.lexsort((r, c // c0))


def warn_conflicts(op: MScatterOp, m: Machine, idx: Tile, indices: Array, values: Array) -> None:
    """Warn about two sources for one place: with conflict = default the winner is undefined."""
    flat = indices.reshape(-1)
    unique, counts = np.unique(flat, return_counts=True)
    if len(unique) != flat.size:
        value = int(unique[counts > 1][0])
        m.warn(
            "PTO-R110",
            f"mscatter: index {value} occurs {int(counts.max())} times in %{idx.name}, and "
            "scatterConflict = default does not define which source is kept; this run keeps the last",
            op,
        )


def put(table: Table, indices: Array, values: Array, src: Tile, atomic: Ufunc | None) -> None:
    """Write rows or elements; of several for one place the last stays, atomics take all in order."""
    array = table.array
    if array is not None and table.by_row and atomic is None:
        array[indices] = values
        return
    # As one list: NumPy walks a transposed array in the order of its memory, not of its rows.
    positions = table.positions(indices).reshape(-1)
    values = np.ascontiguousarray(values).reshape(-1)
    raw = table.view.buffer.raw
    if atomic is None:
        raw[positions] = values
        return
    number = src.dtype.number
    accumulate: Callable[..., Any] = atomic.at
    accumulate(raw.view(number), positions, values.view(number))


@instruction(TScatterOp)
def tscatter(op: TScatterOp, m: Machine, **operands: Tile) -> Step:
    return (by_mask if op.form == "mask" else by_index)(op, m, **operands)


def by_mask(op: TScatterOp, m: Machine, dst: Tile, src: Tile, idx: Tile | None = None) -> Step:
    assert op.mask_pattern is not None and op.axis is not None
    first, step = op.mask_pattern.data.places
    along_columns = op.axis.data == "col"
    rows, cols = src.valid
    rows, cols = (rows * step, cols) if along_columns else (rows, cols * step)
    if rows > dst.rows or cols > dst.cols:
        raise m.refuse("PTO-R105", f"[{rows}, {cols}] into {dst.describe()}", op)
    target = dst.with_valid(rows, cols)
    spread = np.zeros(target.valid, dst.dtype.raw)
    places = spread[first::step] if along_columns else spread[:, first::step]

    def run() -> None:
        places[...] = src.load_raw()
        target.store_raw(spread)

    return Step(run, (src.region,), (target.region,))


def by_index(op: TScatterOp, m: Machine, dst: Tile, src: Tile, idx: Tile) -> Step:
    """`dst[idx[i, j]] = src[i, j]` over the index's valid region; devices clear the whole destination
    first."""
    rows, cols = idx.valid
    if rows > src.rows or cols > src.cols:
        message = f"%{idx.name} is valid for [{rows}, {cols}], %{src.name} has only [{src.rows}, {src.cols}]"
        raise m.refuse("PTO-R105", message, op)
    flat, offsets = dst.counted
    count = len(flat) if offsets is None else len(offsets)
    source = src.with_valid(rows, cols)
    read = index_reader(idx, m, flat=False)

    if m.checks.mem and not m.checks.unchecked:
        read = checked(read, count, op, m, "idx", idx, f"%{dst.name}, which has {count} elements")
    clear = m.target.has_pipes
    whole = dst.full
    zero = np.zeros((), dst.dtype.raw)

    def run() -> None:
        # As lists in the order of rows: of two values for one place the later one stays.
        indices, values = read().reshape(-1), source.load_raw().reshape(-1)
        if clear:
            values = values.copy()
            whole.store_raw(zero)
        inside = indices < count
        if not inside.all():
            indices, values = indices[inside], values[inside]
        chosen = indices.astype(np.intp)
        places = chosen if offsets is None else offsets[chosen]
        flat[places] = values
        if not clear and m.checks.init:
            dst.elements(places).mark(op)

    writes = (whole.region,) if clear else ()
    return Step(run, reads=(source.region, idx.region), writes=writes)
