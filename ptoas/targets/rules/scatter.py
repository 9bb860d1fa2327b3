"""MSCATTER: the mirror image of MGATHER, with atomics (public ISA page of MSCATTER)."""

from __future__ import annotations

from ptoas.diagnostics import Severity
from ptoas.dialects.pto.enums import Coalesce, ScatterAtomicOp
from ptoas.dialects.pto.gather import MScatterOp
from ptoas.targets.facts import Facts
from ptoas.targets.relation import Relation, constraint
from ptoas.targets.rule import Violation, Violations, rule
from ptoas.targets.rules.examples import mscatter

_ROW = mscatter("row", "16x32xf32", "64x32xf32", "1x16xi32")


@constraint(
    "PTO-S301",
    Relation(
        "src.element in types[scatterAtomicOp]",
        message="atomic {scatterAtomicOp} does not support {found}; supported: {expected}",
        when="scatterAtomicOp != none",
    ),
    source="MSCATTER, Tile Constraints, Atomic operation constraints",
    reason="The hardware has atomic units for these types only.",
    failing=mscatter("row.atomic_max", "16x32xf32", "64x32xf32", "1x16xi32"),
    passing=mscatter("row.atomic_add", "16x32xf32", "64x32xf32", "1x16xi32"),
    on="a2a3",
)
def scatter_atomic_takes_the_element_type() -> None:
    """The target must support the atomic operation for the element type."""


@constraint(
    "PTO-S302",
    Relation(
        "scatterConflict == none",
        message="scatterConflict = {found} is not supported on this target",
        fix="remove it",
    ),
    source="MSCATTER, Conflict Resolution",
    reason="Only the SIMT kernel chooses between writers; elsewhere the last write wins.",
    failing=mscatter("row.last", "16x32xf32", "64x32xf32", "1x16xi32"),
    passing=_ROW,
)
def scatter_conflict_is_for_a5() -> None:
    """scatterConflict is supported on A5 only."""


@constraint(
    "PTO-S303",
    Relation(
        "scatterConflict == default",
        note=" with atomic {scatterAtomicOp}",
        when="scatterAtomicOp != none",
    ),
    source="MSCATTER, Conflict Resolution",
    reason="All atomic writers take effect, so there is nothing to choose.",
    failing=mscatter("row.atomic_add.last", "16x32xf32", "64x32xf32", "1x16xi32"),
    passing=mscatter("row.last", "16x32xf32", "64x32xf32", "1x16xi32"),
    on="a5",
)
def scatter_conflict_excludes_atomics() -> None:
    """scatterConflict = last can't be combined with an atomic operation."""


@rule(
    "PTO-S304",
    source="header of MSCATTER, CPU",
    reason="The simulator's Row mode ignores the rows of the index tile, and its Max and Min read a "
    "different element than they write.",
    failing=mscatter("row", "16x32xf32", "64x32xf32", "16x8xi32, valid=16x1"),
    passing=mscatter("elem", "16x32xf32", "64x32xf32", "16x32xi32"),
    severity=Severity.WARNING,
)
def simulator_row_scatter_matches_devices(op: MScatterOp, know: Facts) -> Violations:
    """In Row mode the simulator reads the index of row i from element i of the tile's memory, and compares
    Max and Min with element idx of the table: its results differ from a device."""
    src, idx = know.tile("src"), know.tile("idx")
    if know.coalesce is not Coalesce.Row or idx.rows != src.rows:
        return
    atomic = ScatterAtomicOp.None_ if op.scatter_atomic_op is None else op.scatter_atomic_op.data
    fix = "scatter elements on cpu, or use the results of `ptoas run` instead of the simulator's"
    if src.valid_rows != 1 and idx.cols != 1:
        what = f"index tile of a Row scatter: found rows of {idx.cols}, which the simulator reads as one row"
        yield Violation(what, slot="idx", fix=fix)
    elif atomic in (ScatterAtomicOp.Max, ScatterAtomicOp.Min):
        what = f"{atomic.value} of rows: the simulator compares with another element than it writes"
        yield Violation(what, field="scatterAtomicOp", fix=fix)
