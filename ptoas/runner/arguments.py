"""Arrays as arguments: from what a caller has to what the machine works on.

An array is used where it lies, without a copy, if its elements and their order are those of the argument.
Element types that NumPy does not know are accepted as `ml_dtypes` has them, or as bit patterns. Arrays of
other libraries are taken as `foreign` reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import AnyFloat

from ptoas.analysis.integers import limits, wrap
from ptoas.analysis.knowledge import packed_strides
from ptoas.diagnostics import Note, PtoasError
from ptoas.dialects.pto.enums import Layout
from ptoas.dialects.pto.types import DYNAMIC, TileType, dim_text
from ptoas.grammar.problems import counted
from ptoas.machine.arrays import Array, np
from ptoas.machine.counts import Counts
from ptoas.machine.dtypes import DType, rounder
from ptoas.machine.errors import failure
from ptoas.machine.memory import GlobalBuffer, Pointer, RankGroup, View, element_count
from ptoas.runner.foreign import NotReadableError, adopted
from ptoas.runner.parameters import Parameter, about
from ptoas.runner.values import GrowingArray


@dataclass
class BoundArgument:
    """An argument as the machine takes it."""

    parameter: Parameter
    value: Any
    """A pointer, view, group or scalar; for a tile the bit patterns of its valid region."""
    output: Array | None
    """The array that the caller sees afterwards."""
    finish: Callable[[], None] | None = None
    """Copies results back, where the argument could not be used in place."""


def as_elements(parameter: Parameter, array: Any, entry: func.FuncOp) -> Array:
    """Return the array in the argument's element type; raise if it has another type."""
    dtype = parameter.dtype
    assert dtype is not None
    array = _numpy(parameter, array, entry)
    if not isinstance(array, np.ndarray):
        return _from_list(parameter, dtype, array, entry)
    found: Array = array
    if found.dtype == dtype.number:
        return found
    same_bits = found.dtype.kind in "iu" and found.dtype.itemsize == dtype.size
    # A signless integer is either; a float that NumPy lacks may come as its bits.
    if same_bits and (dtype.kind == "int" or dtype.number.kind not in "fiu" or dtype.coded):
        return found
    message = f"{parameter.name} holds {dtype.short}; the array holds {found.dtype}"
    code = "PTO-R602"
    if dtype.is_integer and found.dtype.kind == "f":
        bad = np.flatnonzero(~_is_whole(found))
        what = f", with {found.reshape(-1)[bad[0]]} at position {bad[0]}" if bad.size else ""
        message = f"{parameter.name} holds {dtype.short} integers; the array holds {found.dtype} values{what}"
        code = "PTO-R605" if parameter.is_index else "PTO-R602"
    raise failure(code, message, entry, fix=_conversion(dtype))


def _is_whole(array: Array) -> Array:
    return np.isfinite(array) & (array == np.trunc(array))


def _numpy(parameter: Parameter, value: Any, entry: func.FuncOp) -> Any:
    """An array of another library as NumPy's, or an error that says what its library says."""
    try:
        return adopted(value)
    except NotReadableError as error:
        kind = type(value).__name__
        raise failure(
            "PTO-R602",
            f"{parameter.name} takes an array in the host's memory; {kind} does not give one: {error}",
            entry,
            fix="pass a copy on the CPU, detached from what computes gradients",
        ) from None


def _conversion(dtype: DType) -> str:
    if dtype.coded:
        return "pass the bit patterns, as an array of np.uint8"
    prefix = "np" if dtype.number.kind in "fiu" else "ml_dtypes"
    return f"convert it: array.astype({prefix}.{dtype.number.name})"


def _from_list(parameter: Parameter, dtype: DType, values: Any, entry: func.FuncOp) -> Array:
    """A list or a number: converted if nothing is lost."""
    array = np.asarray(values)
    if array.dtype.kind not in "iufb":
        raise failure(
            "PTO-R602", f"{parameter.name} holds {dtype.short}; {type(values).__name__} given", entry
        )
    if dtype.is_integer:
        limits = np.iinfo(dtype.number)
        if array.dtype.kind == "f" and not _is_whole(array).all():
            raise failure(
                "PTO-R605" if parameter.is_index else "PTO-R602",
                f"{parameter.name} holds {dtype.short} integers; a value of the array is not an integer",
                entry,
            )
        if array.size and not (limits.min <= array.min() and array.max() <= limits.max):
            raise failure(
                "PTO-R602",
                f"{parameter.name} holds {dtype.short}; a value is outside {limits.min}..{limits.max}",
                entry,
            )
    return dtype.encode(array)


def bind(parameter: Parameter, value: Any, entry: func.FuncOp) -> BoundArgument:
    """Bind one argument; bound ones are returned unchanged."""
    if isinstance(value, BoundArgument):
        return value
    try:
        return _bound(parameter, value, entry)
    except PtoasError as error:
        raise about(parameter, entry, error) from None


def _bound(parameter: Parameter, value: Any, entry: func.FuncOp) -> BoundArgument:
    match parameter.kind:
        case "scalar":
            return BoundArgument(parameter, scalar(parameter, value, entry), None)
        case "pointer":
            return _pointer(parameter, value, entry)
        case "memory":
            array = _writable(parameter, as_elements(parameter, value, entry))
            view, finish = _view(parameter, array, entry)
            return BoundArgument(parameter, view, array, finish)
        case "group":
            return _group(parameter, value, entry)
        case "counts":
            array = _writable(parameter, as_elements(parameter, value, entry))
            if array.shape != parameter.shape:
                raise failure("PTO-R603", f"{parameter.name} holds four numbers; found {array.shape}", entry)
            return BoundArgument(parameter, Counts(array.view(np.int16)), array)
        case _:
            return _tile(parameter, value, entry)


class Binder:
    """Arguments for the machine, call after call: what was bound before is used again, with all that hangs
    on it."""

    def __init__(self, parameters: Sequence[Parameter], entry: func.FuncOp):
        self.parameters = parameters
        self.entry = entry
        self._last: list[tuple[Any, BoundArgument]] = []

    def bind(self, arguments: Mapping[str, Any]) -> tuple[list[BoundArgument], bool]:
        """The arguments in order, and whether old ones have to be forgotten."""
        pairs: list[tuple[Any, BoundArgument]] = []
        changed = False
        for at, parameter in enumerate(self.parameters):
            value = arguments[parameter.name]
            last = self._last[at] if self._last else None
            # Only an array can be used in place; anything else was copied, and may have changed.
            in_place = (
                isinstance(value, np.ndarray)
                and parameter.kind in ("pointer", "memory")
                and (value.flags.writeable or not parameter.written)
            )
            if last is not None and last[0] is value and in_place and last[1].finish is None:
                pairs.append(last)
                continue
            changed = changed or parameter.kind != "scalar"
            pairs.append((value, bind(parameter, value, self.entry)))
        changed = changed and bool(self._last)
        self._last = pairs
        return [bound for _, bound in pairs], changed

    def forget(self) -> None:
        self._last = []


def scalar(parameter: Parameter, value: Any, entry: func.FuncOp) -> int | float:
    """A scalar in the argument's type."""
    value = _numpy(parameter, value, entry)
    number = value.item() if isinstance(value, np.ndarray | np.generic) and value.size == 1 else value
    if isinstance(number, str | bytes) or not isinstance(number, int | float):
        raise failure("PTO-R602", f"{parameter.name} is a {parameter.type}; {value!r} given", entry)
    if isinstance(parameter.type, AnyFloat):
        round_once = rounder(parameter.type)
        return float(number) if round_once is None else round_once(float(number))
    if isinstance(number, float) and not number.is_integer():
        raise failure(
            "PTO-R602", f"{parameter.name} is a {parameter.type}; {number} is not an integer", entry
        )
    low, high = limits(parameter.type)
    if not min(low, -high - 1) <= int(number) <= max(high, 2 * high + 1):
        raise failure("PTO-R602", f"{parameter.name} is a {parameter.type}; {number} does not fit it", entry)
    return wrap(int(number), parameter.type)


def _writable(parameter: Parameter, array: Array) -> Array:
    """Replace a read-only array (a mapped file) that the program writes by a copy.

    The copy contains the results, and the caller gets it instead of the original.
    """
    return array if array.flags.writeable or not parameter.written else np.array(array, order="K")


def _in_place(parameter: Parameter, array: Array) -> tuple[Array, Callable[[], None] | None]:
    """Elements in a row, and how to bring results back if they had to be copied."""
    if array.flags.c_contiguous and array.flags.aligned:
        return array.reshape(-1), None
    copy = np.array(array, order="C", copy=True)

    def finish() -> None:
        if parameter.written:
            array[...] = copy.reshape(array.shape)

    return copy.reshape(-1), finish


def _pointer(parameter: Parameter, value: Any, entry: func.FuncOp) -> BoundArgument:
    if isinstance(value, GrowingArray):
        return _growing(parameter, value)
    array = _writable(parameter, as_elements(parameter, value, entry))
    assert parameter.dtype is not None
    flat, finish = _in_place(parameter, array)
    return BoundArgument(
        parameter, Pointer(GlobalBuffer(parameter.name, flat, parameter.dtype)), array, finish
    )


def _growing(parameter: Parameter, value: GrowingArray) -> BoundArgument:
    """Generated memory of unknown size: the caller sees the part that was reached."""
    buffer = value.buffer(parameter.name)
    bound = BoundArgument(parameter, Pointer(buffer), None)

    def finish() -> None:
        reached = buffer.raw[: buffer.size]
        bound.output = reached if value.dtype.coded else reached.view(value.dtype.number)

    bound.finish = finish
    return bound


def _extents_text(shape: tuple[int, ...]) -> str:
    return "x".join(map(dim_text, shape))


def _view(parameter: Parameter, array: Array, entry: func.FuncOp) -> tuple[View, Callable[[], None] | None]:
    """A view: `array[i, j]` is element (i, j) where the shapes agree, else the array is the memory as it
    lies."""
    shape = array.shape
    rank = len(parameter.shape)
    if len(shape) > rank and all(n == 1 for n in shape[: len(shape) - rank]):
        shape = shape[len(shape) - rank :]
    fits = len(shape) == rank and all(
        want in (DYNAMIC, n) for want, n in zip(parameter.shape, shape, strict=True)
    )
    if not fits and DYNAMIC not in parameter.shape:
        strides = strides_of(parameter, parameter.shape)
        needed = element_count(parameter.shape, strides)
        if array.size == needed or (array.ndim == 1 and array.size > needed):
            flat, finish = _in_place(parameter, array)
            return _view_of(parameter, flat, parameter.shape, strides), finish
    if not fits:
        raise failure(
            "PTO-R603",
            f"{parameter.name} is a {parameter.type}; the array has shape "
            f"{_extents_text(array.shape) or 'of a single number'} ({array.size} elements)",
            entry,
            notes=(Note(f"its extents are {_extents_text(parameter.shape)}"),),
        )
    strides = strides_of(parameter, shape)
    if strides == packed_strides(shape, parameter.layout) == packed_strides(shape, Layout.ND):
        flat, finish = _in_place(parameter, array)
        return _view_of(parameter, flat, shape, strides), finish
    return _spread(parameter, array.reshape(shape), shape, strides)


def _view_of(parameter: Parameter, flat: Array, shape: tuple[int, ...], strides: tuple[int, ...]) -> View:
    assert parameter.dtype is not None
    buffer = GlobalBuffer(parameter.name, flat, parameter.dtype)
    return View.of(buffer, 0, shape, strides, parameter.layout)


def strides_of(parameter: Parameter, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a view of this shape; those that its type leaves open are packed."""
    packed = packed_strides(shape, parameter.layout)
    if parameter.strides is None:
        return packed
    return tuple(p if s == DYNAMIC else s for s, p in zip(parameter.strides, packed, strict=True))


MOST_SPREAD = 64
"""Maximum ratio of memory with gaps to its elements; up to 64 MiB are always allowed."""


def spread_elements(
    parameter: Parameter, array: Array, shape: tuple[int, ...], strides: tuple[int, ...]
) -> int:
    """Elements of memory that holds an array with the gaps that a type asks for, within reason."""
    if min(strides, default=0) < 0:
        raise failure("PTO-R603", f"{parameter.name} is a {parameter.type}: a stride is negative")
    elements = element_count(shape, strides)
    size = elements * array.itemsize
    if size > max(array.nbytes * MOST_SPREAD, 64 << 20):
        raise failure(
            "PTO-R606",
            f"{parameter.name} is a {parameter.type}: its {array.nbytes} bytes would be spread over {size}",
        )
    return elements


def _spread(
    parameter: Parameter, array: Array, shape: tuple[int, ...], strides: tuple[int, ...]
) -> tuple[View, Callable[[], None] | None]:
    """Elements in another order than NumPy's, or with gaps: in place if the array lies so already."""
    lies_so = all(
        n == 1 or s * array.itemsize == own for n, s, own in zip(shape, strides, array.strides, strict=True)
    )
    if lies_so and array.flags.f_contiguous:
        return _view_of(parameter, array.ravel(order="F"), shape, strides), None
    flat = np.zeros(spread_elements(parameter, array, shape, strides), array.dtype)
    inner = np.ndarray(shape, array.dtype, flat, 0, [s * array.itemsize for s in strides])
    inner[...] = array

    def finish() -> None:
        if parameter.written:
            array[...] = inner

    return _view_of(parameter, flat, shape, strides), finish


def _group(parameter: Parameter, value: Any, entry: func.FuncOp) -> BoundArgument:
    stacked: Array | None = None
    if not isinstance(value, list | tuple):
        whole = _writable(parameter, as_elements(parameter, value, entry))
        if whole.ndim == 0 or whole.shape[0] != parameter.ranks:
            raise failure(
                "PTO-R603",
                f"{parameter.name} has {parameter.ranks} ranks; the array's first extent must be that, "
                f"its shape is {_extents_text(whole.shape)}",
                entry,
            )
        members = [whole[rank] for rank in range(parameter.ranks)]
        output = whole
    else:
        members = list(cast("Sequence[Any]", value))
        if len(members) != parameter.ranks:
            raise failure(
                "PTO-R603",
                f"{parameter.name} has {parameter.ranks} ranks; {counted(len(members), 'array')} given",
                entry,
            )
        members = [_writable(parameter, as_elements(parameter, member, entry)) for member in members]
        output = stacked = np.stack(members) if len({member.shape for member in members}) == 1 else None
    pairs = [_view(parameter, member, entry) for member in members]
    finishers = [finish for _, finish in pairs if finish is not None]

    def finish() -> None:
        for each in finishers:
            each()
        if stacked is not None and parameter.written:
            stacked[...] = np.stack(members)

    return BoundArgument(parameter, RankGroup(tuple(view for view, _ in pairs)), output, finish)


def _tile(parameter: Parameter, value: Any, entry: func.FuncOp) -> BoundArgument:
    type = parameter.type
    assert isinstance(type, TileType) and parameter.dtype is not None
    array = as_elements(parameter, value, entry)
    shape = array.shape
    valid = tuple(n if want == DYNAMIC else want for want, n in zip(type.valid, shape[-2:], strict=False))
    if len(valid) != 2:
        valid = tuple(
            physical if want == DYNAMIC else want
            for want, physical in zip(type.valid, type.shape, strict=True)
        )
    if array.size != prod(valid) or any(n > p for n, p in zip(valid, type.shape, strict=True)):
        raise failure(
            "PTO-R603",
            f"{parameter.name} is a {type}, valid {_extents_text(type.valid)}; the array has shape "
            f"{_extents_text(shape)}",
            entry,
        )
    bits = np.ascontiguousarray(array).reshape(valid).view(parameter.dtype.raw)
    return BoundArgument(parameter, bits, array)
