"""Python functions that a run is compared with: `reference.py:softmax`.

A reference gets the arguments of the run that its parameters name, as NumPy arrays. It returns the output; of
several, a tuple in their order or a dictionary by name. Loading it executes the file, so this happens only
where the user allowed it (`--allow-python`, or `allow-python` in the project's configuration).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, cast

from ptoas.diagnostics import Source, Span
from ptoas.diagnostics.spelling import did_you_mean
from ptoas.machine.arrays import Array, np
from ptoas.machine.errors import command_line_span, failure
from ptoas.runner.options import Result

Reference = Callable[..., Any]

SPEC = re.compile(r"(?P<file>[^\s:][^:\n]*\.py):(?P<function>[A-Za-z_]\w*)")
_MODULE = "_ptoas_reference"


@dataclass(frozen=True)
class ReferenceArrays:
    """Arrays of a run for its reference functions, and the permission to execute these."""

    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any]
    allow_python: bool = False

    @staticmethod
    def of(result: Result, allow_python: bool) -> ReferenceArrays:
        """The arguments of a run as it began, and its outputs; those of several ranks are stacked by rank."""
        inputs = {name: value for name, value in result.arguments.items() if value is not None}
        before = {name: value for name, value in result.initial.items() if isinstance(value, np.ndarray)}
        in_memory = {name: value for name, value in result.outputs.items() if name in inputs}
        return ReferenceArrays(_stacked(inputs | before), _stacked(in_memory or result.outputs), allow_python)


def _stacked(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Join `x@0`, `x@1`, ... to one array `x` with the rank as its first axis."""
    found = {name: value for name, value in arrays.items() if "@" not in name}
    families = dict.fromkeys(name.partition("@")[0] for name in arrays if "@" in name)
    for family in families:
        ranks = sorted(int(name.partition("@")[2]) for name in arrays if name.startswith(f"{family}@"))
        found[family] = np.stack([arrays[f"{family}@{rank}"] for rank in ranks])
    return found


def below_program(source: Source, file: str) -> Path | None:
    """Resolve a file that a program names; None unless it is at or below the program's directory."""
    folder = Path(source.filename).resolve().parent
    path = (folder / file).resolve()
    return path if path.is_relative_to(folder) else None


def load_reference(spec: str, allowed: bool, program: Span | None = None) -> Reference:
    """Load the function that `FILE.py:FUNCTION` names.

    `allowed` is the user's permission to execute Python. `program` is where a program names the function: the
    file is then relative to the program and at or below its directory. Raises `PtoasError` (PTO-R704).
    """
    span = command_line_span(f"--reference {spec}") if program is None else program

    def refuse(message: str, fix: str | None = None) -> Exception:
        return failure("PTO-R704", message, span=span, fix=fix)

    match = SPEC.fullmatch(spec)
    if match is None:
        raise refuse(f"`{spec}` is not FILE.py:FUNCTION")
    file, name = match["file"], match["function"]
    if not allowed:
        raise refuse(
            f"{file} is Python and would be executed",
            "if you trust it, add --allow-python, or `allow-python = true` to the project's configuration",
        )
    path = Path(file) if program is None else below_program(program.source, file)
    if path is None:
        raise refuse(f"`{file}` is not below the program's directory")
    if not path.is_file():
        raise refuse(f"there is no file {file}")
    loading = spec_from_file_location(_MODULE, path)
    assert loading is not None and loading.loader is not None
    module = module_from_spec(loading)
    try:
        loading.loader.exec_module(module)
    except Exception as error:
        raise refuse(f"{file} can't be loaded: {_words(error)}") from error
    function = getattr(module, name, None)
    if not callable(function):
        functions = [key for key, value in vars(module).items() if callable(value) and key[0] != "_"]
        raise refuse(f"{file} has no function `{name}`", did_you_mean(name, functions))
    return function


def call_reference(
    function: Reference,
    inputs: Mapping[str, Any],
    outputs: Iterable[str],
    span: Span,
    values: Iterable[str] = (),
) -> dict[str, Array]:
    """Call a reference with the inputs that its parameters name; return its arrays by name of output.

    A dictionary may also name `values` of the program.
    """
    title = getattr(function, "__name__", "the reference")
    try:
        returned = function(**_arguments(function, title, inputs))
        named = _by_name(returned, list(outputs), set(values))
        return {name: np.asarray(value) for name, value in named.items()}
    except Exception as error:
        raise failure("PTO-R704", f"{title}: {_words(error)}", span=span) from error


def _by_name(returned: Any, outputs: list[str], inner: Set[str]) -> Mapping[str, Any]:
    """Match a dictionary with the outputs by its keys, a tuple or a single array by position."""
    known = ", ".join(outputs) or "none"
    if isinstance(returned, Mapping):
        named = cast("Mapping[str, Any]", returned)
        unknown = [name for name in named if name not in outputs and name not in inner]
        if unknown or not named:
            kind = "output or value" if inner else "output"
            raise ValueError(f"there is no {kind} {', '.join(map(str, unknown))}; the outputs are {known}")
        return named
    values = cast("tuple[Any, ...]", returned) if isinstance(returned, tuple) else (returned,)
    if len(values) != len(outputs):
        raise ValueError(
            f"{len(values)} arrays are returned for the outputs {known}; name them in a dictionary"
        )
    return dict(zip(outputs, values, strict=True))


def _arguments(function: Reference, title: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs that a function's parameters name; all of them for `**arguments`."""
    parameters = signature(function).parameters.values()
    if any(each.kind is Parameter.VAR_KEYWORD for each in parameters):
        return dict(inputs)
    missing = [
        each.name for each in parameters if each.name not in inputs and each.default is Parameter.empty
    ]
    if missing:
        known = ", ".join(inputs) or "none"
        raise ValueError(f"{title} takes {', '.join(missing)}; the arguments of the run are {known}")
    return {each.name: inputs[each.name] for each in parameters if each.name in inputs}


def _words(error: Exception) -> str:
    """Name an error, and the line of the user's file where it was raised."""
    trace, line = error.__traceback__, None
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__") == _MODULE:
            line = trace.tb_lineno
        trace = trace.tb_next
    text = " ".join(str(error).split())
    named = text if type(error) is ValueError and line is None else f"{type(error).__name__}: {text}"
    return named if line is None else f"line {line}: {named}"
