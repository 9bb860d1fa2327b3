"""Arithmetic on tiles: types, layouts and shapes (public ISA pages of the elementwise, expand and reduce
instructions)."""

from __future__ import annotations

from collections.abc import Iterator

from ptoas.dialects.pto import elementwise as e
from ptoas.dialects.pto import expand, movement, reduce
from ptoas.dialects.pto.enums import TileLoc
from ptoas.dialects.pto.instruction import Instruction, ReductionOp
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.targets.facts import Facts, shape_str
from ptoas.targets.rule import Violation, mismatch, rule
from ptoas.targets.rules.common import fits, not_row_major, not_taken
from ptoas.targets.rules.examples import instruction

Violations = Iterator[Violation]

_ADD = instruction("tadd", "16x32xf32", "16x32xf32", "16x32xf32")
_EVERYWHERE = "cpu a2a3 a5"


def _slots(op: Instruction) -> list[str]:
    """Data operands and destination, scratch left out."""
    names = ("src", "src0", "src1")
    return ["dst", *(name for name in names if getattr(op, name, None) is not None)]


@rule(
    "PTO-E101",
    source="public ISA pages, Constraints",
    reason="The vector unit has the operation for these element types.",
    failing=instruction("tadd", "16x32xu8", "16x32xu8", "16x32xu8"),
    passing=_ADD,
    on="a2a3",
)
def arithmetic_takes_the_element_type(op: Instruction, know: Facts) -> Violations:
    """The element type is one that the instruction takes on the target."""
    return not_taken(know, "dst", op.mnemonic())


@rule(
    "PTO-E102",
    source="public ISA pages, Constraints",
    reason="The vector unit works in the unified buffer.",
    failing=instruction("tadd", "16x32xf32", "mat, 16x32xf32", "16x32xf32"),
    passing=_ADD,
    on=_EVERYWHERE,
)
def arithmetic_tiles_are_vec(op: Instruction, know: Facts) -> Violations:
    """Every tile is a vector tile (loc=vec); texpands also fills mat."""
    legal = (TileLoc.Vec, TileLoc.Mat) if isinstance(op, expand.TExpandSOp) else (TileLoc.Vec,)
    for slot in _slots(op):
        tile = know.tile(slot)
        if tile.loc not in legal:
            yield mismatch(f"memory of {slot}", tile.loc.value, legal[0].value, slot=slot)


@rule(
    "PTO-E103",
    source="public ISA pages, Constraints",
    reason="The vector unit walks rows.",
    failing=instruction("tadd", "32x16xf32, blayout=col_major", "32x16xf32", "32x16xf32"),
    passing=_ADD,
    on=_EVERYWHERE,
)
def arithmetic_is_row_major(op: Instruction, know: Facts) -> Violations:
    """Every tile is row_major."""
    return not_row_major(know, *_slots(op))


@rule(
    "PTO-E104",
    source="public ISA pages, Constraints",
    reason="Element (i, j) of every operand belongs to element (i, j) of the result.",
    failing=instruction("tadd", "16x32xf32", "16x32xf32", "16x32xf32, valid=16x16"),
    passing=_ADD,
    on=_EVERYWHERE,
)
def arithmetic_shapes_are_equal(op: Instruction, know: Facts) -> Violations:
    """Sources and destination have one valid shape."""
    dst = know.tile("dst")
    for slot in _slots(op)[1:]:
        tile = know.tile(slot)
        if not fits(tile.valid, dst.valid):
            what, required = f"valid shape of {slot}", f"{shape_str(dst.valid)}, as dst"
            yield mismatch(what, shape_str(tile.valid), required, slot=slot)


@rule(
    "PTO-E201",
    source="public TROWEXPAND page, Constraints",
    reason="Row i of the source is spread over row i of the destination.",
    failing=instruction("trowexpand", "16x32xf32", "8x8xf32, valid=8x1"),
    passing=instruction("trowexpand", "16x32xf32", "16x8xf32, valid=16x1"),
    on=_EVERYWHERE,
)
def row_expand_keeps_the_rows(op: expand.TRowExpandOp, know: Facts) -> Violations:
    """Source and destination have the same valid rows, and the source is not empty."""
    src, dst = know.tile("src"), know.tile("dst")
    if not fits((src.valid_rows,), (dst.valid_rows,)):
        yield mismatch("valid rows of src", src.valid_rows, f"{dst.valid_rows}, as dst", slot="src")
    elif 0 in src.valid:
        yield mismatch("valid shape of src", shape_str(src.valid), "at least 1x1", slot="src")


@rule(
    "PTO-E202",
    source="public TROWEXPAND header, A5",
    reason="A5 broadcasts one element a row and refuses a wider source at compile time.",
    failing=instruction("trowexpand", "16x32xf32", "16x8xf32"),
    passing=instruction("trowexpand", "16x32xf32", "16x8xf32, valid=16x1"),
)
def row_expand_source_has_one_column(op: expand.TRowExpandOp, know: Facts) -> Violations:
    """The source has one valid column."""
    src = know.tile("src")
    if src.type.valid_cols not in (1, DYNAMIC):
        yield mismatch("valid columns of src", src.type.valid_cols, 1, slot="src")


@rule(
    "PTO-E203",
    source="public TCOLEXPAND page, Constraints",
    reason="Column j of the source is spread over column j of the destination.",
    failing=instruction("tcolexpand", "16x32xf32", "1x16xf32"),
    passing=instruction("tcolexpand", "16x32xf32", "1x32xf32"),
    on=_EVERYWHERE,
)
def column_expand_keeps_the_columns(op: expand.TColExpandOp, know: Facts) -> Violations:
    """Source and destination have the same valid columns."""
    src, dst = know.tile("src"), know.tile("dst")
    if not fits((src.valid_cols,), (dst.valid_cols,)):
        yield mismatch("valid columns of src", src.valid_cols, f"{dst.valid_cols}, as dst", slot="src")


_SUM = instruction("trowsum", "16x8xf32, valid=16x1", "16x32xf32")


@rule(
    "PTO-E211",
    source="public TROWSUM and TROWMAX pages, Constraints",
    reason="The result of row i is the first element of row i.",
    failing=instruction("trowsum", "8x8xf32, valid=8x1", "16x32xf32"),
    passing=_SUM,
    on=_EVERYWHERE,
)
def reduction_keeps_the_rows(op: ReductionOp, know: Facts) -> Violations:
    """Destination and source have the same valid rows, the destination has one valid column, and the source
    is not empty."""
    src, dst = know.tile("src"), know.tile("dst")
    required = (src.valid_rows, 1)
    if 0 in src.valid:
        yield mismatch("valid shape of src", shape_str(src.valid), "at least 1x1", slot="src")
    elif not fits(dst.valid, required):
        yield mismatch("valid shape of dst", shape_str(dst.valid), shape_str(required), slot="dst")


@rule(
    "PTO-E212",
    source="public TROWSUM and TROWMAX pages, Constraints",
    reason="The source is reduced along rows; the results lie in a column.",
    failing=instruction("trowsum", "16x1xf32", "16x32xf32, blayout=col_major"),
    passing=instruction("trowsum", "16x1xf32", "16x32xf32"),
    on=_EVERYWHERE,
)
def reduction_layouts(op: ReductionOp, know: Facts) -> Violations:
    """The source is row_major + none_box; the destination is none_box and row_major, or col_major with one
    column."""
    src, dst = know.tile("src"), know.tile("dst")
    if not src.is_nd:
        yield mismatch("layout of src", src.layout_text, "row_major + none_box", slot="src")
    if not dst.is_nd and not (dst.is_dn and dst.cols == 1):
        required = "row_major + none_box, or col_major with one column"
        yield mismatch("layout of dst", dst.layout_text, required, slot="dst")


@rule(
    "PTO-E213",
    source="public TROWSUM and TROWMAX pages, A2/A3",
    reason="Floating-point rows are folded in the scratch tile.",
    failing=(
        ".arg %s : !pto.tile_buf<vec, 16x32xf32>\n.arg %t : !pto.tile_buf<vec, 1x8xf32>\n"
        ".arg %d : !pto.tile_buf<vec, 16x8xf32, valid=16x1>\n"
        "pto.trowsum ins(%s, %t : !pto.tile_buf<vec, 16x32xf32>, !pto.tile_buf<vec, 1x8xf32>) "
        "outs(%d : !pto.tile_buf<vec, 16x8xf32, valid=16x1>)"
    ),
    passing=(
        ".arg %s : !pto.tile_buf<vec, 16x32xf32>\n.arg %t : !pto.tile_buf<vec, 16x32xf32>\n"
        ".arg %d : !pto.tile_buf<vec, 16x8xf32, valid=16x1>\n"
        "pto.trowsum ins(%s, %t : !pto.tile_buf<vec, 16x32xf32>, !pto.tile_buf<vec, 16x32xf32>) "
        "outs(%d : !pto.tile_buf<vec, 16x8xf32, valid=16x1>)"
    ),
    on="a2a3",
)
def reduction_scratch_is_large_enough(op: ReductionOp, know: Facts) -> Violations:
    """On A2/A3 the scratch tile is as large as the source, for integers 32 bytes."""
    if op.tmp is None:
        return
    src, tmp = know.tile("src"), know.tile("tmp")
    required = 32 if src.element.is_integer else src.type.size_bytes
    if tmp.type.size_bytes < required:
        yield mismatch(
            "size of tmp", f"{tmp.type.size_bytes} bytes", f"at least {required} bytes", slot="tmp"
        )


@rule(
    "PTO-E214",
    source="header of TROWSUM, CPU",
    reason="The simulator asserts it when it is compiled, though it walks the valid rows alone.",
    failing=instruction("trowsum", "24x8xf32, valid=16x1", "16x32xf32"),
    passing=instruction("trowsum", "16x8xf32, valid=16x1", "16x32xf32"),
    on="cpu",
)
def sum_keeps_the_physical_rows(op: reduce.TRowSumOp, know: Facts) -> Violations:
    """Destination and source of a sum have the same physical rows."""
    src, dst = know.tile("src"), know.tile("dst")
    if dst.rows != src.rows and fits((dst.valid_rows,), (src.valid_rows,)):
        yield mismatch("rows of dst", dst.rows, f"{src.rows}, as src", slot="dst")


@rule(
    "PTO-E301",
    source="public TCI page, Constraints",
    reason="The sequence is one row.",
    failing=instruction("tci", "2x32xi32", "i32"),
    passing=instruction("tci", "1x32xi32", "i32"),
    on=_EVERYWHERE,
)
def sequence_is_one_row(op: e.TCIOp, know: Facts) -> Violations:
    """The destination of tci has one row."""
    dst = know.tile("dst")
    if dst.rows != 1:
        yield mismatch("rows of dst", dst.rows, 1, slot="dst")


@rule(
    "PTO-E311",
    source="public TCVT page, Constraints",
    reason="Each conversion is an instruction of its own; the others take two steps.",
    failing=instruction("tcvt", "16x32xi64", "16x32xf16"),
    passing=instruction("tcvt", "16x32xf16", "16x32xf32"),
    on="a2a3 a5",
)
def conversion_exists(op: e.TCvtOp, know: Facts) -> Violations:
    """The target converts the source's element type to the destination's."""
    src, dst = know.tile("src").element, know.tile("dst").element
    pairs: dict[str, str] = know.target.facts["conversions"]
    source, wanted = (x.text.removeprefix("!pto.") for x in (src, dst))
    legal = pairs.get(source, "").split()
    if wanted not in legal:
        required = f"{source} to {', '.join(legal)}" if legal else f"no conversion of {source} here"
        yield mismatch("conversion", f"{source} to {wanted}", required, slot="dst")


@rule(
    "PTO-E401",
    source="public TMOV page, Constraints",
    reason="There is no way between the other memories.",
    failing=instruction("tmov", "left, 16x32xf32", "16x32xf32"),
    passing=instruction("tmov", "16x32xf32", "16x32xf32"),
    on="a2a3 a5",
)
def move_has_a_way(op: movement.TMovOp, know: Facts) -> Violations:
    """The target moves tiles between the source's and the destination's memory."""
    src, dst = know.tile("src"), know.tile("dst")
    ways: dict[str, str] = know.target.facts["moves"]
    legal = ways.get(src.loc.value, "").split()
    if dst.loc.value not in legal:
        required = f"{src.loc.value} to {' or '.join(legal)}" if legal else f"no move out of {src.loc.value}"
        yield mismatch("move", f"{src.loc.value} to {dst.loc.value}", required, slot="dst")


@rule(
    "PTO-E402",
    source="public TMOV page, A2A3 implementation checks",
    reason="The copy moves whole blocks of the physical tile.",
    failing=instruction("tmov", "16x32xf32", "16x64xf32, valid=16x32"),
    passing=instruction("tmov", "16x32xf32", "16x32xf32"),
    on="a2a3",
)
def move_keeps_the_shape(op: movement.TMovOp, know: Facts) -> Violations:
    """Source and destination have the same rows and columns."""
    src, dst = know.tile("src").type, know.tile("dst").type
    if src.shape != dst.shape:
        yield mismatch("shape of dst", shape_str(dst.shape), f"{shape_str(src.shape)}, as src", slot="dst")
