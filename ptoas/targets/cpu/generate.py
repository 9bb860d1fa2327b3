"""Patterns, random numbers and histograms of the simulator."""

from __future__ import annotations

from ptoas.dialects.pto import generate as g
from ptoas.targets.row import Rows
from ptoas.targets.rules import generate as r
from ptoas.targets.shared.generate import HISTOGRAM, RANDOM, TRIANGLE

ROWS: Rows = {
    g.TTriOp: TRIANGLE.of("i16 u16 i32 u32 f16 bf16 f32"),
    g.TRandomOp: RANDOM,
    g.THistogramOp: HISTOGRAM.override(
        rules=(r.histogram_has_its_bins, r.histogram_counts_a_byte_of_the_element)
    ),
}
