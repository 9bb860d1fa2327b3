"""Arrays and structs of scalars: lists on the side, in which nothing is until it is set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from ptoas.dialects.pto import arrays as dialect
from ptoas.dialects.pto.local_types import LocalArrayType, StructType
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


class LocalStruct:
    """The scalars of one struct by their paths."""

    __slots__ = ("fields", "name")

    def __init__(self, name: str):
        self.name = name
        self.fields: dict[tuple[int, ...], float] = {}


@value(dialect.DeclareLocalArrayOp)
def declare_local_array(op: dialect.DeclareLocalArrayOp, m: Machine) -> Callable[[], LocalArray]:
    type, name = op.result.type, op.result.name_hint or "array"
    assert isinstance(type, LocalArrayType)
    shape = type.shape
    return lambda: LocalArray(name, shape)


def _place(op: dialect.LocalArrayOp, m: Machine, array: LocalArray, indices: Sequence[int]) -> int:
    at = array.find(indices)
    if at is None:
        shape = "x".join(map(str, array.shape))
        raise m.refuse("PTO-R150", f"{list(indices)} is outside %{array.name}, which is {shape}", op)
    return at


@value(dialect.LocalArrayGetOp)
def local_array_get(op: dialect.LocalArrayGetOp, m: Machine) -> Callable[..., float]:
    def run(array: LocalArray, *indices: int) -> float:
        found = array.elements[_place(op, m, array, indices)]
        if found is None:
            raise m.refuse("PTO-R151", f"%{array.name}{list(indices)} has not been set", op)
        return found

    return run


@value(dialect.LocalArraySetOp)
def local_array_set(op: dialect.LocalArraySetOp, m: Machine) -> Callable[..., None]:
    def run(array: LocalArray, *rest: float) -> None:
        *indices, new = rest
        array.elements[_place(op, m, array, [int(index) for index in indices])] = new

    return run


@value(dialect.DeclareStructOp)
def declare_struct(op: dialect.DeclareStructOp, m: Machine) -> Callable[[], LocalStruct]:
    assert isinstance(op.result.type, StructType)
    name = op.result.name_hint or "struct"
    return lambda: LocalStruct(name)


@value(dialect.StructGetOp)
def struct_get(op: dialect.StructGetOp, m: Machine) -> Callable[..., float]:
    path = op.steps

    def run(struct: LocalStruct) -> float:
        if path not in struct.fields:
            raise m.refuse("PTO-R151", f"%{struct.name}{list(path)} has not been set", op)
        return struct.fields[path]

    return run


@value(dialect.StructSetOp)
def struct_set(op: dialect.StructSetOp, m: Machine) -> Callable[..., None]:
    path = op.steps

    def run(struct: LocalStruct, new: float) -> None:
        struct.fields[path] = new

    return run
