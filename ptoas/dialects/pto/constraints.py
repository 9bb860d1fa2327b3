"""Constraints on operands that hold on every target, with messages for kernel authors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeGuard

from typing_extensions import TypeVar
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, VectorType, i16, i32
from xdsl.ir import Attribute
from xdsl.irdl import AttrConstraint, IntConstraint, VerificationContext
from xdsl.utils.exceptions import VerifyException

from ptoas.dialects.pto.element_types import BY_TYPE, element_size, element_text
from ptoas.dialects.pto.enums import AddressSpace
from ptoas.dialects.pto.local_types import LocalArrayType, MultiTileType, StructType
from ptoas.dialects.pto.types import (
    AsyncEventType,
    AsyncSessionType,
    EventType,
    GroupType,
    PrefetchAsyncContextType,
    PtrType,
    TileType,
    ViewType,
)


class ElementMismatch(VerifyException):
    """An element type that differs from that of the operands before it."""

    def __init__(self, found: Attribute, required: Attribute, operand: str = ""):
        types = f"found element type {element_text(found)}, expected {element_text(required)}"
        super().__init__(f"{operand}{types}, as in the operands before it")
        self.required = required


@dataclass(frozen=True)
class PtoConstraint(AttrConstraint):
    """A kind of operand; with `element` set, all operands that share that letter share an element type.

    The kinds add no fields, so that they need not be dataclasses of their own.
    """

    element: str | None = None
    memory: ClassVar[bool] = True
    """True if an operand of this kind refers to memory, so that an instruction reads or writes it."""

    def kind(self) -> str:
        """The name of operands of this kind in messages."""
        raise NotImplementedError

    def accepts(self, attr: Attribute) -> bool:
        """Return True if the type is of this kind, regardless of its element type and extents.

        Statements that differ in extents alone share a template.
        """
        raise NotImplementedError

    def element_of(self, attr: Attribute) -> Attribute:
        return attr

    def verifies(self, attr: Attribute) -> TypeGuard[Attribute]:
        """Return True if the constraint accepts the type, without building a message."""
        return self.accepts(attr)

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not self.accepts(attr):
            raise VerifyException(f"expected {self.kind()}, found {attr}")
        if self.element is None:
            return
        found = self.element_of(attr)
        required = constraint_context.get_variable(self.element)
        if required is None:
            constraint_context.set_attr_variable(self.element, found)
        elif required != found:
            raise ElementMismatch(found, required)

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint[Any] | IntConstraint]
    ) -> PtoConstraint:
        return self


class AnyTile(PtoConstraint):
    def kind(self) -> str:
        return "a tile"

    def accepts(self, attr: Attribute) -> bool:
        return isinstance(attr, TileType)

    def element_of(self, attr: Attribute) -> Attribute:
        assert isinstance(attr, TileType)
        return attr.element_type


class IntegerTile(AnyTile):
    def kind(self) -> str:
        return "a tile of integers"

    def accepts(self, attr: Attribute) -> bool:
        return isinstance(attr, TileType) and BY_TYPE[attr.element_type].is_integer


class IndexTile(IntegerTile):
    """A tile of integers that are positions, which the instruction reads."""

    def kind(self) -> str:
        return "a tile of integer indices"


class AnyView(PtoConstraint):
    def kind(self) -> str:
        return "a view of global memory (memref, tensor_view or partition_tensor_view)"

    def accepts(self, attr: Attribute) -> bool:
        return isinstance(attr, ViewType)

    def element_of(self, attr: Attribute) -> Attribute:
        assert isinstance(attr, ViewType)
        return attr.element_type


class TileOrView(PtoConstraint):
    def kind(self) -> str:
        return "a tile or a view of global memory"

    def accepts(self, attr: Attribute) -> bool:
        return isinstance(attr, TileType | ViewType)


class ViewOrGroup(PtoConstraint):
    def kind(self) -> str:
        return "a group of ranks or a view of a rank's memory"

    def accepts(self, attr: Attribute) -> bool:
        return isinstance(attr, ViewType | GroupType)

    def element_of(self, attr: Attribute) -> Attribute:
        member = attr.member if isinstance(attr, GroupType) else attr
        assert isinstance(member, ViewType)
        return member.element_type


class Ptr(PtoConstraint):
    def kind(self) -> str:
        return "a pointer into global memory (!pto.ptr<...>)"

    def accepts(self, attr: Attribute) -> bool:
        return isinstance(attr, PtrType) and attr.space is AddressSpace.GM

    def element_of(self, attr: Attribute) -> Attribute:
        assert isinstance(attr, PtrType)
        return attr.element_type


class ScalarPtr(Ptr):
    """A pointer through which the scalar pipe reads and writes single elements."""

    def kind(self) -> str:
        return "a pointer into global memory or the unified buffer (!pto.ptr<...>, !pto.ptr<..., ub>)"

    def accepts(self, attr: Attribute) -> bool:
        return isinstance(attr, PtrType) and attr.space in (AddressSpace.GM, AddressSpace.Vec)


class LocalPtr(Ptr):
    def kind(self) -> str:
        return "a pointer into the unified buffer (!pto.ptr<..., ub>)"

    def accepts(self, attr: Attribute) -> bool:
        return isinstance(attr, PtrType) and attr.space is AddressSpace.Vec


class AnyAddress(PtoConstraint):
    """A number of 64 bits that counts bytes."""

    memory = False

    def kind(self) -> str:
        return "an address (i64)"

    def accepts(self, attr: Attribute) -> bool:
        element = BY_TYPE.get(attr)
        return element is not None and element.is_integer and element.size == 8


class PtrOrAddress(PtoConstraint):
    """Operand and result of a pointer cast; a pointer that only changes its type is not read."""

    memory = False

    def kind(self) -> str:
        return "a pointer or an address (i64)"

    def accepts(self, attr: Attribute) -> bool:
        return ScalarPtr().accepts(attr) or AnyAddress().accepts(attr)


class Scalar(PtoConstraint):
    """An integer or float value; an index counts as one."""

    memory = False

    def kind(self) -> str:
        return "a scalar (an integer or a float)"

    def accepts(self, attr: Attribute) -> bool:
        return isinstance(attr, IntegerType | IndexType | AnyFloat)


class Index(PtoConstraint):
    """An extent, an offset, an address: an `index` or an integer."""

    memory = False

    def kind(self) -> str:
        return "an index or an integer"

    def accepts(self, attr: Attribute) -> bool:
        return isinstance(attr, IntegerType | IndexType)


class Extent(Index):
    """An `index` and nothing else: what an operation gives whose text leaves the type out."""

    def kind(self) -> str:
        return "an index"

    def accepts(self, attr: Attribute) -> bool:
        return isinstance(attr, IndexType)


class AnyCounts(PtoConstraint):
    """Four numbers that an instruction sets: how many pairs it took of each list."""

    memory = False

    def kind(self) -> str:
        return "a vector<4xi16>"

    def accepts(self, attr: Attribute) -> bool:
        return attr == COUNTS


COUNTS = VectorType(i16, [4])


def counts(value: Attribute) -> list[int]:
    """The numbers of a constant of that type."""
    dense: Any = value
    numbers = [int(number) for number in dense.get_values()]
    return numbers * (4 // len(numbers))


class SignalWord(Index):
    """A signal's value, what it is compared with, or a number of cores."""

    def kind(self) -> str:
        return "an i32"

    def accepts(self, attr: Attribute) -> bool:
        return attr == i32


class BytePtr(Ptr):
    """Memory that an engine keeps its records in."""

    def kind(self) -> str:
        return "a pointer to bytes of global memory (!pto.ptr<i8>)"

    def accepts(self, attr: Attribute) -> bool:
        return super().accepts(attr) and isinstance(attr, PtrType) and element_size(attr.element_type) == 1


class AnyAsyncSession(PtoConstraint):
    memory = False

    def kind(self) -> str:
        return "a session (!pto.async_session)"

    def accepts(self, attr: Attribute) -> bool:
        return isinstance(attr, AsyncSessionType)


class AnyEvent(PtoConstraint):
    memory = False

    def kind(self) -> str:
        return "an event (!pto.event), which an instruction with `record` makes"

    def accepts(self, attr: Attribute) -> bool:
        return isinstance(attr, EventType)


class AnyAsyncEvent(PtoConstraint):
    memory = False

    def kind(self) -> str:
        return "an event (!pto.async_event)"

    def accepts(self, attr: Attribute) -> bool:
        return isinstance(attr, AsyncEventType)


class PrefetchContext(PtoConstraint):
    memory = False

    def kind(self) -> str:
        return "a context (!pto.prefetch_async_context)"

    def accepts(self, attr: Attribute) -> bool:
        return isinstance(attr, PrefetchAsyncContextType)


class AnyLocalArray(PtoConstraint):
    """An array on the stack, which only the scalar pipe accesses."""

    memory = False

    def kind(self) -> str:
        return "a local array (!pto.local_array<...>)"

    def accepts(self, attr: Attribute) -> bool:
        return isinstance(attr, LocalArrayType)

    def element_of(self, attr: Attribute) -> Attribute:
        assert isinstance(attr, LocalArrayType)
        return attr.element_type


class Struct(PtoConstraint):
    memory = False

    def kind(self) -> str:
        return "a struct (!pto.struct<...>)"

    def accepts(self, attr: Attribute) -> bool:
        return isinstance(attr, StructType)


class MultiTile(PtoConstraint):
    def kind(self) -> str:
        return "several tiles (!pto.multi_tile_buf<...>)"

    def accepts(self, attr: Attribute) -> bool:
        return isinstance(attr, MultiTileType)


class TileOrMultiTile(PtoConstraint):
    def kind(self) -> str:
        return "several tiles (!pto.multi_tile_buf<...>)"

    def accepts(self, attr: Attribute) -> bool:
        return isinstance(attr, TileType | MultiTileType)
