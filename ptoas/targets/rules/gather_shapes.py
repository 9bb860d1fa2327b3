"""MGATHER and MSCATTER: the shape constraints of each target (documents 000 to 002; public MSCATTER page)."""

from __future__ import annotations

from math import prod

from ptoas.analysis.knowledge import shape_str
from ptoas.diagnostics import Severity
from ptoas.dialects.pto.enums import Layout, TileLoc
from ptoas.dialects.pto.gather import IndexedMemoryOp
from ptoas.dialects.pto.geometry import BOX_ROWS, BURST
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.targets.declaration import set_valid
from ptoas.targets.facts import Facts
from ptoas.targets.measures import MATRIX
from ptoas.targets.relation import Relation, constraint
from ptoas.targets.rule import Violation, Violations, mismatch, rule
from ptoas.targets.rules.common import fits
from ptoas.targets.rules.examples import mgather
from ptoas.targets.shared.gather_tables import RowIndex, first_misread
from ptoas.targets.specs import ND, NZ

_OF_INDEX, _FOR_NZ = "{words} of the index $idx in Elem mode", "{words} of ${slot} for an NZ table"

_GOOD = mgather("row", "16x32xf32", "64x32xf32", "1x16xi32")
_GOOD_CPU = mgather("elem", "16x32xf32", "64x32xf32", "16x32xi32")
_GOOD_CUSTOM = mgather("row", "16x32xf32", "64x32xf32", "16x1xi32")


def _is_in_a_path(op: IndexedMemoryOp, know: Facts) -> bool:
    """Return True if some path takes the layouts of both; others are for other rules."""
    data = know.tile(op.DATA)
    return data.loc is TileLoc.Vec and (data.is_nd or data.is_nz) and know.view("mem").layout is not Layout.DN


@constraint(
    "PTO-A108",
    Relation(
        "DATA.order ==",
        lambda _, know: (NZ if know.view("mem").layout is Layout.NZ else ND).text,
        what="layout of ${slot} for a table in {mem.layout}",
        when=_is_in_a_path,
    ),
    aliases="S107",
    source="000, Tile Constraints (A2/A3), Tile and memory types",
    reason="ND and NZ have separate implementations, and neither converts to the other.",
)
def tile_matches_the_table_layout() -> None:
    """A table in nd layout needs a row_major + none_box tile; one in nz layout needs col_major + row_major
    with fractal 512."""


@rule(
    "PTO-A201",
    aliases="S201",
    source="000, Tile Constraints (A5), Shape constraints",
    reason="The kernel reads idx[row] directly, so the R indices must be contiguous.",
    failing=mgather("row", "16x32xf32", "64x32xf32", "16x32xi32"),
    passing=mgather("row", "16x32xf32", "64x32xf32", "16x1xi32"),
    on="a5",
)
def row_index_is_one_dimensional(op: IndexedMemoryOp, know: Facts) -> Violations:
    """In Row mode the valid shape of the index tile must be [1, R] row_major or [R, 1] col_major, where R is
    the number of valid rows of the destination."""
    idx = know.tile("idx")
    yield from _row_index(op, know, RowIndex.BY_LAYOUT, f"{shape_str(idx.valid)} {idx.type.blayout.value}")


def _row_index(op: IndexedMemoryOp, know: Facts, index: RowIndex, found: str) -> Violations:
    """Check the shape of an index that selects rows; an index for each element suggests that Row is the mode
    by default only."""
    idx, rows = know.tile("idx"), know.tile(op.DATA).valid_rows
    if not know.is_row or index.takes(idx.valid, rows, idx.type.blayout):
        return
    what, fix = "valid shape of the index $idx in Row mode", None
    if op.coalesce is None:
        what += f", the default of {know.target.name}"
        if fits(idx.valid, know.tile(op.DATA).valid):
            fix = f"write {op.mnemonic()}.elem, which has an index for each element"
    if idx.valid == (rows, 1) and idx.is_dn:
        fix = f"`treshape` it to `{idx.type.override(rows=1, cols=idx.rows, valid=(1, rows), blayout=None)}`"
    elif idx.valid_rows == 1 and rows != DYNAMIC:
        fix = set_valid("idx", idx, (1, rows))
    yield mismatch(what, found, index.text(rows), slot="idx", fix=fix)


@rule(
    "PTO-A202",
    aliases="S202",
    source="000, Tile Constraints (A2/A3), Shape constraints",
    reason="The scalar loop reads idx[0, r] for row r.",
    failing=mgather("row", "16x32xf32", "64x32xf32", "1x24xi32"),
    passing=_GOOD,
)
def row_index_is_one_row(op: IndexedMemoryOp, know: Facts) -> Violations:
    """In Row mode the valid shape of the index tile must be [1, R], where R is the number of valid rows of
    the destination."""
    return _row_index(op, know, RowIndex.ROW, shape_str(know.tile("idx").valid))


@constraint(
    "PTO-A203",
    Relation("idx.valid == DATA.valid", what=_OF_INDEX, when="coalesce == elem"),
    aliases="S203",
    source="000, Tile Constraints (A2/A3) and (A5), Shape constraints",
    reason="Every element of the destination has its own index.",
    failing=mgather("elem", "16x32xf32", "64x32xf32", "1x16xi32"),
    passing=_GOOD_CPU,
    on="a2a3 a5",
)
def elem_index_has_the_shape_of_the_tile() -> None:
    """In Elem mode the index tile and the destination must have the same valid shape."""


def _has_its_mode(_op: IndexedMemoryOp, know: Facts) -> bool:
    """Return True if the target has the mode; otherwise the mode is reported, and legalising it changes
    the index.
    """
    return not know.is_row or know.model.has_row_mode


@constraint(
    "PTO-A205",
    Relation("idx.rows == DATA.rows, as ${slot}", what="rows of the index tile $idx", when=_has_its_mode),
    aliases="S205",
    source="000, Tile Constraints (CPU), Shape constraints; 001, Shape constraints; 002, Tile Constraints",
    reason="Row i of the index belongs to row i of the destination.",
    failing=mgather("elem", "16x32xf32", "64x32xf32", "8x32xi32"),
    passing=_GOOD_CPU,
)
def index_has_the_rows_of_the_tile() -> None:
    """The tile and its index tile must have the same number of rows."""


@rule(
    "PTO-A206",
    source="000, Tile Constraints (CPU), Shape constraints; 001, Shape constraints",
    reason="The simulator reads one index per element.",
    failing=mgather("elem", "16x32xf32", "64x32xf32", "16x16xi32"),
    passing=_GOOD_CPU,
)
def elem_index_has_the_valid_shape(op: IndexedMemoryOp, know: Facts) -> Violations:
    """In an element-indexed gather the index tile and the destination must have the same valid shape, even if
    the index has one column."""
    dst, idx = know.tile(op.DATA), know.tile("idx")
    # Tiles of other rows are another rule's.
    same = (idx.valid, dst.valid) if idx.rows == dst.rows else (idx.valid[1:], dst.valid[1:])
    if know.is_row or fits(*same):
        return
    required = f"{shape_str(dst.valid)}, as ${op.DATA}"
    fix = set_valid("idx", idx, dst.valid)
    if idx.valid_cols == 1:
        fix = "write the mode as row, and lower or run with --legalize"
    yield mismatch("valid shape of the index tile $idx", shape_str(idx.valid), required, slot="idx", fix=fix)


@rule(
    "PTO-A207",
    source="002, Tile Constraints",
    reason="The number of index columns selects between rows and elements.",
    failing=mgather("", "16x32xf32", "64x32xf32", "16x16xi32"),
    passing=_GOOD_CUSTOM,
)
def custom_index_columns_select_the_mode(op: IndexedMemoryOp, know: Facts) -> Violations:
    """The index tile must have 1 column for a row-indexed gather, or as many columns as the destination (more
    than 1) for an element-indexed one."""
    dst, idx = know.tile(op.DATA), know.tile("idx")
    required = {"row": (1,), "elem": (dst.cols,)}[know.coalesce.value]
    if op.coalesce is None:
        required = (1, dst.cols)
    elif not know.is_row and idx.cols == dst.cols == 1:
        yield Violation(
            f"$idx has one column, which {know.target.name} reads as an index per row, but the mode is elem",
            field="coalesce",
            fix="write the mode as row",
        )
    if idx.cols not in required:
        words = " or ".join(map(str, dict.fromkeys(required)))
        mode = f" in {know.coalesce.name} mode" if op.coalesce is not None else ""
        yield mismatch(f"columns of the index tile $idx{mode}", idx.cols, words, slot="idx")


@constraint(
    "PTO-A222",
    Relation(
        "idx.valid ==",
        lambda op, know: (know.tile(op.DATA).valid_rows, 1),
        what="valid shape of the index $idx in Row mode",
        when="coalesce == row and idx.rows == DATA.rows and idx.cols == 1",
    ),
    Relation(
        "idx.valid == DATA.valid",
        what="valid shape of the index $idx in Elem mode",
        when="coalesce == elem and idx.shape == DATA.shape",
    ),
    source="002, Tile Constraints",
    reason="The kernel iterates over the rows of the destination and reads the same row of the index.",
    failing=mgather("row", "16x32xf32", "64x32xf32", "16x1xi32, valid=8x1"),
    passing=mgather("row", "16x32xf32, valid=8x32", "64x32xf32", "16x1xi32, valid=8x1"),
)
def custom_index_is_valid_for_the_destination() -> None:
    """The valid shape of the index tile must be [R, 1] in Row mode, where R is the number of valid rows of
    the destination, and that of the destination in Elem mode."""


@constraint(
    "PTO-A208",
    Relation(
        "mem.outer ==",
        MATRIX,
        message="the table must have two dimensions; the shape of $mem is {found}",
        fix="use a view of rows and columns",
    ),
    aliases="S206",
    source="000, Tile Constraints (CPU), Shape constraints; 001, Shape constraints",
    reason="The reference implementation supports two-dimensional tables only.",
    failing=mgather("elem", "16x32xf32", "2x64x32xf32", "16x32xi32"),
    passing=_GOOD_CPU,
)
def table_has_two_dimensions() -> None:
    """The table must have the shape <1, 1, 1, TableRows, RowWidth>."""


@constraint(
    "PTO-A209",
    Relation(f"mem.Shape[3] is {BOX_ROWS}", what="{words} of the NZ table", when="mem.layout == nz"),
    aliases="S207",
    source="000, Tile Constraints (A2/A3), Shape constraints, NZ tables",
    reason="A fractal block of the NZ layout has 16 rows.",
)
def nz_table_has_blocks_of_16_rows() -> None:
    """Shape[3] of an NZ table must be 16 and static."""


@constraint(
    "PTO-A210",
    Relation("mem.Shape[4] is mem.burst", what="{words} of the NZ table", when="mem.layout == nz"),
    source="000, Tile Constraints (A2/A3), Shape constraints, NZ tables",
    reason="A row of a fractal block is 32 bytes.",
)
def nz_table_has_blocks_of_32_bytes() -> None:
    """Shape[4] of an NZ table must be 32 bytes divided by the element size, and static."""


@constraint(
    "PTO-A211",
    Relation("DATA.cols % DATA.burst", what=_FOR_NZ, when="mem.layout == nz"),
    source="000, Tile Constraints (A2/A3), Shape constraints, NZ tables",
    reason="The tile consists of fractal blocks that are 32 bytes wide.",
)
def nz_tile_columns_are_whole_blocks() -> None:
    """With an NZ table the columns of the destination must be a multiple of 32 bytes divided by the element
    size."""


@constraint(
    "PTO-A212",
    Relation(f"DATA.rows % {BOX_ROWS}", what=_FOR_NZ, when="mem.layout == nz"),
    aliases="S208",
    source="000, Tile Constraints (A2/A3), Shape constraints, NZ tables",
    reason="The tile consists of fractal blocks of 16 rows.",
)
def nz_tile_rows_are_whole_blocks() -> None:
    """With an NZ table the rows of the destination must be a multiple of 16."""


@constraint(
    "PTO-A213",
    Relation(
        "mem.Shape[4] == DATA.valid_cols, the valid columns of ${slot}",
        what="row width ({words}) of the table $mem in Row mode",
        fix="gather whole rows: give the destination as many valid columns as the table has",
        when="coalesce == row and mem.layout == nd",
    ),
    source="000, Tile Constraints (A5), GM table layout",
    reason="The kernel uses the valid columns of the destination as row stride.",
    failing=mgather("row", "16x32xf32, valid=16x24", "64x32xf32", "1x16xi32"),
    passing=mgather("row", "16x32xf32, valid=16x24", "64x24xf32", "1x16xi32"),
    on="a5",
)
def row_width_is_the_valid_columns() -> None:
    """In Row mode Shape[4] of the table must equal the valid columns of the destination."""


@rule(
    "PTO-A214",
    aliases="S209",
    source="000, Tile Constraints (A5), GM table layout; D16",
    reason="The kernel ignores the strides of the table, so padding between rows would be read as data.",
    failing=mgather("row", "16x32xf32", "64x32xf32, strides=[40, 1]", "1x16xi32"),
    passing=mgather("row", "16x32xf32", "64x32xf32, strides=[32, 1]", "1x16xi32"),
    on="a5",
)
def table_is_packed(op: IndexedMemoryOp, know: Facts) -> Violations:
    """The table must be packed: no padding between rows or outer dimensions."""
    table = know.view("mem")
    if table.layout is Layout.ND and table.is_packed is False:
        assert table.strides is not None, "who has no strides is packed"
        message = f"the {shape_str(table.shape)} table has gaps: its strides are {list(table.strides)}"
        yield Violation(message, slot="mem", fix="copy the table into a packed one")


@rule(
    "PTO-A223",
    source="000, Tile Constraints (CPU), Index interpretation; 000, Tile Constraints (A2/A3), Index "
    "interpretation; D15",
    reason="Elements are counted from the start of the table, rows by the stride of DIM_3. Other strides "
    "are ignored, so an index would read padding.",
    failing=mgather("elem", "16x32xf32", "64x32xf32, strides=[40, 1]", "16x32xi32"),
    passing=mgather("row", "16x32xf32", "64x32xf32, strides=[40, 1]", "1x16xi32"),
    on="a2a3",
    severity=Severity.WARNING,
)
def strides_of_the_table_are_used(op: IndexedMemoryOp, know: Facts) -> Violations:
    """The table must have strides that the target uses: a packed table in Elem mode, equally spaced rows in
    Row mode."""
    table = know.view("mem")
    if table.layout is not Layout.ND or table.strides is None or not _has_its_mode(op, know):
        return
    difference = first_misread(table.shape5, table.strides5, know.is_row)
    if difference is None:
        return
    index, found, expected = difference
    unit = "row" if know.is_row else "element"
    # D30: the devices refuse gaps between the columns of any nd view.
    between_columns = index == 1 and not know.is_row and table.shape5[4] != 1
    fix = "copy the table into a packed one"
    if not know.is_row:
        fix += ", or compute indices with the strides and give the table as one row"
    yield Violation(
        f"strides {list(table.strides)} of the table $mem: {know.target.name} ignores them in "
        f"{know.coalesce.name} mode, index {index} reads the {unit} at offset {found} and not the one at "
        f"{expected}",
        slot="mem",
        fix=fix,
        severity=Severity.ERROR if between_columns and know.target.has_pipes else None,
    )


def _row_columns(_op: IndexedMemoryOp, know: Facts) -> int:
    table = know.view("mem")
    if table.layout is Layout.ND:
        return table.shape5[4]
    extents = table.shape5[:2]
    known = table.layout is Layout.NZ and know.model.has_nz and DYNAMIC not in extents
    return prod(extents) * (BURST // table.size) if known else DYNAMIC


@constraint(
    "PTO-A220",
    Relation(
        "DATA.valid_cols <=",
        _row_columns,
        ", a row of the table",
        "{words} of ${slot} in Row mode",
        when="coalesce == row",
    ),
    source="000, Layout Support and NZ Layout; 002, Shape Constraints",
    reason="Beyond the end of a row lies the next row, or padding.",
    failing=mgather("row", "16x32xf32", "64x24xf32", "1x16xi32"),
    passing=mgather("row", "16x32xf32, valid=16x24", "64x24xf32", "1x16xi32"),
    on="a2a3",
)
def valid_columns_are_inside_a_row() -> None:
    """In Row mode the tile must not have more valid columns than a row of the table: Shape[4], for an NZ
    table Shape[0] * Shape[1] blocks of 32 bytes."""


@constraint(
    "PTO-A221",
    Relation(
        "DATA.cols >=",
        _row_columns,
        ", a logical row",
        f"{_FOR_NZ} in Row mode",
        when="coalesce == row and mem.layout == nz",
    ),
    source="000, NZ Layout (A2/A3), Row mode; D32",
    reason="Every row is transferred as a whole, Shape[0] * Shape[1] blocks of 32 bytes; what does not "
    "fit overwrites the memory behind the tile.",
)
def nz_tile_has_room_for_a_row() -> None:
    """In Row mode with an NZ table the tile must have at least as many columns as a logical row of the
    table."""


def _is_open_row_index(op: IndexedMemoryOp, know: Facts) -> bool:
    dst, idx = know.tile(op.DATA).type, know.tile("idx").type
    return know.is_row and DYNAMIC in (dst.valid_rows, *idx.valid)


@constraint(
    "PTO-A215",
    Relation(
        "idx.type.valid is",
        lambda op, know: [(1, rows := know.tile(op.DATA).type.valid_rows), (rows, 1)],
        what="valid shape in the type of the index $idx in Row mode",
        when=_is_open_row_index,
    ),
    source="000, Dynamic Runtime Shapes; static checks of the A5 header",
    reason="The header compares the extents at compile time, and a dynamic extent equals only a dynamic one.",
    failing=mgather("row", "16x32xf32", "64x32xf32", "1x16xi32, valid=1x?"),
    passing=mgather("row", "16x32xf32, valid=?x32", "64x32xf32", "1x16xi32, valid=1x?"),
    on="a5",
    header=True,
)
def row_index_is_as_dynamic_as_the_tile() -> None:
    """In Row mode the valid shape in the type of the index must be <1, R> or <R, 1>, where R is dynamic if
    and only if the valid rows of the destination are."""


@constraint(
    "PTO-A216",
    Relation("idx.type.valid opens as DATA.type.valid", what=_OF_INDEX, when="coalesce == elem"),
    aliases="S210",
    source="000, Dynamic Runtime Shapes; static checks of the A5 header",
    reason="The header compares the extents at compile time, and a dynamic extent equals only a dynamic one.",
    failing=mgather("elem", "16x32xf32, valid=?x?", "64x32xf32", "16x32xi32"),
    passing=mgather("elem", "16x32xf32, valid=?x?", "64x32xf32", "16x32xi32, valid=?x?"),
    on="a5",
    header=True,
)
def elem_index_is_as_dynamic_as_the_tile() -> None:
    """In Elem mode a valid extent in the type of the index must be dynamic if and only if the one of the
    destination is."""


@constraint(
    "PTO-A217",
    Relation(
        "mem.Shape[4] is DATA.type.valid_cols, as the valid columns of ${slot}",
        what="row width (Shape[4]) of the table $mem",
        when="coalesce == row and mem.Shape[4] == ?",
    ),
    source="000, Dynamic Runtime Shapes; static checks of the A5 header",
    reason="The header compares both at compile time, and a dynamic extent equals only a dynamic one.",
    failing=mgather("row", "16x32xf32", "64x?xf32", "1x16xi32"),
    passing=mgather("row", "16x32xf32, valid=16x?", "64x?xf32", "1x16xi32"),
    on="a5",
    header=True,
)
def row_width_is_as_dynamic_as_the_tile() -> None:
    """In Row mode Shape[4] of the table must be dynamic if and only if the valid columns in the type of the
    destination are."""
