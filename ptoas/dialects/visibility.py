"""Who can call a function once it is compiled: the attribute `pto.visibility`."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import FuncOp

VISIBILITY = "pto.visibility"
VISIBILITIES = ("external", "internal")


def visibility(function: FuncOp) -> str | None:
    """What the function says of itself: `external` has C linkage, `internal` none outside its file."""
    given = function.attributes.get(VISIBILITY)
    return given.data if isinstance(given, StringAttr) and given.data in VISIBILITIES else None
