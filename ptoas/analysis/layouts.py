"""The layout of a view of memory where the text names none (D30)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import SSAValue

from ptoas.dialects.pto import views
from ptoas.dialects.pto.comm import StagedOp
from ptoas.dialects.pto.enums import BLayout, Layout, SLayout, TileLoc
from ptoas.dialects.pto.gather import IndexedMemoryOp
from ptoas.dialects.pto.memory import TLoadOp, TStoreOp
from ptoas.dialects.pto.types import DYNAMIC, SCALE, TileType, ViewType


def named_layout(view: SSAValue) -> Layout | None:
    """The layout that a view's type or the operation that makes it names; that of the whole for a part."""
    type = view.type
    assert isinstance(type, ViewType)
    if type.layout is not Layout.ND:
        return type.layout
    match view.owner:
        case views.PartitionViewOp() as op:
            return named_layout(op.source)
        case views.MakeTensorViewOp() as op if op.layout is not None:
            return op.layout.data
        case views.MakeTensorViewOp() if type.element_type == SCALE:
            return _of_scales(view)
        case _:
            return None


def scales_layout(type: TileType) -> Layout | None:
    """The layout in which memory holds the scales of an mx operand that a tile takes; `None`: no such tile.

    One row of scales is as it is in every layout.
    """
    if type.loc.data is not TileLoc.Mat or type.element_type != SCALE or type.fractal != 32:
        return None
    match type.blayout, type.slayout:
        case BLayout.RowMajor, SLayout.RowMajor if type.rows > 1:
            return Layout.MX_A_ZZ
        case BLayout.ColMajor, SLayout.ColMajor:
            return Layout.MX_B_NN
        case _:
            return None


def _of_scales(view: SSAValue) -> Layout | None:
    """The common layout of all tiles of scales that a view, or a part of it, is loaded into."""
    found = {scales_layout(tile) for tile in _loaded(view)}
    return found.pop() if len(found) == 1 else None


def _loaded(view: SSAValue) -> Iterator[TileType]:
    for use in view.uses:
        match use.operation:
            case views.PartitionViewOp() as part:
                yield from _loaded(part.result)
            case TLoadOp() as load if isinstance(load.destination.type, TileType):
                yield load.destination.type
            case _:
                pass


def found_layout(
    view: SSAValue, shape: Sequence[int], strides: Sequence[int], default: Layout = Layout.ND
) -> Layout:
    """The layout that extents and strides show: nd where rows follow each other, dn where columns do. Where
    both do, as in a single row or column, the tile that it is loaded into or stored from decides; where
    neither do, as in a part of a wider matrix, it is that of the whole."""
    rows, cols = (1, *shape)[-2:]
    row_step, col_step = (1, *strides)[-2:]
    if DYNAMIC in (rows, cols):
        return default
    rows_follow = (cols == 1 or col_step == 1) and (rows == 1 or row_step == cols)
    columns_follow = (rows == 1 or row_step == 1) and (cols == 1 or col_step == rows)
    match rows_follow, columns_follow:
        case True, True:
            return _of_the_tile(view, (rows, cols))
        case False, False:
            return default
        case _:
            return Layout.ND if rows_follow else Layout.DN


def _of_the_tile(view: SSAValue, shape: tuple[int, int]) -> Layout:
    """The layout of the tile that it is loaded into or stored from; without one, a column is dn."""
    for use in view.uses:
        match use.operation:
            case TLoadOp() as op:
                tiles = op.values_of("dst")
            case TStoreOp() as op:
                tiles = (op.src,)
            case StagedOp() as op:
                # Without a tile of the program's the data goes through row-major ones.
                types = [tile.type for tile in op.staging]
                by_columns = types and isinstance(types[0], TileType) and types[0].blayout is BLayout.ColMajor
                return Layout.DN if by_columns else Layout.ND
            case IndexedMemoryOp():
                return Layout.ND  # tables are
            case _:
                continue
        for type in (tile.type for tile in tiles):
            if not isinstance(type, TileType) or type.slayout is not SLayout.NoneBox:
                continue
            # A column that becomes a row has no layout to keep.
            if all(n in (m, DYNAMIC) for n, m in zip(type.valid, shape, strict=True)):
                return Layout.DN if type.blayout is BLayout.ColMajor else Layout.ND
    column = shape[0] > 1 and shape[1] == 1
    return Layout.DN if column and not _is_used_as_row(view) and not _takes_rows(view) else Layout.ND


def _takes_rows(view: SSAValue) -> bool:
    """Return True if the tiles of its loads and stores take rows.

    Row-major tiles do, and so do boxes, which the matrix unit's memories have.
    """
    tiles = list(_tiles_of(view))
    if any(tile.slayout is not SLayout.NoneBox for tile in tiles):
        return True
    return bool(tiles) and all(tile.blayout is BLayout.RowMajor for tile in tiles)


def _tiles_of(view: SSAValue) -> Iterator[TileType]:
    for use in view.uses:
        match use.operation:
            case views.PartitionViewOp() as part:
                yield from _tiles_of(part.result)
            case TLoadOp() | TStoreOp() as op:
                tile = op.destination.type if isinstance(op, TLoadOp) else op.src.type
                if isinstance(tile, TileType):
                    yield tile
            case _:
                pass


def _is_used_as_row(view: SSAValue) -> bool:
    """Return True if a load or store uses it as a row, so that it is read by rows."""
    return any(isinstance(use.operation, TLoadOp | TStoreOp) for use in view.uses)
