"""MGATHER: its modes (documents 000, 001, 002)."""

from __future__ import annotations

from math import prod

from ptoas.dialects.pto.gather import MGatherMatOp
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.targets.facts import Facts
from ptoas.targets.isa import HEADERS
from ptoas.targets.relation import Relation, constraint
from ptoas.targets.rule import Violation, Violations, mismatch, rule
from ptoas.targets.rules.common import only_in_headers
from ptoas.targets.rules.examples import mgather

_GOOD_CPU = mgather("elem", "16x32xf32", "64x32xf32", "16x32xi32")


# --- modes ---------------------------------------------------------------------------------------


@constraint(
    "PTO-A301",
    Relation(
        "coalesce == elem",
        what="mode",
        fix="lower or run with --legalize, which turns rows into element indices",
    ),
    source="000, CPU Reference Form; D17",
    reason="The reference has no Coalesce parameter and reads every index as an element index, so row "
    "indices would silently give other data.",
    failing=mgather("row", "16x32xf32", "64x32xf32", "16x32xi32"),
    passing=_GOOD_CPU,
)
def cpu_has_no_row_mode() -> None:
    """cpu supports Elem gathers only."""


@constraint(
    "PTO-A302",
    Relation(
        "gatherOob == undefined",
        what="out-of-bounds mode",
        fix="lower or run with --legalize, which remaps the indices beforehand",
    ),
    source="000, CPU Reference Form; D17",
    reason="The reference has no GatherOOB parameter and checks no bounds.",
    failing=mgather("elem.clamp", "16x32xf32", "64x32xf32", "16x32xi32"),
    passing=mgather("elem.undefined", "16x32xf32", "64x32xf32", "16x32xi32"),
)
def cpu_has_no_out_of_bounds_mode() -> None:
    """cpu supports the out-of-bounds mode `undefined` only."""


# --- into L1 -------------------------------------------------------------------------------------


@rule(
    "PTO-A230",
    source="MGather.hpp headers of August 2026; document 000 gathers into the unified buffer only",
    reason="Document 000 enumerates the memories of a gather, and older libraries have no other (D52).",
    on="a2a3 a5",
)
def gather_into_l1_needs_a_revision(op: MGatherMatOp, know: Facts) -> Violations:
    """A gather into L1 must be checked for a revision whose headers have it."""
    return only_in_headers(know, "`mgather` with indices in global memory")


@rule(
    "PTO-A231",
    source="MGather.hpp headers: overloads with a scratch tensor for elements, without one for rows",
    reason="Elements are arranged in the scratch view, and copied from there; rows are copied directly.",
    example_isa=HEADERS,
)
def element_gather_into_l1_has_scratch(op: MGatherMatOp, know: Facts) -> Violations:
    """A gather of elements into L1 needs a scratch view with room for the tile; one of rows takes none."""
    if op.scratch is None:
        if not op.by_row:
            yield Violation("a gather of elements into L1 needs a scratch view in global memory", slot="dst")
        return
    if op.by_row:
        yield Violation("a gather of rows into L1 takes no scratch view", slot="scratch")
        return
    tile, view = know.tile("dst").type, know.view("scratch").shape5
    if DYNAMIC not in view and prod(view) < tile.rows * tile.cols:
        yield mismatch(
            "elements of scratch", prod(view), f"at least {tile.rows} x {tile.cols}", slot="scratch"
        )


@constraint(
    "PTO-A232",
    Relation(
        "idx.count >= dst.valid_rows, one for each row",
        what="indices in $idx",
        when=lambda op, _: op.by_row,
    ),
    Relation("idx.extents >= dst.valid, as $dst", when=lambda op, _: not op.by_row),
    source="MGather.hpp headers: one index for each valid row, or for each valid element",
    reason="Indices past the view are whatever follows it in memory.",
    example_isa=HEADERS,
)
def index_view_covers_the_destination() -> None:
    """The view of indices must have one index for each valid row, or for each valid element."""
