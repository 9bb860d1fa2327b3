"""Arrays in files: .npy, .npz, .pt, and elements without a header."""

from __future__ import annotations

import lzma
import os
import zipfile
import zlib
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from math import prod
from pathlib import Path
from typing import IO, Any

from ptoas.diagnostics.files import open_plain
from ptoas.machine.arrays import Array, np
from ptoas.machine.errors import command_line_span, failure

Take = Callable[[int], None]
"""Accounts for bytes before they are allocated."""

UNREADABLE = (
    OSError,
    ValueError,
    TypeError,
    EOFError,
    OverflowError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
)
"""Exceptions of NumPy and zipfile for malformed files."""


@contextmanager
def as_option_error(path: Path, option: str) -> Generator[None, None, None]:
    """Report a file or directory that can't be used as the value of an option."""
    try:
        yield
    except UNREADABLE as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        text = " ".join(reason.split()) or type(error).__name__
        raise failure("PTO-R604", f"{path}: {text}", span=command_line_span(option)) from None


def map_npy(path: Path) -> Array:
    """The array of a .npy file, mapped: a header that promises more than the file has allocates nothing."""
    with open_plain(path) as file:
        shape, by_columns, dtype = _header(file, os.fstat(file.fileno()).st_size)
        if 0 in shape:
            return as_known(np.zeros(shape, dtype))
        order = "F" if by_columns else "C"
        return as_known(np.memmap(file, dtype, "r", file.tell(), shape, order))


def _header(stream: IO[bytes], length: int) -> tuple[tuple[int, ...], bool, Any]:
    """Shape, order and type of the array in a file of a length, if it can be there."""
    form = np.lib.format
    try:
        version = form.read_magic(stream)
    except ValueError:
        raise ValueError("it is not in NumPy's format .npy") from None
    read = form.read_array_header_1_0 if version == (1, 0) else form.read_array_header_2_0
    shape, by_columns, dtype = read(stream)
    if dtype.hasobject:
        raise ValueError("it holds Python objects, not numbers")
    size = prod(shape) * dtype.itemsize
    if min(shape, default=0) < 0 or size > length:
        raise ValueError(f"its header declares {size} bytes; there are {length}")
    return shape, by_columns, dtype


def npz_array(path: Path, key: str, take: Take) -> Array:
    """One array of an archive; without a key, its only one."""
    with open_plain(path) as file, zipfile.ZipFile(file) as archive:
        members = _members(archive)
        if not key and len(members) == 1:
            key = next(iter(members))
        if key not in members:
            raise ValueError(f"it has no array {key!r}; its arrays are {', '.join(members)}")
        return as_known(_unpacked(archive, members[key], take))


def npz_arrays(path: Path, take: Callable[[str, int], None]) -> dict[str, Array]:
    """All arrays of an archive by name; `take` gets names, too."""
    with open_plain(path) as file, zipfile.ZipFile(file) as archive:
        members = _members(archive)
        return {name: _unpacked(archive, info, partial(take, name)) for name, info in members.items()}


def _members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    return {info.filename.removesuffix(".npy"): info for info in archive.infolist()}


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo, take: Take) -> Array:
    """One array of an archive; what its header promises is weighed before anything is unpacked."""
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{info.filename} uses a compression that NumPy does not write")
    with archive.open(info) as stream:
        shape, _, dtype = _header(stream, info.file_size)
    take(prod(shape) * dtype.itemsize)
    with archive.open(info) as stream:
        return np.lib.format.read_array(stream, allow_pickle=False)


def raw_elements(path: Path, dtype: Any, check: Take) -> Array:
    """The elements of a file without a header; `check` gets its size before it is read."""
    with open_plain(path) as file:
        check(os.fstat(file.fileno()).st_size)
        return np.fromfile(file, dtype)


def as_known(array: Array) -> Array:
    """NumPy saves the types of `ml_dtypes` as bare bytes: read them as bit patterns."""
    if array.dtype.kind == "V" and array.dtype.itemsize in (1, 2):
        return array.view(np.uint8 if array.dtype.itemsize == 1 else np.uint16)
    return array
