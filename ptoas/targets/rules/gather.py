"""MGATHER: what each target's "Tile Constraints" say (documents 000, 001, 002)."""

from __future__ import annotations

from collections.abc import Iterator

from ptoas.diagnostics import Severity
from ptoas.dialects.pto.enums import GatherOOB, Layout, SLayout, TileLoc
from ptoas.dialects.pto.gather import MGatherOp
from ptoas.targets.facts import Facts, TileFacts
from ptoas.targets.rule import Violation, mismatch, rule
from ptoas.targets.rules.common import contiguous
from ptoas.targets.rules.examples import mgather
from ptoas.targets.target import C0_BYTES, element_names

Violations = Iterator[Violation]

_GOOD = mgather("row", "16x32xf32", "64x32xf32", "1x16xi32")
_GOOD_CPU = mgather("elem", "16x32xf32", "64x32xf32", "16x32xi32")
_GOOD_NZ = mgather(
    "row", "32x16xf16, blayout=col_major, slayout=row_major", "1x1x4x16x16xf16, nz", "1x32xi32"
)
_GOOD_CUSTOM = mgather("row", "16x32xf32", "64x32xf32", "16x1xi32")


# --- supported data types ------------------------------------------------------------------------


@rule(
    "PTO-A101",
    source="000, Tile Constraints, Supported data types; 002, Data Types (A5); D3",
    reason="The gather is instantiated for these types only; float8 exists on AICORE builds, hifloat8 on A5.",
    failing=mgather("row", "16x32x!pto.hif8", "64x32x!pto.hif8", "1x16xi32"),
    passing=mgather("row", "16x32xi8", "64x32xi8", "1x32xi32, valid=1x16"),
    on="a2a3",
)
def gather_takes_the_element_type(op: MGatherOp, know: Facts) -> Violations:
    """The element type of destination and table is one that the target's gather takes."""
    dst = know.tile("dst")
    types = know.target.types_of("mgather", know.aicore)
    if dst.element in types:
        return
    fix = None
    if dst.element in know.target.types_of("mgather", aicore=True):
        fix = "pass --aicore if the simulator is an AICORE build"
    yield mismatch("element type", dst.element_name, f"one of {element_names(types)}", slot="dst", fix=fix)


@rule(
    "PTO-A102",
    source="000, Tile Constraints, Supported data types; 002, Index Types",
    reason="An index is read as 32 bits.",
    failing=mgather("row", "16x32xf32", "64x32xf32", "1x16xi16"),
    passing=_GOOD,
)
def gather_index_is_32_bits(op: MGatherOp, know: Facts) -> Violations:
    """The index tile's element type is i32 or u32."""
    idx = know.tile("idx")
    types = know.target.types_of("mgather.idx")
    if idx.element not in types:
        yield mismatch("index element type", idx.element_name, f"one of {element_names(types)}", slot="idx")


# --- tile and memory types -----------------------------------------------------------------------


def _not_vec(tile: TileFacts, what: str, slot: str) -> Violations:
    if tile.loc is not TileLoc.Vec:
        yield mismatch(f"memory of the {what}", tile.loc.value, "vec", slot=slot)


@rule(
    "PTO-A103",
    source="000, Tile Constraints, Tile and memory types; 002, Tile Constraints",
    reason="The gather writes the unified buffer.",
    failing=mgather("row", "mat, 16x32xf32", "64x32xf32", "1x16xi32"),
    passing=_GOOD,
)
def gather_destination_is_vec(op: MGatherOp, know: Facts) -> Violations:
    """The destination is a vector tile (loc=vec)."""
    return _not_vec(know.tile("dst"), "destination", "dst")


@rule(
    "PTO-A104",
    source="000, Tile Constraints, Tile and memory types; 002, Tile Constraints",
    reason="The gather reads its indices from the unified buffer.",
    failing=mgather("row", "16x32xf32", "64x32xf32", "mat, 1x16xi32"),
    passing=_GOOD,
)
def gather_index_is_vec(op: MGatherOp, know: Facts) -> Violations:
    """The index tile is a vector tile (loc=vec)."""
    return _not_vec(know.tile("idx"), "index", "idx")


@rule(
    "PTO-A105",
    source="000, Tile Constraints (CPU), Tile and memory types",
    reason="The simulator walks destination and index row by row.",
    failing=mgather("elem", "32x16xf32, blayout=col_major", "64x32xf32", "32x16xi32"),
    passing=_GOOD_CPU,
    on="cpu",
)
def gather_destination_is_row_major(op: MGatherOp, know: Facts) -> Violations:
    """The destination is row_major with none_box."""
    dst = know.tile("dst")
    if not dst.is_nd:
        yield mismatch("destination layout", dst.layout_text, "row_major + none_box", slot="dst")


@rule(
    "PTO-A106",
    source="000, Tile Constraints (CPU) and (A2/A3), Tile and memory types",
    reason="The scalar loop reads the index as rows, whatever the table's layout is.",
    failing=mgather("row", "16x32xf32", "64x32xf32", "8x16xi32, valid=1x16, blayout=col_major"),
    passing=_GOOD,
    on="a2a3",
)
def gather_index_is_row_major(op: MGatherOp, know: Facts) -> Violations:
    """The index tile is row_major with none_box, regardless of the table's layout."""
    idx = know.tile("idx")
    if not idx.is_nd:
        yield mismatch("index layout", idx.layout_text, "row_major + none_box", slot="idx")


@rule(
    "PTO-A107",
    source="000, Tile Constraints (CPU) and (A5), GM table layout; 002, Shape Constraints; D16",
    reason="The table is read as a flat row-major buffer; the A5 header lets NZ through, with wrong data.",
    failing=mgather("row", "32x16xf16", "1x1x4x16x16xf16, nz", "1x32xi32"),
    passing=mgather("row", "32x16xf16", "64x16xf16", "1x32xi32"),
)
def gather_table_is_nd(op: MGatherOp, know: Facts) -> Violations:
    """The table's layout is ND."""
    table = know.view("mem")
    if table.layout is not Layout.ND:
        yield mismatch(
            "table layout",
            table.layout.value,
            "nd",
            slot="mem",
            fix="repack the table as ND before the gather",
        )


@rule(
    "PTO-A108",
    source="000, Tile Constraints (A2/A3), Tile and memory types",
    reason="ND and NZ have separate code paths; no path translates between them.",
    failing=mgather("row", "32x16xf16", "1x1x4x16x16xf16, nz", "1x32xi32"),
    passing=_GOOD_NZ,
    on="a2a3",
)
def gather_destination_matches_the_table_layout(op: MGatherOp, know: Facts) -> Violations:
    """An ND table goes with a row_major + none_box destination, an NZ table with col_major + row_major +
    fractal 512, and no other pair is legal."""
    dst, table = know.tile("dst"), know.view("mem")
    required = {
        Layout.ND: (dst.is_nd, "row_major + none_box"),
        Layout.NZ: (dst.is_nz, "col_major + row_major, fractal 512"),
    }.get(table.layout)
    if required is None:
        yield mismatch("table layout", table.layout.value, "nd or nz", slot="mem")
    elif not required[0]:
        what = f"destination layout for a table in {table.layout.value}"
        yield mismatch(what, dst.layout_text, required[1], slot="dst")


@rule(
    "PTO-A109",
    source="000, Tile Constraints (A5), Tile and memory types",
    reason="The SIMT kernel computes tile offsets for plain row- or column-major tiles.",
    failing=mgather("row", "16x32xf32, blayout=col_major, slayout=row_major", "64x32xf32", "1x16xi32"),
    passing=mgather("row", "16x32xf32, blayout=col_major", "64x32xf32", "1x16xi32"),
)
def gather_destination_has_no_boxes(op: MGatherOp, know: Facts) -> Violations:
    """The destination is row_major or col_major, with none_box."""
    dst = know.tile("dst")
    if dst.type.slayout is not SLayout.NoneBox:
        yield mismatch("destination layout", dst.layout_text, "slayout none_box", slot="dst")


# --- the 32-byte rule and the least tiles --------------------------------------------------------


def _misaligned(dst: TileFacts, word: str, extent: int) -> Violations:
    width = extent * dst.size
    blocks, rest = divmod(width, C0_BYTES)
    if blocks and rest:
        step = C0_BYTES // dst.size
        yield mismatch(
            f"{word} of the destination",
            f"{extent} x {dst.size} bytes = {width} bytes",
            f"a multiple of {C0_BYTES} bytes",
            slot="dst",
            fix=f"pad to {-(-extent // step) * step} {word} and keep {extent} valid",
        )


@rule(
    "PTO-A110",
    source="000, Tile Constraints (CPU) and (A2/A3), Shape constraints",
    reason="Rows move in bursts of 32 bytes, so every row must start on one.",
    failing=mgather("row", "16x12xf32", "64x12xf32", "1x16xi32"),
    passing=mgather("row", "16x16xf32, valid=16x12", "64x12xf32", "1x16xi32"),
    on="a2a3",
)
def gather_row_is_a_multiple_of_32_bytes(op: MGatherOp, know: Facts) -> Violations:
    """Padded destination columns times the element size is a multiple of 32 bytes; valid columns are free."""
    dst = know.tile("dst")
    if dst.type.slayout is SLayout.NoneBox:
        yield from _misaligned(dst, "columns", dst.cols)


@rule(
    "PTO-A111",
    source="000, Tile Constraints (A5), Shape constraints",
    reason="Loads and stores of the tile move 32-byte bursts along its contiguous dimension.",
    failing=mgather("row", "12x32xf32, blayout=col_major", "64x32xf32", "1x16xi32, valid=1x12"),
    passing=mgather("row", "16x32xf32, valid=12x32, blayout=col_major", "64x32xf32", "1x16xi32, valid=1x12"),
)
def gather_contiguous_dimension_is_a_multiple_of_32_bytes(op: MGatherOp, know: Facts) -> Violations:
    """Padded columns (row_major) or rows (col_major) of the destination, times the element size, are a
    multiple of 32 bytes."""
    dst = know.tile("dst")
    if dst.type.slayout is SLayout.NoneBox:
        yield from _misaligned(dst, *contiguous(dst))


@rule(
    "PTO-A112",
    source="000, Minimum Tile Shape",
    reason="One burst is 32 bytes: 32 one-byte, 16 two-byte or 8 four-byte elements.",
    failing=mgather("row", "16x4xf32", "64x4xf32", "1x16xi32"),
    passing=mgather("row", "16x8xf32, valid=16x4", "64x4xf32", "1x16xi32"),
    on="a2a3 a5",
)
def gather_tile_has_the_least_shape(op: MGatherOp, know: Facts) -> Violations:
    """The destination has at least 32 (8-bit), 16 (16-bit) or 8 (32-bit) elements along its contiguous
    dimension."""
    dst = know.tile("dst")
    plain = dst.type.slayout is SLayout.NoneBox
    if not plain or (dst.is_dn and not know.target.gathers_into_columns):
        return
    word, extent = contiguous(dst)
    least = C0_BYTES // dst.size
    if extent < least:
        fix = f"pad to {least} {word} and keep {extent} valid"
        what = f"{word} of a {dst.type.blayout.value} {dst.element_name} destination"
        yield mismatch(what, extent, f"at least {least}", slot="dst", fix=fix)


# --- modes ---------------------------------------------------------------------------------------


@rule(
    "PTO-A301",
    source="000, CPU Reference Form; D17",
    reason="The reference walks elements; read as Elem, row indices would give other data without a word.",
    failing=mgather("row", "16x32xf32", "64x32xf32", "16x32xi32"),
    passing=_GOOD_CPU,
    on="cpu",
)
def cpu_has_no_row_mode(op: MGatherOp, know: Facts) -> Violations:
    """The CPU form has no Coalesce parameter: only Elem gathers are legal."""
    if know.is_row:
        yield Violation(
            "mode: found row, required elem (the reference has no Row path)",
            field="coalesce",
            fix="lower or run with --legalize, which turns rows into element indices",
        )


@rule(
    "PTO-A302",
    source="000, CPU Reference Form; D17",
    reason="The reference checks no bounds.",
    failing=mgather("elem.clamp", "16x32xf32", "64x32xf32", "16x32xi32"),
    passing=mgather("elem.undefined", "16x32xf32", "64x32xf32", "16x32xi32"),
    on="cpu",
)
def cpu_has_no_out_of_bounds_mode(op: MGatherOp, know: Facts) -> Violations:
    """The CPU form has no GatherOOB parameter: only `undefined` is legal."""
    oob = op.gather_oob
    if oob is not None and oob.data is not GatherOOB.Undefined:
        yield Violation(
            f"out-of-bounds mode: found {oob.data.value}, required undefined",
            field="gatherOob",
            fix="lower or run with --legalize, which remaps the indices beforehand",
        )


# --- budget --------------------------------------------------------------------------------------


@rule(
    "PTO-A401",
    source="000, UB Memory Budget, A5; D22",
    reason="Without a dynamic region the data cache keeps its default size, and results may be corrupted.",
    failing=mgather("elem", "96x256xf32", "64x32xf32", "96x256xi32"),
    passing=mgather("elem", "64x256xf32", "64x32xf32", "64x256xi32"),
    severity=Severity.WARNING,
)
def gather_fits_the_default_budget(op: MGatherOp, know: Facts) -> Violations:
    """Destination and index together above 128 KB need an explicit dynUBufSize at launch."""
    ub = know.target.ub
    assert ub is not None and ub.default_budget is not None, "the rule is for targets with a budget"
    used = know.tile("dst").type.size_bytes + know.tile("idx").type.size_bytes
    if ub.default_budget < used <= ub.limit(simt=True):
        limit = f"{ub.default_budget} bytes by default"
        fix = f"launch with dynUBufSize = {used}: kernel<<<blocks, {used}, stream>>>(...)"
        yield mismatch("destination and index", f"{used} bytes", limit, part="statement", fix=fix)
