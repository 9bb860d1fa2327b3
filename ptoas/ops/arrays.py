"""Arrays and structs of scalars: lists on the side, in which nothing is until it is set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from ptoas.dialects.pto import arrays as dialect
from ptoas.dialects.pto.local_types import LocalArrayType
from ptoas.machine.machine import Machine, value


class LocalArray:
    """The elements of one array in the order of its indices; `None`: nothing has been set."""

    __slots__ = ("elements", "name", "shape")

    def __init__(self, name: str, shape: tuple[int, ...]):
        self.name, self.shape = name, shape
        self.elements: list[float | None] = [None] * prod(shape)

    def find(self, indices: Sequence[int]) -> int | None:
        """Return the index of an element, or None if it does not exist."""
        at = 0
        for index, extent in zip(indices, self.shape, strict=True):
            if not 0 <= index < extent:
                return None
            at = at * extent + index
        return at


@dataclass(slots=True)
class LocalStruct:
    """The scalars of one struct by their paths."""

    name: str
    fields: dict[tuple[int, ...], float] = field(default_factory=dict[tuple[int, ...], float])


@value(dialect.DeclareLocalArrayOp)
def declare_local_array(op: dialect.DeclareLocalArrayOp, m: Machine) -> LocalArray:
    assert isinstance(op.result.type, LocalArrayType)
    return LocalArray(op.result.name_hint or "array", op.result.type.shape)


def _place(op: dialect.LocalArrayOp, m: Machine, array: LocalArray, indices: Sequence[int]) -> int:
    at = array.find(indices)
    if at is None:
        shape = "x".join(map(str, array.shape))
        raise m.refuse("PTO-R150", f"{list(indices)} is outside %{array.name}, which is {shape}", op)
    return at


@value(dialect.LocalArrayGetOp)
def local_array_get(op: dialect.LocalArrayGetOp, m: Machine, array: LocalArray, *indices: int) -> float:
    found = array.elements[_place(op, m, array, indices)]
    if found is None:
        raise m.refuse("PTO-R151", f"%{array.name}{list(indices)} has not been set", op)
    return found


@value(dialect.LocalArraySetOp)
def local_array_set(op: dialect.LocalArraySetOp, m: Machine, array: LocalArray, *rest: float) -> None:
    *indices, new = rest
    array.elements[_place(op, m, array, [int(index) for index in indices])] = new


@value(dialect.DeclareStructOp)
def declare_struct(op: dialect.DeclareStructOp, m: Machine) -> LocalStruct:
    return LocalStruct(op.result.name_hint or "struct")


@value(dialect.StructGetOp)
def struct_get(op: dialect.StructGetOp, m: Machine, struct: LocalStruct) -> float:
    path = op.steps
    if path not in struct.fields:
        raise m.refuse("PTO-R151", f"%{struct.name}{list(path)} has not been set", op)
    return struct.fields[path]


@value(dialect.StructSetOp)
def struct_set(op: dialect.StructSetOp, m: Machine, struct: LocalStruct, new: float) -> None:
    path = op.steps
    struct.fields[path] = new
