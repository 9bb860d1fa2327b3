"""C++ types: elements, scalars, tiles, views of global memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Attribute, SSAValue

from ptoas.dialects.pto.element_types import BY_TYPE
from ptoas.dialects.pto.enums import AddressSpace, BLayout, CompactMode, Layout, PadValue, SLayout
from ptoas.dialects.pto.types import DYNAMIC, PtrType, TileType
from ptoas.dialects.pto.views import SubviewOp

_FLOATS = {
    "f16": "half",
    "bf16": "bfloat16_t",
    "f32": "float",
    "f64": "double",
    "f8E4M3FN": "float8_e4m3_t",
    "f8E5M2": "float8_e5m2_t",
    "!pto.hif8": "hifloat8_t",
    "!pto.f8E8M0": "float8_e8m0_t",
    "!pto.f4E1M2x2": "float4_e1m2x2_t",
    "!pto.f4E2M1x2": "float4_e2m1x2_t",
    "!pto.hif8x2": "hifloat8x2_t",
    "!pto.bf16x2": "bfloat16x2_t",
}


def element_cpp(type: Attribute) -> str:
    """The C++ name of an element type."""
    element = BY_TYPE[type]
    if not element.is_integer:
        return _FLOATS[element.text]
    prefix = "uint" if element.kind == "uint" else "int"
    return f"{prefix}{element.size * 8}_t"


def pointer_cpp(type: Attribute) -> str:
    """A pointer to an element, with the memory that it points into."""
    assert isinstance(type, PtrType)
    space = "__ubuf__" if type.space is AddressSpace.Vec else "__gm__"
    return f"{space} {element_cpp(type.element_type)} *"


def integer_width(type: Attribute) -> int:
    """Bits of an integer; an index has 64. Anything else has none."""
    if isinstance(type, IntegerType):
        return cast(IntegerType, type).width.data
    return 64 if isinstance(type, IndexType) else 0


def scalar_cpp(type: Attribute) -> str:
    """The C++ type of a scalar value."""
    if isinstance(type, IndexType):
        return "int64_t"
    return "bool" if integer_width(type) == 1 else element_cpp(type)


def tile_cpp(tile: TileType, shape: tuple[int, int] | None = None) -> str:
    """`Tile<...>`; trailing parameters that have their default are left out.

    `shape`: the physical extents in C++, where a window has those of the tile it looks into.
    """
    rows, cols = shape or tile.shape
    parts = [f"TileType::{tile.loc.data.name}", element_cpp(tile.element_type), str(rows), str(cols)]
    parts += [f"BLayout::{tile.blayout.name}", str(tile.valid_rows), str(tile.valid_cols)]
    parts += [f"SLayout::{tile.slayout.name}", str(tile.fractal)]
    parts += [f"PadValue::{tile.pad.name}", f"CompactMode::{tile.compact.name}"]
    defaults = [
        None,
        None,
        None,
        None,
        f"BLayout::{BLayout.RowMajor.name}",
        str(rows),
        str(cols),
        f"SLayout::{SLayout.NoneBox.name}",
        "512",
        f"PadValue::{PadValue.Null.name}",
        f"CompactMode::{CompactMode.Null.name}",
    ]
    while parts[-1] == defaults[len(parts) - 1]:
        parts.pop()
    return f"Tile<{', '.join(parts)}>"


Extent = int | str
"""A constant, or a C++ expression."""


@dataclass(frozen=True)
class CppView:
    """A view of global memory as C++ sees it: a pointer expression, extents, strides."""

    element: str
    pointer: str
    shape: tuple[Extent, ...]
    strides: tuple[Extent, ...]
    layout: Layout

    @property
    def shape5(self) -> tuple[Extent, ...]:
        return (*(1,) * (5 - len(self.shape)), *self.shape)

    @property
    def strides5(self) -> tuple[Extent, ...]:
        """Dimensions in front of the written ones are steps over the whole; unknown wholes are one step."""
        whole = 1
        for extent, stride in zip(self.shape, self.strides, strict=True):
            if isinstance(extent, str) or isinstance(stride, str):
                whole = 1
                break
            whole = max(whole, extent * stride)
        return (*(whole,) * (5 - len(self.strides)), *self.strides)


def dimensions(kind: str, extents: Sequence[Extent]) -> str:
    """`Shape<1, 1, 1, -1, 32>`."""
    return f"{kind}<{', '.join(str(DYNAMIC) if isinstance(e, str) else str(e) for e in extents)}>"


def dynamic(extents: Sequence[Extent]) -> list[str]:
    """The expressions that a constructor needs, in order."""
    return [extent for extent in extents if isinstance(extent, str)]


def physical_shape(value: SSAValue) -> tuple[int, int]:
    """Rows and columns that strides follow from: those of the tile that a window looks into."""
    at = value
    while isinstance(at.owner, SubviewOp):
        at = at.owner.source
    assert isinstance(at.type, TileType)
    return at.type.shape
