"""Sorting and merging of the simulator: a last block that is not full is sorted by itself."""

from __future__ import annotations

from ptoas.dialects.pto.sort import TMrgSortOp, TSort32Op
from ptoas.targets.row import Rows
from ptoas.targets.rules.sort import sorted_pairs_fit
from ptoas.targets.shared.sort import MERGE_BLOCKS, MERGE_LISTS, SORT, merge
from ptoas.targets.specs import elements

FLOATS = "f16 f32"
SORTED = elements("i16 i32 f16 bf16 f32")

ROWS: Rows = {
    # With other indices the header silently does nothing.
    TSort32Op: SORT.of(
        SORTED,
        valid={"src": "R C", "dst": "R _", "idx": "R C"},
        shape={"src": "_ C", "idx": "_ C"},
        rules=(sorted_pairs_fit(whole=False),),
        ignores=("tmp",),
        scratch={},
        source="header of the simulator, TSORT32",
    ),
    # Lists are merged right into the destination.
    TMrgSortOp: merge(
        FLOATS, MERGE_BLOCKS, MERGE_LISTS.override(ignores=("tmp",), no_alias=(("dst", "srcs"),))
    ),
}
