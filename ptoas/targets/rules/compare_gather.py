"""TGATHER by comparison, and the element types that its headers of August 2026 add (D28)."""

from __future__ import annotations

from ptoas.analysis.knowledge import shape_str
from ptoas.dialects.pto.enums import BLayout
from ptoas.dialects.pto.gather import TGatherOp
from ptoas.dialects.pto.geometry import BURST
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.targets.facts import Facts
from ptoas.targets.measures import Shown
from ptoas.targets.relation import Relation, constraint
from ptoas.targets.rule import Violations, mismatch, rule
from ptoas.targets.rules.examples import instruction
from ptoas.targets.shared.compare_gather import LANES, line_bytes


@constraint(
    "PTO-A240",
    Relation(f"src.valid_cols % {LANES}", note=", or one row", when="src.valid_rows > 1"),
    source="A5 header of TGATHER",
    reason="Positions advance by 64 for every 64 compared elements and restart in each row; with other "
    "extents they would not be positions in the source.",
)
def compared_rows_are_whole_repeats() -> None:
    """Compare form: a source with several valid rows must have a multiple of 64 valid columns."""


@rule(
    "PTO-A241",
    source="public TGATHER page, compare form; headers of TGATHER",
    reason="The threshold of row i is element i of the tile's memory.",
)
def thresholds_are_contiguous(op: TGatherOp, know: Facts) -> Violations:
    """Compare form: a tile of thresholds must have one row, or one column in col_major, with an element for
    each valid row of the source."""
    if op.indices is None:
        return
    k, rows = know.tile("indices"), know.tile("src").valid_rows
    lines, count = (k.rows, k.cols) if k.type.blayout is BLayout.RowMajor else (k.cols, k.rows)
    if lines != 1 or (rows != DYNAMIC and count < rows):
        expected = shape_str((rows,))
        yield mismatch(
            "physical shape of the thresholds $indices",
            f"{k.rows}x{k.cols} {k.type.blayout.value}",
            f"at least 1x{expected} row_major, a threshold for each valid row of $src",
            slot="indices",
        )


@constraint(
    "PTO-A242",
    Relation(
        "indices.width ==",
        lambda _, know: Shown(size := know.tile("src").size, f"i{8 * size} or u{8 * size}"),
        what="element type of the thresholds $indices",
    ),
    source="A2/A3 header of TGATHER",
    reason="The vector pipe converts the thresholds to the source's type, lane by lane.",
)
def thresholds_are_as_wide_as_the_source() -> None:
    """Compare form: thresholds must have as many bits as the elements of the source."""


@constraint(
    "PTO-A243",
    Relation("tmp.rows >= src.valid_rows, the valid rows of $src", fix=""),
    Relation("tmp.cols >=", lambda _, know: max(line_bytes(know), BURST), ", a bit for each column", fix=""),
    Relation(f"tmp.cols % {BURST}", follows=True),
    source="A2/A3 header of TGATHER",
    reason="Each row has its own line of bits in the scratch tile; the positions follow the last one.",
)
def compare_scratch_has_a_line_for_each_row() -> None:
    """Compare form: the scratch tile needs as many rows as the source has valid rows, and columns in a
    multiple of 32 with one byte for 8 elements of a row."""


_INDEX = instruction("tgather", "16x32xi16", "16x32xi16", "16x32xi16")


def _lanes_are_known(op: TGatherOp, know: Facts) -> bool:
    """Return True if indices of another width are what is wrong, and not a type that the target lacks."""
    src, indices = know.tile("src"), know.tile("indices")
    known = indices.size in (2, 4) and know.target.takes(op, "dst", src.element.type, isa=know.isa)
    return known and src.size != 2


@constraint(
    "PTO-A244",
    Relation(
        "indices.width ==",
        lambda _, know: Shown(2, "i16 or u16") if know.tile("src").size == 1 else Shown(4, "i32 or u32"),
        what="index element type for {src.element}",
        when=_lanes_are_known,
    ),
    source="A5 header of TGATHER",
    reason="Bytes are gathered by 16-bit lanes and 64-bit elements by 32-bit lanes; an index of another "
    "width would be split.",
    failing=instruction("tgather", "16x32xi32", "16x32xi32", "16x32xi16"),
    passing=_INDEX,
    header=True,
)
def indices_are_as_wide_as_lanes_of_the_data() -> None:
    """Index form: data of 4 or 8 bytes needs 32-bit indices, data of 1 byte needs 16-bit indices."""


@constraint(
    "PTO-A245",
    Relation("axis == row", note=" for 64 bits", when="src.size == 8"),
    source="A5 header of TGATHER",
    reason="The headers implement 64-bit elements along rows only.",
    header=True,
)
def wide_elements_are_kept_along_rows() -> None:
    """Mask form: 64-bit elements need axis "row"."""
