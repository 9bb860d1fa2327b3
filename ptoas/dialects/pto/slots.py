"""Assignment of operands to slots, and the memory effects of each slot.

Both follow from the declaration: `OUTS` and `WRITES` are written, `SCRATCH` is clobbered, `NO_EFFECT` only
gets a name or an address, and every other tile, view, group or pointer is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import AttrSizedOperandSegments
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind, Pure

from ptoas.dialects.pto.types import TileType

if TYPE_CHECKING:
    from ptoas.dialects.pto.instruction import PtoOp


@dataclass(frozen=True)
class SlotAccess:
    """Memory that an operation accesses: an operand, or the result that represents its slot (SSA form)."""

    slot: str
    operand: int
    """Counts `op.operands`; `-1 - n` is result `n`."""
    read: bool
    write: bool


@lru_cache(maxsize=4096)
def _places(op_class: type[PtoOp], operand_count: int, sizes: bytes | None) -> dict[str, range]:
    """`sizes` are the 32-bit segment sizes where the operation keeps them."""
    slots = op_class.signature().slots
    if sizes is not None:
        segments = tuple(i32.iter_unpack(sizes))
    else:
        fixed = sum(1 for slot in slots if not (slot.optional or slot.variadic))
        rest = operand_count - fixed
        segments = tuple(rest if slot.optional or slot.variadic else 1 for slot in slots)
    places: dict[str, range] = {}
    at = 0
    for slot, size in zip(slots, segments, strict=True):
        places[slot.name] = range(at, at + size)
        at += size
    return places


def _sizes(op: PtoOp) -> bytes | None:
    """The number of operands of each slot, if the operation stores it."""
    sizes: Any = op.properties.get(AttrSizedOperandSegments.attribute_name)
    return None if sizes is None else sizes.data.data


def slot_places(op: PtoOp) -> dict[str, range]:
    """The indices of the operands of each slot."""
    return _places(op.__class__, len(op.operands), _sizes(op))


def slot_value(op: PtoOp, slot: str) -> SSAValue | None:
    """The operand in a slot, quickly; `None` when the slot is empty."""
    places = slot_places(op)[slot]
    return op.operands[places[0]] if places else None


def destinations_first(op: PtoOp) -> list[SSAValue]:
    """The operands as a call takes them: what is written, then the others in their order."""
    operands = op.operands
    return [operands[at] for at in _destinations_first(op.__class__, len(operands), _sizes(op))]


@lru_cache(maxsize=4096)
def _destinations_first(op_class: type[PtoOp], count: int, sizes: bytes | None) -> tuple[int, ...]:
    places = _places(op_class, count, sizes)
    outs = [at for slot in op_class.OUTS for at in places[slot]]
    return (*outs, *(at for slot, found in places.items() if slot not in op_class.OUTS for at in found))


def int_values(array: Attribute) -> tuple[int, ...]:
    """The integers of a dense array."""
    values: Any = array
    return tuple(int(value) for value in values.get_values())


@lru_cache(maxsize=4096)
def _accesses(
    op_class: type[PtoOp], count: int, sizes: bytes | None, results: int, inplace_operands: tuple[str, ...]
) -> tuple[SlotAccess, ...]:
    places = _places(op_class, count, sizes)
    written = (*op_class.OUTS, *op_class.WRITES, *op_class.SCRATCH)
    found: list[SlotAccess] = []
    for slot in op_class.signature().slots:
        if slot.name in op_class.NO_EFFECT or not slot.constraint.memory:
            continue
        write = slot.name in written
        read = not write or slot.name in inplace_operands
        found += [SlotAccess(slot.name, at, read, write) for at in places[slot.name]]
    # In SSA form the destinations are results, in the order of `OUTS`.
    free = [name for name in op_class.OUTS if not places[name]]
    if op_class.RETURNS_TILES:
        found += [SlotAccess(name, -1 - at, False, True) for at, name in enumerate(free[:results])]
    return tuple(found)


def accesses(op: PtoOp) -> tuple[SlotAccess, ...]:
    """Every operand and result whose memory the operation touches, as its class declares it."""
    if _is_pure(op.__class__):
        return ()
    found = _accesses(op.__class__, len(op.operands), _sizes(op), len(op.results), op.inplace_operands())
    if op.WRITES_RESULT and isinstance(op.results[0].type, TileType):
        return (*found, SlotAccess("result", -1, False, True))
    return found


@cache
def accesses_memory(op_class: type[PtoOp]) -> bool:
    """Return True if operations of a class access memory, so that others can wait for them."""
    slots = (slot for slot in op_class.signature().slots if slot.name not in op_class.NO_EFFECT)
    touched = any(slot.constraint.memory for slot in slots)
    return not _is_pure(op_class) and (touched or op_class.WRITES_RESULT)


@cache
def _is_pure(op_class: type[PtoOp]) -> bool:
    return op_class.has_trait(Pure)


class DeclaredEffects(MemoryEffect):
    """The effects of a class's declaration, as xDSL asks for them."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        from ptoas.dialects.pto.instruction import PtoOp

        assert isinstance(op, PtoOp)
        found: set[EffectInstance] = set()
        for access in accesses(op):
            value = op.results[-1 - access.operand] if access.operand < 0 else op.operands[access.operand]
            if access.read:
                found.add(EffectInstance(MemoryEffectKind.READ, value))
            if access.write:
                found.add(EffectInstance(MemoryEffectKind.WRITE, value))
        if op.SIDE_EFFECTING:
            found.add(EffectInstance(MemoryEffectKind.WRITE))
        return found
