"""Known deviations of the library's simulator (`data/simulator_faults.toml`) as causes of a failure."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ptoas.diagnostics import Note
from ptoas.diagnostics.data import load_data
from ptoas.dialects.pto.element_types import element_text
from ptoas.dialects.pto.types import PtrType, TileType, ViewType
from ptoas.grammar.spans import span_of

BUILD, STOPS, BYTES = "build", "stops", "bytes"
"""Symptom of a fault: compile error, abort, or different values."""


def likely_causes(module: ModuleOp, symptom: str) -> Iterator[Note]:
    """Notes on the instructions and element types of a program that have a known fault of this symptom."""
    faults = load_data("simulator_faults")
    first: dict[str, Operation] = {}
    for op in module.walk():
        first.setdefault(op.name.removeprefix("pto."), op)
    for name, op in first.items():
        for fault in faults[symptom]:
            if name in fault["names"].split():
                yield Note(f"likely: the simulator's {name} {fault['text']}", span_of(op))
    found = {name for op in module.walk() for name in _elements(op)} if symptom == BYTES else set[str]()
    yield from (Note(f"likely: the simulator's {t} {s}") for t, s in faults["types"].items() if t in found)


def _elements(op: Operation) -> Iterator[str]:
    """The element types of an operation's operands and results."""
    for value in (*op.operands, *op.results):
        if isinstance(value.type, PtrType | TileType | ViewType):
            yield element_text(value.type.element_type)
