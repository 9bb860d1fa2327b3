"""Compile-time facts about the values of a function: extents, strides, windows of memory.

This is an analysis and changes nothing. Constants are followed through `arith`, so that `%c16` is 16 in a
valid extent, a shape or a size; what stays unknown is `DYNAMIC`, and rules leave it to the running program.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import prod
from typing import cast

from xdsl.ir import Attribute, OpResult, SSAValue

from ptoas.analysis.constants import Constants
from ptoas.analysis.forwarding import forwards_values, passed_on
from ptoas.analysis.layouts import found_layout, named_layout
from ptoas.analysis.windows import Window
from ptoas.dialects.pto import scalar, views
from ptoas.dialects.pto.element_types import BY_TYPE, ElementType, element_text
from ptoas.dialects.pto.enums import BLayout, Layout, SLayout, TileLoc
from ptoas.dialects.pto.types import DYNAMIC, TileType, ViewType, dim_text


def shape_str(shape: Iterable[int]) -> str:
    """`16x?`"""
    return "x".join(map(dim_text, shape))


@dataclass(frozen=True, eq=False)
class TileFacts:
    """A tile's type, and its valid extents as far as they are known."""

    type: TileType
    valid: tuple[int, int]
    physical: tuple[int, int]
    """Rows and columns that strides follow from: those of the tile that a window looks into."""

    @property
    def valid_rows(self) -> int:
        return self.valid[0]

    @property
    def valid_cols(self) -> int:
        return self.valid[1]

    @cached_property
    def element(self) -> ElementType:
        return BY_TYPE[self.type.element_type]

    @property
    def size(self) -> int:
        """Bytes of one element."""
        return self.element.size

    @property
    def loc(self) -> TileLoc:
        return self.type.loc.data

    @property
    def rows(self) -> int:
        return self.type.rows

    @property
    def cols(self) -> int:
        return self.type.cols

    @property
    def is_window(self) -> bool:
        """True if it is a part of a larger tile."""
        return self.physical != self.type.shape

    @property
    def is_nd(self) -> bool:
        return self.type.blayout is BLayout.RowMajor and self.type.slayout is SLayout.NoneBox

    @property
    def is_dn(self) -> bool:
        return self.type.blayout is BLayout.ColMajor and self.type.slayout is SLayout.NoneBox

    @property
    def is_nz(self) -> bool:
        return self.type.is_nz and self.type.fractal == 512

    @property
    def layout_text(self) -> str:
        fractal = f", fractal {self.type.fractal}" if self.type.slayout is not SLayout.NoneBox else ""
        return f"{self.type.blayout.value} + {self.type.slayout.value}{fractal}"

    @property
    def element_name(self) -> str:
        return element_text(self.type.element_type)


@dataclass(frozen=True, eq=False)
class ViewFacts:
    """A window of global memory: extents, strides and layout as far as they are known."""

    type: ViewType
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    """`None`: packed in the order of the layout."""
    layout: Layout

    @property
    def shape5(self) -> tuple[int, ...]:
        return (1,) * (5 - len(self.shape)) + self.shape

    @property
    def static_shape5(self) -> tuple[int, ...]:
        """The static shape of the type."""
        return self.type.shape5

    @property
    def element(self) -> ElementType:
        return BY_TYPE[self.type.element_type]

    @property
    def size(self) -> int:
        return self.element.size

    @property
    def own_strides(self) -> tuple[int, ...]:
        """Strides in elements of the dimensions that the type names."""
        return packed_strides(self.shape, self.layout) if self.strides is None else self.strides

    @cached_property
    def strides5(self) -> tuple[int, ...]:
        """Five strides in elements; of dimensions that the type does not name, one for a whole tensor."""
        own = self.own_strides
        known = DYNAMIC not in (*self.shape, *own)
        whole = max(n * stride for n, stride in zip(self.shape, own, strict=True)) if known else DYNAMIC
        return (whole,) * (5 - len(own)) + own

    @cached_property
    def is_packed(self) -> bool | None:
        """True if elements are contiguous in row-major order; `None`: unknown."""
        if self.strides is None:
            return True
        expected, known = 1, True
        for extent, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if extent == 1:
                continue
            if DYNAMIC in (stride, expected):
                known = False
            elif stride != expected:
                return False
            expected = DYNAMIC if DYNAMIC in (extent, expected) else expected * extent
        return True if known else None


def packed_strides(shape: Sequence[int], layout: Layout) -> tuple[int, ...]:
    """Strides in elements of a tensor without gaps; DN swaps the last two dimensions."""
    order = list(range(len(shape)))
    if layout is Layout.DN and len(shape) > 1:
        order[-1], order[-2] = order[-2], order[-1]
    strides: dict[int, int] = {}
    step = 1
    for dim in reversed(order):
        strides[dim] = step
        step = DYNAMIC if DYNAMIC in (step, shape[dim]) else step * shape[dim]
    return tuple(strides[dim] for dim in range(len(shape)))


def last_dims(dims: tuple[int, ...], rank: int) -> tuple[int, ...]:
    """The last dimensions, padded in front with ones (D11)."""
    return (1,) * (rank - len(dims)) + dims[-rank:]


def _merge(declared: tuple[int, ...] | None, known: tuple[int, ...]) -> tuple[int, ...]:
    """The extents of a type, with unknown ones replaced by other known facts."""
    if declared is None:
        return known
    known = last_dims(known, len(declared))
    return tuple([known[at] if dim == DYNAMIC else dim for at, dim in enumerate(declared)])


def physical_shape(tile: SSAValue) -> tuple[int, int]:
    """Rows and columns that strides follow from: those of the tile that a window looks into, unless it lies
    like a tile of its own."""
    at = tile
    while (owner := at.owner).__class__ is views.SubviewOp:
        at = cast(views.SubviewOp, owner).source
    own, whole = tile.type, at.type
    assert isinstance(own, TileType) and isinstance(whole, TileType)
    return own.shape if own is whole else _seen(own, whole.shape)


def _seen(window: TileType, whole: tuple[int, int]) -> tuple[int, int]:
    """The extents of a window that has the full width, or in column-major order the full height."""
    across = 1 if window.blayout is BLayout.RowMajor else 0
    return window.shape if window.shape[across] == whole[across] else whole


def is_reshaped(tile: SSAValue) -> bool:
    """Return True if `set_validshape` changes a tile, under this name or another."""
    seen = [tile]
    for value in seen:
        for use in value.uses:
            kind = use.operation.__class__
            if kind is views.SetValidShapeOp:
                return True
            # A window has extents of its own, and so has the tile under another type.
            if forwards_values(kind) and not issubclass(kind, views.AliasOp | views.SubviewOp):
                seen += [name for name in passed_on(use) if name not in seen]
    return False


class Knowledge(Constants):
    """Facts about the values of one module, each computed once."""

    def __init__(self) -> None:
        super().__init__()
        self._tiles: dict[SSAValue, TileFacts] = {}
        self._views: dict[SSAValue, ViewFacts] = {}
        self._tile_facts: dict[tuple[object, ...], TileFacts] = {}
        self._view_facts: dict[tuple[object, ...], ViewFacts] = {}
        """View facts by content, so that values with equal facts share them."""

    def extent(self, value: SSAValue | None) -> int:
        """An extent: its constant, or `DYNAMIC`."""
        constant = None if value is None else self.constant(value)
        return DYNAMIC if constant is None or constant < 0 else constant

    # --- tiles -----------------------------------------------------------------------------------

    def tile(self, value: SSAValue) -> TileFacts:
        facts = self._tiles.get(value)
        if facts is None:
            facts = self._tiles[value] = self._find_tile(value)
        return facts

    def _find_tile(self, value: SSAValue) -> TileFacts:
        type = value.type
        assert isinstance(type, TileType)
        valid = self._valid(value, type) if DYNAMIC in type.valid else type.valid
        # A window into a window uses the facts of its source.
        owner = value.owner
        around = self._tiles.get(owner.source) if isinstance(owner, views.SubviewOp) else None
        physical = physical_shape(value) if around is None else _seen(type, around.physical)
        key = (type, valid, physical)
        facts = self._tile_facts.get(key)
        if facts is None:
            facts = self._tile_facts[key] = TileFacts(type, valid, physical)
        return facts

    def _valid(self, value: SSAValue, type: TileType) -> tuple[int, int]:
        """The valid extents of a tile whose type leaves some open."""
        # Another extent may be set anywhere, so only a tile that is never reshaped has known ones.
        if is_reshaped(value):
            return type.valid
        extents: tuple[SSAValue | None, SSAValue | None] = (None, None)
        match value.owner:
            case views.AllocTileOp() as op:
                extents = (op.valid_row, op.valid_col)
            case views.SubviewOp() as op if len(op.valid) == 2:
                extents = (op.valid[0], op.valid[1])
            case views.TAssignOp() as op:
                return self.tile(op.tile).valid
            case views.BitcastOp() as op:
                return self.tile(op.source).valid
            case views.TReshapeOp():
                return (
                    type.rows if type.valid_rows == DYNAMIC else type.valid_rows,
                    type.cols if type.valid_cols == DYNAMIC else type.valid_cols,
                )
            case _:
                pass
        rows, cols = type.valid
        return (
            self.extent(extents[0]) if rows == DYNAMIC else rows,
            self.extent(extents[1]) if cols == DYNAMIC else cols,
        )

    # --- views -----------------------------------------------------------------------------------

    def view(self, value: SSAValue) -> ViewFacts:
        facts = self._views.get(value)
        if facts is None:
            type = value.type
            assert is_view(type.__class__)
            shape, strides, layout = self._find_view(value, cast(ViewType, type))
            key = (type, shape, strides, layout)
            facts = self._view_facts.get(key)
            if facts is None:
                facts = self._view_facts[key] = ViewFacts(cast(ViewType, type), shape, strides, layout)
            self._views[value] = facts
        return facts

    def _find_view(
        self, value: SSAValue, type: ViewType
    ) -> tuple[tuple[int, ...], tuple[int, ...] | None, Layout]:
        shape, strides, otherwise = type.shape, type.strides, Layout.ND
        match value.owner:
            case views.MakeTensorViewOp() as op:
                if DYNAMIC in shape:
                    shape = _merge(shape, self._extents(op.shape))
                if strides is None or DYNAMIC in strides:
                    strides = _merge(strides, last_dims(self._extents(op.strides), len(shape)))
            case views.PartitionViewOp() as op:
                if DYNAMIC in shape:
                    shape = _merge(shape, self._extents(op.sizes))
                whole = self.view(op.source)
                if strides is None or DYNAMIC in strides:
                    strides = _merge(strides, last_dims(whole.own_strides, len(shape)))
                otherwise = whole.layout
            case _:
                pass
        layout = named_layout(value)
        if layout is None:
            steps = strides or packed_strides(shape, Layout.ND)
            layout = found_layout(value, shape, steps, otherwise)
        return shape, strides, layout

    def _extents(self, values: Sequence[SSAValue]) -> tuple[int, ...]:
        return tuple(map(self.extent, values))

    def window(self, value: SSAValue) -> Window:
        """The underlying memory of a view or pointer."""
        base = self._base(value)
        if not is_view(value.type.__class__):
            return Window(base.root)
        facts = self.view(value)
        if 0 in facts.shape or DYNAMIC in (*facts.shape, *facts.strides5):
            return Window(base.root)
        return Window(base.root, base.first, tuple(zip(facts.shape5, facts.strides5, strict=True)))

    def element(self, value: SSAValue, offset: SSAValue | None = None) -> Window:
        """The element that a pointer points to, or the first of a view."""
        base = self._base(value)
        step = 0 if offset is None else self.constant(offset)
        return Window(base.root, None if base.first is None or step is None else base.first + step)

    def _base(self, value: SSAValue) -> Window:
        """The underlying memory of a view or pointer, and the element that it begins at."""
        first: int | None = 0
        at = value
        while isinstance(at, OpResult):
            match at.op:
                case views.PartitionViewOp() as op:
                    at = op.source
                    for offset, stride in zip(op.offsets, self.view(at).own_strides, strict=True):
                        step = self.constant(offset)
                        if first is None or step is None or stride == DYNAMIC:
                            first = None
                        else:
                            first += step * stride
                case views.MakeTensorViewOp() as op:
                    at = op.ptr
                case scalar.AddPtrOp() as op:
                    offset = self.constant(op.offset)
                    first = None if offset is None or first is None else first + offset
                    at = op.ptr
                case _:
                    break
        return Window(at, first)

    # --- keys ------------------------------------------------------------------------------------

    def key(self, value: SSAValue) -> object:
        """A key that is equal for values with equal facts."""
        type = value.type
        kind = type.__class__
        if kind is TileType:
            return self.tile(value)
        if is_view(kind):
            return self.view(value)
        return type, self.constant(value)


@cache
def is_view(kind: type[Attribute]) -> bool:
    return issubclass(kind, ViewType)


def element_count(shape: Sequence[int]) -> int:
    """Elements of a shape, `DYNAMIC` when an extent is unknown."""
    return DYNAMIC if DYNAMIC in shape else prod(shape)
