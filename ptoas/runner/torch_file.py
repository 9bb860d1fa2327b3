"""Tensors in files of `torch.save`, read without torch and without running what such a file may contain."""

from __future__ import annotations

import io
import os
import pickle
import sys
import zipfile
from collections import OrderedDict
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import ml_dtypes

from ptoas.diagnostics.files import open_plain
from ptoas.machine.arrays import Array, np

_MAX_PICKLE = 1 << 16
_DTYPES: dict[str, Any] = {
    "DoubleStorage": np.float64,
    "FloatStorage": np.float32,
    "HalfStorage": np.float16,
    "BFloat16Storage": ml_dtypes.bfloat16,
    "LongStorage": np.int64,
    "IntStorage": np.int32,
    "ShortStorage": np.int16,
    "CharStorage": np.int8,
    "ByteStorage": np.uint8,
    "BoolStorage": np.bool_,
}


@dataclass(frozen=True)
class _Storage:
    """The elements of a tensor: their type and the member of the archive that has them."""

    dtype: Any
    key: str
    count: int


@dataclass(frozen=True)
class _Tensor:
    """A tensor as the file describes it."""

    storage: Any
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def _rebuild(storage: Any, offset: int, shape: Any, strides: Any, *_: Any) -> _Tensor:
    return _Tensor(storage, int(offset), tuple(map(int, shape)), tuple(map(int, strides)))


class _Reader(pickle.Unpickler):
    """Reads the description of one tensor; any other name of Python is refused."""

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        if (module_name, global_name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _rebuild
        if (module_name, global_name) == ("collections", "OrderedDict"):
            return OrderedDict
        if module_name == "torch" and global_name in _DTYPES:
            return _DTYPES[global_name]
        raise pickle.UnpicklingError(f"it names {module_name}.{global_name}")

    def persistent_load(self, pid: Any) -> _Storage:
        _, dtype, key, _, count = pid
        return _Storage(dtype, str(key), int(count))


def read_torch(path: Path) -> Array:
    """Return the tensor of a file; raises `OSError`, `ValueError` or an error of zipfile."""
    with open_plain(path) as file, zipfile.ZipFile(file) as archive:
        length = os.fstat(file.fileno()).st_size
        names = [name for name in archive.namelist() if name.endswith("/data.pkl")]
        if len(names) != 1 or archive.getinfo(names[0]).file_size > _MAX_PICKLE:
            raise ValueError("it does not contain exactly one tensor")
        tensor = _described(archive.read(names[0]))
        folder = names[0].removesuffix("/data.pkl")
        if f"{folder}/byteorder" in archive.namelist():
            with archive.open(f"{folder}/byteorder") as stream:
                if stream.read(8).decode("ascii", "replace") != sys.byteorder:
                    raise ValueError("its byte order is not supported")
        storage = tensor.storage
        dtype = np.dtype(storage.dtype)
        if not 0 <= storage.count * dtype.itemsize <= length:
            raise ValueError(f"its header declares {storage.count} elements; the file has {length} bytes")
        try:
            with archive.open(f"{folder}/data/{storage.key}") as stream:
                data = stream.read(storage.count * dtype.itemsize)
        except KeyError:
            raise ValueError("it lacks the elements of its tensor") from None
    return _strided(np.frombuffer(data, dtype), tensor)


def _described(text: bytes) -> _Tensor:
    try:
        found = _Reader(io.BytesIO(text)).load()
    except Exception as error:
        # A file that is made up can raise anything.
        raise ValueError(f"it does not contain exactly one tensor: {error}") from None
    if not isinstance(found, _Tensor) or not isinstance(found.storage, _Storage):
        raise ValueError("it does not contain exactly one tensor")
    return found


def _strided(elements: Array, tensor: _Tensor) -> Array:
    """Return the window that shape and strides describe; all of it must exist."""
    shape, strides, start = tensor.shape, tensor.strides, tensor.offset
    if len(shape) != len(strides) or len(shape) > 8 or min((start, *shape, *strides)) < 0:
        raise ValueError("its shape is wrong")
    if prod(shape) == 0:
        return np.zeros(shape, elements.dtype)
    last = start + sum((extent - 1) * stride for extent, stride in zip(shape, strides, strict=True))
    if last >= elements.size or prod(shape) > elements.size:
        raise ValueError("its shape is larger than its elements")
    size = elements.dtype.itemsize
    window = np.lib.stride_tricks.as_strided(elements[start:], shape, [size * each for each in strides])
    return window.copy()
