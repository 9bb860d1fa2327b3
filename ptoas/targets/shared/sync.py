"""Flags and barriers: what they order is checked over whole functions."""

from __future__ import annotations

from ptoas.dialects.pto import instructions_of
from ptoas.targets.row import Row, Rows

ROWS: Rows = {op: Row() for op in instructions_of("sync")}
