"""Reductions: what is special to sums in pairs (public TCOLSUM page and headers)."""

from __future__ import annotations

from collections.abc import Iterator

from ptoas.dialects.pto.reduce import TColSumOp
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.targets.facts import Facts
from ptoas.targets.rule import Violation, mismatch, rule
from ptoas.targets.rules.examples import instruction

_PAIRS = "isBinary = true"


@rule(
    "PTO-E601",
    source="TCOLSUM header, columns of tmp",
    reason="Sums of two rows lie one under the other in the scratch tile.",
    failing=instruction("tcolsum", "1x32xf32", "16x32xf32", "32x8xf32", attrs=_PAIRS),
    passing=instruction("tcolsum", "1x32xf32", "16x32xf32", "8x32xf32", attrs=_PAIRS),
    on="a2a3 a5",
)
def sums_of_pairs_fit_the_scratch_tile(op: TColSumOp, know: Facts) -> Iterator[Violation]:
    """A scratch tile for sums in pairs has as many columns as the source has valid ones."""
    if op.tmp is None or not op.in_pairs:
        return
    found, required = know.tile("tmp").cols, know.tile("src").valid_cols
    if required != DYNAMIC and found < required:
        yield mismatch("columns of tmp", found, f"at least {required}", slot="tmp")
