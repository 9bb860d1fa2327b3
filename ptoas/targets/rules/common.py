"""Helper functions shared by several chapters."""

from __future__ import annotations

from collections.abc import Sequence

from ptoas.analysis.knowledge import TileFacts
from ptoas.dialects.pto.enums import BLayout
from ptoas.dialects.pto.types import DYNAMIC


def fits(found: Sequence[int], required: Sequence[int]) -> bool:
    """Return True if extents are equal as far as both are known."""
    return all(DYNAMIC in (f, r) or f == r for f, r in zip(found, required, strict=True))


def contiguous(tile: TileFacts) -> tuple[str, int]:
    """The dimension along which a tile's elements lie next to each other: its name and its extent."""
    return ("rows", tile.rows) if tile.type.blayout is BLayout.ColMajor else ("columns", tile.cols)
