"""Requirements of a row on one operand: memories, element types, layouts. Data, read by the shared rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import NoneAttr
from xdsl.ir import SSAValue

from ptoas.dialects.pto.element_types import BY_TEXT, BY_TYPE, ElementType
from ptoas.dialects.pto.enums import BLayout, Layout, SLayout, TileLoc
from ptoas.dialects.pto.types import TileType
from ptoas.targets.isa import is_judged_by_headers

Types = tuple[ElementType, ...]


def elements(texts: str) -> Types:
    """Element types by their texts: `elements("i8 u8 f16")`."""
    return tuple(BY_TEXT[text] for text in texts.split())


def element_names(types: Sequence[ElementType]) -> str:
    """Element types as an author writes them."""
    return ", ".join(type.text.removeprefix("!pto.") for type in types)


T: Types = (ElementType("T", (), NoneAttr(), 0, "float"),)
"""Placeholder in a family's row for the types of each of its instructions (`Row.of`)."""

NINE = elements("i8 u8 i16 u16 i32 u32 f16 bf16 f32")
"""The element types that every gather takes (document 000, Supported data types)."""
WIDE = elements("i64 u64")
FLOAT8 = elements("f8e4m3 f8e5m2")
HIF8 = elements("hif8")
INDEX = elements("i32 u32")
SHORT_INDEX = elements("i16 u16 i32 u32")
SCALE = elements("f8E8M0")
FLOAT4 = elements("f4E1M2x2 f4E2M1x2")
ANY = (*NINE, *WIDE, *FLOAT8, *HIF8)
LOADED = (*ANY, *SCALE, *FLOAT4)
"""Types moved between global memory and tiles on targets with short floats. Pairs of hif8 and of bf16
exist in registers only: no tile instruction takes them.
"""


@dataclass(frozen=True, eq=False)
class TileLayout:
    """A set of tile layouts, and its name in messages."""

    text: str
    holds: Callable[[TileType], bool]
    order: tuple[BLayout, SLayout] | None = None
    """The one order of blocks and of what is in them, where there is one; for drawing it."""


def _ordered(blayout: BLayout, slayout: SLayout, fractal: int | None = None) -> TileLayout:
    """Make the layout of one order of blocks and of what is in them, with blocks of one size or of any."""

    def holds(type: TileType) -> bool:
        return (type.blayout, type.slayout) == (blayout, slayout) and fractal in (None, type.fractal)

    text = f"{blayout.value} + {slayout.value}" + (f", fractal {fractal}" if fractal else "")
    return TileLayout(text, holds, (blayout, slayout))


ND = _ordered(BLayout.RowMajor, SLayout.NoneBox)
DN = _ordered(BLayout.ColMajor, SLayout.NoneBox)
NZ = _ordered(BLayout.ColMajor, SLayout.RowMajor, 512)
ZN = _ordered(BLayout.RowMajor, SLayout.ColMajor, 512)
ZZ = _ordered(BLayout.RowMajor, SLayout.RowMajor)
ZZ_SCALES = _ordered(BLayout.RowMajor, SLayout.RowMajor, 32)
NN_SCALES = _ordered(BLayout.ColMajor, SLayout.ColMajor, 32)
ROW_MAJOR = TileLayout("row_major", lambda t: t.blayout is BLayout.RowMajor, ND.order)
PLAIN = TileLayout("slayout none_box", lambda t: t.slayout is SLayout.NoneBox)
ND_OR_NZ = TileLayout(f"{ND.text}, or {NZ.text}", lambda t: ND.holds(t) or NZ.holds(t), NZ.order)
ND_OR_COLUMN = TileLayout(
    "row_major + none_box, or col_major with one column",
    lambda t: ND.holds(t) or (DN.holds(t) and t.cols == 1),
)

VEC = (TileLoc.Vec,)

LEFT = TileLayout(
    "slayout row_major, fractal 512",
    lambda t: t.slayout is SLayout.RowMajor and t.fractal == 512,
    (BLayout.ColMajor, SLayout.RowMajor),
)
"""The order of its blocks is the target's, whatever the text says (D31)."""
ACCUMULATOR = TileLayout(
    "col_major + row_major, fractal 1024",
    lambda t: t.is_nz and (t.fractal == 1024 or (t.fractal == 512 and t.cols % 16 == 0)),
    (BLayout.ColMajor, SLayout.RowMajor),
)
"""Its blocks are those of the matrix unit, whatever the text says of their size (D31)."""
ONE_ROW = TileLayout("row_major + none_box, one row", lambda t: ND.holds(t) and t.rows == 1)
SCALES = TileLayout(
    f"{ONE_ROW.text}; scales of mx operands row_major + row_major or col_major + col_major, fractal 32",
    lambda t: ONE_ROW.holds(t) or ZZ_SCALES.holds(t) or NN_SCALES.holds(t),
)

SCALING = (TileLoc.Scaling, TileLoc.ScaleLeft, TileLoc.ScaleRight)
"""Memories of scales: the text calls all three `scaling`."""

CUBE_LAYOUTS = {
    TileLoc.Left: LEFT,
    TileLoc.Right: ZN,
    TileLoc.Acc: ACCUMULATOR,
    TileLoc.Bias: ONE_ROW,
    TileLoc.Scaling: ONE_ROW,
}
"""Layouts of the matrix unit and the pipe after it; the other memories take any layout."""

LAYOUTS_WITH_SCALES = CUBE_LAYOUTS | dict.fromkeys(SCALING, SCALES)
"""The same where mx operands have scales."""

CUBE_ALIGNMENTS: dict[TileLoc, int] = {
    TileLoc.Left: 512,
    TileLoc.Right: 512,
    TileLoc.Acc: 512,
    TileLoc.Scaling: 128,
}
"""Alignment of tiles in the memories of the matrix unit: a multiple of a block. The register with the
address of the scales of columns counts in 128 bytes.
"""


def tile_type(value: SSAValue) -> TileType:
    """Return the type of a value that is a tile."""
    assert isinstance(value.type, TileType)
    return value.type


def element_of(value: SSAValue) -> ElementType:
    """Return the element type of a tile."""
    return BY_TYPE[tile_type(value).element_type]


@dataclass(frozen=True)
class TileSpec:
    """A tile operand on one target."""

    locs: tuple[TileLoc, ...] = VEC
    types: Types | None = None
    """`None`: whatever the tile's own type allows."""
    aicore: Types = ()
    """Types that only an AICORE build adds (D3)."""
    headers: Types = ()
    """Types that the headers of August 2026 add to the document's (D28)."""
    layout: TileLayout | None = None
    empty: bool = True
    """True if a valid extent may be 0."""
    aligned: bool = False
    """True if the contiguous dimension must be whole blocks of 32 bytes."""

    def takes(self, element: ElementType, aicore: bool = False, isa: str | None = None) -> bool:
        """Return True if the operand may have this element type, in such a build and revision."""
        taken = self.types
        if taken is None or element in taken:
            return True
        return (aicore and element in self.aicore) or (is_judged_by_headers(isa) and element in self.headers)


def tile(
    types: str | Types | None = None,
    layout: TileLayout | None = None,
    locs: str | tuple[TileLoc, ...] = VEC,
    *,
    aicore: Types = (),
    headers: Types = (),
    empty: bool = True,
    aligned: bool = False,
) -> TileSpec:
    """A tile operand: `tile("i32 u32", ND)`, `tile(T, locs="vec mat")`."""
    where = tuple(TileLoc(word) for word in locs.split()) if isinstance(locs, str) else locs
    return TileSpec(where, _types(types), aicore, headers, layout, empty, aligned)


@dataclass(frozen=True)
class ViewSpec:
    """A view of global memory as an operand on one target."""

    types: Types | None = None
    layouts: tuple[Layout, ...] | None = None
    empty: bool = True


def view(types: str | Types | None = None, layouts: str | None = None, *, empty: bool = True) -> ViewSpec:
    """A view operand: `view(layouts="nd nz")`."""
    known = None if layouts is None else tuple(Layout(word) for word in layouts.split())
    return ViewSpec(_types(types), known, empty)


def _types(types: str | Types | None) -> Types | None:
    return elements(types) if isinstance(types, str) else types
