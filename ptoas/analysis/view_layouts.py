"""The layout of a view where the text names none: what its strides say, and the tiles it is moved to or from
(D30)."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Attribute, SSAValue

from ptoas.dialects.pto.enums import BLayout, Layout, SLayout, TileLoc
from ptoas.dialects.pto.memory import TLoadOp, TStoreOp
from ptoas.dialects.pto.types import DYNAMIC, SCALE, TileType, ViewType
from ptoas.dialects.pto.views import MakeTensorViewOp, PartitionViewOp


def layout_of(op: MakeTensorViewOp, shape: tuple[int, ...], strides: tuple[int, ...]) -> Layout:
    """The layout of a tensor, with extents and strides as far as they are known."""
    type = op.result.type
    assert isinstance(type, ViewType)
    if op.layout is not None:
        return op.layout.data
    if type.layout is not Layout.ND:
        return type.layout
    if type.element_type == SCALE and (scales := _of_scales(op.result)) is not None:
        return scales
    if len(shape) < 2 or DYNAMIC in (*shape[-2:], *strides[-2:]):
        return Layout.ND
    (rows, cols), (by_row, by_col) = shape[-2:], strides[-2:]
    is_nd = (by_col == 1 or cols == 1) and (by_row == cols or rows == 1)
    is_dn = (by_row == 1 or rows == 1) and (by_col == rows or cols == 1)
    if is_nd and is_dn:
        wanted = {_of_tile(tile) for tile in _tiles(op.result)}
        if len(wanted) == 1:
            return wanted.pop()
        return Layout.DN if cols == 1 and rows > 1 else Layout.ND
    return Layout.DN if is_dn else Layout.ND


def _of_tile(type: TileType) -> Layout:
    """Whether rows or columns of a tile come from memory in one piece."""
    if type.slayout is SLayout.NoneBox:
        return Layout.ND if type.blayout is BLayout.RowMajor else Layout.DN
    return Layout.ND if type.slayout is SLayout.RowMajor else Layout.DN


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
    found = {scales_layout(tile) for tile in _tiles(view)}
    return found.pop() if len(found) == 1 else None


def _tiles(view: SSAValue) -> Iterator[TileType]:
    """The tiles that a view, or a part of it, is loaded into and stored from."""
    for use in view.uses:
        tile: Attribute | None = None
        match use.operation:
            case PartitionViewOp() as part:
                yield from _tiles(part.result)
            case TLoadOp() as load:
                tile = load.destination.type
            case TStoreOp() as store:
                tile = store.src.type
            case _:
                pass
        if isinstance(tile, TileType):
            yield tile
