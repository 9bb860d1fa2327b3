"""Products of matrices on the simulator: plain loops in f32 and i32."""

from __future__ import annotations

from ptoas.targets.row import Rows
from ptoas.targets.shared.matmul import TYPES, Walk, products

ROWS: Rows = products(TYPES, Walk())
