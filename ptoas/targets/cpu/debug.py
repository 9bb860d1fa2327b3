"""Printing and stopping on the simulator: it has C's own functions."""

from __future__ import annotations

from ptoas.dialects.pto import debug as d
from ptoas.targets.pipes import S
from ptoas.targets.row import Call, Row, Rows
from ptoas.targets.shared.debug import PRINT

ROWS: Rows = {
    d.PrintOp: PRINT.override(call=Call("printf", arguments="#format scalar", header="cstdio")),
    d.TrapOp: Row(pipe=S, call=Call("__builtin_trap")),
}
