"""Reductions: what is special to sums in pairs (public TCOLSUM page and headers)."""

from __future__ import annotations

from ptoas.targets.relation import Relation, constraint
from ptoas.targets.rules.examples import instruction

_PAIRS = "isBinary = true"


@constraint(
    "PTO-E601",
    Relation("tmp.cols >= src.valid_cols", when=lambda op, _: op.in_pairs),
    source="TCOLSUM header, columns of tmp",
    reason="The sums of two rows are stored below each other in the scratch tile.",
    failing=instruction("tcolsum", "1x32xf32", "16x32xf32", "32x8xf32", attrs=_PAIRS),
    passing=instruction("tcolsum", "1x32xf32", "16x32xf32", "8x32xf32", attrs=_PAIRS),
)
def sums_of_pairs_fit_the_scratch_tile() -> None:
    """A scratch tile for pairwise sums needs at least as many columns as the source has valid columns."""
