"""Pointers as numbers. Each argument has an address of its own, far from the others and the same in every
run; the unified buffer is counted from 0."""

from __future__ import annotations

from ptoas.dialects.pto import pointers as dialect
from ptoas.dialects.pto.enums import AddressSpace, TileLoc
from ptoas.dialects.pto.types import PtrType, TileType
from ptoas.machine.dtypes import DType, dtype_of
from ptoas.machine.machine import Machine, value
from ptoas.machine.memory import LocalPointer, Pointer
from ptoas.machine.tiles import Tile

GAP = 1 << 32
"""Bytes from the address of one argument to that of the next."""


@value(dialect.PtrToIntOp, dialect.IntToPtrOp, dialect.CastPtrOp)
def cast(op: dialect.PointerCastOp, m: Machine, given: Pointer | LocalPointer | int) -> object:
    _, target = op.types()
    at = given if isinstance(given, int) else address(m, given)
    return pointer(op, m, at, target) if isinstance(target, PtrType) else at


@value(dialect.TileBufAddrOp)
def tile_buf_addr(op: dialect.TileBufAddrOp, m: Machine, src: Tile) -> LocalPointer:
    return LocalPointer(src)


def address(m: Machine, ptr: Pointer | LocalPointer) -> int:
    """Return the byte address of a pointer."""
    if isinstance(ptr, LocalPointer):
        return ptr.tile.address + ptr.offset * ptr.tile.dtype.size
    buffer = ptr.buffer.whole
    if buffer not in m.addresses:
        m.addresses[buffer] = GAP * (len(m.addresses) + 1)
    return m.addresses[buffer] + ptr.offset * ptr.buffer.dtype.size


def pointer(op: dialect.PointerCastOp, m: Machine, at: int, type: PtrType) -> Pointer | LocalPointer:
    """The pointer to an address; it may point outside what it points into, for one may count back."""
    dtype = dtype_of(type.element_type)
    if type.space is AddressSpace.Vec:
        return LocalPointer(_unified_buffer(m, type, dtype), _elements(op, m, at, dtype))
    for buffer, start in m.addresses.items():
        if start <= at < start + GAP:
            return Pointer(buffer.viewed_as(dtype), _elements(op, m, at - start, dtype))
    raise m.refuse("PTO-R153", f"address {at:#x} belongs to no argument", op)


def _elements(op: dialect.PointerCastOp, m: Machine, offset: int, dtype: DType) -> int:
    if offset % dtype.size:
        message = f"byte {offset:#x} is not a multiple of the {dtype.size} of {dtype.short}"
        raise m.refuse("PTO-R153", message, op)
    return offset // dtype.size


def _unified_buffer(m: Machine, type: PtrType, dtype: DType) -> Tile:
    """All of the unified buffer as one row."""
    memory = m.memory(TileLoc.Vec)
    count = memory.size // dtype.size
    tile = TileType.of(type.element_type, 1, count)
    return Tile(tile, memory, 0, (1, count), "ub")
