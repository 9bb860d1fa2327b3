"""Event ids that the running program chooses, and those that it keeps in an array."""

from __future__ import annotations

from xdsl.ir import Operation

from ptoas.dialects.pto.core_types import EventIdArrayType
from ptoas.dialects.pto.sync import DeclareEventIdArrayOp, EventIdArrayGetOp, EventIdArraySetOp
from ptoas.machine.machine import Machine, value


@value(DeclareEventIdArrayOp)
def declare(op: DeclareEventIdArrayOp, m: Machine) -> list[int | None]:
    assert isinstance(op.result.type, EventIdArrayType)
    return [None] * op.result.type.size


def _place(op: Operation, m: Machine, array: list[int | None], index: int) -> int:
    if not 0 <= index < len(array):
        raise m.refuse("PTO-R917", f"index {index} is outside the array of {len(array)} event ids", op)
    return index


@value(EventIdArrayGetOp)
def get(op: EventIdArrayGetOp, m: Machine, array: list[int | None], index: int) -> int:
    found = array[_place(op, m, array, index)]
    if found is None:
        raise m.refuse("PTO-R917", f"no event id was stored at index {index}", op)
    return found


@value(EventIdArraySetOp)
def set(op: EventIdArraySetOp, m: Machine, array: list[int | None], index: int, number: int) -> None:
    array[_place(op, m, array, index)] = number
