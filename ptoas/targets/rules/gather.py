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
    reason="The reference walks elements; read as Elem, row indices would give other data without a word.",
    failing=mgather("row", "16x32xf32", "64x32xf32", "16x32xi32"),
    passing=_GOOD_CPU,
    on="cpu",
)
def cpu_has_no_row_mode(op: MGatherOp, know: Facts) -> Violations:
    """The CPU form has no Coalesce parameter: only Elem gathers are legal."""
    if know.is_row:
        yield Violation(
            "mode: found row, required elem (the reference has no Row path)",
            field="coalesce",
            fix="lower or run with --legalize, which turns rows into element indices",
        )


@rule(
    "PTO-A302",
    source="000, CPU Reference Form; D17",
    reason="The reference checks no bounds.",
    failing=mgather("elem.clamp", "16x32xf32", "64x32xf32", "16x32xi32"),
    passing=mgather("elem.undefined", "16x32xf32", "64x32xf32", "16x32xi32"),
    on="cpu",
)
def cpu_has_no_out_of_bounds_mode(op: MGatherOp, know: Facts) -> Violations:
    """The CPU form has no GatherOOB parameter: only `undefined` is legal."""
    oob = op.gather_oob
    if oob is not None and oob.data is not GatherOOB.Undefined:
        yield Violation(
            f"out-of-bounds mode: found {oob.data.value}, required undefined",
            field="gatherOob",
            fix="lower or run with --legalize, which remaps the indices beforehand",
        )
