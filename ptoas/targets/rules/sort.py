"""Rules of sorting and merging."""

from __future__ import annotations

from ptoas.dialects.pto.sort import TMrgSortOp, TSort32Op
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.targets.facts import Facts
from ptoas.targets.relation import Relation, constraint
from ptoas.targets.rule import Violations, mismatch, rule
from ptoas.targets.rules.examples import instruction

BLOCK = 32
"""Values that are sorted together."""
PAIR = 8
"""Bytes of a value with its index."""
MOST_GROUPS = 255
"""Groups of four blocks that one instruction merges: the number has eight bits."""


def _columns_of_pairs(_op: TSort32Op, know: Facts, whole: bool = True) -> int:
    """Columns for the pairs of all values, on devices also of those that fill the last block."""
    src = know.tile("src")
    cols = src.type.cols if src.valid_cols == DYNAMIC else src.valid_cols
    if whole and src.valid_cols != DYNAMIC:
        cols = -(-cols // BLOCK) * BLOCK
    return cols * PAIR // src.size


@constraint(
    "PTO-Q201",
    Relation("dst.cols >=", _columns_of_pairs, fix=""),
    source="public TSORT32 page, tile sizes; TSort32.hpp",
    reason="A pair of a value and its index has eight bytes, and devices write whole blocks of 32 pairs.",
    failing=instruction("tsort32", "1x64xf16", "1x32xf16", "1x32xui32"),
    passing=instruction("tsort32", "1x128xf16", "1x32xf16", "1x32xui32"),
)
def sorted_pairs_fit() -> None:
    """The destination of tsort32 needs columns for one pair per valid value, on devices also for those that
    fill the last block."""


@constraint(
    "PTO-Q202",
    "idx.valid_rows == 1 or src.valid_rows",
    source="TSort32.hpp: the step from row to row of the indices",
    reason="One row of indices is used for all rows, or each row has its own.",
    failing=instruction("tsort32", "4x64xf32", "4x32xf32", "2x32xui32"),
    passing=instruction("tsort32", "4x64xf32", "4x32xf32", "1x32xui32"),
)
def sort_indices_have_one_row_or_all() -> None:
    """The indices of tsort32 must have one valid row, or as many as the values."""


@constraint(
    "PTO-Q203",
    Relation("block_len %+ 64", what="block length"),
    source="public TMRGSORT page, single-list constraints; PTOAS tmrgsort: verifier",
    reason="tsort32 creates blocks of 64 f32 elements, and each merge makes them four times as long.",
)
def merge_block_length_is_a_multiple_of_64() -> None:
    """The block length of tmrgsort must be a positive multiple of 64 elements."""


@rule(
    "PTO-Q204",
    source="a2a3/TMrgSort.hpp: assertions; public TMRGSORT page, single-list constraints",
    reason="The instruction counts groups of four blocks in eight bits and does not merge an incomplete "
    "group.",
    on="a2a3",
)
def merged_blocks_are_groups_of_four(op: TMrgSortOp, know: Facts, rest: bool = False) -> Violations:
    """The valid columns that tmrgsort merges must be 1 to 255 times four blocks; on a5 some may be left over,
    and stay unchanged."""
    cols, (length,) = know.tile("srcs").valid_cols, know.constants("block_len")
    if cols == DYNAMIC or length is None or length <= 0:
        return
    groups, left = divmod(cols, 4 * length)
    if groups > MOST_GROUPS or (not rest and (left or not groups)):
        required = f"a multiple of {4 * length}, up to {MOST_GROUPS * 4 * length}"
        yield mismatch("valid columns of $srcs", cols, required, slot="srcs")
