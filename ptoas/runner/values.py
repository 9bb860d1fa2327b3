"""Arguments as text (`--arg NAME=VALUE`) and generated arguments."""

from __future__ import annotations

import math
from copy import deepcopy
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import AnyFloat

from ptoas.diagnostics import PtoasError
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.machine.arrays import Array, Random, np
from ptoas.machine.dtypes import DType
from ptoas.machine.errors import command_line_span, failure
from ptoas.machine.machine import DEFAULT_MAX_MEMORY
from ptoas.machine.memory import GrowingBuffer
from ptoas.runner.array_files import as_option_error, map_npy, npz_array, raw_elements
from ptoas.runner.context import ALONE, RankPlace
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

    def reached(self, name: str, size: int) -> Array:
        """The first elements, as a run that reaches so many has them; of coded types the bits."""
        buffer = self.buffer(name)
        if size:
            buffer.holds(0, size - 1)
        raw = buffer.raw[:size]
        return raw if self.dtype.coded else raw.view(self.dtype.number)


def generate(
    parameter: Parameter,
    entry: func.FuncOp,
    rng: Random,
    allowance: Allowance,
    grows: bool = False,
    place: RankPlace = ALONE,
) -> Any:
    """Generate an argument.

    Outputs are zeros, indices in bounds, scalars fit; numbers of peers cycle; other integers are 0 if used
    as positions or amounts, else 1; the rest is random.
    """
    if parameter.kind == "scalar":
        return 1.0 if isinstance(parameter.type, AnyFloat) else parameter.suggestion
    if parameter.is_context:
        return place.table()
    dtype = parameter.dtype
    assert dtype is not None
    peers = min(place.ranks, parameter.peers_most) * parameter.peers_apart
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
    if peers and place.ranks > 1:
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
    place: RankPlace = ALONE,
) -> Any:
    """Parse the text of `--arg NAME=text` for this parameter."""
    try:
        return _ValueReader(parameter, text, entry, rng, allowance, place).read()
    except PtoasError as error:
        raise about(parameter, entry, error) from None


def file_of(text: str) -> str | None:
    """The file that a value names: `a.npy`, `a.npz:KEY`, `a.pt`, `a.bin`."""
    path = text.partition(":")[0]
    if path.endswith(".npz"):
        return path
    return text if text.endswith((".npy", ".pt", ".bin")) else None


CONTEXT = "context"
"""The table of windows."""

RANK_WORDS = ("rank", "ranks")
"""The number of the rank that runs, and how many there are; alone it is the first of one."""

_COUNTS = {"zeros": (0,), "ones": (0,), "arange": (0,), "full": (1,), "random": (0, 2)}
"""The number of arguments of each generator."""


@dataclass(frozen=True)
class _ValueReader:
    """Reads the text of one value."""

    parameter: Parameter
    text: str
    entry: func.FuncOp
    rng: Random
    allowance: Allowance
    place: RankPlace

    @property
    def option(self) -> str:
        return f"--arg {self.parameter.name}={self.text}"

    def read(self) -> Any:
        file = file_of(self.text)
        if file is not None:
            with as_option_error(Path(file), self.option):
                return self._file(Path(file))
        if self.parameter.kind == "scalar":
            words = dict(zip(RANK_WORDS, (self.place.rank, self.place.ranks), strict=True))
            return words[self.text] if self.text in words else self._number(self.text)
        dtype = self.parameter.dtype
        assert dtype is not None
        return self.place.table() if self.text == CONTEXT else self._generated(dtype)

    def _file(self, path: Path) -> Any:
        parameter, dtype = self.parameter, self.parameter.dtype
        match path.suffix:
            case ".npz":
                return npz_array(path, self.text.partition(":")[2], self._take)
            case ".npy":
                array = map_npy(path)  # data that is not touched is not loaded
            case ".pt":
                array = read_torch(path)
            case _ if dtype is None:
                raise self._unreadable("an index is a number, not a file")
            case _:
                return self._raw(path, dtype)
        self._take(array.nbytes)
        return (
            array.item() if path.suffix == ".pt" and parameter.kind == "scalar" and array.size == 1 else array
        )

    def _raw(self, path: Path, dtype: DType) -> Array:
        """The elements of a file without a header, in the shape of the parameter if they are as many."""

        def check(size: int) -> None:
            if size % dtype.size:
                message = f"{path} has {size} bytes, not a whole number of {dtype.short} elements"
                raise failure("PTO-R603", message, span=command_line_span(self.option))
            self._take(size)

        array = raw_elements(path, dtype.raw, check)
        array = array if dtype.coded else array.view(dtype.number)
        shape = self.parameter.shape
        known = self.parameter.kind in ("memory", "tile") and DYNAMIC not in shape
        return array.reshape(shape) if known and array.size == prod(shape) else array

    def _generated(self, dtype: DType) -> Array:
        if self.text.startswith("["):
            return self._listed(dtype)
        word, *rest = self.text.split(":")
        if word not in _COUNTS:
            return self._filled(dtype, self._number(self.text))
        if len(rest) not in _COUNTS[word]:
            takes = {"full": "one number", "random": "no number or two"}.get(word, "no number")
            raise self._unreadable(f"{word!r} takes {takes}, found {len(rest)}")
        numbers = [self._number(each) for each in rest]
        if word in ("full", "ones"):
            return self._filled(dtype, numbers[0] if numbers else 1)
        if word == "random" and self.parameter.is_index and not numbers:
            return generate(self.parameter, self.entry, self.rng, self.allowance)
        shape = self._shape(dtype)
        if word == "zeros":
            return np.zeros(shape, dtype.number)
        if word == "arange":
            return dtype.encode(np.arange(prod(shape)).reshape(shape))
        if not numbers:
            return random_array(dtype, shape, self.rng, None)
        low, high = numbers
        whole = not dtype.is_integer or (_fits(low, dtype) and _fits(high - 1, dtype))
        if not (math.isfinite(low) and math.isfinite(high) and low <= high and whole):
            raise self._unreadable(f"no {dtype.short} lie from {low} up to {high}")
        return random_array(dtype, shape, self.rng, (low, high))

    def _filled(self, dtype: DType, number: float) -> Array:
        self._check_range(dtype, number)
        return _all_of(self._shape(dtype), dtype, number)

    def _listed(self, dtype: DType) -> Array:
        """The array of a list, `[3, 1, 2]`: its elements one after the other."""
        words = self.text.removeprefix("[").removesuffix("]").split(",")
        numbers = [self._number(word.strip()) for word in words]
        count = prod(shape_of(self.parameter, self.entry))
        if len(numbers) != count:
            message = f"{self.parameter.name} has {count} elements, the list {len(numbers)}"
            raise failure("PTO-R603", message, span=command_line_span(self.option))
        for number in numbers:
            self._check_range(dtype, number)
        return dtype.encode(np.array(numbers)).reshape(self._shape(dtype))

    def _check_range(self, dtype: DType, number: float) -> None:
        """Refuse a number that an integer argument can't hold."""
        if not dtype.is_integer or _fits(number, dtype):
            return
        code = "PTO-R605" if self.parameter.is_index else "PTO-R602"
        message = f"{self.parameter.name} holds {dtype.short} integers; {number} is not in their range"
        raise failure(code, message, span=command_line_span(self.option))

    def _shape(self, dtype: DType) -> tuple[int, ...]:
        """The shape of an array that may be allocated."""
        shape = shape_of(self.parameter, self.entry)
        self._take(prod(shape) * dtype.size)
        return shape

    def _take(self, size: int) -> None:
        self.allowance.take(size, self.parameter.name, self.option)

    def _number(self, text: str) -> int | float:
        try:
            return int(text, 0)
        except ValueError:
            pass
        if text in ("true", "false"):
            return int(text == "true")
        try:
            return float(text)
        except ValueError:
            raise self._unreadable(f"{text!r} is no number, file or generator") from None

    def _unreadable(self, message: str) -> Exception:
        kinds = "FILE.npy, FILE.npz:KEY, FILE.pt, FILE.bin, a number, [1,2,3], zeros, ones, arange, full:V, "
        kinds += "random, random:LO:HI, rank, ranks or context"
        span = command_line_span(self.option)
        return failure("PTO-R609", f"{self.parameter.name}: {message}", span=span, fix=f"a value is {kinds}")


def _fits(number: float, dtype: DType) -> bool:
    """Return True if a number is in the range of an integer type."""
    limits = np.iinfo(dtype.number)
    return math.isfinite(number) and number == int(number) and limits.min <= number <= limits.max
