"""Histograms: bins, bytes, filters (public THISTOGRAM page and header)."""

from __future__ import annotations

from ptoas.dialects.pto.generate import THistogramOp
from ptoas.targets.facts import Facts
from ptoas.targets.relation import constraint
from ptoas.targets.rule import Violations, mismatch, rule
from ptoas.targets.specs import DN, ROW_MAJOR

BINS = 256


@constraint(
    "PTO-E901",
    f"dst.valid_cols >= {BINS}",
    source="public THISTOGRAM page; THistogram.hpp",
    reason="A byte has 256 values.",
)
def histogram_has_its_bins() -> None:
    """The destination of thistogram has at least 256 valid columns."""


@constraint(
    "PTO-E902",
    "byte < src.size",
    source="THistogram.hpp: static assertions",
    reason="An element of 16 bits has two bytes.",
)
def histogram_counts_a_byte_of_the_element() -> None:
    """thistogram must count a byte that the source's element has."""


@rule(
    "PTO-E903",
    source="a5/THistogram.hpp: static assertions",
    reason="16-bit elements have one filter per row; 32-bit elements have a row of filters for each "
    "higher byte.",
)
def histogram_has_its_filters(op: THistogramOp, know: Facts) -> Violations:
    """The index of thistogram must be a column for 16-bit elements; for 32-bit elements it must have the
    source's columns and a row for each byte above the counted one."""
    src, idx = know.tile("src"), know.tile("idx")
    if src.size == 2:
        if not DN.holds(idx.type) or idx.type.cols != 1:
            found = f"{idx.layout_text}, {idx.type.cols} columns"
            yield mismatch("idx", found, f"{DN.text}, 1 column", slot="idx")
        return
    rows = src.size - 1 - op.number
    if rows == 0:
        return
    if not ROW_MAJOR.holds(idx.type):
        yield mismatch("layout of $idx", idx.layout_text, ROW_MAJOR.text, slot="idx")
    expected = (rows, src.type.cols)
    if idx.type.shape != expected:
        found, required = (f"{shape[0]}x{shape[1]}" for shape in (idx.type.shape, expected))
        yield mismatch("physical shape of $idx", found, required, slot="idx")
