"""Helper functions shared by several chapters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ptoas.analysis.knowledge import TileFacts
from ptoas.dialects.pto.enums import BLayout
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.targets.facts import Facts
from ptoas.targets.isa import HEADERS, is_judged_by_headers
from ptoas.targets.relation import Relation
from ptoas.targets.rule import Violation, Violations, mismatch


def fits(found: Sequence[int], required: Sequence[int]) -> bool:
    """Return True if extents are equal as far as both are known."""
    return all(DYNAMIC in (f, r) or f == r for f, r in zip(found, required, strict=True))


def pad_to(word: str, extent: int, step: int) -> str:
    """The fix of an extent that is not a multiple of a step."""
    return f"pad to {-(-extent // step) * step} {word} and keep {extent} valid"


def beyond(what: str, start: int, size: int, limit: int, fix: str | None, slot: Any) -> Violation:
    """A part that ends beyond what it is a part of."""
    found = f"{start} + {size} = {start + size}"
    return mismatch(what, found, f"at most {limit}", slot=slot, part="value", fix=fix)


def atomic_addition(slot: str) -> tuple[Relation, ...]:
    """Make the relations of an atomic operation in memory; `types` in the row are those that it adds."""
    return (
        Relation("atomicType == atomic_none or atomic_add"),
        Relation(
            f"{slot}.element in types",
            what="element type for an atomic addition",
            when="atomicType == atomic_add",
        ),
    )


def only_in_headers(know: Facts, what: str) -> Violations:
    """Check that an instruction of the headers alone is used with their revision."""
    if not is_judged_by_headers(know.isa):
        yield Violation(
            f"{what} exists in the headers of {HEADERS} and later only", fix=f"pass --isa {HEADERS}"
        )


def contiguous(tile: TileFacts) -> tuple[str, int]:
    """The dimension along which a tile's elements lie next to each other: its name and its extent."""
    return ("rows", tile.rows) if tile.type.blayout is BLayout.ColMajor else ("columns", tile.cols)
