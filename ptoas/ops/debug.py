"""Printing and trapping."""

from __future__ import annotations

import re
from collections.abc import Callable

from ptoas.analysis.integers import integer_width
from ptoas.dialects.pto import debug as dialect
from ptoas.machine.machine import Machine, prepared_value, value

_LENGTH = re.compile(r"%([-+ #0]*\d*(?:\.\d+)?)(?:hh|h|ll|l|j|z|t|L)?([a-zA-Z])")
"""A conversion of C; Python has no lengths."""


@prepared_value(dialect.PrintOp)
def print_scalar(op: dialect.PrintOp, m: Machine) -> Callable[..., None]:
    """Print a scalar as C does; unsigned formats print no sign."""
    kinds = [kind for _, kind in _LENGTH.findall(op.format.data.replace("%%", ""))]
    text = _LENGTH.sub(r"%\1\2", op.format.data)
    width = integer_width(op.scalar.type)
    mask = (1 << width) - 1 if width is not None and kinds and kinds[0] in "uxXo" else None

    def run(scalar: float) -> None:
        shown = scalar if mask is None else int(scalar) & mask
        m.print_line((text % shown if kinds else text % ()).rstrip("\n"))

    return run


@value(dialect.TrapOp)
def trap(op: dialect.TrapOp, m: Machine) -> None:
    raise m.fail("PTO-R152", "trap was executed", op)
