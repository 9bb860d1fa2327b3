"""Bounded caches of facts about parsed text.

Each of them is bounded, and `clear_caches` empties all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Generic, ParamSpec, TypeVar, cast

MOST_KEPT = 20_000
"""Capacity of one cache; a program needs some hundreds of entries in each."""

_CLEAR: list[Callable[[], object]] = []

Key = TypeVar("Key")
Value = TypeVar("Value")
Inputs = ParamSpec("Inputs")


def clear_caches() -> None:
    """Throw away what is kept from the texts read so far; the next one is read as the first.

    Modules, kernels and results stay as they are.

    >>> import ptoas
    >>> ptoas.clear_caches()
    """
    for clear in _CLEAR:
        clear()


def on_clear(clear: Callable[[], object]) -> None:
    """Let `clear_caches` call `clear`, too."""
    _CLEAR.append(clear)


class BoundedCache(dict[Key, Value], Generic[Key, Value]):
    """A dictionary that drops the older half of its entries when it is full."""

    def __init__(self, most: int = MOST_KEPT):
        super().__init__()
        self.most = most

    def keep(self, key: Key, value: Value) -> None:
        if len(self) >= self.most:
            for old in list(self)[: self.most // 2]:
                self.pop(old, None)
        self[key] = value


def remembered(function: Callable[Inputs, Value]) -> Callable[Inputs, Value]:
    """`function`, which gives the same answer for the same inputs, asked once for each that is kept."""
    cached = lru_cache(MOST_KEPT)(function)
    on_clear(cached.cache_clear)
    return cast("Callable[Inputs, Value]", cached)
