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
    """Empty all caches of parsed text.

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

    def put(self, key: Key, value: Value) -> None:
        if len(self) >= self.most:
            for old in list(self)[: self.most // 2]:
                self.pop(old, None)
        self[key] = value


def memoize(function: Callable[Inputs, Value]) -> Callable[Inputs, Value]:
    """Cache the results of a pure function, up to `MOST_KEPT` entries; `clear_caches` empties the cache."""
    cached = lru_cache(MOST_KEPT)(function)
    on_clear(cached.cache_clear)
    return cast("Callable[Inputs, Value]", cached)
