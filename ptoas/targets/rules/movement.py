"""Copies between tiles: padding, parts and concatenation."""

from __future__ import annotations

from ptoas.analysis.knowledge import TileFacts, shape_str
from ptoas.dialects.pto import movement as d
from ptoas.dialects.pto.enums import AccToVecMode, MxGroupAxis, SLayout, TileLoc
from ptoas.dialects.pto.geometry import BURST
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.targets.declaration import declare
from ptoas.targets.facts import Facts
from ptoas.targets.relation import Relation, constraint
from ptoas.targets.rule import Violations, mismatch, rule
from ptoas.targets.rules.common import beyond
from ptoas.targets.rules.examples import instruction

_FILL = instruction("tfillpad", "16x32xf32, pad=zero", "16x32xf32, valid=16x20")


@constraint(
    "PTO-V142",
    Relation(
        "mode == none",
        message="tfillpad has no mode; the shapes of its tiles select the form",
        fix="remove it",
    ),
    source="PTOAS tfillpad: no mode",
    reason="Shapes and addresses determine whether a tile is padded in place, into another tile, or into "
    "a larger one.",
    failing=_FILL.replace("tfillpad", 'tfillpad {mode = "expand"}'),
    passing=_FILL,
)
def fill_has_no_mode() -> None:
    """tfillpad has no attribute `mode`; its tiles select the form."""


@constraint(
    "PTO-E411",
    "dst.pad == zero or max or min",
    "padValue == none: the type of $dst has the pad value",
    source="TFillPad.hpp: static assertions; PTOAS tfillpad: verifier",
    reason="The value is part of the destination's C++ type; null means no padding.",
    failing=instruction("tfillpad", "16x32xf32", "16x32xf32, valid=16x20"),
    passing=_FILL,
)
def fill_has_a_pad_value() -> None:
    """A padded tile in vec must name its pad value in its type; padValue is for matrices."""


@constraint(
    "PTO-E412",
    "dst.shape >= src.shape",
    source="TFillPad.hpp: static assertions",
    reason="The destination holds the source and its padding.",
    failing=instruction("tfillpad", "16x16xf32, pad=zero", "16x32xf32, valid=16x16"),
    passing=instruction("tfillpad", "16x64xf32, pad=zero", "16x32xf32, valid=16x16"),
)
def fill_does_not_shrink() -> None:
    """A padded tile must have at least as many physical rows and columns as the source."""


_MATRIX = "mat, 32x32xf16, valid=32x16, blayout=col_major, slayout=row_major"


@constraint(
    "PTO-E413",
    "dst.body == src.body, as $src",
    "dst.pad == zero or null; padValue says another",
    source="TFillPad.hpp: static assertions; PTOAS tfillpad: verifier",
    reason="The library's call for matrices takes one tile type; the value is a template argument.",
    failing=instruction("tfillpad", _MATRIX.replace("valid=32x16, ", ""), _MATRIX),
    passing=instruction("tfillpad", _MATRIX, _MATRIX),
)
def fill_of_a_matrix_keeps_its_type() -> None:
    """A matrix must be padded into a tile of the same type, with pad value zero or none."""


# --- side by side --------------------------------------------------------------------------------


@constraint(
    "PTO-E421",
    "dst.valid_cols == src0.valid_cols + src1.valid_cols",
    source="TConcat.hpp: assertions",
    reason="The columns of both sources are placed next to each other.",
    failing=instruction("tconcat", "16x64xf32, valid=16x40", "16x32xf32", "16x32xf32"),
    passing=instruction("tconcat", "16x64xf32", "16x32xf32", "16x32xf32"),
)
def concatenation_is_as_wide_as_its_parts() -> None:
    """The destination must have as many valid columns as both sources together."""


@constraint(
    "PTO-E422",
    "dst.cols >= src0.valid_cols + src1.valid_cols",
    source="a2a3/TConcat.hpp: assertion; PTOAS tconcat: verifier",
    reason="The columns of both sources are written, valid or not.",
    failing=instruction("tconcat", "16x48xf32", "16x32xf32", "16x32xf32"),
    passing=instruction("tconcat", "16x64xf32, valid=16x40", "16x32xf32", "16x32xf32"),
)
def concatenation_fits() -> None:
    """The destination must have physical columns for the columns of both sources."""


# --- parts ---------------------------------------------------------------------------------------


@rule(
    "PTO-E431",
    source="public TEXTRACT and TINSERT pages, Constraints; their headers",
    reason="Beyond the end of the tile lies another one.",
)
def part_is_inside_the_tile(
    op: d.TExtractOp | d.TInsertOp, know: Facts, of_valid: bool = False
) -> Violations:
    """The part that textract reads, or tinsert writes, must lie inside the larger tile: inside its physical
    extents on devices, its valid extents on cpu. When a device inserts an accumulator into a boxed tile,
    all rows and whole blocks of columns count."""
    slot, part, whole = op.PART, know.tile(op.PART), know.tile(op.WHOLE)
    extents = _extents(op, part, whole, of_valid)
    limits = whole.valid if of_valid else whole.type.shape
    for at, word in enumerate(("row", "col")):
        (start,) = know.constants(word)
        least = 0 if start is None else start
        size = extents[at]
        if least < 0 or (limits[at] != DYNAMIC and least + size > limits[at]):
            last = limits[at] - size
            fix = f"use a {word} of 0 to {last}" if last > 0 else None
            what = f"end of the {'columns' if at else 'rows'} of ${slot}"
            yield beyond(what, least, size, limits[at], fix, word)


def _extents(
    op: d.TExtractOp | d.TInsertOp, part: TileFacts, whole: TileFacts, of_valid: bool
) -> tuple[int, int]:
    """Rows and columns of what a part is of that it touches; those that are not known are 0."""
    rows, cols = (max(extent, 0) for extent in part.valid)
    boxed, inserted = whole.type.slayout is not SLayout.NoneBox, isinstance(op, d.TInsertOp)
    alike = part.type.slayout in (SLayout.NoneBox, whole.type.slayout)
    if boxed and not alike and part.element.kind == "pairs":
        # Pairs are counted along the other dimension there (D56).
        return (rows // 2, 2 * cols) if part.type.slayout is SLayout.RowMajor else (2 * rows, cols // 2)
    if inserted and boxed and part.loc is TileLoc.Acc and not of_valid:
        width = whole.type.geometry.box[1]
        rows, cols = part.physical[0], -(-cols // width) * width
    # Of halves each of two vector cores gets one.
    match op.acc_to_vec_mode.data if inserted and op.acc_to_vec_mode is not None else None:
        case AccToVecMode.DualModeSplitM:
            return rows // 2, cols
        case AccToVecMode.DualModeSplitN:
            return rows, cols // 2
        case _:
            return rows, cols


def _steps(op: d.TExtractOp | d.TInsertOp, know: Facts) -> tuple[int, int]:
    """Rows and columns of which the indices of a part are multiples."""
    part, whole = know.tile(op.PART), know.tile(op.WHOLE)
    return (1, 1) if part.valid == (1, 1) else (16 if whole.type.is_nz else 1, BURST // whole.size)


@constraint(
    "PTO-E432",
    Relation("row %", lambda op, know: _steps(op, know)[0]),
    Relation("col %", lambda op, know: _steps(op, know)[1]),
    source="a2a3/TExtract.hpp, a2a3/TInsert.hpp: assertions",
    reason="The copy moves blocks of 32 bytes.",
)
def part_starts_at_a_block() -> None:
    """A part of more than one element must start at a column that is a multiple of 32 bytes, in a fractal
    tile also at a row that is a multiple of 16."""


@constraint(
    "PTO-E433",
    "PART.order == WHOLE.order",
    source="TExtract.hpp, TInsert.hpp: static assertions",
    reason="The copy keeps the order of the bytes.",
)
def part_keeps_the_layout() -> None:
    """A part must have the layout of the tile it belongs to."""


@rule(
    "PTO-E434",
    source="TExtract.hpp, TInsert.hpp: static assertions within the unified buffer",
    reason="The header compares the physical extents in the types, and copies two bytes at a time.",
)
def part_is_no_larger(op: d.TExtractOp | d.TInsertOp, know: Facts, by_pairs: bool = False) -> Violations:
    """Within vec a part must not have more physical rows and columns than the tile (or the tile around a
    subview); boxed tiles on A5 must not have more columns. On A2/A3 boxed tiles must have whole boxes, and
    the valid columns of a part an even number of bytes unless it is one element."""
    slot, part, whole = op.PART, know.tile(op.PART), know.tile(op.WHOLE)
    boxed = part.type.slayout is not SLayout.NoneBox
    for at, word in enumerate(("rows", "columns")):
        if part.physical[at] > whole.physical[at] and (at or by_pairs or not boxed):
            required = f"at most {whole.physical[at]}, as the other tile"
            yield mismatch(f"{word} of ${slot}", part.physical[at], required, slot=slot)
    if not by_pairs:
        return
    for each, tile in (("src", know.tile("src")), ("dst", know.tile("dst"))):
        if boxed and tile.physical[0] % BOX:
            rows = -(-tile.physical[0] // BOX) * BOX
            fix = declare(each, tile, rows=rows)
            yield mismatch(f"rows of ${each}", tile.physical[0], f"a multiple of {BOX}", slot=each, fix=fix)
    valid_cols = part.type.valid_cols
    if part.size == 1 and valid_cols % 2 and part.type.valid != (1, 1):
        found = "a dynamic number" if valid_cols == DYNAMIC else valid_cols
        yield mismatch(
            f"valid columns of ${slot}", found, "an even number of bytes, static in the type", slot=slot
        )


# --- exponents of blocks -------------------------------------------------------------------------

BOX = 16
"""Rows of a box of exponents; it has two columns."""


@constraint(
    "PTO-Q116",
    Relation("dst.valid_cols %+ 2", fix="", when="grpAxis != axis0"),
    Relation("src.valid_rows %+ 2", fix="", when="grpAxis == axis0"),
    Relation(f"src.valid_cols %+ {BOX}", fix="", when="grpAxis == axis0"),
    source="a5/TMov.hpp, ND to ZZ and DN to ZZ; PTOAS tmov: verifier",
    reason="A box has two exponents of each of 16 lines.",
)
def reordered_exponents_fill_boxes() -> None:
    """If tmov reorders exponents, those along axis1 need an even number of valid columns in the destination,
    those along axis0 an even number of valid rows and a multiple of 16 valid columns in the source."""


@rule(
    "PTO-Q117",
    source="a5/TMov.hpp, ND to ZZ and DN to ZZ; PTOAS tmov: verifier",
    reason="The header ignores the pitch of both tiles and works in whole boxes.",
)
def reordered_exponents_have_no_gaps(op: d.TMovOp, know: Facts) -> Violations:
    """If tmov reorders exponents, those of the source must be stored without gaps, as many as the destination
    holds; along axis1 both tiles need space for whole boxes of 16 rows."""
    src, dst = know.tile("src"), know.tile("dst")
    down = op.axis is MxGroupAxis.Axis0
    rows, cols = (src if down else dst).valid
    if DYNAMIC in (rows, cols, *src.valid):
        return
    if not down and src.valid not in ((rows, cols), (1, rows * cols)):
        required = f"{shape_str((rows, cols))}, as $dst, or {shape_str((1, rows * cols))}"
        yield mismatch("valid shape of $src", shape_str(src.valid), required, slot="src")
    elif src.valid[0] > 1 and src.physical[1] != src.valid[1]:
        found = f"{src.physical[1]} columns"
        yield mismatch("pitch of $src", found, f"{src.valid[1]}, the valid ones", slot="src")
    capacity = rows * cols if down else -(-rows // BOX) * BOX * cols
    for slot, tile in (("src", src), ("dst", dst)):
        if tile.type.size_bytes < capacity:
            yield mismatch(
                f"size of ${slot}", f"{tile.type.size_bytes} bytes", f"at least {capacity} bytes", slot=slot
            )
