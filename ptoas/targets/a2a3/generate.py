"""Patterns of A2/A3."""

from __future__ import annotations

from ptoas.dialects.pto import generate as g
from ptoas.targets.row import Rows, Unsupported
from ptoas.targets.shared.generate import TRIANGLE

ROWS: Rows = {
    g.TTriOp: TRIANGLE.of("i16 u16 i32 u32 f16 f32"),
    g.TRandomOp: Unsupported("A2/A3 has no instruction for random numbers"),
    g.THistogramOp: Unsupported("A2/A3 has no instruction for histograms"),
}
