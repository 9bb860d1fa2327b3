"""The `pto` dialect: types, attributes and instructions, chapter by chapter.

A chapter is imported when a program names one of its instructions: most programs need three of them.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from xdsl.ir import Attribute, Dialect

from ptoas.dialects.pto.instruction import PtoOp
from ptoas.plugins import plugins

if TYPE_CHECKING:
    OPS: tuple[type[PtoOp], ...]
    """Every instruction, in the order of the reference page."""
    PTO: Dialect

CHAPTERS: dict[str, str] = {
    "views": "Views and tiles",
    "multi_tile": "Several tiles under one name",
    "memory": "Memory",
    "scalar": "Scalars and pointers",
    "pointers": "Pointers as numbers",
    "arrays": "Arrays and structs of scalars",
    "gather": "Gathers and scatters",
    "elementwise": "Arithmetic, element by element",
    "tile_scalar": "Arithmetic with a scalar",
    "expand": "Repeating rows, columns and scalars",
    "reduce": "Reductions",
    "compare": "Comparing and selecting",
    "partial": "Arithmetic where an operand may be missing",
    "generate": "Patterns, random numbers, histograms",
    "quant": "Conversion and quantisation",
    "sort": "Sorting and merging",
    "movement": "Copies between tiles",
    "matmul": "Products of matrices",
    "debug": "Printing and stopping",
    "sync": "Synchronisation",
    "core_sync": "Synchronisation of cores and blocks",
    "channel": "Channels between cores",
    "comm": "Collectives",
    "remote": "Transfers and signals between ranks",
    "asynchronous": "Asynchronous transfers and prefetching",
}
"""The modules that define instructions, and their titles, in the order of the reference page."""


@cache
def instructions_of(chapter: str) -> tuple[type[PtoOp], ...]:
    """The instructions that a chapter defines, in its order; one of another package by its full name."""
    module = import_module(chapter if "." in chapter else f"{__name__}.{chapter}")
    here = (x for x in vars(module).values() if isinstance(x, type) and x.__module__ == module.__name__)
    return tuple(cls for cls in here if issubclass(cls, PtoOp) and "name" in vars(cls))


OTHERS: tuple[str, ...] = tuple(chapter for plugin in plugins() for chapter in plugin.chapters)
"""The chapters of other packages, by the full names of their modules."""
for _chapter in OTHERS:
    CHAPTERS[_chapter] = (import_module(_chapter).__doc__ or _chapter).split("\n")[0].rstrip(".")


@cache
def _dialect() -> Dialect:
    from ptoas.dialects.pto.core_enums import CORE_ENUM_ATTRIBUTES
    from ptoas.dialects.pto.core_types import CORE_TYPES
    from ptoas.dialects.pto.enums import ENUM_ATTRIBUTES
    from ptoas.dialects.pto.local_types import LOCAL_TYPES
    from ptoas.dialects.pto.types import TYPES

    attributes: list[type[Attribute]] = [
        *TYPES,
        *LOCAL_TYPES,
        *CORE_TYPES,
        *ENUM_ATTRIBUTES,
        *CORE_ENUM_ATTRIBUTES,
    ]
    return Dialect("pto", [op for chapter in CHAPTERS for op in instructions_of(chapter)], attributes)


def __getattr__(name: str) -> Any:
    """What needs all chapters, when it is asked for."""
    if name == "OPS":
        return tuple(_dialect().operations)
    if name == "PTO":
        return _dialect()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
