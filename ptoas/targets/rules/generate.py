"""Histograms: bins, bytes, filters (public THISTOGRAM page and header)."""

from __future__ import annotations

from ptoas.targets.relation import Relation, constraint
from ptoas.targets.specs import DN

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
    "byte in 0 to src.size - 1",
    source="THistogram.hpp: static assertions",
    reason="An element of 16 bits has two bytes.",
)
def histogram_counts_a_byte_of_the_element() -> None:
    """thistogram must count a byte that the source's element has."""


_FILTERS = "src.size == 4 and byte != 3"


@constraint(
    "PTO-E903",
    Relation(f"idx.order == '{DN.text}'", when="src.size == 2"),
    Relation("idx.cols == 1", when="src.size == 2", fix=""),
    Relation("idx.blayout == row_major", when=_FILTERS),
    Relation("idx.rows ==", lambda op, _: 3 - op.number, ", one for each higher byte", fix="", when=_FILTERS),
    Relation("idx.cols == src.cols, as $src", fix="", when=_FILTERS),
    source="a5/THistogram.hpp: static assertions",
    reason="16-bit elements have one filter per row; 32-bit elements have a row of filters for each "
    "higher byte.",
)
def histogram_has_its_filters() -> None:
    """The index of thistogram must be a column for 16-bit elements; for 32-bit elements it must have the
    source's columns and a row for each byte above the counted one."""
