"""Repeating rows, columns and scalars on A2/A3; the scalar pipe reads what a row repeats."""

from __future__ import annotations

from ptoas.dialects.pto import expand as x
from ptoas.targets.families import COLUMN_EXPAND, FILL, ROW_EXPAND
from ptoas.targets.pipes import Pipes, S, V
from ptoas.targets.row import Rows
from ptoas.targets.specs import NINE

ROWS: Rows = {
    x.TExpandSOp: FILL.of(NINE),
    x.TRowExpandOp: ROW_EXPAND.of(NINE, pipe=Pipes(V, {"src": (S, V)}, before=((V, S),), after=((S, V),))),
    x.TColExpandOp: COLUMN_EXPAND.of(NINE),
}
