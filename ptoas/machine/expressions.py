"""What expressions of all types need: numbers in the width of their type, and the table of emitters.

An integer is kept as the number that its type reads its bits as: signed for `i32` and `index` (64 bits),
unsigned for `ui32` and `i1`. Every literal that reaches the text is an integer that was printed here;
floats and everything else are passed by name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from xdsl.ir import Attribute, Operation, SSAValue

from ptoas.machine.dtypes import integer_width, is_unsigned


class Scope(Protocol):
    """What an expression needs of the function that it stands in."""

    def ref(self, value: SSAValue) -> str:
        """The text that stands for a value."""
        ...

    def keep(self, thing: object) -> str:
        """A name for a Python object."""
        ...


def limits(type: Attribute) -> tuple[int, int]:
    """The least and greatest number of an integer type, as it is kept."""
    width = integer_width(type)
    assert width is not None
    return (0, (1 << width) - 1) if is_unsigned(type) else (-(1 << (width - 1)), (1 << (width - 1)) - 1)


def wrap(value: int, type: Attribute) -> int:
    """Any integer, as the type keeps its low bits."""
    width = integer_width(type)
    assert width is not None
    low = value & ((1 << width) - 1)
    return low if is_unsigned(type) or not low >> (width - 1) else low - (1 << width)


def wrapped(expression: str, type: Attribute) -> str:
    """The expression, wrapped only when it left the type's range, which is rare."""
    low, high = limits(type)
    # From the least number on, the low bits count upwards; without a call, since hashes wrap all the time.
    return f"(_t if {low} <= (_t := {expression}) <= {high} else (_t - {low} & {high - low}) + {low})"


def unsigned(text: str, type: Attribute) -> str:
    """The bits of a value as an unsigned number."""
    width = integer_width(type)
    assert width is not None
    return text if is_unsigned(type) else f"({text} & {(1 << width) - 1})"


def signed(text: str, type: Attribute, scope: Scope) -> str:
    """The bits of a value as a signed number: a true `i1` is -1."""
    width = integer_width(type)
    assert width is not None

    def read(value: int) -> int:
        return value - (1 << width) if value >> (width - 1) else value

    return f"{scope.keep(read)}({text})" if is_unsigned(type) else text


Emitter = Callable[[Any, Scope], "str | list[str]"]
EMITTERS: dict[type[Operation], Emitter] = {}


def emits(*classes: type[Operation]) -> Callable[[Emitter], Emitter]:
    """Register how an operation is written."""

    def register(function: Emitter) -> Emitter:
        for cls in classes:
            EMITTERS[cls] = function
        return function

    return register


def pair(op: Operation, scope: Scope) -> dict[str, str]:
    """The texts of two operands, as templates name them."""
    return {"a": scope.ref(op.operands[0]), "b": scope.ref(op.operands[1])}
