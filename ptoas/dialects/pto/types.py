"""The types of PTO: tiles, views of global memory, pointers, groups.

`!pto.tile` and `!pto.tile_buf` are two spellings of one type: the first reads as a value (SSA), the
second as a buffer (DPS), and an instruction may be written either way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, IntAttr
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ptoas.dialects.pto.element_types import BY_TYPE, OWN_TYPES, F8E8M0Type, element_size, element_text
from ptoas.dialects.pto.enums import (
    AddressSpace,
    AddressSpaceAttr,
    BLayout,
    BLayoutAttr,
    CompactMode,
    CompactModeAttr,
    Layout,
    LayoutAttr,
    PadValue,
    PadValueAttr,
    SLayout,
    SLayoutAttr,
    TileLoc,
    TileLocAttr,
)
from ptoas.dialects.pto.geometry import FRACTALS, Geometry, geometry, packed
from ptoas.ir.parser import symbol_body

DYNAMIC = -1
"""A dynamic extent; written `?`."""

MAX_RANK = 5

LARGEST_EXTENT = 2**31 - 1
"""The largest extent of a tile or a view."""

MAX_RANKS = 1024
"""The largest group: its members are listed one by one in the C++ text, and by the rules."""


POINTER_SPACES: dict[AddressSpace, str] = {
    AddressSpace.GM: "gm",
    AddressSpace.Vec: "ub",
    AddressSpace.Mat: "l1",
    AddressSpace.Left: "l0a",
    AddressSpace.Right: "l0b",
    AddressSpace.Acc: "l0c",
    AddressSpace.Bias: "bt",
    AddressSpace.Scaling: "fb",
}
"""Names of the memory that a pointer points into; the names of tile locations are read too."""


SCALE = F8E8M0Type()
"""Element type of the scales of mx operands."""

SCALE_MEMORIES = {
    (BLayout.RowMajor, SLayout.RowMajor): TileLoc.ScaleLeft,
    (BLayout.ColMajor, SLayout.ColMajor): TileLoc.ScaleRight,
}
"""Scales of mx operands are written as tiles in `scaling`; their boxes say which of two memories that is."""

PACKED = (TileLoc.Left, TileLoc.Right, TileLoc.Acc, *SCALE_MEMORIES.values())
"""Memories in which compact tiles are packed: headers of TEXTRACT, TMOV and TSTORE."""


def dim_text(dim: int) -> str:
    return "?" if dim == DYNAMIC else str(dim)


def shape_text(shape: Sequence[int], element_type: Attribute) -> str:
    return "x".join((*map(dim_text, shape), element_text(element_type)))


class PtoType(ParametrizedAttribute, TypeAttribute):
    """A type whose `<...>` is read by the assembler's own type grammar, under xDSL's parser too."""

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        from ptoas.dialects.pto.type_text import type_from_body

        return type_from_body(cls.name, symbol_body(parser)).parameters

    def body(self) -> str:
        """The text between the angle brackets."""
        raise NotImplementedError

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.body()}>")


@irdl_attr_definition
class TileType(PtoType):
    """A two-dimensional tile of local memory: physical shape, valid region, layout, padding."""

    name = "pto.tile_buf"
    loc: TileLocAttr
    element_type: Attribute
    rows_attr: IntAttr
    cols_attr: IntAttr
    valid_rows_attr: IntAttr
    valid_cols_attr: IntAttr
    blayout_attr: BLayoutAttr
    slayout_attr: SLayoutAttr
    fractal_attr: IntAttr
    pad_attr: PadValueAttr
    compact_attr: CompactModeAttr

    @staticmethod
    def of(
        element_type: Attribute,
        rows: int,
        cols: int,
        *,
        loc: TileLoc = TileLoc.Vec,
        valid: tuple[int, int] | None = None,
        blayout: BLayout | None = None,
        slayout: SLayout = SLayout.NoneBox,
        fractal: int = 512,
        pad: PadValue = PadValue.Null,
        compact: CompactMode = CompactMode.Null,
    ) -> TileType:
        """A tile type with the language's defaults (D9)."""
        valid_rows, valid_cols = valid or (rows, cols)
        order = blayout or default_blayout(rows, cols)
        if loc is TileLoc.Scaling and fractal == 32 and element_type == SCALE:
            loc = SCALE_MEMORIES.get((order, slayout), loc)
        return TileType(
            TileLocAttr(loc),
            element_type,
            IntAttr(rows),
            IntAttr(cols),
            IntAttr(valid_rows),
            IntAttr(valid_cols),
            BLayoutAttr(order),
            SLayoutAttr(slayout),
            IntAttr(fractal),
            PadValueAttr(pad),
            CompactModeAttr(compact),
        )

    def override(self, **changes: Any) -> TileType:
        """Return the type with some parameters of `of` replaced."""
        parameters: dict[str, Any] = {
            "element_type": self.element_type,
            "rows": self.rows,
            "cols": self.cols,
            "loc": self.loc.data,
            "valid": self.valid,
            "blayout": self.blayout,
            "slayout": self.slayout,
            "fractal": self.fractal,
            "pad": self.pad,
            "compact": self.compact,
        }
        return TileType.of(**(parameters | changes))

    @property
    def rows(self) -> int:
        return self.rows_attr.data

    @property
    def cols(self) -> int:
        return self.cols_attr.data

    @property
    def valid_rows(self) -> int:
        return self.valid_rows_attr.data

    @property
    def valid_cols(self) -> int:
        return self.valid_cols_attr.data

    @property
    def blayout(self) -> BLayout:
        return self.blayout_attr.data

    @property
    def slayout(self) -> SLayout:
        return self.slayout_attr.data

    @property
    def fractal(self) -> int:
        return self.fractal_attr.data

    @property
    def pad(self) -> PadValue:
        return self.pad_attr.data

    @property
    def compact(self) -> CompactMode:
        return self.compact_attr.data

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows, self.cols

    @property
    def valid(self) -> tuple[int, int]:
        return self.valid_rows, self.valid_cols

    @property
    def geometry(self) -> Geometry:
        """The offset of each element."""
        return self.geometry_of(self.valid)

    def geometry_of(self, valid: tuple[int, int]) -> Geometry:
        """The offset of each element, for a tile with these valid extents."""
        size = element_size(self.element_type)
        return geometry(self.held(valid), size, self.blayout, self.slayout, self.fractal)

    @property
    def packs(self) -> bool:
        """True if blocks are contiguous according to the valid extents.

        Compact tiles are stored this way in the memories of the matrix unit, which has no other extents.
        """
        return self.compact is CompactMode.Normal and self.loc.data in PACKED

    def held(self, valid: tuple[int, int]) -> tuple[int, int]:
        """Rows and columns that lie in memory; all, where it is open how many are valid."""
        if not self.packs or DYNAMIC in valid:
            return self.shape
        whole = packed(valid, self.slayout, self.fractal, element_size(self.element_type))
        rows, cols = map(min, self.shape, whole)
        return rows, cols

    @property
    def size_bytes(self) -> int:
        """Bytes of local memory that the tile takes."""
        return self.geometry.span(*self.held(self.valid)) * element_size(self.element_type)

    @property
    def is_nz(self) -> bool:
        """The fractal layout of matrix operands: column-major blocks of row-major 512 bytes."""
        return self.blayout is BLayout.ColMajor and self.slayout is SLayout.RowMajor

    def verify(self) -> None:
        if self.rows < 1 or self.cols < 1:
            raise VerifyException(
                f"a tile has at least one row and one column; found {self.rows}x{self.cols}"
            )
        for word, valid, physical in (
            ("rows", self.valid_rows, self.rows),
            ("columns", self.valid_cols, self.cols),
        ):
            if valid != DYNAMIC and not 0 <= valid <= physical:
                raise VerifyException(f"a tile of {physical} {word} can't have {valid} valid {word}")
        if self.element_type not in BY_TYPE:
            raise VerifyException(f"{element_text(self.element_type)} is not an element type of a tile")
        if self.fractal not in FRACTALS:
            raise VerifyException(f"fractal={self.fractal} is none of {', '.join(map(str, FRACTALS))} bytes")

    def body(self) -> str:
        loc = TileLoc.Scaling if self.loc.data in SCALE_MEMORIES.values() else self.loc.data
        parts = [loc.value, shape_text(self.shape, self.element_type)]
        if self.valid != self.shape:
            parts.append("valid=" + "x".join(map(dim_text, self.valid)))
        if self.blayout is not default_blayout(*self.shape):
            parts.append(f"blayout={self.blayout.value}")
        if self.slayout is not SLayout.NoneBox:
            parts.append(f"slayout={self.slayout.value}")
        if self.fractal != 512:
            parts.append(f"fractal={self.fractal}")
        if self.pad is not PadValue.Null:
            parts.append(f"pad={self.pad.value}")
        if self.compact is not CompactMode.Null:
            parts.append(f"compact={self.compact.value}")
        return ", ".join(parts)


def default_blayout(rows: int, cols: int) -> BLayout:
    """Row-major, but for a column of several rows, where only column-major is legal (D9)."""
    return BLayout.ColMajor if cols == 1 and rows > 1 else BLayout.RowMajor


@irdl_attr_definition
class TileValueType(PtoType):
    """The spelling `!pto.tile<...>`; it always makes a `TileType`."""

    name = "pto.tile"

    @classmethod
    def new(cls, params: Sequence[Attribute]) -> TileType:  # pyright: ignore[reportIncompatibleMethodOverride]
        return TileType.new(params)


@dataclass(frozen=True, init=False)
class ViewType(PtoType):
    """A window of global memory: a shape of one to five dimensions, a layout, strides in elements.

    It is a dataclass so that its subclasses compare by these fields; they have none of their own.
    """

    shape_attr: ArrayAttr[IntAttr]
    element_type: Attribute
    layout_attr: LayoutAttr
    strides_attr: ArrayAttr[IntAttr]

    @classmethod
    def of(
        cls,
        shape: Sequence[int],
        element_type: Attribute,
        layout: Layout = Layout.ND,
        strides: Sequence[int] | None = None,
    ):
        return cls.new(
            [
                ArrayAttr(map(IntAttr, shape)),
                element_type,
                LayoutAttr(layout),
                ArrayAttr(map(IntAttr, strides or ())),
            ]
        )

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(dim.data for dim in self.shape_attr)

    @property
    def layout(self) -> Layout:
        return self.layout_attr.data

    @property
    def strides(self) -> tuple[int, ...] | None:
        """Strides in elements as written; `None` means packed in the order of the layout."""
        return tuple(stride.data for stride in self.strides_attr) or None

    @property
    def shape5(self) -> tuple[int, ...]:
        """The five dimensions of the instruction library, ones in front (D11)."""
        return (1,) * (MAX_RANK - len(self.shape)) + self.shape

    @property
    def element_count(self) -> int | None:
        return None if DYNAMIC in self.shape else prod(self.shape)

    def verify(self) -> None:
        if not 1 <= len(self.shape) <= MAX_RANK:
            raise VerifyException(f"a view of memory has 1 to {MAX_RANK} dimensions; found {len(self.shape)}")
        if any(dim != DYNAMIC and dim < 0 for dim in self.shape):
            raise VerifyException("an extent is negative")
        if any(stride != DYNAMIC and stride < 0 for stride in self.strides or ()):
            raise VerifyException("a stride is negative")
        if self.strides is not None and len(self.strides) != len(self.shape):
            expected, found = len(self.shape), len(self.strides)
            raise VerifyException(
                f"`strides` needs a number for each of {expected} dimensions, found {found}"
            )
        if self.element_type not in BY_TYPE:
            raise VerifyException(f"{element_text(self.element_type)} is not an element type of memory")

    def body(self) -> str:
        parts = [shape_text(self.shape, self.element_type)]
        if self.layout is not Layout.ND:
            parts.append(self.layout.value)
        if self.strides is not None:
            parts.append(f"strides=[{', '.join(map(dim_text, self.strides))}]")
        return ", ".join(parts)


@irdl_attr_definition
class MemRefType(ViewType):
    """Memory as the assembly form names it: `!pto.memref<64x32xf32>`."""

    name = "pto.memref"


@irdl_attr_definition
class TensorViewType(ViewType):
    """A whole tensor in global memory, by its pointer."""

    name = "pto.tensor_view"


@irdl_attr_definition
class PartitionTensorViewType(ViewType):
    """A part of a tensor view, what memory instructions take."""

    name = "pto.partition_tensor_view"


@irdl_attr_definition
class PtrType(PtoType):
    """A pointer, into global memory unless it names another: `!pto.ptr<f32>`, `!pto.ptr<f32, ub>`."""

    name = "pto.ptr"
    element_type: Attribute
    space_attr: AddressSpaceAttr

    def __init__(self, element_type: Attribute, space: AddressSpace = AddressSpace.GM):
        super().__init__(element_type, AddressSpaceAttr(space))

    @property
    def space(self) -> AddressSpace:
        return self.space_attr.data

    def body(self) -> str:
        element = element_text(self.element_type)
        return element if self.space is AddressSpace.GM else f"{element}, {POINTER_SPACES[self.space]}"


@irdl_attr_definition
class GroupType(PtoType):
    """The same memory on every rank of a parallel group: `!pto.group<4 x !pto.memref<64x32xf32>>`."""

    name = "pto.group"
    size_attr: IntAttr
    member: Attribute

    @property
    def size(self) -> int:
        return self.size_attr.data

    def verify(self) -> None:
        if self.size < 1:
            raise VerifyException(f"a group has at least one rank; found {self.size}")
        if self.size > MAX_RANKS:
            raise VerifyException(f"a group has at most {MAX_RANKS} ranks; found {self.size}")
        if not isinstance(self.member, ViewType):
            raise VerifyException("a group is made of memory, for example `4 x !pto.memref<64x32xf32>`")

    def body(self) -> str:
        return f"{self.size} x {self.member}"


@irdl_attr_definition
class EventType(ParametrizedAttribute, TypeAttribute):
    """A synchronisation token."""

    name = "pto.event"


@irdl_attr_definition
class AsyncSessionType(ParametrizedAttribute, TypeAttribute):
    """A queue of a DMA engine that transfers are given to."""

    name = "pto.async_session"


@irdl_attr_definition
class AsyncEventType(ParametrizedAttribute, TypeAttribute):
    """A transfer that was started, to be waited for."""

    name = "pto.async_event"


@irdl_attr_definition
class PrefetchAsyncContextType(ParametrizedAttribute, TypeAttribute):
    """Context of asynchronous prefetches: a workspace, and its own session."""

    name = "pto.prefetch_async_context"


HANDLES = (AsyncSessionType, AsyncEventType, PrefetchAsyncContextType)
"""Types of the handles of asynchronous transfers."""

TYPES: tuple[type[ParametrizedAttribute], ...] = (
    TileType,
    TileValueType,
    MemRefType,
    TensorViewType,
    PartitionTensorViewType,
    PtrType,
    GroupType,
    EventType,
    *HANDLES,
    *OWN_TYPES,
)
