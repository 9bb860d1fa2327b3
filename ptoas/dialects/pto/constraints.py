"""Constraints on operands that hold on every target, with messages for kernel authors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import UnionType
from typing import Any, ClassVar, TypeGuard

from typing_extensions import TypeVar
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, VectorType, i16, i32
from xdsl.ir import Attribute
from xdsl.irdl import AttrConstraint, IntConstraint, VerificationContext
from xdsl.utils.exceptions import VerifyException

from ptoas.dialects.pto.core_types import EventIdArrayType, PipeType
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
    kind: ClassVar[str]
    """The name of operands of this kind in messages."""
    types: ClassVar[type[Attribute] | UnionType]
    """The classes of their types."""
    memory: ClassVar[bool] = True
    """True if an operand of this kind refers to memory, so that an instruction reads or writes it."""

    def accepts(self, attr: Attribute) -> bool:
        """Return True if the type is of this kind, regardless of its element type and extents.

        Statements that differ in extents alone share a template.
        """
        return isinstance(attr, self.types)

    def element_of(self, attr: Attribute) -> Attribute:
        """The type of the elements of memory, or the type itself."""
        match attr:
            case TileType() | ViewType() | PtrType() | LocalArrayType():
                return attr.element_type
            case GroupType():
                return self.element_of(attr.member)
            case _:
                return attr

    def verifies(self, attr: Attribute) -> TypeGuard[Attribute]:
        """Return True if the constraint accepts the type, without building a message."""
        return self.accepts(attr)

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not self.accepts(attr):
            raise VerifyException(f"expected {self.kind}, found {attr}")
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


# --- memory ----------------------------------------------------------------------------------------


class AnyTile(PtoConstraint):
    kind = "a tile"
    types = TileType


class IntegerTile(AnyTile):
    kind = "a tile of integers"

    def accepts(self, attr: Attribute) -> bool:
        return isinstance(attr, TileType) and BY_TYPE[attr.element_type].is_integer


class IndexTile(IntegerTile):
    """A tile of integers that are positions, which the instruction reads."""

    kind = "a tile of integer indices"


class MultiTile(PtoConstraint):
    kind = "several tiles (!pto.multi_tile_buf<...>)"
    types = MultiTileType


class TileOrMultiTile(PtoConstraint):
    kind = MultiTile.kind
    types = TileType | MultiTileType


class AnyView(PtoConstraint):
    kind = "a view of global memory (memref, tensor_view or partition_tensor_view)"
    types = ViewType


class TileOrView(PtoConstraint):
    kind = "a tile or a view of global memory"
    types = TileType | ViewType


class ViewOrGroup(PtoConstraint):
    kind = "a group of ranks or a view of a rank's memory"
    types = ViewType | GroupType


class Ptr(PtoConstraint):
    kind = "a pointer into global memory (!pto.ptr<...>)"
    spaces: ClassVar[tuple[AddressSpace, ...]] = (AddressSpace.GM,)

    def accepts(self, attr: Attribute) -> bool:
        return isinstance(attr, PtrType) and attr.space in self.spaces


class ScalarPtr(Ptr):
    """A pointer through which the scalar pipe reads and writes single elements."""

    kind = "a pointer into global memory or the unified buffer (!pto.ptr<...>, !pto.ptr<..., ub>)"
    spaces = (AddressSpace.GM, AddressSpace.Vec)


class LocalPtr(Ptr):
    kind = "a pointer into the unified buffer (!pto.ptr<..., ub>)"
    spaces = (AddressSpace.Vec,)


class BytePtr(Ptr):
    """Memory that an engine keeps its records in."""

    kind = "a pointer to bytes of global memory (!pto.ptr<i8>)"

    def accepts(self, attr: Attribute) -> bool:
        return super().accepts(attr) and element_size(self.element_of(attr)) == 1


class PtrOrView(PtoConstraint):
    """A place in global memory, by a pointer or by a view that begins there."""

    kind = "a pointer into global memory or a view of it"

    def accepts(self, attr: Attribute) -> bool:
        return isinstance(attr, ViewType) or Ptr().accepts(attr)


# --- numbers ---------------------------------------------------------------------------------------


class NoMemory(PtoConstraint):
    """An operand that refers to no memory which an instruction accesses."""

    memory = False


class AnyAddress(NoMemory):
    """A number of 64 bits that counts bytes."""

    kind = "an address (i64)"

    def accepts(self, attr: Attribute) -> bool:
        element = BY_TYPE.get(attr)
        return element is not None and element.is_integer and element.size == 8


class PtrOrAddress(NoMemory):
    """Operand and result of a pointer cast; a pointer that only changes its type is not read."""

    kind = "a pointer or an address (i64)"

    def accepts(self, attr: Attribute) -> bool:
        return ScalarPtr().accepts(attr) or AnyAddress().accepts(attr)


class Scalar(NoMemory):
    """An integer or float value; an index counts as one."""

    kind = "a scalar (an integer or a float)"
    types = IntegerType | IndexType | AnyFloat


class Index(NoMemory):
    """An extent, an offset, an address: an `index` or an integer."""

    kind = "an index or an integer"
    types = IntegerType | IndexType


class Extent(Index):
    """An `index` and nothing else: what an operation gives whose text leaves the type out."""

    kind = "an index"
    types = IndexType


class SignalWord(Index):
    """A signal's value, what it is compared with, or a number of cores."""

    kind = "an i32"

    def accepts(self, attr: Attribute) -> bool:
        return attr == i32


COUNTS = VectorType(i16, [4])


class AnyCounts(NoMemory):
    """Four numbers that an instruction sets: how many pairs it took of each list."""

    kind = "a vector<4xi16>"

    def accepts(self, attr: Attribute) -> bool:
        return attr == COUNTS


def counts(value: Attribute) -> list[int]:
    """The numbers of a constant of that type."""
    dense: Any = value
    numbers = [int(number) for number in dense.get_values()]
    return numbers * (4 // len(numbers))


# --- events, handles, local data -------------------------------------------------------------------


class AnyEvent(NoMemory):
    kind = "an event (!pto.event), which an instruction with `record` makes"
    types = EventType


class EventIds(NoMemory):
    """Event ids that the running program chooses."""

    kind = "an array of event ids (!pto.eventid_array<...>)"
    types = EventIdArrayType


class AnyAsyncSession(NoMemory):
    kind = "a session (!pto.async_session)"
    types = AsyncSessionType


class AnyAsyncEvent(NoMemory):
    kind = "an event (!pto.async_event)"
    types = AsyncEventType


class PrefetchContext(NoMemory):
    kind = "a context (!pto.prefetch_async_context)"
    types = PrefetchAsyncContextType


class Handle(NoMemory):
    """A channel between cores."""

    kind = "the handle of a channel (!pto.pipe)"
    types = PipeType


class AnyLocalArray(NoMemory):
    """An array on the stack, which only the scalar pipe accesses."""

    kind = "a local array (!pto.local_array<...>)"
    types = LocalArrayType


class Struct(NoMemory):
    kind = "a struct (!pto.struct<...>)"
    types = StructType
