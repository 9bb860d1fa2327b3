"""Views of global memory, pointers, tiles: the operations that make them, and which block this is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, cast

from ptoas.dialects.pto.scalar import (
    AddPtrOp,
    GetBlockIdxOp,
    GetBlockNumOp,
    GetSubblockIdxOp,
    GetSubblockNumOp,
)
from ptoas.dialects.pto.types import DYNAMIC, TileType, ViewType
from ptoas.dialects.pto.views import (
    AliasOp,
    AllocTileOp,
    BitcastOp,
    DimensionOp,
    GetTensorViewDimOp,
    GetTensorViewStrideOp,
    GetValidShapeOp,
    MakeTensorViewOp,
    PartitionViewOp,
    SetValidShapeOp,
    SubviewOp,
    TAssignOp,
    TileValidColsOp,
    TileValidRowsOp,
    TReshapeOp,
    ValidExtentOp,
)
from ptoas.machine.addresses import missing_memory_error, moved
from ptoas.machine.budget import check_tile
from ptoas.machine.machine import Machine, prepared_value, value
from ptoas.machine.memory import LocalPointer, Pointer, View, ViewForm
from ptoas.machine.tile_allocation import KEPT, alloc_tile, place, valid_extents
from ptoas.machine.tiles import Tile, Unplaced

# --- global memory -------------------------------------------------------------------------------


@prepared_value(MakeTensorViewOp)
def make_tensor_view(op: MakeTensorViewOp, m: Machine) -> Callable[..., View]:
    type = op.result.type
    assert isinstance(type, ViewType)
    layout = m.knowledge.view(op.result).layout
    rank = len(op.shape)

    @lru_cache(KEPT)
    def run(*values: object) -> View:
        ptr: Pointer = values[0]  # pyright: ignore[reportAssignmentType]
        shape: tuple[int, ...] = values[1 : 1 + rank]  # pyright: ignore[reportAssignmentType]
        strides: tuple[int, ...] = values[1 + rank :]  # pyright: ignore[reportAssignmentType]
        if min(shape) < 0:
            raise m.refuse("PTO-R102", f"an extent is negative: {list(shape)}", op)
        for dim, (found_extent, written) in enumerate(zip(shape, type.shape, strict=True)):
            if written not in (DYNAMIC, found_extent):
                raise m.refuse("PTO-R102", f"dimension {dim} is {found_extent}, its type says {written}", op)
        view = View.of(ptr.buffer, ptr.offset, shape, strides, layout)
        if not view.inside():
            view = moved(view) or view
        if not view.inside():
            raise outside_buffer(op, m, view)
        return view

    m.clear_with_arguments(run.cache_clear)
    return run


def outside_buffer(op: MakeTensorViewOp, m: Machine, view: View) -> Exception:
    buffer, (first, last) = view.buffer, view.extent()
    if buffer.place is not None:
        return missing_memory_error(op, m, buffer, first, last)
    message = (
        f"shape {list(view.shape)} with strides {list(view.strides)} touches elements {first} to {last} of "
        f"%{buffer.name}, which has {buffer.size}"
    )
    return m.refuse("PTO-R102", message, op)


@prepared_value(PartitionViewOp)
def partition_view(op: PartitionViewOp, m: Machine) -> Callable[..., View]:
    """Parts of one view and one size differ only in their offset: what they have in common is kept."""
    type = op.result.type
    assert isinstance(type, ViewType)
    rank = len(op.offsets)
    layout = m.knowledge.view(op.result).layout

    @lru_cache(KEPT)
    def form_of(source: ViewForm, *sizes: int) -> tuple[ViewForm, tuple[tuple[int, int], ...]]:
        """The form of such parts, and for each dimension the last offset and the stride."""
        form = ViewForm(source.buffer, sizes, source.strides, layout)
        lasts = (extent - size if size >= 0 else -1 for extent, size in zip(source.shape, sizes, strict=True))
        return form, tuple(zip(lasts, source.strides, strict=True))

    m.clear_with_arguments(form_of.cache_clear)

    def run(source: View, *extents: int) -> View:
        sizes = extents[rank:]
        form, steps = form_of(source.form, *sizes)
        start = source.offset
        for offset, (last, stride) in zip(extents, steps):  # noqa: B905 - the sizes come after the offsets
            if not 0 <= offset <= last:
                raise outside_view(op, m, source, extents[:rank], sizes)
            start += offset * stride
        return View(form, start)

    def run_matrix(source: View, row: int, col: int, rows: int, cols: int) -> View:
        """The same for two dimensions, which loops are full of, without a loop of its own."""
        form, steps = form_of(source.form, rows, cols)
        (last_row, row_step), (last_col, col_step) = steps
        if 0 <= row <= last_row and 0 <= col <= last_col:
            return View(form, source.offset + row * row_step + col * col_step)
        raise outside_view(op, m, source, (row, col), (rows, cols))

    return run_matrix if rank == 2 else run


def outside_view(
    op: PartitionViewOp, m: Machine, source: View, offsets: tuple[int, ...], sizes: tuple[int, ...]
) -> Exception:
    dim, offset, size, extent = next(
        (dim, offset, size, extent)
        for dim, (offset, size, extent) in enumerate(zip(offsets, sizes, source.shape, strict=True))
        if offset < 0 or size < 0 or offset + size > extent
    )
    message = (
        f"dimension {dim}: offset {offset} + size {size} = {offset + size}, the view of "
        f"%{source.buffer.name} has extent {extent}"
    )
    return m.refuse("PTO-R103", message, op)


@prepared_value(AddPtrOp)
def addptr(op: AddPtrOp, m: Machine) -> Callable[..., Pointer | LocalPointer]:
    @lru_cache(KEPT)
    def run(ptr: Pointer | LocalPointer, offset: int) -> Pointer | LocalPointer:
        if isinstance(ptr, LocalPointer):
            return LocalPointer(ptr.tile, ptr.offset + offset)
        return Pointer(ptr.buffer, ptr.offset + offset)

    m.clear_with_arguments(run.cache_clear)
    return run


@value(GetBlockIdxOp)
def get_block_idx(op: GetBlockIdxOp, m: Machine) -> int:
    return m.actor.block


@value(GetBlockNumOp)
def get_block_num(op: GetBlockNumOp, m: Machine) -> int:
    return m.launch.blocks


@value(GetSubblockIdxOp)
def get_subblock_idx(op: GetSubblockIdxOp, m: Machine) -> int:
    return m.role.lane


@value(GetSubblockNumOp)
def get_subblock_num(op: GetSubblockNumOp, m: Machine) -> int:
    return m.role.lanes


# --- tiles ---------------------------------------------------------------------------------------


value(AllocTileOp)(alloc_tile)


@prepared_value(TAssignOp)
def tassign(op: TAssignOp, m: Machine) -> Callable[..., Tile]:
    @lru_cache(KEPT)
    def run(tile: Tile | Unplaced, address: int) -> Tile:
        placed = place(op, m, tile.type, address, tile.valid, tile.name, False)
        check_tile(op, m, placed)
        return placed

    return run


@prepared_value(SubviewOp)
def subview(op: SubviewOp, m: Machine) -> Callable[..., Tile]:
    result = op.result.type
    assert isinstance(result, TileType)
    sizes = tuple(int(n) for n in cast("Iterable[int]", cast(Any, op.sizes).get_values()))
    name = op.result.name_hint or "subview"

    @lru_cache(KEPT)
    def run(source: Tile, row: int, col: int, *valid: int) -> Tile:
        # A window whose valid part is given may have room for more than is there.
        rows, cols = valid or sizes
        if row < 0 or col < 0 or row + rows > source.rows or col + cols > source.cols:
            message = (
                f"rows {row} to {row + rows}, columns {col} to {col + cols} are outside a tile of "
                f"{source.rows}x{source.cols}"
            )
            raise m.refuse("PTO-R107", message, op)
        if valid:
            extents = valid
        else:
            # What the type leaves open is what the parent's valid region leaves of the window.
            left = (source.valid[0] - row, source.valid[1] - col)
            extents = tuple(
                min(size, max(0, rest)) if written == DYNAMIC else written
                for size, rest, written in zip(sizes, left, result.valid, strict=True)
            )
        extents = valid_extents(op, m, result, extents[0], extents[1])
        axes = ((row, source.geometry.rows), (col, source.geometry.cols))
        if any(at % axis.box and not axis.is_even for at, axis in axes):
            box_rows, box_cols = source.geometry.box
            message = (
                f"a window of a boxed tile starts at a block of {box_rows}x{box_cols}, not at [{row}, {col}]"
            )
            raise m.refuse("PTO-R107", message, op)
        start = source.address + source.geometry.offset(row, col) * source.dtype.size
        shared = source.bits, source.geometry
        return Tile(result, source.memory, start, extents, name, *shared, origin=source.origin)

    return run


@prepared_value(TReshapeOp, BitcastOp)
def alias(op: AliasOp, m: Machine) -> Callable[..., Tile]:
    _, type = op.types()
    name = op.result.name_hint or op.mnemonic()

    @lru_cache(KEPT)
    def run(source: Tile | Unplaced) -> Tile:
        if isinstance(source, Unplaced):
            raise m.fail("PTO-R507", f"%{source.name} is used before it has an address", op)
        shown = source.valid if isinstance(op, BitcastOp) else type.shape
        rows, cols = (
            there if extent == DYNAMIC else extent for extent, there in zip(type.valid, shown, strict=True)
        )
        return Tile(
            type, source.memory, source.address, (rows, cols), name, source.bits, origin=source.origin
        )

    return run


@value(GetValidShapeOp)
def get_validshape(op: GetValidShapeOp, m: Machine, tile: Tile | Unplaced) -> tuple[int, int]:
    return tile.valid


@value(TileValidRowsOp, TileValidColsOp)
def valid_extent(op: ValidExtentOp, m: Machine, tile: Tile | Unplaced) -> int:
    at = 0 if isinstance(op, TileValidRowsOp) else 1
    return tile.valid[at]


@value(GetTensorViewDimOp, GetTensorViewStrideOp)
def dimension(op: DimensionOp, m: Machine, view: View, dim: int) -> int:
    """A dimension that the view does not have is an error of the program."""
    numbers = view.shape if isinstance(op, GetTensorViewDimOp) else view.strides
    if not 0 <= dim < len(numbers):
        message = f"dimension {dim} of a view with {len(numbers)} dimensions"
        raise m.refuse("PTO-R154", message, op)
    return numbers[dim]


@value(SetValidShapeOp)
def set_validshape(
    op: SetValidShapeOp, m: Machine, tile: Tile | Unplaced, row: int, col: int
) -> Tile | Unplaced:
    rows, cols = valid_extents(op, m, tile.type, row, col)
    if isinstance(tile, Unplaced):
        return Unplaced(tile.type, (rows, cols), tile.name)
    if not tile.type.packs:
        return tile.with_valid(rows, cols)
    # The address stays, but the element type changes.
    return Tile(tile.type, tile.memory, tile.address, (rows, cols), tile.name, tile.bits, origin=tile.origin)
