"""Result types that follow from the types of operands.

A family names one of these functions and the operand slots that it reads:

    RESULT_FROM: ClassVar = DerivedType(one_per_row, "src")
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from xdsl.dialects.builtin import IntegerType, Signedness, f16, f32, i8
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import VerifyException

from ptoas.dialects.pto.element_types import element_size
from ptoas.dialects.pto.enums import BLayout, PadValue, SLayout, TileLoc
from ptoas.dialects.pto.types import DYNAMIC, TileType

BLOCK = 32
"""Bytes of which rows of local memory, or columns of a column-major tile, are multiples."""

PAIR = 8
"""Bytes of a value with its index (`tsort32`)."""

SORTED = 32
"""Values that `tsort32` sorts together."""

u8 = IntegerType(8, Signedness.UNSIGNED)
u32 = IntegerType(32, Signedness.UNSIGNED)


Operands: TypeAlias = Mapping[str, Sequence[SSAValue]]
"""The operands of an instruction by slot."""

Properties: TypeAlias = Mapping[str, Attribute]


class DerivedType:
    """The result type as a function of the types of some operands.

    It is a class so that a family can hold it as an attribute: a plain function would become a method.
    """

    def __init__(self, function: Callable[..., TileType], *slots: str, **options: Any):
        self.function, self.slots, self.options = function, slots, options

    def infer(self, operands: Operands) -> TileType | None:
        """The result type; `None` if an operand is missing, `VerifyException` says why there is none."""
        types = [operands[slot][0].type for slot in self.slots if operands[slot]]
        tiles = [type for type in types if isinstance(type, TileType)]
        return self.function(*tiles, **self.options) if len(tiles) == len(self.slots) else None


def one_per_row(src: TileType, element: Attribute | None = None) -> TileType:
    """A column with a value for each row, its rows padded to whole blocks."""
    element = element or src.element_type
    rows = _whole_blocks(src.rows, element)
    return TileType.of(element, rows, 1, valid=(src.valid_rows, 1), blayout=BLayout.ColMajor)


def one_per_column(src: TileType, element: Attribute | None = None) -> TileType:
    """A row with a value for each column."""
    return TileType.of(element or src.element_type, 1, src.cols, valid=(1, src.valid_cols))


def boxed(element: Attribute, rows: int, cols: int, loc: TileLoc = TileLoc.Vec) -> TileType:
    """A tile in the layout of the matrix unit's left operand in L1."""
    return TileType.of(element, rows, cols, loc=loc, blayout=BLayout.ColMajor, slayout=SLayout.RowMajor)


def copied(src: TileType) -> TileType:
    """The same type; a tile outside the unified buffer is moved to a memory that only the author knows."""
    if src.loc.data is not TileLoc.Vec:
        raise VerifyException(f"the destination of a {src.loc.data.value} tile is only in the type")
    return src


def transposed(src: TileType) -> TileType:
    """Rows for columns; the columns are padded to whole blocks."""
    cols = _whole_blocks(src.rows, src.element_type)
    return TileType.of(src.element_type, src.cols, cols, valid=(src.valid_cols, src.valid_rows))


def with_element(src: TileType, element: Attribute) -> TileType:
    """The same shape of another element type; rows that would end within a block are padded."""
    if src.slayout is not SLayout.NoneBox or src.loc.data is not TileLoc.Vec:
        return src.override(element_type=element)
    rows, cols = src.shape
    if src.blayout is BLayout.RowMajor:
        cols = _whole_blocks(cols, element)
    else:
        rows = _whole_blocks(rows, element)
    return src.override(element_type=element, rows=rows, cols=cols)


def half_of_the_columns(src: TileType) -> TileType:
    """As many rows, half as many columns."""
    if src.valid_cols == DYNAMIC:
        raise VerifyException("the number of valid columns is known only at run time")
    cols = _whole_blocks(-(-src.cols // 2), src.element_type)
    return src.override(cols=cols, valid=(src.valid_rows, -(-src.valid_cols // 2)))


def like_the_wider(src0: TileType, src1: TileType) -> TileType:
    """The source that is not one value for each row."""
    return src1 if src1.valid_cols > src0.valid_cols > DYNAMIC else src0


def like_the_larger(src0: TileType, src1: TileType) -> TileType:
    """The source whose valid region covers the other's."""
    if all(a >= b for a, b in zip(src0.valid, src1.valid, strict=True)):
        return src0
    if all(a <= b for a, b in zip(src0.valid, src1.valid, strict=True)):
        return src1
    raise VerifyException("neither source has the shape of the result")


def side_by_side(src0: TileType, src1: TileType) -> TileType:
    """The columns of both."""
    if DYNAMIC in (src0.valid_cols, src1.valid_cols):
        raise VerifyException("the number of valid columns is known only at run time")
    valid = (src0.valid_rows, src0.valid_cols + src1.valid_cols)
    return src0.override(cols=src0.cols + src1.cols, valid=valid)


def mask(src: TileType) -> TileType:
    """A bit for each element, in bytes; rows are whole blocks."""
    valid_cols = src.valid_cols if src.valid_cols == DYNAMIC else -(-src.valid_cols // 8)
    cols = _whole_blocks(-(-src.cols // 8), u8)
    return TileType.of(u8, src.rows, cols, valid=(src.valid_rows, valid_cols))


def pairs(src: TileType) -> TileType:
    """Values with their indices, eight bytes each, in whole groups of 32."""
    width = PAIR // element_size(src.element_type)
    cols = -(-src.cols // SORTED) * SORTED
    valid_cols = src.valid_cols if src.valid_cols == DYNAMIC else src.valid_cols * width
    return TileType.of(src.element_type, src.rows, cols * width, valid=(src.valid_rows, valid_cols))


def one_block_each(src: TileType, offsets: TileType) -> TileType:
    """A block of `src` for each offset."""
    width = BLOCK // element_size(src.element_type)
    valid_cols = offsets.valid_cols if offsets.valid_cols == DYNAMIC else offsets.valid_cols * width
    return TileType.of(
        src.element_type, offsets.rows, offsets.cols * width, valid=(offsets.valid_rows, valid_cols)
    )


def narrowed(src: TileType) -> TileType:
    """The next shorter type of a conversion with saturation."""
    return with_element(src, f16 if src.element_type == f32 else i8)


def counts_of_bytes(src: TileType) -> TileType:
    """A count for each value of a byte, in each row."""
    return TileType.of(u32, src.rows, 256, valid=(src.valid_rows, 256))


def of_the_scale(src: TileType, scale: TileType) -> TileType:
    """The shape of `src`, the element type of the scales."""
    return with_element(src, scale.element_type)


def padded(src: TileType) -> TileType:
    """The whole tile, whose type has the pad value."""
    if src.pad is PadValue.Null:
        raise VerifyException("no type has a pad value: pad=zero, pad=max or pad=min")
    return src.override(valid=src.shape)


def _whole_blocks(count: int, element: Attribute) -> int:
    """A number of elements, rounded up to whole blocks."""
    size = BLOCK // element_size(element) or 1
    return -(-count // size) * size
