"""NumPy for this room.

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
