"""MGATHER: rows or elements of global memory into a tile (documents 000, 001, 002)."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from ptoas.dialects.pto.enums import Coalesce, GatherOOB
from ptoas.dialects.pto.gather import MGatherMatOp, MGatherOp
from ptoas.machine.arrays import Array, np
from ptoas.machine.handover import DeferredGather
from ptoas.machine.machine import Machine, Step, instruction
from ptoas.machine.memory import View
from ptoas.machine.tiles import Tile
from ptoas.ops.indexing import Reader, checked, index_reader
from ptoas.ops.tables import Table, check_index_extents, check_not_empty, table_of


@instruction(MGatherOp)
def mgather(op: MGatherOp, m: Machine, dst: Tile, mem: View, idx: Tile) -> Step:
    coalesce = m.target.value(op, "coalesce")
    oob = GatherOOB.Undefined if op.gather_oob is None else op.gather_oob.data
    row = coalesce is Coalesce.Row
    check_not_empty(op, m, dst)
    check_index_extents(op, m, dst, idx, row)
    table = table_of(op, m, mem, dst, row)
    if row:
        dst = dst.with_valid(dst.valid[0], table.width)
    read = index_reader(idx, m, flat=row)
    work = gather_run(op, m, table, dst, idx, read, oob)
    run, later = (in_one(work), work) if isinstance(work, DeferredGather) else (work, None)
    writes = (dst.full.region,) if prezeroes(table, oob) else (dst.region,)
    places = lambda: taken(table, read, oob)  # noqa: E731
    return Step(run, reads=(idx.region,), writes=writes, places=places, later=later)


def prezeroes(table: Table, oob: GatherOOB) -> bool:
    """An NZ gather of rows with `zero` clears the whole tile first (D14)."""
    return oob is GatherOOB.Zero and table.nz and table.by_row


def gather_run(
    op: MGatherOp, m: Machine, table: Table, dst: Tile, idx: Tile, read: Reader, oob: GatherOOB
) -> Callable[[], None] | DeferredGather:
    """The work: remap the indices, take, and store the valid region."""
    if oob is GatherOOB.Undefined and not (table.by_row or m.target.model(op).checks_bounds):
        # Elements are counted flat, so the padding between rows counts too (D17 relies on it).
        table = table.stretched(min(max(table.capacity, table.span()), table.reachable()))
    capacity = table.capacity
    wide = m.target.sign_extends_index and idx.dtype.kind == "int"
    strict = m.checks.mem and not m.checks.unchecked
    if oob is GatherOOB.Undefined and strict:
        what = f"the table: its capacity is {capacity} {table.unit}"
        fix = "choose clamp, wrap or zero, or correct the index" if m.target.model(op).checks_bounds else None
        read = checked(read, capacity, op, m, "idx", idx, what, fix)
        return taking(table, dst, read, capacity, wide)
    if oob is GatherOOB.Undefined:
        reachable = table.reachable()
        what = f"the buffer itself, which holds {reachable} {table.unit} from the table's first"
        reader = checked(read, reachable, op, m, "idx", idx, what) if m.checks.mem else read
        return taking(table.stretched(reachable), dst, reader, reachable, wide)
    if oob is GatherOOB.Zero:
        return zeroing(table, dst, read, dst.full if prezeroes(table, oob) else None, wide)
    if capacity == 0:
        raise m.refuse("PTO-R101", f"the table has no {table.unit}", op, operand=0)
    if oob is GatherOOB.Wrap:
        return taking(table, dst, wrapped(read, capacity), capacity, wide)
    return taking(table, dst, read, capacity, wide)


def taken(table: Table, read: Reader, oob: GatherOOB) -> Array:
    """The addresses of what is gathered."""
    indices, capacity = read(), table.capacity
    match oob:
        case GatherOOB.Zero:
            indices = indices[indices < capacity]
        case GatherOOB.Wrap:
            indices = wrapped(read, capacity)()
        case _:
            # As `taking`: an index past the last is the last.
            last = (table.reachable() if oob is GatherOOB.Undefined else capacity) - 1
            indices = np.minimum(indices, indices.dtype.type(min(last, int(np.iinfo(indices.dtype).max))))
    return table.addresses(indices)


def wrapped(read: Reader, capacity: int) -> Reader:
    """Indices modulo the capacity. (NumPy's own wrapping subtracts until it fits, which may take for
    ever.)"""

    def read_wrapped() -> Array:
        indices = read()
        if capacity > np.iinfo(indices.dtype).max:
            return indices
        return np.remainder(indices, indices.dtype.type(capacity))

    return read_wrapped


def in_one(work: DeferredGather) -> Callable[[], None]:
    """Both parts of a gather."""
    choose, take, out = work.choose, work.take, work.out

    def run() -> None:
        take(choose(), 0, out, "clip")

    return run


def taking(
    table: Table, dst: Tile, read: Reader, capacity: int, wide: bool
) -> Callable[[], None] | DeferredGather:
    """Take, an index past the last being the last: indices are remapped or checked before.

    `wide` says that indices have 64 bits, more than NumPy takes by.
    """
    source = table.array
    last = capacity - 1
    if source is not None and not dst.boxed and source.flags.c_contiguous:
        choose = (lambda: np.minimum(read(), last).astype(np.intp)) if wide else read
        return DeferredGather(choose, source.take, dst.raw)

    def run() -> None:
        indices = read()
        if capacity == 0:
            dst.store_raw(np.zeros((), dst.dtype.raw))
        elif indices.size:
            top = indices.dtype.type(min(last, int(np.iinfo(indices.dtype).max)))
            dst.store_raw(table.fetch(np.minimum(indices, top).astype(np.intp)))

    return run


def zeroing(table: Table, dst: Tile, read: Reader, everything: Tile | None, wide: bool) -> Callable[[], None]:
    """Take, with zeros where the index is outside; `everything` is a tile to clear before."""
    capacity = table.capacity
    work = taking(table, dst, read, capacity, wide)
    take = in_one(work) if isinstance(work, DeferredGather) else work
    greatest = np.maximum.reduce
    zero = np.zeros((), dst.dtype.raw)

    def run() -> None:
        if everything is not None:
            everything.store_raw(zero)
        take()
        indices = read()
        if not indices.size or greatest(indices, axis=None) < capacity:
            return
        outside = indices >= capacity
        if not dst.boxed:
            dst.raw[outside] = 0
            return
        kept = dst.load_raw()
        kept[outside] = 0
        dst.store_raw(kept)

    return run


@instruction(MGatherMatOp)
def mgather_mat(
    op: MGatherMatOp, m: Machine, dst: Tile, mem: View, idx: View, scratch: View | None = None
) -> Step:
    """Rows or elements into an NZ tile of L1. Elements, and rows with `zero`, clear the whole tile before."""
    oob = GatherOOB.Undefined if op.gather_oob is None else op.gather_oob.data
    check_not_empty(op, m, dst)
    rows, cols = dst.valid
    capacity = prod(mem.shape5[:4]) if op.by_row else prod(mem.shape5)
    table = Table(mem, op.by_row, capacity, cols, mem.strides5[3], False)
    shape, strides = ((rows,), (1,)) if op.by_row else ((rows, cols), (idx.strides5[3], 1))
    indices = idx.buffer.window(idx.offset, shape, strides)
    clears = not op.by_row or oob is GatherOOB.Zero

    def chosen() -> tuple[Array, Array]:
        """Remapped indices, and which of them are read."""
        numbers = np.ascontiguousarray(indices).view(np.uint32).astype(np.intp)
        inside = numbers < capacity
        if oob is GatherOOB.Undefined and not inside.all():
            wrong = int(numbers[~inside].flat[0])
            limit = f"the table: its capacity is {capacity} {table.unit}"
            raise m.fail("PTO-R101", f"mgather: index {wrong} of %{idx.buffer.name} is outside {limit}", op)
        if oob is GatherOOB.Wrap:
            return numbers % capacity, np.ones_like(inside)
        return np.minimum(numbers, capacity - 1), inside | (oob is GatherOOB.Clamp)

    def run() -> None:
        numbers, inside = chosen()
        found = table.fetch(numbers)
        found[~inside] = 0
        if clears:
            dst.full.store_raw(np.zeros((), dst.dtype.raw))
        dst.store_raw(found)

    writes = (dst.full.region,) if clears else (dst.region,)
    return Step(run, writes=writes, places=lambda: table.addresses(chosen()[0]))
