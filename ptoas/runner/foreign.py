"""Arrays of other libraries: PyTorch's on the CPU, JAX's, whatever speaks NumPy's protocols or DLPack.

Nothing here imports such a library: what an object can do tells how it is read. Where its memory is the
host's and may be written, the program works on it in place; an array that can't be changed (JAX) is copied
if the program writes it, and the results are in `Result.outputs`.

>>> import numpy as np
>>> class Theirs:
...     def __init__(self):
...         self.data = np.zeros(4, np.float32)
...     def __dlpack__(self, **how):
...         return self.data.__dlpack__(**how)
...     def __dlpack_device__(self):
...         return self.data.__dlpack_device__()
>>> theirs = Theirs()
>>> adopted(theirs)[:] = 3
>>> theirs.data
array([3., 3., 3., 3.], dtype=float32)
"""

from __future__ import annotations

import sys
from typing import Any

from ptoas.machine.arrays import Array, np

PROTOCOLS = ("__array_interface__", "__array__", "__dlpack__")


class NotReadableError(Exception):
    """An array whose elements can't be read: it is on a device, or its library refuses."""


def is_foreign(value: Any) -> bool:
    """Return True for an array of another library than NumPy."""
    plain = isinstance(value, np.ndarray | np.generic | int | float | str | bytes | list | tuple)
    return not plain and any(hasattr(value, name) for name in PROTOCOLS)


def adopted(value: Any) -> Any:
    """An array of another library as one of NumPy's, on the same memory where it allows; others unchanged."""
    if not is_foreign(value):
        return value
    try:
        return _read(value)
    except Exception as error:
        # What a library raises when it is asked for elements that it can't give is its own affair.
        bits = _bits(value)
        if bits is not None:
            return bits
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise NotReadableError(reason) from None


def adopted_or_same(value: Any) -> Any:
    """The same for an array whose library refuses: unchanged, for binding it reports the error."""
    try:
        return adopted(value)
    except NotReadableError:
        return value


def _read(value: Any) -> Array:
    """Convert by the array protocol first, which reports best if memory is writable."""
    if any(hasattr(value, name) for name in PROTOCOLS[:2]):
        found = np.asarray(value)
        if found.dtype != object:
            return found
    if hasattr(value, "__dlpack__"):
        return np.from_dlpack(value)
    raise TypeError(f"{type(value).__name__} holds objects")


def _bits(value: Any) -> Array | None:
    """Elements that NumPy has no type for (bfloat16, float8) as integers of the same bytes, if the library
    can show them so; that is how arguments of such types may come."""
    library = sys.modules.get(type(value).__module__.partition(".")[0])
    name = {1: "uint8", 2: "int16"}.get(getattr(value, "itemsize", 0))
    kind = getattr(library, name, None) if name else None
    if kind is None or not hasattr(value, "view"):
        return None
    try:
        return _read(value.view(kind))
    except Exception:
        return None
