"""What repeats a value, where all targets ask the same of it."""

from __future__ import annotations

from ptoas.dialects.pto import expand as x
from ptoas.targets.families.expand import COLUMN_EXPAND_BINARY
from ptoas.targets.row import Rows

ROWS: Rows = COLUMN_EXPAND_BINARY.each({x.TColExpandExpdifOp: "f16 f32"})
