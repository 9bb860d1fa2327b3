"""Masks of bits: their width, and what targets make of them (public TCMP, TCMPS and TSEL headers)."""

from __future__ import annotations

from ptoas.dialects.pto.compare import CompareOp, TCmpOp, TCmpSOp
from ptoas.dialects.pto.instruction import PtoOp
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.targets.facts import Facts
from ptoas.targets.relation import Relation, constraint
from ptoas.targets.rule import Violations, mismatch, rule
from ptoas.targets.rules.examples import instruction


def _slots(op: PtoOp) -> tuple[str, str]:
    """The mask, and the tile that has an element for each of its bits."""
    if isinstance(op, CompareOp):
        return "dst", "src0" if isinstance(op, TCmpOp) else "src"
    return "mask", "dst"


@rule(
    "PTO-E701",
    source="TCMP, TCMPS, TSEL and TSELS headers: a row of the mask has a bit for each column",
    reason="Bits that do not fit would be in the next row.",
    failing=instruction("tcmp", "16x32xu8", "16x264xf32", "16x264xf32"),
    passing=instruction("tcmp", "16x32xu8", "16x256xf32", "16x256xf32"),
)
def mask_has_a_bit_for_each_column(op: PtoOp, know: Facts) -> Violations:
    """A row of the mask must have a bit for each valid column."""
    mask, data = _slots(op)
    columns, width = know.tile(data).valid_cols, know.tile(mask).cols * know.tile(mask).size
    if columns != DYNAMIC and width * 8 < columns:
        required = f"at least {-(-columns // 8)} for {columns} columns"
        yield mismatch(f"bytes in a row of ${mask}", width, required, slot=mask)


@constraint(
    "PTO-E702",
    Relation(
        "cmpMode == eq or ne",
        what="cmpMode of i32",
        fix="convert both to f32 (tcvt) if their numbers fit it",
        when=lambda op, know: know.tile(_slots(op)[1]).element_name == "i32",
    ),
    source="TCMP and TCMPS headers of A2/A3, 32-bit integers",
    reason="The vector unit compares 32-bit integers for equality only; other modes would give the same "
    "result as eq.",
    failing=instruction("tcmp", "16x32xu8", "16x32xi32", "16x32xi32", attrs="cmpMode = #pto<cmp lt>"),
    passing=instruction("tcmp", "16x32xu8", "16x32xi32", "16x32xi32", attrs="cmpMode = #pto<cmp ne>"),
)
def integers_are_compared_for_equality() -> None:
    """32-bit integers must be compared with `eq` or `ne`."""


@rule(
    "PTO-E703",
    source="TCMPS and TSEL headers of the simulator: bits are one stream",
    reason="The simulator writes the bits as one stream, without starting each row at a new byte.",
    failing=instruction("tsel", "16x32xf32", "16x32xu8", "16x32xf32", "16x32xf32"),
    passing=instruction("tsel", "16x32xf32", "16x32xu8, valid=16x4", "16x32xf32", "16x32xf32"),
)
def mask_columns_are_its_bytes(op: PtoOp, know: Facts) -> Violations:
    """The valid columns of the mask must be exactly the bytes of a row's bits, and these must be whole
    bytes."""
    mask, data = _slots(op)
    found, columns = know.tile(mask).valid_cols, know.tile(data).valid_cols
    if isinstance(op, TCmpSOp):
        columns = know.tile(data).cols  # all of them, valid or not
    if DYNAMIC not in (found, columns) and found * 8 != columns:
        required = f"{columns // 8}: one byte for each 8 of {columns} columns"
        if columns % 8:
            required = f"a mask of a multiple of 8 columns, not {columns}"
        yield mismatch(f"valid columns of ${mask}", found, required, slot=mask)
