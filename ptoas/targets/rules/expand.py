"""Row expansion with an operation: which source is repeated (public TROWEXPAND* pages and headers)."""

from __future__ import annotations

from ptoas.analysis.knowledge import TileFacts, shape_str
from ptoas.dialects.pto.enums import BLayout
from ptoas.dialects.pto.expand import RowExpandOp
from ptoas.dialects.pto.geometry import BURST
from ptoas.targets.facts import Facts
from ptoas.targets.rule import Violations, mismatch, rule
from ptoas.targets.rules.common import fits
from ptoas.targets.rules.examples import instruction
from ptoas.targets.rules.operands import is_no_op


@rule(
    "PTO-E501",
    source="the TROWEXPAND* headers, shapes of the sources",
    reason="The repeated source is identified by its layout and its valid columns.",
    failing=instruction("trowexpandmul", "16x32xf32", "16x32xf32", "16x32xf32"),
    passing=instruction("trowexpandmul", "16x32xf32", "16x32xf32", "16x1xf32"),
)
def one_source_has_a_value_for_each_row(op: RowExpandOp, know: Facts) -> Violations:
    """One source must be row_major with the valid shape of the destination; the other must have one column
    (col_major) or rows of 32 bytes (row_major). If both have one column, the first is the full one."""
    if is_no_op(know):
        return
    dst = know.tile("dst")
    each, full = ("src0", "src1") if _repeats_the_first(know) else ("src1", "src0")
    wide, column = know.tile(full), know.tile(each)
    if not _is_row_major(wide):
        yield mismatch(f"layout of ${full}", wide.layout_text, "row_major, as $dst", slot=full)
    elif not fits(wide.valid[1:], dst.valid[1:]):
        required = f"{shape_str(dst.valid)}, as $dst"
        yield mismatch(f"valid shape of ${full}", shape_str(wide.valid), required, slot=full)
    elif each == "src0" and dst.valid_cols == 1:
        fix = "put the column second" if op.mnemonic()[10:] in ("add", "mul", "max", "min") else None
        yield mismatch(
            "first source for one valid column of $dst",
            "the column $src0",
            "the full tile",
            slot=each,
            fix=fix,
        )
    one_row = BURST // column.size if _is_row_major(column) else 1
    if not fits(column.valid[1:], (one_row,)):
        required = f"{shape_str((column.valid_rows, one_row))} in {column.type.blayout.value} layout"
        fix = f"give ${each} one column, in col_major layout" if _is_row_major(column) else None
        if fits(column.valid, (1, dst.valid_cols)):
            fix = f"`{op.mnemonic().replace('row', 'col', 1)}` repeats the row ${each}"
        yield mismatch(f"valid shape of ${each}", shape_str(column.valid), required, slot=each, fix=fix)


@rule(
    "PTO-E502",
    source="the TROWEXPAND* headers, form with tmp",
    reason="The scratch tile holds the values of a column; rows of 32 bytes need none.",
    failing=instruction("trowexpandmul", "16x32xf32", "16x32xf32", "16x8xf32", "1x128xf32"),
    passing=instruction("trowexpandmul", "16x32xf32", "16x32xf32", "16x1xf32", "1x128xf32"),
)
def scratch_needs_a_column(op: RowExpandOp, know: Facts) -> Violations:
    """With a scratch tile the repeated source must be a column (col_major)."""
    each = "src0" if _repeats_the_first(know) else "src1"
    if op.tmp is not None and _is_row_major(know.tile(each)):
        found = know.tile(each).layout_text
        yield mismatch(f"layout of ${each}", found, "col_major beside $tmp", slot=each, fix="leave $tmp out")


def _is_row_major(tile: TileFacts) -> bool:
    return tile.type.blayout is BLayout.RowMajor


def _repeats_the_first(know: Facts) -> bool:
    """Return True if `src0` is the repeated source as far as known: the column, or the narrow one."""
    first, second = know.tile("src0"), know.tile("src1")
    if _is_row_major(first) != _is_row_major(second):
        return _is_row_major(second)
    return not fits(first.valid, know.tile("dst").valid)
