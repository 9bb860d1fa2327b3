"""MGATHER: its modes and its budget (documents 000, 001, 002)."""

from __future__ import annotations

from collections.abc import Iterator

from ptoas.diagnostics import Severity
from ptoas.dialects.pto.enums import GatherOOB
from ptoas.dialects.pto.gather import MGatherOp
from ptoas.targets.facts import Facts
from ptoas.targets.rule import Violation, mismatch, rule
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


# --- budget --------------------------------------------------------------------------------------


@rule(
    "PTO-A401",
    source="000, UB Memory Budget, A5; D22",
    reason="Without a dynamic region the data cache keeps its default size, and results may be corrupted.",
    failing=mgather("elem", "96x256xf32", "64x32xf32", "96x256xi32"),
    passing=mgather("elem", "64x256xf32", "64x32xf32", "64x256xi32"),
    severity=Severity.WARNING,
)
def gather_fits_the_default_budget(op: MGatherOp, know: Facts) -> Violations:
    """Destination and index together above 128 KB need an explicit dynUBufSize at launch."""
    ub = know.target.ub
    assert ub is not None and ub.default_budget is not None, "the rule is for targets with a budget"
    used = know.tile("dst").type.size_bytes + know.tile("idx").type.size_bytes
    if ub.default_budget < used <= ub.limit(simt=True):
        limit = f"{ub.default_budget} bytes by default"
        fix = f"launch with dynUBufSize = {used}: kernel<<<blocks, {used}, stream>>>(...)"
        yield mismatch("destination and index", f"{used} bytes", limit, part="statement", fix=fix)
