"""NumPy for the machine and what runs on it.

NumPy's stubs leave the shapes and element types of most results unknown, which strict checking would
report at every call. Here an array is an array: its type is `Any`, and the tests say what is in it.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy

np: Any = numpy

Array: TypeAlias = Any
"""A NumPy array."""

Random: TypeAlias = Any
"""A NumPy generator of random numbers."""

Ufunc: TypeAlias = Any
"""A NumPy function of elements."""

MOST_WORK = 20_000
"""Effort limit of the search for a common element of two arrays."""


def share_bytes(a: Array, b: Array) -> bool:
    """Return True if two arrays have a common byte.

    That is a hard question of their strides. Where it stays open only their bounds are known to meet, and a
    false alarm is worse.
    """
    if a is b:
        return True
    try:
        return bool(np.shares_memory(a, b, max_work=MOST_WORK))
    except np.exceptions.TooHardError:
        return False
