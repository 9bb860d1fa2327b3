"""Index tiles: how a target reads them (D12), and what happens when an index is outside (D13)."""

from __future__ import annotations

from collections.abc import Callable

from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.slots import slot_places
from ptoas.machine.arrays import Array, np
from ptoas.machine.machine import Machine, writer_note
from ptoas.machine.tiles import Tile

Reader = Callable[[], Array]


def index_reader(tile: Tile, m: Machine, flat: bool) -> Reader:
    """A function that gives the valid indices as unsigned numbers, as the target reads them.

    Devices take the bits as they are; `cpu` extends a signed index to 64 bits, and a negative one is then
    a number past every capacity.
    """
    extend = m.target.sign_extends_index and tile.dtype.kind == "int"
    if tile.boxed:
        whole = tile.load_raw
    else:
        view = tile.raw.reshape(-1) if flat else tile.raw
        if not extend:
            return lambda: view

        def whole() -> Array:
            return view

    signed = tile.dtype.number

    def read() -> Array:
        bits = whole()
        if flat:
            bits = bits.reshape(-1)
        return bits.view(signed).astype(np.int64).view(np.uint64) if extend else bits

    return read


def _index_failure(
    op: PtoOp, m: Machine, slot: str, tile: Tile, indices: Array, limit: int, what: str, fix: str | None
) -> Exception:
    """The error for the first index at or past `limit`."""
    flat = indices.reshape(-1)
    at = int(np.argmax(flat >= limit))
    # A row gather may have flattened a column: the valid region gives the position of the index.
    row, col = divmod(at, tile.valid[1])
    value = int(tile.load()[row, col])
    read = int(flat[at])
    seen = f" (read as {read})" if read != value and read < 1 << 63 else ""
    message = f"index {value}{seen} at [{row}, {col}] of %{tile.name} is outside {what}"
    place = slot_places(op)[slot].start
    return m.refuse("PTO-R101", message, op, operand=place, notes=writer_note(tile), fix=fix)


def checked(
    read: Reader,
    limit: int,
    op: PtoOp,
    m: Machine,
    slot: str,
    tile: Tile,
    what: str,
    fix: str | None = None,
) -> Reader:
    """Indices of the tile in a slot, all of them below `limit`; `what` they are outside of otherwise."""
    view = read()
    if not view.size:
        return read
    if read() is view and view.flags.c_contiguous:
        # The reader gives the tile's own bytes each time: look at them as one row. NumPy says where its
        # greatest is in a quarter of the time that a reduction takes.
        row = view.reshape(-1)
        at_greatest, item = row.argmax, row.item

        def read_row() -> Array:
            if item(at_greatest()) >= limit:
                raise _index_failure(op, m, slot, tile, view, limit, what, fix)
            return view

        return read_row
    greatest = np.maximum.reduce

    def read_checked() -> Array:
        indices = read()
        if greatest(indices, axis=None) >= limit:
            raise _index_failure(op, m, slot, tile, indices, limit, what, fix)
        return indices

    return read_checked
