"""Views of global memory and tiles of local memory, with addresses and valid extents."""

from abc import ABC
from collections.abc import Sequence
from typing import Any, ClassVar, cast

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryAllocEffect, Pure
from xdsl.utils.exceptions import VerifyException

from ptoas.dialects.pto.constraints import AnyTile, AnyView, Extent, Index, Ptr
from ptoas.dialects.pto.enums import LayoutAttr
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.result_types import Operands, Properties
from ptoas.dialects.pto.types import DYNAMIC, LARGEST_EXTENT, PartitionTensorViewType, TileType, ViewType


def _check_counts(type: Attribute, **lists: Sequence[SSAValue]) -> None:
    """Refuse a list with more or fewer values than the view has dimensions."""
    assert isinstance(type, ViewType)
    rank = len(type.shape)
    for key, values in lists.items():
        if len(values) != rank:
            raise VerifyException(
                f"`{key}` needs {rank} values for a view of {rank} dimensions, found {len(values)}"
            )


class AllocOp(PtoOp, ABC):
    """Local memory; its address and, where the type says `?`, its valid extents."""

    ASSEMBLY_FORMAT: ClassVar = (
        "(addr = $addr)? (valid_row = $valid_row)? (valid_col = $valid_col)? {attrs} : ^result"
    )
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    addr = opt_operand_def(Index())
    valid_row = opt_operand_def(Index())
    valid_col = opt_operand_def(Index())
    traits = traits_def(MemoryAllocEffect())


@irdl_op_definition
class MakeTensorViewOp(PtoOp):
    """A view of the tensor at a pointer: its shape, and its strides in elements."""

    name = "pto.make_tensor_view"
    ASSEMBLY_FORMAT: ClassVar = "$ptr, shape = [$shape], strides = [$strides] {attrs} : ^result"
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    ptr = operand_def(Ptr("T"))
    shape = var_operand_def(Index())
    strides = var_operand_def(Index())
    layout = opt_prop_def(LayoutAttr)
    result = result_def(AnyView("T"))
    traits = traits_def(Pure())

    def verify_(self) -> None:
        _check_counts(self.result.type, shape=self.shape, strides=self.strides)


@irdl_op_definition
class PartitionViewOp(PtoOp):
    """A part of a view: where it starts and how large it is, in elements of each dimension."""

    name = "pto.partition_view"
    ASSEMBLY_FORMAT: ClassVar = "$source, offsets = [$offsets], sizes = [$sizes] {attrs} : ^source -> ^result"
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    source = operand_def(AnyView("T"))
    offsets = var_operand_def(Index())
    sizes = var_operand_def(Index())
    result = result_def(AnyView("T"))
    traits = traits_def(Pure())

    @classmethod
    def infer_result_types(cls, operands: Operands, properties: Properties) -> Sequence[Attribute] | None:
        """The extents are those of the sizes, where they are constants."""
        source = operands["source"][0].type
        if not isinstance(source, ViewType) or not operands["sizes"]:
            return None
        sizes = [_extent(size) for size in operands["sizes"]]
        return [PartitionTensorViewType.of(sizes, source.element_type, source.layout)]

    def verify_(self) -> None:
        _check_counts(self.source.type, offsets=self.offsets, sizes=self.sizes)


@irdl_op_definition
class AllocTileOp(AllocOp):
    """A tile of local memory; its address and, where the type says `?`, its valid extents."""

    name = "pto.alloc_tile"
    result = result_def(AnyTile())

    @property
    def tile_type(self) -> TileType:
        type = self.result.type
        assert isinstance(type, TileType)
        return type

    def verify_(self) -> None:
        tile = self.tile_type
        for word, operand, extent in (
            ("valid_row", self.valid_row, tile.valid_rows),
            ("valid_col", self.valid_col, tile.valid_cols),
        ):
            if operand is not None and extent != DYNAMIC:
                raise VerifyException(
                    f"{word} is given, but the type already fixes it to {extent}; write ? there"
                )


@irdl_op_definition
class TAssignOp(PtoOp):
    """Bind a tile to an address of its memory: `tassign %t, @tile(0x1000)`."""

    name = "pto.tassign"
    NO_EFFECT: ClassVar = ("tile",)
    SIDE_EFFECTING: ClassVar = True
    ASSEMBLY_FORMAT: ClassVar = "$tile(, $addr)?(, @tile(#address:x))? {attrs} : ^tile( -> ^result)?"
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    tile = operand_def(AnyTile())
    addr = opt_operand_def(Index())
    address = opt_prop_def(IntegerAttr)
    result = opt_result_def(AnyTile())

    def verify_(self) -> None:
        if (self.addr is None) == (self.address is None):
            raise VerifyException("needs one address: a value, or @tile(0x1000)")
        if self.result is not None and self.result.type != self.tile.type:
            raise VerifyException(f"gives a {self.result.type}, but the tile is a {self.tile.type}")


def _extent(value: SSAValue) -> int:
    """Return the extent of a size operand, constant or dynamic."""
    owner = value.owner
    if not isinstance(owner, ConstantOp) or not isinstance(owner.value, IntegerAttr):
        return DYNAMIC
    size = cast("IntegerAttr[IndexType]", owner.value).value.data
    if not 0 <= size <= LARGEST_EXTENT:
        raise VerifyException(f"{size} is not an extent")
    return size


def new_tile(type: Attribute) -> Operation:
    """The tile that an undefined destination declares (D23)."""
    return AllocTileOp.build(operands=[None, None, None], result_types=[type])


def part_of(
    view: SSAValue, offsets: Sequence[SSAValue], sizes: Sequence[SSAValue], type: Attribute
) -> Operation:
    """The part denoted by `%view[%i, %j]`."""
    return PartitionViewOp.build(operands=[view, offsets, sizes], result_types=[type])


def can_precede(op: Operation, assign: TAssignOp) -> bool:
    """Return True if `assign` could be inserted before `op` in its block: the address is known there."""
    owner = None if assign.addr is None else assign.addr.owner
    known = not isinstance(owner, Operation) or owner.parent is not op.parent or owner.is_before_in_block(op)
    return known and assign.parent is op.parent


@irdl_op_definition
class SubviewOp(PtoOp):
    """A window of a tile; it shares the tile's bytes and row stride."""

    name = "pto.subview"
    REQUIRES_CONSTANTS: ClassVar = True
    ALIASES: ClassVar = ("subset",)
    ASSEMBLY_FORMAT: ClassVar = (
        "$source[$offsets] sizes [#sizes]( valid [$valid])? {attrs} : ^source -> ^result"
    )
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    source = operand_def(AnyTile("T"))
    offsets = var_operand_def(Index())
    valid = var_operand_def(Index())
    sizes = prop_def(DenseArrayBase)
    result = result_def(AnyTile("T"))
    traits = traits_def(Pure())

    @classmethod
    def infer_result_types(cls, operands: Operands, properties: Properties) -> Sequence[Attribute] | None:
        """A tile of that size in the layout of its source; valid as a whole unless extents are given."""
        source, sizes = operands["source"][0].type, properties.get("sizes")
        if not isinstance(source, TileType) or not isinstance(sizes, DenseArrayBase):
            return None
        extents = [int(size) for size in cast("DenseArrayBase[Any]", sizes).get_values()]
        if len(extents) != 2 or min(extents) < 1:
            return None
        rows, cols = extents
        valid = (DYNAMIC, DYNAMIC) if operands["valid"] else None
        return [
            TileType.of(
                source.element_type, rows, cols, loc=source.loc.data, valid=valid, blayout=source.blayout,
                slayout=source.slayout, fractal=source.fractal, pad=source.pad,
            )
        ]  # fmt: skip

    def verify_(self) -> None:
        if len(self.offsets) != 2 or len(self.sizes) != 2:
            raise VerifyException("needs two offsets and two sizes: a row and a column of each")
        if len(self.valid) not in (0, 2):
            raise VerifyException("takes two valid extents, rows and columns, or none")
        result = self.result.type
        assert isinstance(result, TileType)
        for what, value, typed in zip(("row", "col"), self.valid, result.valid, strict=False):
            extent = _extent(value)
            if DYNAMIC not in (extent, typed) and extent != typed:
                raise VerifyException(f"valid_{what} is {extent}, the result's type says {typed}")


class AliasOp(PtoOp, ABC):
    """An alias of a tile's bytes: writes through one name are visible through the other."""

    ASSEMBLY_FORMAT: ClassVar = "$source {attrs} : ^source -> ^result"
    source = operand_def(AnyTile())
    result = result_def(AnyTile())
    traits = traits_def(Pure())

    def types(self) -> tuple[TileType, TileType]:
        source, result = self.source.type, self.result.type
        assert isinstance(source, TileType) and isinstance(result, TileType)
        return source, result


@irdl_op_definition
class TReshapeOp(AliasOp):
    """The same bytes in another shape, layout or element type. Where its type leaves them open, the valid
    extents are the physical ones."""

    name = "pto.treshape"


@irdl_op_definition
class BitcastOp(AliasOp):
    """The same bytes with another element type, in the shape, layout and valid extents of the source."""

    name = "pto.bitcast"


@irdl_op_definition
class GetValidShapeOp(PtoOp):
    """The valid extents that a tile has now."""

    name = "pto.get_validshape"
    NO_EFFECT: ClassVar = ("tile",)
    RESULTS: ClassVar = (IndexType(), IndexType())
    ASSEMBLY_FORMAT: ClassVar = "$tile {attrs} : ^tile"
    tile = operand_def(AnyTile())
    row = result_def(Extent())
    col = result_def(Extent())


class ValidExtentOp(PtoOp, ABC):
    """One of the valid extents that a tile has now."""

    NO_EFFECT: ClassVar = ("src",)
    RESULTS: ClassVar = (IndexType(),)
    ASSEMBLY_FORMAT: ClassVar = "$src {attrs} : ^src -> ^result"
    src = operand_def(AnyTile())
    result = result_def(Extent())


@irdl_op_definition
class TileValidRowsOp(ValidExtentOp):
    """The current number of valid rows of a tile."""

    name = "pto.tile_valid_rows"


@irdl_op_definition
class TileValidColsOp(ValidExtentOp):
    """The current number of valid columns of a tile."""

    name = "pto.tile_valid_cols"


class DimensionOp(PtoOp, ABC):
    """A number that belongs to one dimension of a view, counted from 0."""

    ASSEMBLY_FORMAT: ClassVar = "$view, $dim {attrs} : ^view -> ^result"
    RESULTS: ClassVar = (IndexType(),)
    view = operand_def(AnyView())
    dim = operand_def(Index())
    result = result_def(Extent())
    traits = traits_def(Pure())


@irdl_op_definition
class GetTensorViewDimOp(DimensionOp):
    """The extent of a view in one dimension."""

    name = "pto.get_tensor_view_dim"


@irdl_op_definition
class GetTensorViewStrideOp(DimensionOp):
    """The stride of a view in one dimension, in elements."""

    name = "pto.get_tensor_view_stride"


@irdl_op_definition
class SetValidShapeOp(PtoOp):
    """Change the valid extents of a tile whose type leaves them open."""

    name = "pto.set_validshape"
    NO_EFFECT: ClassVar = ("tile",)
    SIDE_EFFECTING: ClassVar = True
    ASSEMBLY_FORMAT: ClassVar = "$tile, $row, $col {attrs} : ^tile"
    tile = operand_def(AnyTile())
    row = operand_def(Index())
    col = operand_def(Index())

    def verify_(self) -> None:
        tile = self.tile.type
        assert isinstance(tile, TileType)
        if DYNAMIC not in tile.valid:
            raise VerifyException("the tile's type fixes its valid extents; write ? for the one that changes")
