"""A module for the tool's own test: `toy_cases.py` notices every change but those of `unwatched`."""

from __future__ import annotations

from collections.abc import Iterator

LIMIT = 3


def clamp(index: int, capacity: int) -> int:
    """
    >>> clamp(9, 4)
    3
    """
    if capacity <= 0:
        return -2
    return index if index < capacity else capacity - 1


def small(numbers: list[int]) -> Iterator[int]:
    for number in numbers:
        if number < LIMIT:
            yield number


def unwatched(a: int, b: int) -> bool:
    return a < b


def never_run(a: int) -> int:
    return a * 2
