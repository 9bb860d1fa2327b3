"""Masks of bits: their width, and what targets make of them (public TCMP, TCMPS and TSEL headers)."""

from __future__ import annotations

from ptoas.targets.relation import Relation, constraint
from ptoas.targets.rules.examples import instruction


@constraint(
    "PTO-E701",
    "MASK.bits >= MASKED.valid_cols, one for each column",
    source="TCMP, TCMPS, TSEL and TSELS headers: a row of the mask has a bit for each column",
    reason="Bits that do not fit would be in the next row.",
    failing=instruction("tcmp", "16x32xu8", "16x264xf32", "16x264xf32"),
    passing=instruction("tcmp", "16x32xu8", "16x256xf32", "16x256xf32"),
)
def mask_has_a_bit_for_each_column() -> None:
    """A row of the mask must have a bit for each valid column."""


@constraint(
    "PTO-E702",
    Relation(
        "cmpMode == eq or ne",
        what="cmpMode of i32",
        fix="convert both to f32 (tcvt) if their numbers fit it",
        when="MASKED.element == i32",
    ),
    source="TCMP and TCMPS headers of A2/A3, 32-bit integers",
    reason="The vector unit compares 32-bit integers for equality only; other modes would give the same "
    "result as eq.",
    failing=instruction("tcmp", "16x32xu8", "16x32xi32", "16x32xi32", attrs="cmpMode = #pto<cmp lt>"),
    passing=instruction("tcmp", "16x32xu8", "16x32xi32", "16x32xi32", attrs="cmpMode = #pto<cmp ne>"),
)
def integers_are_compared_for_equality() -> None:
    """32-bit integers must be compared with `eq` or `ne`."""


@constraint(
    "PTO-E703",
    *(
        relation
        # TCMPS compares all columns, valid or not.
        for opcode, mask, data in (("tcmps", "dst", "src.cols"), ("tsel", "mask", "dst.valid_cols"))
        for relation in (
            Relation(
                f"{mask}.valid_cols == {data} // 8, a byte for 8 columns",
                fix="",
                when=f"opcode == {opcode}",
            ),
            Relation(f"{data} % 8", fix="", when=f"opcode == {opcode}"),
        )
    ),
    source="TCMPS and TSEL headers of the simulator: bits are one stream",
    reason="The simulator writes the bits as one stream, without starting each row at a new byte.",
    failing=instruction("tsel", "16x32xf32", "16x32xu8", "16x32xf32", "16x32xf32"),
    passing=instruction("tsel", "16x32xf32", "16x32xu8, valid=16x4", "16x32xf32", "16x32xf32"),
)
def mask_columns_are_its_bytes() -> None:
    """The valid columns of the mask must be exactly the bytes of a row's bits, and these must be whole
    bytes."""
