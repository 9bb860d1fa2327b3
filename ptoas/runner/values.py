"""Arguments as text (`--arg NAME=VALUE`) and generated arguments."""

from __future__ import annotations

import lzma
import math
import os
import zipfile
import zlib
from copy import deepcopy
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import IO, Any

from xdsl.dialects import func
from xdsl.dialects.builtin import AnyFloat

from ptoas.diagnostics import PtoasError
from ptoas.diagnostics.files import open_plain
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.machine.arrays import Array, Random, np
from ptoas.machine.dtypes import DType
from ptoas.machine.errors import command_line_span, failure
from ptoas.machine.machine import DEFAULT_MAX_MEMORY
from ptoas.machine.memory import GrowingBuffer
from ptoas.runner.context import table
from ptoas.runner.parameters import Parameter, about
from ptoas.runner.torch_file import read_torch


@dataclass
class Allowance:
    """Limit of the bytes of all arguments, checked before anything is allocated."""

    limit: int = DEFAULT_MAX_MEMORY
    used: int = 0

    def take(self, size: int, name: str, text: str) -> None:
        self.used += size
        if self.used > self.limit:
            raise failure(
                "PTO-R606",
                f"{name} needs {size} bytes; with it the arguments take {self.used}, more than the "
                f"{self.limit} of "
                f"--max-memory",
                span=command_line_span(text),
            )


def shape_of(parameter: Parameter, entry: func.FuncOp) -> tuple[int, ...]:
    """The shape of an array that is made for a parameter."""
    if parameter.kind == "pointer":
        if parameter.view_shape and prod(parameter.view_shape) == parameter.elements:
            return parameter.view_shape
        if parameter.elements is None:
            raise failure(
                "PTO-R608",
                f"the size of {parameter.name} is not known before the run: pass an array",
                entry,
                fix=f"pass `--arg {parameter.name}=FILE.npy`",
            )
        return (parameter.elements,)
    if DYNAMIC in parameter.shape:
        if parameter.kind == "tile":
            physical = parameter.type.shape  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType]
            return tuple(p if n == DYNAMIC else n for n, p in zip(parameter.shape, physical, strict=True))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        raise failure(
            "PTO-R608",
            f"the extents of {parameter.name} ({parameter.type}) are not known before the run: pass an array",
            entry,
            fix=f"pass `--arg {parameter.name}=FILE.npy`",
        )
    return (parameter.ranks, *parameter.shape) if parameter.kind == "group" else parameter.shape


@dataclass(frozen=True)
class GrowingArray:
    """An array that grows while the program runs, as far as it is accessed."""

    dtype: DType
    start: int
    """Elements that are there from the beginning."""
    rng: Random
    allowance: Allowance
    value: int | None
    """Every element; `None`: random numbers."""

    def buffer(self, name: str) -> GrowingBuffer:
        rng = deepcopy(self.rng)  # a second run gets the same numbers
        available = (self.allowance.limit - self.allowance.used) // self.dtype.size
        reserved = np.zeros(max(available, self.start), self.dtype.raw)

        def make(count: int) -> Array:
            if self.value is None:
                return random_array(self.dtype, (count,), rng, None)
            return _all_of((count,), self.dtype, self.value)

        def take(size: int) -> None:
            self.allowance.take(size, name, f"--arg {name}=FILE.npy")

        made = GrowingBuffer(name, reserved, self.dtype, make, take)
        if self.start:
            made.holds(0, self.start - 1)
        return made


def generate(
    parameter: Parameter,
    entry: func.FuncOp,
    rng: Random,
    allowance: Allowance,
    grows: bool = False,
    ranks: int = 1,
) -> Any:
    """Generate an argument.

    Outputs are zeros, indices in bounds, scalars fit; numbers of peers cycle; other integers are 0 if used
    as positions or amounts, else 1; the rest is random.
    """
    if parameter.kind == "scalar":
        return 1.0 if isinstance(parameter.type, AnyFloat) else parameter.suggestion
    if parameter.is_context:
        return table()
    dtype = parameter.dtype
    assert dtype is not None
    peers = min(ranks, parameter.peers_most) * parameter.peers_apart
    if parameter.grows and grows and not (peers and parameter.elements):
        return GrowingArray(dtype, parameter.elements or 0, rng, allowance, fixed_value(parameter))
    shape = shape_of(parameter, entry)
    allowance.take(prod(shape) * dtype.size, parameter.name, f"--arg {parameter.name}=random")
    if parameter.is_index and not (parameter.written and not parameter.read):
        limit = parameter.index_limit or 1
        high = max(1, min(limit, int(np.iinfo(dtype.number).max)))
        steps = max(1, -(-high // parameter.index_step))
        chosen = rng.integers(0, steps, size=shape) * parameter.index_step
        return chosen.astype(dtype.number)
    if peers and ranks > 1:
        return (np.arange(prod(shape)) % peers).reshape(shape).astype(dtype.number)
    value = fixed_value(parameter)
    if value is None:
        return random_array(dtype, shape, rng, None)
    return _all_of(shape, dtype, value)


def _all_of(shape: tuple[int, ...], dtype: DType, value: float) -> Array:
    """An array of one value; of zeros, memory that costs nothing until something touches it."""
    one = np.full((), dtype.scalar(value), dtype.number)
    return np.full(shape, one, dtype.number) if any(one.tobytes()) else np.zeros(shape, dtype.number)


def fixed_value(parameter: Parameter) -> int | None:
    """The common value of all elements of a generated array; `None`: they differ."""
    if parameter.is_signal:
        return parameter.arrived
    if parameter.written and not parameter.read:
        return 0
    assert parameter.dtype is not None
    if not parameter.dtype.is_integer:
        return None
    return parameter.floor if parameter.is_computed_with else 1


def random_array(
    dtype: DType, shape: tuple[int, ...], rng: Random, bounds: tuple[float, float] | None
) -> Array:
    """Random numbers of a type: floats between -1 and 1, scales from 1/8 to 8, integers between -100 and
    100 or 0 and 100."""
    if dtype.is_integer:
        low, high = bounds or (-100 if dtype.kind == "int" else 0, 101)
        low, high = int(low), int(high)
        return rng.integers(low, max(high, low + 1), size=shape).astype(dtype.number)
    if dtype.text == "!pto.f8E8M0" and bounds is None:
        # Powers of two have no sign, and few of them keep products apart from 0 and infinity.
        return dtype.encode(2.0 ** rng.integers(-3, 4, size=shape))
    low, high = bounds or (-1.0, 1.0)
    if dtype.kind == "pairs":
        halves = rng.random(size=(*shape[:-1], 2 * shape[-1]))
        return dtype.paired(halves * (high - low) + low)
    numbers = rng.random(size=shape, dtype=np.float32 if dtype.size <= 4 else np.float64)
    return dtype.encode(numbers * (high - low) + low)


def read_value(
    parameter: Parameter,
    text: str,
    entry: func.FuncOp,
    rng: Random,
    allowance: Allowance,
) -> Any:
    """Parse the text of `--arg NAME=text` for this parameter."""
    try:
        return _read(parameter, text, entry, rng, allowance)
    except PtoasError as error:
        raise about(parameter, entry, error) from None


def file_of(text: str) -> str | None:
    """The file that a value names: `a.npy`, `a.npz:KEY`, `a.pt`, `a.bin`."""
    path = text.partition(":")[0]
    if path.endswith(".npz"):
        return path
    return text if text.endswith((".npy", ".pt", ".bin")) else None


def _read(parameter: Parameter, text: str, entry: func.FuncOp, rng: Random, allowance: Allowance) -> Any:
    option = f"--arg {parameter.name}={text}"
    path, _, key = text.partition(":")
    if text.endswith(".npy"):
        return _npy(Path(text), option, allowance, parameter.name)
    if path.endswith(".npz"):
        return _npz(Path(path), key, option, allowance, parameter.name)
    if text.endswith(".pt"):
        return _torch(Path(text), option, allowance, parameter)
    if text.endswith(".bin"):
        return _bin(parameter, Path(text), option, allowance)
    word, *rest = text.split(":")
    if parameter.kind == "scalar":
        return _of_rank(text) if text in RANK_WORDS else _number(text, option, parameter.name)
    dtype = parameter.dtype
    assert dtype is not None
    if text == CONTEXT:
        return table()
    known = ("zeros", "ones", "arange", "full", "random")
    if word not in known:
        return _filled(parameter, dtype, _number(text, option, parameter.name), entry, option, allowance)
    counts = {"zeros": (0,), "ones": (0,), "arange": (0,), "full": (1,), "random": (0, 2)}[word]
    if len(rest) not in counts:
        takes = {"full": "one number", "random": "no number or two"}.get(word, "no number")
        raise _unreadable(option, f"{word!r} takes {takes}, found {len(rest)}", parameter.name)
    numbers = [_number(each, option, parameter.name) for each in rest]
    if word in ("full", "ones"):
        return _filled(parameter, dtype, numbers[0] if numbers else 1, entry, option, allowance)
    shape = shape_of(parameter, entry)
    allowance.take(prod(shape) * dtype.size, parameter.name, option)
    if word == "zeros":
        return np.zeros(shape, dtype.number)
    if word == "arange":
        return dtype.encode(np.arange(prod(shape)).reshape(shape))
    if numbers:
        low, high = numbers
        whole = not dtype.is_integer or (_fits(low, dtype) and _fits(high - 1, dtype))
        if not (math.isfinite(low) and math.isfinite(high) and low <= high and whole):
            raise _unreadable(option, f"no {dtype.short} lie from {low} up to {high}", parameter.name)
        return random_array(dtype, shape, rng, (low, high))
    if parameter.is_index:
        allowance.used -= prod(shape) * dtype.size
        return generate(parameter, entry, rng, allowance)
    return random_array(dtype, shape, rng, None)


CONTEXT = "context"
"""The table of windows."""

RANK_WORDS = ("rank", "ranks")
"""The number of the rank that runs, and how many there are; alone it is the first of one."""


def _of_rank(word: str) -> int:
    return RANK_WORDS.index(word)


def _filled(
    parameter: Parameter, dtype: DType, number: float, entry: func.FuncOp, option: str, allowance: Allowance
) -> Array:
    if dtype.is_integer and not _fits(number, dtype):
        code = "PTO-R605" if parameter.is_index else "PTO-R602"
        raise failure(
            code,
            f"{parameter.name} holds {dtype.short} integers; {number} is not in their range",
            span=command_line_span(option),
        )
    shape = shape_of(parameter, entry)
    allowance.take(prod(shape) * dtype.size, parameter.name, option)
    return _all_of(shape, dtype, number)


def _fits(number: float, dtype: DType) -> bool:
    """Return True if a number is in the range of an integer type."""
    limits = np.iinfo(dtype.number)
    return math.isfinite(number) and number == int(number) and limits.min <= number <= limits.max


def _number(text: str, option: str, name: str) -> int | float:
    try:
        return int(text, 0)
    except ValueError:
        pass
    if text in ("true", "false"):
        return int(text == "true")
    try:
        return float(text)
    except ValueError:
        raise _unreadable(option, f"{text!r} is no number, file or generator", name) from None


def _unreadable(option: str, message: str, name: str) -> Exception:
    kinds = "FILE.npy, FILE.npz:KEY, FILE.pt, FILE.bin, a number, zeros, ones, arange, full:V, random, "
    kinds += "random:LO:HI, rank, ranks or context"
    return failure(
        "PTO-R609", f"{name}: {message}", span=command_line_span(option), fix=f"a value is {kinds}"
    )


def _no_file(option: str, path: Path, reason: object) -> Exception:
    if isinstance(reason, OSError) and reason.strerror:
        reason = reason.strerror
    text = " ".join(str(reason).split()) or type(reason).__name__
    return failure("PTO-R604", f"{path}: {text}", span=command_line_span(option))


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


def _npy(path: Path, option: str, allowance: Allowance, name: str) -> Array:
    """Map a file, so that untouched data is not loaded."""
    try:
        array = map_npy(path)
    except UNREADABLE as error:
        raise _no_file(option, path, error) from None
    allowance.take(array.nbytes, name, option)
    return array


def _torch(path: Path, option: str, allowance: Allowance, parameter: Parameter) -> Any:
    try:
        array = read_torch(path)
    except UNREADABLE as error:
        raise _no_file(option, path, error) from None
    allowance.take(array.nbytes, parameter.name, option)
    return array.item() if parameter.kind == "scalar" and array.size == 1 else array


def _npz(path: Path, key: str, option: str, allowance: Allowance, name: str) -> Array:
    try:
        with open_plain(path) as file, zipfile.ZipFile(file) as archive:
            members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
            if not key and len(members) == 1:
                key = next(iter(members))
            if key not in members:
                raise _no_file(option, path, f"it has no array {key!r}; its arrays are {', '.join(members)}")
            return as_known(_unpacked(archive, members[key], option, allowance, name))
    except UNREADABLE as error:
        raise _no_file(option, path, error) from None


def npz_arrays(path: Path, option: str, allowance: Allowance) -> dict[str, Array]:
    """All arrays of an archive by name."""
    try:
        with open_plain(path) as file, zipfile.ZipFile(file) as archive:
            members = [(info.filename.removesuffix(".npy"), info) for info in archive.infolist()]
            return {name: _unpacked(archive, info, option, allowance, name) for name, info in members}
    except UNREADABLE as error:
        raise _no_file(option, path, error) from None


def _unpacked(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, option: str, allowance: Allowance, name: str
) -> Array:
    """One array of an archive; what its header promises is weighed before anything is unpacked."""
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{info.filename} uses a compression that NumPy does not write")
    with archive.open(info) as stream:
        shape, _, dtype = _header(stream, info.file_size)
    allowance.take(prod(shape) * dtype.itemsize, name, option)
    with archive.open(info) as stream:
        return np.lib.format.read_array(stream, allow_pickle=False)


def as_known(array: Array) -> Array:
    """NumPy saves the types of `ml_dtypes` as bare bytes: read them as bit patterns."""
    if array.dtype.kind == "V" and array.dtype.itemsize in (1, 2):
        return array.view(np.uint8 if array.dtype.itemsize == 1 else np.uint16)
    return array


def _bin(parameter: Parameter, path: Path, option: str, allowance: Allowance) -> Any:
    dtype = parameter.dtype
    if dtype is None:
        raise _unreadable(option, "an index is a number, not a file", parameter.name)
    try:
        with open_plain(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size % dtype.size:
                raise failure(
                    "PTO-R603",
                    f"{path} has {size} bytes, not a whole number of {dtype.short} elements",
                    span=command_line_span(option),
                )
            allowance.take(size, parameter.name, option)
            array = np.fromfile(file, dtype=dtype.raw, count=size // dtype.size)
    except (OSError, ValueError) as error:
        raise _no_file(option, path, error) from None
    array = array if dtype.coded else array.view(dtype.number)
    known = parameter.kind in ("memory", "tile") and DYNAMIC not in parameter.shape
    return array.reshape(parameter.shape) if known and array.size == prod(parameter.shape) else array
