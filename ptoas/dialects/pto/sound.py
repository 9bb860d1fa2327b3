"""What is wrong with an instruction by its own declaration, asked once for instructions that are alike.

Reading a text and checking the module both ask it; nothing but the types and the attributes decides, for most
instructions.
"""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from ptoas.caches import Kept, on_clear
from ptoas.dialects.pto.instruction import Problem, PtoOp

_SOUND: Kept[tuple[object, ...], tuple[object, ...]] = Kept()
"""Those with which nothing is wrong, by the identity of their types and attributes, which stand beside it: as
long as they live, no others have it."""
on_clear(_SOUND.clear)


def problems_of(op: PtoOp) -> list[Problem]:
    if op.LOOKS_AROUND or op.ASKS_VALUES:
        return list(op.problems())
    types = _types_of(op)
    key = _key(op, types)
    if key in _SOUND:
        return []
    found = list(op.problems())
    if not found:
        _SOUND.keep(key, (*types, *op.properties.values()))
    return found


def is_sound_again(op: PtoOp) -> bool:
    """Whether nothing is wrong with an instruction that differs from a sound one in extents alone: its class
    may ask for these, no constraint does."""
    try:
        op.verify_()
    except VerifyException:
        return False
    if not op.LOOKS_AROUND:
        types = _types_of(op)
        _SOUND.keep(_key(op, types), (*types, *op.properties.values()))
    return True


def _types_of(op: PtoOp) -> list[Attribute]:
    return [value.type for value in (*op.operands, *op.results)]


def _key(op: PtoOp, types: list[Attribute]) -> tuple[object, ...]:
    return (op.__class__, len(op.results), *map(id, types), *properties_key(op))


def properties_key(op: PtoOp) -> list[object]:
    """Equal for instructions with the same properties, as long as these live."""
    found: list[object] = list(op.properties)
    for value in op.properties.values():
        given: Any = value
        # Sizes of segments are made anew for every operation; all else is shared.
        found.append(given.data.data if given.__class__ is DenseArrayBase else id(given))
    return found
