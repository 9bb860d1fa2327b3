"""Printing scalars."""

from __future__ import annotations

import re

from xdsl.dialects.builtin import AnyFloat

from ptoas.dialects.pto.debug import PrintOp
from ptoas.targets.facts import Facts
from ptoas.targets.rule import Violations, mismatch, rule

_CONVERSION = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?(?:hh|h|ll|l|j|z|t|L)?(.)")
_INTEGERS, _FLOATS = "diuxXoc", "fFeEgG"


@rule(
    "PTO-G303",
    source="PTOAS print",
    reason="printf would read a wrong or missing argument.",
)
def format_fits_the_scalar(op: PrintOp, know: Facts) -> Violations:
    """The format must have exactly one conversion that fits the value: %d, %i, %u, %x, %X, %o or %c for an
    integer, %f, %e or %g for a float."""
    is_float = isinstance(op.scalar.type, AnyFloat)
    kinds = _CONVERSION.findall(op.format.data.replace("%%", ""))
    required = f"one of %{', %'.join(_FLOATS if is_float else _INTEGERS)}, once"
    if len(kinds) != 1 or kinds[0] not in (_FLOATS if is_float else _INTEGERS):
        found = " ".join(f"%{kind}" for kind in kinds) or "none"
        yield mismatch(f"conversions for {op.scalar.type}", found, required, field="format")
