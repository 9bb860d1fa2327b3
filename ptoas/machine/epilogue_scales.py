"""Scales of tiles pushed through channels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ptoas.machine.arrays import Array


@dataclass(frozen=True)
class Scales:
    """Scales that were set for a channel: a word for all columns, or one for each."""

    words: Array
    by_column: bool
    current: Callable[[], Array] | None = None
    """The words that the tile of scales holds by now; the device reads them when it pushes."""
