"""Linkage of compiled functions: the attribute `pto.visibility`."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import FuncOp

VISIBILITY = "pto.visibility"
VISIBILITIES = ("external", "internal")


def visibility(function: FuncOp) -> str | None:
    """The declared visibility: `external` has C linkage, `internal` none outside its file."""
    attribute = function.attributes.get(VISIBILITY)
    return attribute.data if isinstance(attribute, StringAttr) and attribute.data in VISIBILITIES else None


ENTRIES = ("pto.entry", "pto.kernel", "hacc.entry", "pto.aicore")
"""Words for what the host launches: those of the assembler's two ways to code, and two older ones."""


def is_entry(function: FuncOp) -> bool:
    """Return True if the host launches the function, which is then callable from outside in any case."""
    return any(word in function.attributes for word in ENTRIES)
