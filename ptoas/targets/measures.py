"""Measures of tiles and views, which relations compare: extents, strides, types, layouts, memories."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from ptoas.analysis.knowledge import TileFacts, ViewFacts, element_count, shape_str
from ptoas.dialects.pto.element_types import element_text
from ptoas.dialects.pto.enums import SLayout
from ptoas.dialects.pto.geometry import BURST, LAYOUTS
from ptoas.dialects.pto.types import TileType


class Shown(NamedTuple):
    """A value that messages show in other words."""

    value: Any
    text: str


Size = int | str | TileType | range | tuple[Any, ...] | Shown
"""An extent or a word, or the extents of several dimensions, which are compared one by one."""


def _layout(operand: TileFacts | ViewFacts) -> str:
    if isinstance(operand, ViewFacts):
        return operand.layout.value
    order = (operand.type.blayout, operand.type.slayout)
    return next((name.lower() for name, each in LAYOUTS.items() if each == order), "")


def _extent(dim: int, view: ViewFacts) -> int:
    return view.shape5[dim]


def _window(tile: TileFacts) -> Shown:
    text = f"a window of {shape_str(tile.type.shape)} in a tile of {shape_str(tile.physical)}"
    return Shown(int(tile.is_window), text)


def in_bytes(size: int) -> Shown:
    """A size that messages show with its unit."""
    return Shown(size, f"{size} bytes")


MEASURES: dict[str, tuple[str, Callable[[Any], Size]]] = {
    "rows": ("rows", lambda tile: tile.rows),
    "cols": ("columns", lambda tile: tile.cols),
    "shape": ("physical shape", lambda tile: tile.type.shape),
    "outer": ("shape", lambda view: Shown(view.shape5[:3], shape_str(view.shape))),
    "elements": ("elements", lambda tile: tile.rows * tile.cols),
    "physical": ("physical shape", lambda tile: tile.physical),
    "physical_rows": ("physical rows", lambda tile: tile.physical[0]),
    "physical_cols": ("physical columns", lambda tile: tile.physical[1]),
    "valid_rows": ("valid rows", lambda tile: tile.valid_rows),
    "valid_cols": ("valid columns", lambda tile: tile.valid_cols),
    "valid": ("valid shape", lambda tile: tile.valid),
    "type.valid": ("valid shape in the type", lambda tile: tile.type.valid),
    "type.valid_rows": ("valid rows", lambda tile: tile.type.valid_rows),
    "type.valid_cols": ("valid columns", lambda tile: tile.type.valid_cols),
    "is_line": ("one row or column", lambda tile: int(1 in tile.type.shape)),
    "blayout": ("blayout", lambda tile: tile.type.blayout.value),
    "order": ("layout", lambda tile: tile.layout_text),
    "boxed": ("slayout", lambda tile: Shown(tile.type.slayout is SLayout.NoneBox, tile.type.slayout.value)),
    "bytes": ("size", lambda tile: in_bytes(tile.type.size_bytes)),
    "dims": ("shape", lambda view: Shown(view.shape5, shape_str(view.shape))),
    "extents": ("shape", lambda view: view.shape5[3:]),
    "count": ("size", lambda view: Shown(n := element_count(view.shape), f"{n} elements")),
    "Stride[3]": ("stride of DIM_3", lambda view: view.strides5[3]),
    "Stride[4]": ("stride of DIM_4", lambda view: view.strides5[4]),
    **{f"Shape[{dim}]": (f"Shape[{dim}]", partial(_extent, dim)) for dim in range(5)},
    "block": ("Shape[3]xShape[4] of NZ memory", lambda view: view.shape5[3:]),
    "rank": ("rank", lambda view: len(view.type.shape)),
    "layout": ("layout", _layout),
    "slayout": ("slayout", lambda tile: tile.type.slayout.value),
    "memory": ("memory", lambda tile: tile.loc.value),
    "pad": ("pad", lambda tile: tile.type.pad.value),
    "is_window": ("window", _window),
    "type": ("type", lambda tile: tile.type),
    "body": ("type", lambda tile: tile.type.body()),
    "element": ("element type", lambda operand: element_text(operand.type.element_type)),
    "kind": ("kind of element", lambda operand: operand.element.kind),
    "width": ("element type", lambda operand: Shown(operand.size, operand.element.text)),
    "element_bytes": ("element size", lambda operand: in_bytes(operand.size)),
    "row_bytes": ("bytes of a row", lambda tile: in_bytes(tile.cols * tile.size)),
    "bits": ("bits of a row", lambda tile: 8 * tile.cols * tile.size),
    "numbers": ("numbers in a row", lambda tile: tile.cols * (2 if tile.element.kind == "pairs" else 1)),
    "whole_bytes": ("size", lambda tile: in_bytes(tile.type.override(valid=tile.type.shape).size_bytes)),
    "sized": ("element size", lambda tile: Shown(tile.size, f"{tile.element_name}, {tile.size} bytes")),
    "size": ("bytes of an element", lambda operand: operand.size),
    "burst": ("elements of 32 bytes", lambda operand: BURST // operand.size),
}
"""Measures of a tile or a view, with their names in messages."""

MATRIX = Shown((1, 1, 1), "two dimensions")
"""The outer extents of memory that has rows and columns only."""
