"""Copies, where all targets ask the same of them."""

from __future__ import annotations

from ptoas.dialects.pto import movement as d
from ptoas.targets.families.movement import CONCAT_COUNTED
from ptoas.targets.row import Rows
from ptoas.targets.specs import NINE

ROWS: Rows = CONCAT_COUNTED.each({d.TConcatIdxOp: NINE})
