"""Build output of PyPTO: one program per unit under `ptoas/`, golden data beside it.

    BUILD/ptoas/UNIT.pto                 a program
    BUILD/golden.py                      order of the tensors, tolerances; parsed, never run
    BUILD/data/in/NAME.pt                a tensor before the run (also .npy and .bin)
    BUILD/data/out/NAME.pt               a tensor after it

Programs of several ranks have a build per rank below `next_levels/`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from ptoas.diagnostics.files import read_plain
from ptoas.runner.entry import entries_of

UNITS = "ptoas"
SUFFIXES = (".pt", ".npy", ".bin")


@dataclass(frozen=True)
class Golden:
    """Files for the arguments of a unit and for its outputs, as `NAME=FILE`, with tolerances."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    rtol: float
    atol: float


def is_unit(path: str) -> bool:
    """Return True if a file is where PyPTO writes the programs of a build.

    >>> from ptoas.project.build_output import is_unit
    >>> is_unit("build_output/matmul/ptoas/matmul.pto"), is_unit("kernels/matmul.pto")
    (True, False)
    """
    return Path(path).parent.name == UNITS


def golden_of(path: str, module: ModuleOp) -> Golden | None:
    """Return the golden data for a unit, or `None` if it has none.

    Data belongs to parameters of its names. If no parameter has such a name, `golden.py` tells the order of
    the tensors, and they belong to the parameters in this order if there are as many.
    """
    if not is_unit(path):
        return None
    build = Path(path).parent.parent
    script = _Script.read(build / "golden.py")
    inputs, outputs = _files(build / "data" / "in"), _files(build / "data" / "out")
    entries = entries_of(module)
    if len(entries) != 1 or not outputs:
        return None
    names = _match(_parameters(module, entries[0]), [*inputs, *outputs], script.names)
    if names is None:
        return None
    return Golden(
        tuple(f"{names[name]}={file}" for name, file in inputs.items()),
        tuple(f"{names[name]}={file}" for name, file in outputs.items()),
        script.rtol,
        script.atol,
    )


def _match(parameters: Sequence[str], data: Sequence[str], order: Sequence[str]) -> dict[str, str] | None:
    """Return the parameter of each name of data."""
    if set(data) <= set(parameters):
        return {name: name for name in data}
    if set(data) <= set(order) and len(order) == len(parameters):
        return dict(zip(order, parameters, strict=True))
    return None


def _parameters(module: ModuleOp, entry: str) -> list[str]:
    for op in module.walk():
        if isinstance(op, FuncOp) and op.sym_name.data == entry:
            return [argument.name_hint or f"arg{at}" for at, argument in enumerate(op.args)]
    return []


def _files(folder: Path) -> dict[str, Path]:
    found = [path for path in sorted(folder.glob("*")) if path.suffix in SUFFIXES]
    return {path.stem: path for path in found}


@dataclass(frozen=True)
class _Script:
    """Literals of a `golden.py`."""

    names: tuple[str, ...] = ()
    rtol: float = 1e-5
    atol: float = 1e-5

    @staticmethod
    def read(path: Path) -> _Script:
        try:
            tree = ast.parse(read_plain(path))
        except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
            return _Script()
        numbers = {"RTOL": 1e-5, "ATOL": 1e-5}
        names: tuple[str, ...] = ()
        for statement in tree.body:
            match statement:
                case ast.Assign([ast.Name(name)], ast.Constant(float(value) | int(value))) if name in numbers:
                    numbers[name] = float(value)
                case ast.FunctionDef("generate_inputs", body=[*_, ast.Return(ast.List(pairs))]):
                    names = tuple(name for pair in pairs for name in _first_text(pair))
                case _:
                    pass
        return _Script(names, numbers["RTOL"], numbers["ATOL"])


def _first_text(pair: ast.expr) -> list[Any]:
    match pair:
        case ast.Tuple([ast.Constant(str(name)), *_]):
            return [name]
        case _:
            return []
