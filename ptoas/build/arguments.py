"""Arguments accepted by builder methods: values, Python numbers, and the types that numbers are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import AttrConstraint

from ptoas.build.values import INDEX, Number, Value
from ptoas.dialects.pto.constraints import Index, PtoConstraint
from ptoas.dialects.pto.construct import InstructionArguments
from ptoas.dialects.pto.instruction import PtoOp, Slot
from ptoas.dialects.pto.types import DYNAMIC, TileType


def ssa_of(value: Any) -> SSAValue:
    """The underlying xDSL value."""
    if isinstance(value, Value):
        return value.ssa
    if isinstance(value, SSAValue):
        return cast(SSAValue, value)
    raise TypeError(f"expected a value of the program, found {value!r}")


def extents_of(extents: Sequence[Value | int]) -> list[int]:
    return [extent if isinstance(extent, int) else DYNAMIC for extent in extents]


def takes(slot: Slot, argument: Any) -> bool:
    match argument:
        case Value() | SSAValue():
            return slot.accepts(ssa_of(argument).type)
        case int() if not isinstance(argument, bool):
            return slot.accepts(INDEX)
        case float():
            return slot.accepts(f32)
        case _:
            return False


def type_of_number(cls: type[PtoOp], slot: Slot, value: Number, call: InstructionArguments) -> Attribute:
    """The type that a number has in a slot: what shares its letter says, else the first tile (as in text)."""
    if isinstance(slot.constraint, Index):
        return INDEX
    signature = cls.signature()
    known: list[tuple[AttrConstraint, Attribute]] = [
        (each.constraint, ssa_of(other).type)
        for each in signature.slots
        for other in call.operands.get(each.name, ())
        if not isinstance(other, int | float)
    ]
    typed_values = zip(signature.results, call.results, strict=False)
    known += [(constraint, type) for (_, constraint, _), type in typed_values]
    letter = slot.constraint.element
    for constraint, type in known:
        if isinstance(constraint, PtoConstraint) and letter is not None and constraint.element == letter:
            return constraint.element_of(type)
    tiles = [type.element_type for _, type in known if isinstance(type, TileType)]
    return next(iter(tiles), INDEX if isinstance(value, int) else f32)
