"""The reference of types: `ptoas explain memref`, and a page of the site."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import indent
from typing import Any

from ptoas.diagnostics.columns import columns
from ptoas.diagnostics.data import load_data
from ptoas.dialects.pto import OPS
from ptoas.dialects.pto.element_types import BY_TEXT, ElementType
from ptoas.project.instruction_pages import example_of, rows_of
from ptoas.targets import TARGETS
from ptoas.targets.row import Row


def type_names() -> dict[str, str]:
    """The names of types, and of element types, with the entry that describes each."""
    types = load_data("types")
    aliases = {alias: name for name, entry in types.items() for alias in entry["aliases"]}
    elements = {text.removeprefix("!").removeprefix("pto."): each.text for text, each in BY_TEXT.items()}
    return elements | aliases | {name: name for name in types}


def text(name: str) -> str:
    """Describe a type, or an element type, for a terminal; `name` is one of `type_names`."""
    entry = type_names()[name]
    if entry in BY_TEXT:
        return _element_text(BY_TEXT[entry])
    found = load_data("types")[entry]
    lines = [f"{name}: {found['title']}", "", found["meaning"].strip(), "", "spellings"]
    lines += [f"  {spelling}" for spelling in found["spellings"]]
    parameters = found.get("parameters", {})
    if parameters:
        lines += ["", "parameters", *(f"  {line}" for line in columns([*parameters.items()]))]
    return "\n".join([*lines, "", "example", indent(program_of(found), "  ")])


def program_of(entry: dict[str, Any]) -> str:
    """The program of a type: its own, or that of the instruction that shows it."""
    if "program" in entry:
        return entry["program"].strip()
    example = example_of(next(op for op in OPS if op.mnemonic() == entry["shown"]))
    assert example is not None
    return example.program


def _element_text(element: ElementType) -> str:
    size = f"{element.size} byte{'s' * (element.size != 1)}"
    pair = " for a pair of elements" * (element.kind == "pairs")
    lines = [f"{element.text}: an element type of {size}{pair}"]
    if element.aliases:
        lines.append(f"also written {', '.join(element.aliases)}")
    return "\n".join(
        [*lines, "", "instructions with operands of this type", f"  {instruction_counts(element)}"]
    )


def instruction_counts(element: ElementType) -> str:
    """The number of instructions of each target that take an element type."""
    counts = {target: len(set(_taking(element, target))) for target in TARGETS}
    return ", ".join(f"{target} {count}" for target, count in counts.items())


def _taking(element: ElementType, target: str) -> Iterable[str]:
    """The instructions whose rows list an element type."""
    for op in OPS:
        for row in rows_of(TARGETS[target].entry(op)):
            specs = [*row.tiles.values(), *row.views.values()] if isinstance(row, Row) else []
            if any(element in (spec.types or ()) for spec in specs):
                yield op.mnemonic()
