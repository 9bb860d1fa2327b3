"""MSCATTER: the mirror image of MGATHER, with atomics (public ISA page of MSCATTER)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ptoas.diagnostics import Severity
from ptoas.dialects.pto.enums import Coalesce, ScatterAtomicOp
from ptoas.dialects.pto.gather import MScatterOp
from ptoas.targets.facts import Facts
from ptoas.targets.rule import Violation, Violations, mismatch, rule
from ptoas.targets.rules.examples import mscatter
from ptoas.targets.specs import Types, element_names

_ROW = mscatter("row", "16x32xf32", "64x32xf32", "1x16xi32")


@rule(
    "PTO-S301",
    source="MSCATTER, Tile Constraints, Atomic operation constraints",
    reason="The hardware has atomic units for these types only.",
    failing=mscatter("row.atomic_max", "16x32xf32", "64x32xf32", "1x16xi32"),
    passing=mscatter("row.atomic_add", "16x32xf32", "64x32xf32", "1x16xi32"),
    on="a2a3",
)
def scatter_atomic_takes_the_element_type(
    op: MScatterOp, know: Facts, types: Mapping[str, Types] = MappingProxyType({})
) -> Violations:
    """The target must support the atomic operation for the element type."""
    atomic = op.scatter_atomic_op
    if atomic is None or atomic.data is ScatterAtomicOp.None_:
        return
    src, taken = know.tile("src"), types.get(atomic.data.value, ())
    if src.element not in taken:
        others = f"; it supports {element_names(taken)}" if taken else ""
        message = f"atomic {atomic.data.value} does not support {src.element_name}{others}"
        yield Violation(message, slot="src")


@rule(
    "PTO-S302",
    source="MSCATTER, Conflict Resolution",
    reason="Only the SIMT kernel chooses between writers; elsewhere the last write wins.",
    failing=mscatter("row.last", "16x32xf32", "64x32xf32", "1x16xi32"),
    passing=_ROW,
)
def scatter_conflict_is_for_a5(op: MScatterOp, know: Facts) -> Violations:
    """scatterConflict is supported on A5 only."""
    if op.scatter_conflict is not None:
        found = op.scatter_conflict.data.value
        yield Violation(
            f"scatterConflict = {found} is not supported here",
            field="scatterConflict",
            fix="remove it",
        )


@rule(
    "PTO-S303",
    source="MSCATTER, Conflict Resolution",
    reason="All atomic writers take effect, so there is nothing to choose.",
    failing=mscatter("row.atomic_add.last", "16x32xf32", "64x32xf32", "1x16xi32"),
    passing=mscatter("row.last", "16x32xf32", "64x32xf32", "1x16xi32"),
    on="a5",
)
def scatter_conflict_excludes_atomics(op: MScatterOp, know: Facts) -> Violations:
    """scatterConflict = last can't be combined with an atomic operation."""
    atomic = op.scatter_atomic_op
    if op.scatter_conflict is None or atomic is None or atomic.data is ScatterAtomicOp.None_:
        return
    if op.scatter_conflict.data.value == "last":
        required = f"default with atomic {atomic.data.value}"
        yield mismatch("scatterConflict", "last", required, field="scatterConflict")


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
