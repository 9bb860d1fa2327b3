"""Attributes that a statement leaves out: a registry that targets fill.

What `mgather` without a suffix means depends on the target that the program names (D2). The grammar asks
here, and `ptoas.targets` registers the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from xdsl.ir import Attribute, SSAValue

from ptoas.dialects.pto.instruction import PtoOp

DefaultAttributes: TypeAlias = Callable[
    [str, type[PtoOp], Sequence[SSAValue], Mapping[str, Attribute]], dict[str, Attribute]
]
"""Gives the attributes that a statement leaves out, for a target, a class, operands and properties."""

_REGISTERED: list[DefaultAttributes] = []


def register_default_attributes(defaults: DefaultAttributes) -> DefaultAttributes:
    """Register a function that returns the defaults of some targets."""
    _REGISTERED.append(defaults)
    return defaults


def default_attributes(
    target: str, cls: type[PtoOp], operands: Sequence[SSAValue], properties: Mapping[str, Attribute]
) -> dict[str, Attribute]:
    """Return the attributes that the target means where the statement gives none."""
    found: dict[str, Attribute] = {}
    for defaults in _REGISTERED:
        found |= defaults(target, cls, operands, properties)
    return found
