"""Defining an operation when the first one is made.

xDSL works out a class's definition as soon as the class is there, which for two hundred of them takes as
long as reading and checking a small program. Most programs use ten.
"""

from __future__ import annotations

from threading import Lock
from typing import TypeVar

from xdsl.irdl import IRDLOperation, OpDef
from xdsl.irdl.operations import get_accessors_from_op_def

_Op = TypeVar("_Op", bound=IRDLOperation)
_PENDING: set[type[IRDLOperation]] = set()
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
        definition = OpDef.from_pyrdl(cls)
        for name, value in get_accessors_from_op_def(definition, getattr(cls, "verify_", None)).items():
            setattr(cls, name, value)
        _PENDING.discard(cls)
