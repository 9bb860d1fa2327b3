"""Common parts of expressions of all types: numbers in the width of their type, and the table of
emitters.

Integers are kept as `analysis/integers.py` says. Every literal that reaches the text is an integer that was
printed here; floats and everything else are passed by name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from xdsl.ir import Attribute, Operation, SSAValue

from ptoas.analysis.integers import SIGNED, UNSIGNED, Reading, integer_width, is_unsigned, limits, width_of


class ExpressionScope(Protocol):
    """The interface of the enclosing function for an expression."""

    def ref(self, value: SSAValue) -> str:
        """The text of a reference to a value."""
        ...

    def add_global(self, thing: object) -> str:
        """A name for a Python object."""
        ...


def wrapped(expression: str, type: Attribute) -> str:
    """The expression, wrapped only when it left the type's range, which is rare."""
    low, high = limits(type)
    # From the least number on, the low bits count upwards; without a call, since hashes wrap all the time.
    return f"(_t if {low} <= (_t := {expression}) <= {high} else (_t - {low} & {high - low}) + {low})"


def read_text(text: str, type: Attribute, reading: Reading) -> str:
    """The number that an operation reads, see `integers.read`."""
    if reading is UNSIGNED and not is_unsigned(type):
        return f"({text} & {(1 << width_of(type)) - 1})"
    return f"(-{text})" if reading is SIGNED and integer_width(type) == 1 else text


Emitter = Callable[[Any, ExpressionScope], "str | list[str]"]
EMITTERS: dict[type[Operation], Emitter] = {}


def emits(*classes: type[Operation]) -> Callable[[Emitter], Emitter]:
    """Register how an operation is written."""

    def register(function: Emitter) -> Emitter:
        for cls in classes:
            EMITTERS[cls] = function
        return function

    return register


def pair(op: Operation, scope: ExpressionScope) -> dict[str, str]:
    """The texts of two operands, as templates name them."""
    return {"a": scope.ref(op.operands[0]), "b": scope.ref(op.operands[1])}
