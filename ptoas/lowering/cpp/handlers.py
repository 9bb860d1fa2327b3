"""Handlers of operations: how each is emitted as C++."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from xdsl.ir import Operation

if TYPE_CHECKING:
    from ptoas.lowering.cpp.function import FunctionEmitter

Handler = Callable[["FunctionEmitter", Any], None]
H = TypeVar("H", bound=Handler)

_HANDLERS: dict[type[Operation], Handler] = {}


def emits(*classes: type[Operation]) -> Callable[[H], H]:
    """Register the handler of operations of some classes, subclasses included."""

    def register(handler: H) -> H:
        for cls in classes:
            assert cls not in _HANDLERS, cls
            _HANDLERS[cls] = handler
        return handler

    return register


@cache
def handler_of(kind: type[Operation]) -> Handler:
    """The handler of the most specific class."""
    return next(_HANDLERS[base] for base in kind.__mro__ if base in _HANDLERS)
