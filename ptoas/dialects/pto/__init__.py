"""The `pto` dialect: types, attributes and instructions, chapter by chapter."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from xdsl.ir import Dialect

from ptoas.dialects.plugins import plugins
from ptoas.dialects.pto import (
    arrays,
    asynchronous,
    channel,
    comm,
    compare,
    core_sync,
    debug,
    elementwise,
    expand,
    fused,
    gather,
    generate,
    matmul,
    memory,
    movement,
    multi_tile,
    partial,
    pointers,
    quant,
    reduce,
    remote,
    scalar,
    sort,
    sync,
    tile_scalar,
    views,
)
from ptoas.dialects.pto.core_enums import CORE_ENUM_ATTRIBUTES
from ptoas.dialects.pto.core_types import CORE_TYPES
from ptoas.dialects.pto.enums import ENUM_ATTRIBUTES
from ptoas.dialects.pto.instruction import PtoOp, check_slots
from ptoas.dialects.pto.local_types import LOCAL_TYPES
from ptoas.dialects.pto.types import TYPES

OTHERS: tuple[str, ...] = tuple(chapter for plugin in plugins() for chapter in plugin.chapters)
"""The chapters of other packages, by the full names of their modules."""

_TITLES: dict[ModuleType, str] = {
    views: "Views and tiles",
    multi_tile: "Several tiles under one name",
    memory: "Memory",
    scalar: "Scalars and pointers",
    pointers: "Pointers as numbers",
    arrays: "Arrays and structs of scalars",
    gather: "Gathers and scatters",
    elementwise: "Arithmetic, element by element",
    tile_scalar: "Arithmetic with a scalar",
    fused: "Fused and pairwise arithmetic",
    expand: "Repeating rows, columns and scalars",
    reduce: "Reductions",
    compare: "Comparing and selecting",
    partial: "Arithmetic where an operand may be missing",
    generate: "Patterns, random numbers, histograms",
    quant: "Conversion and quantisation",
    sort: "Sorting and merging",
    movement: "Copies between tiles",
    matmul: "Products of matrices",
    debug: "Printing and stopping",
    sync: "Synchronisation",
    core_sync: "Synchronisation of cores and blocks",
    channel: "Channels between cores",
    comm: "Collectives",
    remote: "Transfers and signals between ranks",
    asynchronous: "Asynchronous transfers and prefetching",
} | {
    module: (module.__doc__ or module.__name__).split("\n")[0].rstrip(".")
    for module in map(import_module, OTHERS)
}


def _name(module: ModuleType) -> str:
    return module.__name__.removeprefix(f"{__name__}.")


CHAPTERS: dict[str, str] = {_name(module): title for module, title in _TITLES.items()}
"""The modules that define instructions, those of other packages by their full names, and their titles, in the
order of the reference page."""


def _defined_in(module: ModuleType) -> tuple[type[PtoOp], ...]:
    here = (x for x in vars(module).values() if isinstance(x, type) and x.__module__ == module.__name__)
    return tuple(cls for cls in here if issubclass(cls, PtoOp) and "name" in vars(cls))


_INSTRUCTIONS = {_name(module): _defined_in(module) for module in _TITLES}


def instructions_of(chapter: str) -> tuple[type[PtoOp], ...]:
    """The instructions that a chapter defines, in its order."""
    return _INSTRUCTIONS[chapter]


OPS: tuple[type[PtoOp], ...] = tuple(op for ops in _INSTRUCTIONS.values() for op in ops)
"""Every instruction, in the order of the reference page."""

for _op in OPS:
    check_slots(_op)

OPCODES: dict[str, type[PtoOp]] = {name: op for op in OPS for name in (op.mnemonic(), *op.ALIASES)}
"""The instruction by its opcode or another name for it, without the dialect."""

OVERLOADS: dict[str, type[PtoOp]] = {name: op for op in OPS for name in op.OVERLOADS}
"""The instruction by an opcode that means it for some types of operands only."""

PTO = Dialect("pto", [*OPS], [*TYPES, *LOCAL_TYPES, *CORE_TYPES, *ENUM_ATTRIBUTES, *CORE_ENUM_ATTRIBUTES])
