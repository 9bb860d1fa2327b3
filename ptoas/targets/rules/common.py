"""Helper functions shared by several chapters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ptoas.analysis.knowledge import TileFacts
from ptoas.dialects.pto.element_types import ElementType
from ptoas.dialects.pto.enums import AtomicType, BLayout
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.targets import drawing
from ptoas.targets.facts import Facts
from ptoas.targets.isa import HEADERS, is_judged_by_headers
from ptoas.targets.rule import Related, Violation, Violations, mismatch
from ptoas.targets.specs import Types, element_names


def fits(found: Sequence[int], required: Sequence[int]) -> bool:
    """Return True if extents are equal as far as both are known."""
    return all(DYNAMIC in (f, r) or f == r for f, r in zip(found, required, strict=True))


def pad_to(word: str, extent: int, step: int) -> str:
    """The fix of an extent that is not a multiple of a step."""
    return f"pad to {-(-extent // step) * step} {word} and keep {extent} valid"


def misaligned(what: str, value: int, step: int, **place: Any) -> Violation:
    """An index that is not a multiple of a step, drawn between its neighbours."""
    below = value // step * step
    picture = (Related(drawing.ruler(value, step)),) if value > 0 else ()
    fix = f"use {below} or {below + step}"
    return mismatch(what, value, f"a multiple of {step}", part="value", fix=fix, related=picture, **place)


def beyond(what: str, start: int, size: int, limit: int, fix: str | None, slot: Any) -> Violation:
    """A part that ends beyond what it is a part of."""
    found = f"{start} + {size} = {start + size}"
    return mismatch(what, found, f"at most {limit}", slot=slot, part="value", fix=fix)


def orders_note(found: drawing.Order, required: drawing.Order | None) -> tuple[Related, ...]:
    """Both orders of elements side by side, where they differ."""
    if required is None or found == required:
        return ()
    return (Related(drawing.orders(found, required)),)


def add_atomically(attribute: Any, element: ElementType, types: Types, slot: str) -> Violations:
    """Check an atomic operation in memory, which must be an addition that the target has for the elements."""
    if attribute is None or attribute.data is AtomicType.AtomicNone:
        return
    if attribute.data is not AtomicType.AtomicAdd:
        yield mismatch("atomicType", attribute.data.value, "atomic_none or atomic_add", field="atomicType")
    elif element not in types:
        required = f"one of {element_names(types)}"
        yield mismatch("element type for an atomic addition", element.text, required, slot=slot)


def only_in_headers(know: Facts, what: str) -> Violations:
    """Check that an instruction of the headers alone is used with their revision."""
    if not is_judged_by_headers(know.isa):
        yield Violation(
            f"{what} exists in the headers of {HEADERS} and later only", fix=f"pass --isa {HEADERS}"
        )


def contiguous(tile: TileFacts) -> tuple[str, int]:
    """The dimension along which a tile's elements lie next to each other: its name and its extent."""
    return ("rows", tile.rows) if tile.type.blayout is BLayout.ColMajor else ("columns", tile.cols)
