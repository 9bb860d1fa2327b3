"""MSCATTER: the mirror image of MGATHER, with atomics (public ISA page of MSCATTER)."""

from __future__ import annotations

from collections.abc import Iterator

from ptoas.diagnostics import Severity
from ptoas.dialects.pto.enums import BLayout, Coalesce, Layout, ScatterAtomicOp, SLayout, TileLoc
from ptoas.dialects.pto.gather import MScatterOp
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.targets.facts import Facts, shape_str
from ptoas.targets.rule import Violation, mismatch, rule
from ptoas.targets.rules.common import contiguous, fits
from ptoas.targets.rules.examples import mscatter
from ptoas.targets.target import C0_BYTES, FRACTAL_ROWS, element_names

Violations = Iterator[Violation]

_ROW = mscatter("row", "16x32xf32", "64x32xf32", "1x16xi32")
_ELEM = mscatter("elem", "16x32xf32", "64x32xf32", "16x32xi32")
_NZ_TILE = "32x16xf16, blayout=col_major, slayout=row_major"
_NZ = mscatter("row", _NZ_TILE, "1x1x4x16x16xf16, nz", "1x32xi32")


@rule(
    "PTO-S101",
    source="MSCATTER, Tile Constraints, Supported data types",
    reason="The scatter is instantiated for these types only.",
    failing=mscatter("row", "16x32xf8e4m3", "64x32xf8e4m3", "1x16xi32"),
    passing=mscatter("row", "16x32xi8", "64x32xi8", "1x16xi32"),
    on="a2a3",
)
def scatter_takes_the_element_type(op: MScatterOp, know: Facts) -> Violations:
    """The element type of source and table is one that the target's scatter takes."""
    src, types = know.tile("src"), know.target.types_of("mscatter", know.aicore)
    if src.element not in types:
        yield mismatch("element type", src.element_name, f"one of {element_names(types)}", slot="src")


@rule(
    "PTO-S102",
    source="MSCATTER, Tile Constraints, Supported data types",
    reason="An index is read as 32 bits.",
    failing=mscatter("row", "16x32xf32", "64x32xf32", "1x16xi16"),
    passing=_ROW,
)
def scatter_index_is_32_bits(op: MScatterOp, know: Facts) -> Violations:
    """The index tile's element type is i32 or u32."""
    idx, types = know.tile("idx"), know.target.types_of("mscatter.idx")
    if idx.element not in types:
        yield mismatch("index element type", idx.element_name, element_names(types), slot="idx")


@rule(
    "PTO-S103",
    source="MSCATTER, Tile Constraints, Tile and memory types",
    reason="The scatter reads the unified buffer.",
    failing=mscatter("row", "mat, 16x32xf32", "64x32xf32", "1x16xi32"),
    passing=_ROW,
)
def scatter_tiles_are_vec(op: MScatterOp, know: Facts) -> Violations:
    """Source and index are vector tiles (loc=vec)."""
    for slot in ("src", "idx"):
        tile = know.tile(slot)
        if tile.loc is not TileLoc.Vec:
            yield mismatch(f"memory of {slot}", tile.loc.value, "vec", slot=slot)


@rule(
    "PTO-S104",
    source="MSCATTER, Tile Constraints (CPU) and (A2/A3), Tile and memory types",
    reason="The loop reads the index as rows.",
    failing=mscatter("row", "16x32xf32", "64x32xf32", "8x16xi32, valid=1x16, blayout=col_major"),
    passing=_ROW,
    on="a2a3",
)
def scatter_index_is_row_major(op: MScatterOp, know: Facts) -> Violations:
    """The index tile is row_major with none_box."""
    idx = know.tile("idx")
    if not idx.is_nd:
        yield mismatch("index layout", idx.layout_text, "row_major + none_box", slot="idx")


@rule(
    "PTO-S105",
    source="MSCATTER, Tile Constraints (CPU), Tile and memory types",
    reason="The simulator walks the source row by row.",
    failing=mscatter("elem", "32x16xf32, blayout=col_major", "64x32xf32", "32x16xi32"),
    passing=_ELEM,
    on="cpu",
)
def scatter_source_is_row_major(op: MScatterOp, know: Facts) -> Violations:
    """The source is row_major with none_box."""
    src = know.tile("src")
    if not src.is_nd:
        yield mismatch("source layout", src.layout_text, "row_major + none_box", slot="src")


@rule(
    "PTO-S106",
    source="MSCATTER, Tile Constraints (CPU) and (A5), GM table layout",
    reason="The table is addressed as a flat row-major buffer.",
    failing=mscatter("row", "32x16xf16", "1x1x4x16x16xf16, nz", "1x32xi32"),
    passing=mscatter("row", "32x16xf16", "64x16xf16", "1x32xi32"),
)
def scatter_table_is_nd(op: MScatterOp, know: Facts) -> Violations:
    """The table's layout is ND."""
    table = know.view("mem")
    if table.layout is not Layout.ND:
        yield mismatch("table layout", table.layout.value, "nd", slot="mem")


@rule(
    "PTO-S107",
    source="MSCATTER, Tile Constraints (A2/A3), Tile and memory types",
    reason="ND and NZ have separate code paths; no path translates between them.",
    failing=mscatter("row", "32x16xf16", "1x1x4x16x16xf16, nz", "1x32xi32"),
    passing=_NZ,
    on="a2a3",
)
def scatter_source_matches_the_table_layout(op: MScatterOp, know: Facts) -> Violations:
    """An ND table goes with a row_major + none_box source, an NZ table with col_major + row_major + fractal
    512, and no other pair is legal."""
    src, table = know.tile("src"), know.view("mem")
    if table.layout is Layout.DN:
        yield mismatch("table layout", "dn", "nd or nz", slot="mem")
    elif table.layout is Layout.ND and not src.is_nd:
        yield mismatch("source layout for a table in nd", src.layout_text, "row_major + none_box", slot="src")
    elif table.layout is Layout.NZ and not src.is_nz:
        required = "col_major + row_major, fractal 512"
        yield mismatch("source layout for a table in nz", src.layout_text, required, slot="src")


@rule(
    "PTO-S108",
    source="MSCATTER, Tile Constraints (A5), Tile and memory types",
    reason="The SIMT kernel computes tile offsets for plain row- or column-major tiles.",
    failing=mscatter("row", "16x32xf32, blayout=col_major, slayout=row_major", "64x32xf32", "1x16xi32"),
    passing=mscatter("row", "16x32xf32, blayout=col_major", "64x32xf32", "1x16xi32"),
)
def scatter_source_has_no_boxes(op: MScatterOp, know: Facts) -> Violations:
    """The source is row_major or col_major, with none_box."""
    src = know.tile("src")
    if src.type.slayout is not SLayout.NoneBox:
        yield mismatch("source layout", src.layout_text, "slayout none_box", slot="src")


@rule(
    "PTO-S109",
    source="MSCATTER, Tile Constraints, Shape constraints",
    reason="The tile moves in bursts of 32 bytes along its contiguous dimension.",
    failing=mscatter("row", "16x12xf32", "64x12xf32", "1x16xi32"),
    passing=mscatter("row", "16x16xf32, valid=16x12", "64x12xf32", "1x16xi32"),
)
def scatter_contiguous_dimension_is_a_multiple_of_32_bytes(op: MScatterOp, know: Facts) -> Violations:
    """The source's padded contiguous dimension, times the element size, is a multiple of 32 bytes."""
    src = know.tile("src")
    word, extent = contiguous(src)
    if src.type.slayout is SLayout.NoneBox and extent * src.size % C0_BYTES:
        found, required = f"{extent * src.size} bytes", f"a multiple of {C0_BYTES} bytes"
        yield mismatch(f"{word} of the source", found, required, slot="src")


@rule(
    "PTO-S201",
    source="MSCATTER, Tile Constraints (A5), Shape constraints",
    reason="The kernel reads idx[row] directly, so the R indices lie one after the other.",
    failing=mscatter("row", "16x32xf32", "64x32xf32", "16x32xi32"),
    passing=mscatter("row", "16x32xf32", "64x32xf32", "16x1xi32"),
)
def scatter_row_index_is_one_dimensional(op: MScatterOp, know: Facts) -> Violations:
    """In Row mode the index tile's valid shape is [1, R] row-major or [R, 1] column-major."""
    idx, rows = know.tile("idx"), know.tile("src").valid_rows
    form = (1, rows) if idx.type.blayout is BLayout.RowMajor else (rows, 1)
    if know.is_row and not fits(idx.valid, form):
        found = f"{shape_str(idx.valid)} {idx.type.blayout.value}"
        count = shape_str((rows,))
        required = f"1x{count} row_major or {count}x1 col_major"
        yield mismatch("valid shape of the index in Row mode", found, required, slot="idx")


@rule(
    "PTO-S202",
    source="MSCATTER, Tile Constraints (A2/A3), Shape constraints",
    reason="The scalar loop reads idx[0, r] for row r.",
    failing=mscatter("row", "16x32xf32", "64x32xf32", "1x24xi32"),
    passing=_ROW,
    on="a2a3",
)
def scatter_row_index_is_one_row(op: MScatterOp, know: Facts) -> Violations:
    """In Row mode the index tile's valid shape is [1, R], R being the source's valid rows."""
    idx, form = know.tile("idx"), (1, know.tile("src").valid_rows)
    if know.is_row and not fits(idx.valid, form):
        what = "valid shape of the index in Row mode"
        yield mismatch(what, shape_str(idx.valid), shape_str(form), slot="idx")


@rule(
    "PTO-S203",
    source="MSCATTER, Tile Constraints (A2/A3) and (A5), Shape constraints",
    reason="Every source element has an index of its own.",
    failing=mscatter("elem", "16x32xf32", "64x32xf32", "1x16xi32"),
    passing=_ELEM,
    on="a2a3 a5",
)
def scatter_elem_index_has_the_shape_of_the_source(op: MScatterOp, know: Facts) -> Violations:
    """In Elem mode the index tile's valid shape equals the source's."""
    idx, src = know.tile("idx"), know.tile("src")
    if not know.is_row and not fits(idx.valid, src.valid):
        what = "valid shape of the index in Elem mode"
        yield mismatch(what, shape_str(idx.valid), shape_str(src.valid), slot="idx")


@rule(
    "PTO-S204",
    source="MSCATTER, Tile Constraints (A2/A3) and (A5), Shape constraints",
    reason="The launch is sized by the valid shape.",
    failing=mscatter("row", "16x32xf32, valid=16x0", "64x32xf32", "1x16xi32"),
    passing=mscatter("row", "16x32xf32, valid=1x32", "64x32xf32", "1x16xi32, valid=1x1"),
    on="a2a3",
)
def scatter_source_is_not_empty(op: MScatterOp, know: Facts) -> Violations:
    """The source has at least one valid row and one valid column."""
    src = know.tile("src")
    if 0 in src.valid:
        yield mismatch("valid shape of the source", shape_str(src.valid), "at least 1x1", slot="src")


@rule(
    "PTO-S205",
    source="MSCATTER, Tile Constraints (CPU), Shape constraints",
    reason="Row i of the index belongs to row i of the source.",
    failing=mscatter("elem", "16x32xf32", "64x32xf32", "8x32xi32"),
    passing=_ELEM,
    on="cpu",
)
def scatter_index_has_the_rows_of_the_source(op: MScatterOp, know: Facts) -> Violations:
    """src.Rows equals idx.Rows, and the index has one valid column or as many as the source."""
    src, idx = know.tile("src"), know.tile("idx")
    if src.rows != idx.rows:
        yield mismatch("rows of the index tile", idx.rows, f"{src.rows}, as the source", slot="idx")
    elif not (fits((idx.valid_cols,), (1,)) or fits((idx.valid_cols,), (src.valid_cols,))):
        required = f"1 or {src.valid_cols}, as the source"
        yield mismatch("valid columns of the index tile", idx.valid_cols, required, slot="idx")


@rule(
    "PTO-S206",
    source="MSCATTER, Tile Constraints (CPU), Shape constraints",
    reason="The reference knows tables of rows only.",
    failing=mscatter("elem", "16x32xf32", "2x64x32xf32", "16x32xi32"),
    passing=_ELEM,
    on="cpu",
)
def scatter_table_has_two_dimensions(op: MScatterOp, know: Facts) -> Violations:
    """The table's shape is <1, 1, 1, TableRows, RowWidth>."""
    shape = know.view("mem").shape5
    if any(extent not in (1, DYNAMIC) for extent in shape[:3]):
        yield mismatch("table shape", f"<{shape_str(shape)}>", "<1x1x1xTableRowsxRowWidth>", slot="mem")


@rule(
    "PTO-S207",
    source="MSCATTER, Tile Constraints (A2/A3), Shape constraints, NZ tables",
    reason="A fractal block of the NZ layout is 16 rows of 32 bytes.",
    failing=mscatter("row", _NZ_TILE, "1x1x4x8x16xf16, nz", "1x32xi32"),
    passing=_NZ,
    on="a2a3",
)
def scatter_nz_table_has_whole_blocks(op: MScatterOp, know: Facts) -> Violations:
    """Shape[3] of an NZ table is 16 and Shape[4] is 32 bytes divided by the element size."""
    table = know.view("mem")
    required = (FRACTAL_ROWS, C0_BYTES // table.size)
    if table.layout is Layout.NZ and not fits(table.shape5[3:], required):
        found = shape_str(table.shape5[3:])
        yield mismatch("Shape[3]xShape[4] of the NZ table", found, shape_str(required), slot="mem")


@rule(
    "PTO-S208",
    source="MSCATTER, Tile Constraints (A2/A3), Shape constraints, NZ tables",
    reason="The tile is made of fractal blocks of 16 rows of 32 bytes.",
    failing=mscatter(
        "row", "24x16xf16, blayout=col_major, slayout=row_major", "1x1x4x16x16xf16, nz", "1x24xi32"
    ),
    passing=_NZ,
    on="a2a3",
)
def scatter_nz_source_has_whole_blocks(op: MScatterOp, know: Facts) -> Violations:
    """With an NZ table src.Rows is a multiple of 16 and src.Cols of 32 bytes divided by the element size."""
    src = know.tile("src")
    width = C0_BYTES // src.size
    if know.view("mem").layout is Layout.NZ and (src.rows % FRACTAL_ROWS or src.cols % width):
        required = f"multiples of {FRACTAL_ROWS}x{width}"
        yield mismatch("shape of the NZ source", shape_str(src.type.shape), required, slot="src")


@rule(
    "PTO-S209",
    source="MSCATTER, Tile Constraints (A5), GM table layout",
    reason="The kernel's row stride is the source's valid columns, and it ignores the table's strides.",
    failing=mscatter("row", "16x32xf32", "64x32xf32, strides=[40, 1]", "1x16xi32"),
    passing=_ROW,
)
def scatter_table_is_packed(op: MScatterOp, know: Facts) -> Violations:
    """The table is packed, and in Row mode its Shape[4] equals the source's valid columns."""
    table, src = know.view("mem"), know.tile("src")
    width = table.shape5[4]
    if table.layout is not Layout.ND:
        return
    if table.is_packed is False:
        found = f"strides {list(table.strides or ())} for {shape_str(table.shape)}"
        yield mismatch("table strides", found, "a packed table", slot="mem")
    elif know.is_row and not fits((width,), (src.valid_cols,)):
        required = f"{src.valid_cols}, the source's valid columns"
        yield mismatch("row width (Shape[4]) of the table in Row mode", width, required, slot="mem")


@rule(
    "PTO-S210",
    source="MSCATTER, Dynamic Runtime Shapes; static checks of the A5 header",
    reason="The header compares the extents at compile time, and a dynamic one equals only a dynamic one.",
    failing=mscatter("row", "16x32xf32", "64x?xf32", "1x16xi32"),
    passing=mscatter("row", "16x32xf32, valid=16x?", "64x?xf32", "1x16xi32"),
)
def scatter_extents_are_equally_dynamic(op: MScatterOp, know: Facts) -> Violations:
    """Extents that must be equal are dynamic together: the index's with the source's, and in Row mode
    Shape[4] of the table with the source's valid columns."""
    src, idx, table = know.tile("src").type, know.tile("idx").type, know.view("mem")
    if not know.is_row:
        if any((s == DYNAMIC) != (i == DYNAMIC) for s, i in zip(src.valid, idx.valid, strict=True)):
            what, required = "valid type of the index in Elem mode", shape_str(src.valid)
            yield mismatch(what, shape_str(idx.valid), required, slot="idx")
        return
    rows = src.valid_rows
    if DYNAMIC in (rows, *idx.valid) and idx.valid not in ((1, rows), (rows, 1)):
        required = f"1x{shape_str((rows,))} or {shape_str((rows,))}x1"
        yield mismatch("valid type of the index in Row mode", shape_str(idx.valid), required, slot="idx")
    width = table.static_shape5[4]
    if (width == DYNAMIC) != (src.valid_cols == DYNAMIC):
        required = f"{shape_str((src.valid_cols,))}, as the source's valid columns"
        yield mismatch("row width (Shape[4]) in the table's type", shape_str((width,)), required, slot="mem")


@rule(
    "PTO-S301",
    source="MSCATTER, Tile Constraints, Atomic operation constraints",
    reason="The hardware has atomic units for these types only.",
    failing=mscatter("row.atomic_max", "16x32xf32", "64x32xf32", "1x16xi32"),
    passing=mscatter("row.atomic_add", "16x32xf32", "64x32xf32", "1x16xi32"),
    on="a2a3",
)
def scatter_atomic_takes_the_element_type(op: MScatterOp, know: Facts) -> Violations:
    """The atomic operation exists on the target for the element type."""
    atomic = op.scatter_atomic_op
    if atomic is None or atomic.data is ScatterAtomicOp.None_:
        return
    src, types = know.tile("src"), know.target.types_of(f"mscatter.{atomic.data.value}")
    if src.element not in types:
        required = f"one of {element_names(types)}" if types else f"no atomic {atomic.data.value} here"
        what = f"element type for atomic {atomic.data.value}"
        yield mismatch(what, src.element_name, required, slot="src")


@rule(
    "PTO-S302",
    source="MSCATTER, Conflict Resolution",
    reason="Only the SIMT kernel chooses between writers; elsewhere the last one in walk order wins.",
    failing=mscatter("row.last", "16x32xf32", "64x32xf32", "1x16xi32"),
    passing=_ROW,
    on="a2a3",
)
def scatter_conflict_is_for_a5(op: MScatterOp, know: Facts) -> Violations:
    """scatterConflict is given on A5 only."""
    if op.scatter_conflict is not None:
        found = op.scatter_conflict.data.value
        yield Violation(
            f"scatterConflict: found {found}, required none on this target", field="scatterConflict"
        )


@rule(
    "PTO-S303",
    source="MSCATTER, Conflict Resolution",
    reason="Atomic writers all count; there is nothing to choose.",
    failing=mscatter("row.atomic_add.last", "16x32xf32", "64x32xf32", "1x16xi32"),
    passing=mscatter("row.last", "16x32xf32", "64x32xf32", "1x16xi32"),
)
def scatter_conflict_goes_without_atomics(op: MScatterOp, know: Facts) -> Violations:
    """scatterConflict = last goes with no atomic operation."""
    atomic = op.scatter_atomic_op
    if op.scatter_conflict is None or atomic is None or atomic.data is ScatterAtomicOp.None_:
        return
    if op.scatter_conflict.data.value == "last":
        required = f"default with atomic {atomic.data.value}"
        yield mismatch("scatterConflict", "last", required, field="scatterConflict")


@rule(
    "PTO-S304",
    source="header of MSCATTER, CPU",
    reason="The simulator's Row mode reads the indices without the tile's rows, and its Max and Min read "
    "another element than they write.",
    failing=mscatter("row", "16x32xf32", "64x32xf32", "16x8xi32, valid=16x1"),
    passing=mscatter("elem", "16x32xf32", "64x32xf32", "16x32xi32"),
    on="cpu",
    severity=Severity.WARNING,
)
def simulator_scatters_rows_as_meant(op: MScatterOp, know: Facts) -> Violations:
    """In Row mode the simulator takes the index of row i from element i of the tile as it lies in memory, and
    compares Max and Min with element idx of the table: its numbers are not those of a device."""
    src, idx = know.tile("src"), know.tile("idx")
    if know.coalesce is not Coalesce.Row or idx.rows != src.rows:
        return
    atomic = ScatterAtomicOp.None_ if op.scatter_atomic_op is None else op.scatter_atomic_op.data
    fix = "scatter elements on cpu, or trust `ptoas run` and not the simulator"
    if src.valid_rows != 1 and idx.cols != 1:
        what = f"index tile of a Row scatter: found rows of {idx.cols}, which the simulator reads as one row"
        yield Violation(what, slot="idx", fix=fix)
    elif atomic in (ScatterAtomicOp.Max, ScatterAtomicOp.Min):
        what = f"{atomic.value} of rows: the simulator compares with another element than it writes"
        yield Violation(what, field="scatterAtomicOp", fix=fix)
