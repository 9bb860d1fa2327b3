"""Suggested declarations: the type with which an operand satisfies a requirement.

>>> from ptoas.analysis.knowledge import TileFacts
>>> from ptoas.dialects.pto.types import TileType
>>> from xdsl.dialects.builtin import f32
>>> type = TileType.of(f32, 16, 16)
>>> declare("src1", TileFacts(type, type.valid, type.shape), valid=(16, 8))
'declare $src1 as `!pto.tile_buf<vec, 16x16xf32, valid=16x8>`'
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.utils.exceptions import VerifyException

from ptoas.analysis.knowledge import TileFacts, shape_str
from ptoas.dialects.pto.enums import BLayout, SLayout
from ptoas.dialects.pto.types import DYNAMIC


def declare(slot: str, tile: TileFacts, **changes: Any) -> str | None:
    """Return the fix that names the type of the tile in `slot` with some parameters replaced.

    Valid extents grow with the shape that they are equal to, and the shape with valid extents that exceed it.
    There is no such fix for a window, whose type follows from its tile.
    """
    type = tile.type
    rows, cols = changes.pop("rows", type.rows), changes.pop("cols", type.cols)
    valid = changes.pop("valid", None)
    if valid is None:
        pairs = zip(type.valid, type.shape, (rows, cols), strict=True)
        valid = tuple(new if known == old else min(known, new) for known, old, new in pairs)
    rows, cols = max(rows, valid[0]), max(cols, valid[1])
    if tile.is_window:
        return None
    try:
        wanted = type.override(rows=rows, cols=cols, valid=valid, **changes)
    except VerifyException:
        return None
    return f"declare ${slot} as `{wanted}`"


def declare_layout(slot: str, tile: TileFacts, order: tuple[BLayout, SLayout] | None) -> str | None:
    """Return the fix that gives a tile another order of its blocks and of what is in them, if it is known."""
    return order and declare(slot, tile, blayout=order[0], slayout=order[1], fractal=512)


def set_valid(slot: str, tile: TileFacts, valid: Sequence[int]) -> str | None:
    """Return the fix that gives a tile other valid extents: in its type, or as values if the type leaves them
    open."""
    if DYNAMIC in valid:
        return None
    if DYNAMIC in tile.type.valid:
        return f"give ${slot} the valid shape {shape_str(valid)}"
    return declare(slot, tile, valid=tuple(valid))
