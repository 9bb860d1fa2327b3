"""Constraints on operands of instructions between cores."""

from __future__ import annotations

from xdsl.ir import Attribute

from ptoas.dialects.pto.constraints import PtoConstraint
from ptoas.dialects.pto.core_types import EventIdArrayType, PipeType
from ptoas.dialects.pto.enums import AddressSpace
from ptoas.dialects.pto.types import PtrType, ViewType


class PtrOrView(PtoConstraint):
    """A place in global memory, by a pointer or by a view that begins there."""

    def kind(self) -> str:
        return "a pointer into global memory or a view of it"

    def accepts(self, attr: Attribute) -> bool:
        return isinstance(attr, ViewType) or (isinstance(attr, PtrType) and attr.space is AddressSpace.GM)

    def element_of(self, attr: Attribute) -> Attribute:
        assert isinstance(attr, ViewType | PtrType)
        return attr.element_type


class EventIds(PtoConstraint):
    """Event ids that the running program chooses."""

    memory = False

    def kind(self) -> str:
        return "an array of event ids (!pto.eventid_array<...>)"

    def accepts(self, attr: Attribute) -> bool:
        return isinstance(attr, EventIdArrayType)


class Handle(PtoConstraint):
    """A channel between cores."""

    memory = False

    def kind(self) -> str:
        return "the handle of a channel (!pto.pipe)"

    def accepts(self, attr: Attribute) -> bool:
        return isinstance(attr, PipeType)
