"""Sorting and merging of A5: blocks that do not fill a group of four stay as they are."""

from __future__ import annotations

from ptoas.dialects.pto.sort import TMrgSortOp, TSort32Op
from ptoas.targets.row import Rows
from ptoas.targets.rules.sort import merged_blocks_are_groups_of_four
from ptoas.targets.shared.sort import MERGE_BLOCKS, SORT, merge

FLOATS = "f16 f32"

ROWS: Rows = {
    TSort32Op: SORT.of(FLOATS),
    TMrgSortOp: merge(FLOATS, MERGE_BLOCKS.override(rules=(merged_blocks_are_groups_of_four(rest=True),))),
}
