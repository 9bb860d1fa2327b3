"""Arguments of a kernel: a table before the run, and whole sets of them as files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ptoas.diagnostics import Note
from ptoas.diagnostics.columns import columns
from ptoas.diagnostics.files import replacing
from ptoas.machine.arrays import Array, np
from ptoas.machine.errors import command_line_span, failure
from ptoas.runner.array_files import as_option_error, npz_arrays
from ptoas.runner.kernel import Kernel
from ptoas.runner.options import Result
from ptoas.runner.parameters import Parameter
from ptoas.runner.values import Allowance, GrowingArray, fixed_value

SET = "arguments.npz"
"""The file of a saved set."""


@dataclass(frozen=True)
class Described:
    """One argument, as it would be passed."""

    name: str
    type: str
    size: str
    """Elements of an array; nothing for a number."""
    direction: str
    value: str
    why: str


def describe(kernel: Kernel, values: Mapping[str, Any], arguments: Mapping[str, Any]) -> list[Described]:
    """A row for each parameter: `given` came from the caller, the rest of `arguments` was generated.

    >>> import ptoas
    >>> from ptoas.runner.describe import describe
    >>> module = ptoas.parse('''
    ... .arg %x : !pto.memref<4x8xf32>
    ... .arg %out : !pto.memref<4x8xf32>
    ... %a = tload %x : (!pto.memref<4x8xf32>) -> !pto.tile<4x8xf32>
    ... tstore %a, %out
    ... ''')
    >>> kernel = ptoas.compile(module, "a5")
    >>> for row in describe(kernel, {}, kernel.complete({})):
    ...     print(row.name, row.size, row.direction, row.value, "|", row.why)
    x 4x8 in random | it is only read
    out 4x8 out 0 | it is only written
    """
    return [
        Described(
            parameter.name,
            str(parameter.type),
            _size(arguments[parameter.name]),
            _direction(parameter),
            _value(parameter, arguments[parameter.name], parameter.name in values),
            "it was given" if parameter.name in values else _why(parameter),
        )
        for parameter in kernel.parameters
    ]


def table(rows: list[Described]) -> str:
    """The rows in columns."""
    head = Described("name", "type", "size", "direction", "value", "why")
    return "\n".join(columns([[*asdict(row).values()] for row in (head, *rows)]))


def _size(argument: Any) -> str:
    if isinstance(argument, GrowingArray):
        return f"{argument.start} or more"
    return "x".join(map(str, argument.shape)) if isinstance(argument, np.ndarray) else ""


def _direction(parameter: Parameter) -> str:
    if parameter.kind == "scalar":
        return "in"
    words = {(True, False): "in", (False, True): "out", (True, True): "in, out"}
    return words.get((parameter.read, parameter.written), "unused")


def _value(parameter: Parameter, argument: Any, is_given: bool) -> str:
    if parameter.kind == "scalar":
        return str(argument)
    if is_given:
        return "as given"
    if parameter.is_index and not isinstance(argument, GrowingArray):
        return f"random, below {parameter.index_limit or 1}"
    value = fixed_value(parameter)
    return "random" if value is None else str(value)


def _why(parameter: Parameter) -> str:
    if parameter.kind == "scalar":
        return parameter.reason
    reasons: list[str] = []
    if parameter.grows:
        reasons.append("its size is what the run reaches")
    if parameter.written and not parameter.read:
        reasons.append("it is only written")
    elif parameter.arrived:
        reasons.append("it is waited for, and nothing here tells it")
    elif parameter.is_index:
        reasons.append("its elements are indices")
    elif parameter.is_computed_with:
        back = "; some are counted back from it" if parameter.floor else ""
        reasons.append(f"offsets, sizes or bounds are made of it{back}")
    else:
        reasons.append("it is only read" if not parameter.written else "it is read and written")
    return "; ".join(reasons)


# --- whole sets ------------------------------------------------------------------------------------


def save(directory: str, kept: Mapping[str, Any], result: Result) -> str:
    """`--save DIR`: what the run began with, in one file; memory that grew, as far as it was reached."""
    option = f"--save {directory}"
    with as_option_error(Path(directory), option):
        Path(directory).mkdir(parents=True, exist_ok=True)
    path = str(Path(directory) / SET)
    arrays = {name: _stored(argument, result.arguments.get(name)) for name, argument in kept.items()}
    with replacing(path, command_line_span(option)) as stream:
        np.savez(stream, allow_pickle=False, **arrays)
    return path


def _stored(argument: Any, after: Any) -> Array:
    """Element types that NumPy does not know are kept as bit patterns."""
    if isinstance(argument, GrowingArray):
        argument = argument.reached("", len(after) if isinstance(after, np.ndarray) else argument.start)
    array: Array = np.asarray(argument)
    return array if array.dtype.kind in "fiub" else array.view(f"u{array.dtype.itemsize}")


def load(directory: str, kernel: Kernel, allowance: Allowance) -> dict[str, Any]:
    """`--load DIR`: the arguments of a saved set."""
    text = f"--load {directory}"
    path = Path(directory) / SET
    with as_option_error(path, text):
        found = npz_arrays(path, lambda name, size: allowance.take(size, name, text))
    known = {parameter.name: parameter for parameter in kernel.parameters}
    for name in found:
        if name not in known:
            raise failure(
                "PTO-R601",
                f"{path} names the argument {name!r}, which @{kernel.entry.sym_name.data} does not have",
                span=command_line_span(text),
                notes=(Note("its arguments are " + (", ".join(known) or "none")),),
            )
    return {name: _taken(known[name], array) for name, array in found.items()}


def _taken(parameter: Parameter, array: Array) -> Any:
    if parameter.kind == "scalar":
        return array.item()
    dtype = parameter.dtype
    assert dtype is not None
    same = array.dtype.kind == "u" and array.dtype.itemsize == dtype.size
    return array.view(dtype.number) if same and not dtype.coded and array.dtype != dtype.number else array
