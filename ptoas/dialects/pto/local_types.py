"""Types of local data of a function: arrays and structs of scalars, multi tiles."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import ArrayAttr, IntAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.exceptions import VerifyException

from ptoas.dialects.pto.element_types import BY_TYPE, element_text
from ptoas.dialects.pto.enums import TileLoc
from ptoas.dialects.pto.geometry import BURST
from ptoas.dialects.pto.types import PtoType, TileType, shape_text

LARGEST_ARRAY = 1 << 16
"""Elements of a local array: it lies on the stack of a core, which has some kilobytes."""

FEWEST_SLOTS, MOST_SLOTS = 2, 16
"""Tiles of a multi tile."""


def _is_scalar(type: Attribute) -> bool:
    """Return True if C++ has a variable of the type: whole bytes, and one number an element."""
    element = BY_TYPE.get(type)
    return element is not None and element.kind != "pairs" and (element.is_integer or element.size > 1)


@irdl_attr_definition
class LocalArrayType(PtoType):
    """An array of scalars on the stack of a core: `!pto.local_array<8x4xi32>`."""

    name = "pto.local_array"
    shape_attr: ArrayAttr[IntAttr]
    element_type: Attribute

    @staticmethod
    def of(shape: Sequence[int], element_type: Attribute) -> LocalArrayType:
        return LocalArrayType(ArrayAttr(map(IntAttr, shape)), element_type)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(dim.data for dim in self.shape_attr)

    def verify(self) -> None:
        if not self.shape or min(self.shape) < 1:
            raise VerifyException("a local array needs at least one dimension, and extents of at least 1")
        if prod(self.shape) > LARGEST_ARRAY:
            found = f"found {prod(self.shape)}"
            raise VerifyException(f"a local array has at most {LARGEST_ARRAY} elements; {found}")
        if not _is_scalar(self.element_type):
            raise VerifyException(f"{element_text(self.element_type)} is not a scalar that an array can hold")

    def body(self) -> str:
        return shape_text(self.shape, self.element_type)


@irdl_attr_definition
class StructType(PtoType):
    """Scalars of several types on the stack of a core: `!pto.struct<f32, !pto.struct<i8, i16>>`."""

    name = "pto.struct"
    fields: ArrayAttr[Attribute]

    @staticmethod
    def of(fields: Sequence[Attribute]) -> StructType:
        return StructType(ArrayAttr(fields))

    def verify(self) -> None:
        if not self.fields.data:
            raise VerifyException("a struct has at least one field")
        for at, field in enumerate(self.fields):
            if not isinstance(field, StructType) and not _is_scalar(field):
                found = f"found {element_text(field)}"
                raise VerifyException(f"field {at} of a struct is a scalar or a struct; {found}")

    def at(self, path: Sequence[int]) -> Attribute | None:
        """The type at the end of a path of field numbers; `None` if there is none."""
        found: Attribute = self
        for step in path:
            if not isinstance(found, StructType) or not 0 <= step < len(found.fields):
                return None
            found = found.fields.data[step]
        return found

    def body(self) -> str:
        return ", ".join(element_text(field) for field in self.fields)


@irdl_attr_definition
class MultiTileType(PtoType):
    """Several tiles of one type, for double buffering: `!pto.multi_tile_buf<vec, 16x16xf16, count=2>`."""

    name = "pto.multi_tile_buf"
    tile: TileType
    count_attr: IntAttr

    @staticmethod
    def of(tile: TileType, count: int) -> MultiTileType:
        return MultiTileType(tile, IntAttr(count))

    @property
    def count(self) -> int:
        return self.count_attr.data

    @property
    def step(self) -> int:
        """Bytes from one tile to the next: whole blocks of the memory that they lie in, for all rows and
        columns, whatever is valid."""
        block = 512 if self.tile.loc.data in (TileLoc.Left, TileLoc.Right, TileLoc.Acc) else BURST
        return -(-self.tile.override(valid=self.tile.shape).size_bytes // block) * block

    def verify(self) -> None:
        if not FEWEST_SLOTS <= self.count <= MOST_SLOTS:
            raise VerifyException(f"count is from {FEWEST_SLOTS} to {MOST_SLOTS}; found {self.count}")

    def body(self) -> str:
        return f"{self.tile.body()}, count={self.count}"


LOCAL_TYPES: tuple[type[ParametrizedAttribute], ...] = (LocalArrayType, StructType, MultiTileType)
