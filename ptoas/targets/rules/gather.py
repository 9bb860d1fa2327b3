"""MGATHER: its modes (documents 000, 001, 002)."""

from __future__ import annotations

from collections.abc import Iterator

from ptoas.dialects.pto.enums import GatherOOB
from ptoas.dialects.pto.gather import MGatherOp
from ptoas.targets.facts import Facts
from ptoas.targets.rule import Violation, rule
from ptoas.targets.rules.examples import mgather

Violations = Iterator[Violation]

_GOOD_CPU = mgather("elem", "16x32xf32", "64x32xf32", "16x32xi32")


# --- modes ---------------------------------------------------------------------------------------


@rule(
    "PTO-A301",
    source="000, CPU Reference Form; D17",
    reason="The reference has no Coalesce parameter and reads every index as an element index, so row "
    "indices would silently give other data.",
    failing=mgather("row", "16x32xf32", "64x32xf32", "16x32xi32"),
    passing=_GOOD_CPU,
    on="cpu",
)
def cpu_has_no_row_mode(op: MGatherOp, know: Facts) -> Violations:
    """cpu supports Elem gathers only."""
    if know.is_row:
        yield Violation(
            "mode: found row, expected elem",
            field="coalesce",
            fix="lower or run with --legalize, which turns rows into element indices",
        )


@rule(
    "PTO-A302",
    source="000, CPU Reference Form; D17",
    reason="The reference has no GatherOOB parameter and checks no bounds.",
    failing=mgather("elem.clamp", "16x32xf32", "64x32xf32", "16x32xi32"),
    passing=mgather("elem.undefined", "16x32xf32", "64x32xf32", "16x32xi32"),
    on="cpu",
)
def cpu_has_no_out_of_bounds_mode(op: MGatherOp, know: Facts) -> Violations:
    """cpu supports the out-of-bounds mode `undefined` only."""
    oob = op.gather_oob
    if oob is not None and oob.data is not GatherOOB.Undefined:
        yield Violation(
            f"out-of-bounds mode: found {oob.data.value}, expected undefined",
            field="gatherOob",
            fix="lower or run with --legalize, which remaps the indices beforehand",
        )
