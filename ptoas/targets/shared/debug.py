"""Printing and stopping: the scalar pipe does both."""

from __future__ import annotations

from ptoas.dialects.pto import debug as d
from ptoas.targets.pipes import S
from ptoas.targets.row import Call, Row, Rows
from ptoas.targets.rules.debug import format_fits_the_scalar

PRINT = Row(rules=(format_fits_the_scalar,), pipe=S)

ROWS: Rows = {
    d.PrintOp: PRINT.override(call=Call("cce::printf", arguments="#format scalar")),
    d.TrapOp: Row(pipe=S, call=Call("trap")),
}
