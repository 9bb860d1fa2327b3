"""Small things that several chapters say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ptoas.dialects.pto.enums import BLayout, TileLoc
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.targets.facts import Facts, TileFacts
from ptoas.targets.rule import Violation, mismatch
from ptoas.targets.target import element_names


def fits(found: Sequence[int], required: Sequence[int]) -> bool:
    """Whether extents are equal as far as both are known."""
    return all(DYNAMIC in (f, r) or f == r for f, r in zip(found, required, strict=True))


def contiguous(tile: TileFacts) -> tuple[str, int]:
    """The dimension along which a tile's elements lie next to each other: its name and its extent."""
    return ("rows", tile.rows) if tile.type.blayout is BLayout.ColMajor else ("columns", tile.cols)


def not_in_vec(know: Facts, *slots: str) -> Iterator[Violation]:
    for slot in slots:
        tile = know.tile(slot)
        if tile.loc is not TileLoc.Vec:
            yield mismatch(f"memory of {slot}", tile.loc.value, "vec", slot=slot)


def not_row_major(know: Facts, *slots: str) -> Iterator[Violation]:
    for slot in slots:
        tile = know.tile(slot)
        if tile.type.blayout is not BLayout.RowMajor:
            yield mismatch(f"layout of {slot}", tile.layout_text, "row_major", slot=slot)


def not_taken(know: Facts, slot: str, list_name: str) -> Iterator[Violation]:
    """The element type of a tile is not in one of the target's lists."""
    tile, types = know.tile(slot), know.target.types_of(list_name, know.aicore)
    if tile.element not in types:
        required = f"one of {element_names(types)}" if types else "nothing on this target"
        yield mismatch(f"element type of {slot}", tile.element_name, required, slot=slot)
