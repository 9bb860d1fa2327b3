"""Defining an operation when the first one is made.

xDSL works out a class's definition as soon as the class is there, which for two hundred of them takes as
long as reading and checking a small program. Most programs use ten.
"""

from __future__ import annotations

from threading import Lock
from typing import Any, TypeVar, cast

from xdsl.ir import Operation
from xdsl.irdl import AttrSizedOperandSegments, IRDLOperation, OpDef
from xdsl.irdl.operations import (
    BaseAttrAccessor,
    BeforeVariadicSingleAccessor,
    OptionalAttrAccessor,
    VariadicAttrAccessor,
    VarIRConstruct,
    get_accessors_from_op_def,
)

from ptoas.caches import Kept
from ptoas.dialects.pto.declared import Declared
from ptoas.private_ir import item, operands_of

_Op = TypeVar("_Op", bound=IRDLOperation)
_PENDING: set[type[IRDLOperation]] = set()
_DECLARED: dict[type[IRDLOperation], Declared] = {}
_LOCK = Lock()


def irdl_op_definition(cls: type[_Op]) -> type[_Op]:
    """xDSL's decorator of the same name, put off."""
    _PENDING.add(cls)
    return cls


def complete(cls: type[IRDLOperation]) -> None:
    """Define a class now, if that was put off."""
    if cls not in _PENDING:
        return
    with _LOCK:
        if cls not in _PENDING:
            return  # another thread was at it
        definition, own = OpDef.from_pyrdl(cls), getattr(cls, "verify_", None)
        _DECLARED[cls] = Declared(definition, own)
        for name, value in get_accessors_from_op_def(definition, own).items():
            setattr(cls, name, _quicker(value))
        _PENDING.discard(cls)


def verify_rest(op: IRDLOperation) -> None:
    """Verify an operation whose types and attributes are known to be right."""
    known = _DECLARED.get(type(op))
    if known is None:
        op.verify_()  # a class that was defined at once
    else:
        known.verify(op)


_SEGMENTS = AttrSizedOperandSegments(as_property=True)
_SIZES = AttrSizedOperandSegments.attribute_name


def _quicker(accessor: Any) -> Any:
    """A shorter way to the same operand or result than xDSL's, where there is one."""
    if isinstance(accessor, BaseAttrAccessor) and accessor.option == _SEGMENTS:
        return SegmentAccessor(accessor)
    if type(accessor) is BeforeVariadicSingleAccessor and accessor.construct is VarIRConstruct.OPERAND:
        return OperandAccessor(accessor)
    if type(accessor) is BeforeVariadicSingleAccessor and accessor.construct is VarIRConstruct.RESULT:
        return ResultAccessor(accessor)
    return accessor


class OperandAccessor:
    """The operand of a number, which is the same for all operations of the class."""

    def __init__(self, accessor: BeforeVariadicSingleAccessor):
        self.accessor = accessor
        self.at = accessor.idx

    def __get__(self, op: Operation, kind: type[Operation] | None = None) -> Any:
        return item(operands_of(op), self.at)

    def __set__(self, op: Operation, value: object) -> None:
        cast(Any, self.accessor).__set__(op, value)


class ResultAccessor(OperandAccessor):
    """The result of a number."""

    def __get__(self, op: Operation, kind: type[Operation] | None = None) -> Any:
        return item(op.results, self.at)


class SegmentAccessor:
    """The operands of a slot whose operation keeps how many each slot has.

    xDSL's accessor unpacks those numbers each time, which takes most of its time; a program has few
    combinations of them. They are found by their bytes, so that an operation whose numbers change is asked
    anew.
    """

    def __init__(self, accessor: BaseAttrAccessor):
        self.accessor = accessor
        self._known: Kept[bytes, Any] = Kept(256)
        """A number, a slice, or `None` for an operand that is not there."""

    def __get__(self, op: Any, kind: type[Operation] | None = None) -> Any:
        key: bytes = op.properties[_SIZES].data.data
        try:
            place = self._known[key]
        except KeyError:
            place = self._place(op.properties[_SIZES].get_values())
            self._known.keep(key, place)
        if place.__class__ is int:
            return item(operands_of(op), place)
        return None if place is None else op.operands[place]

    def __set__(self, op: Operation, value: object) -> None:
        cast(Any, self.accessor).__set__(op, value)

    def _place(self, sizes: tuple[int, ...]) -> Any:
        at = self.accessor.idx
        first = sum(sizes[:at])
        if isinstance(self.accessor, VariadicAttrAccessor):
            return slice(first, first + sizes[at])
        return None if isinstance(self.accessor, OptionalAttrAccessor) and not sizes[at] else first
