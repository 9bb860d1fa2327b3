"""TGATHER, TGATHERB and TSCATTER: gathers and scatters between tiles (document 004, public ISA pages)."""

from __future__ import annotations

from collections.abc import Iterator

from ptoas.dialects.pto.enums import CmpMode
from ptoas.dialects.pto.gather import TGatherBOp, TGatherOp, TScatterOp
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.targets.facts import Facts, shape_str
from ptoas.targets.rule import Violation, mismatch, rule
from ptoas.targets.rules.common import fits, not_in_vec, not_row_major, not_taken
from ptoas.targets.rules.examples import instruction
from ptoas.targets.target import C0_BYTES

Violations = Iterator[Violation]

_INDEX = instruction("tgather", "16x16xf32", "16x16xf32", "16x16xi32")


def _mask(dst: str, src: str) -> str:
    return instruction("tgather", dst, src, attrs="maskPattern = #pto.mask_pattern<P0101>")


_MASK = _mask("16x16xf32", "16x32xf32")


def _compare(dst: str, src: str, cmp: str = "gt", scalar: str = "f32", count: str = "1x16xi32") -> str:
    tile = "!pto.tile_buf<vec, {}>".format
    return (
        f".arg %src : {tile(src)}\n.arg %k : {scalar}\n.arg %tmp : {tile('1x1024xi32')}\n"
        f".arg %dst : {tile(dst)}\n.arg %n : {tile(count)}\n"
        f"pto.tgather ins(%src, %k, %tmp : {tile(src)}, {scalar}, {tile('1x1024xi32')}) "
        f"outs(%dst, %n : {tile(dst)}, {tile(count)}) {{cmpMode = #pto<cmp {cmp}>, offset = 0 : i32}}"
    )


_COMPARE = _compare("16x16xi32", "16x16xf32")


# --- index form ----------------------------------------------------------------------------------


@rule(
    "PTO-B101",
    source="004, index-based gather, implementation checks",
    reason="The vector gather exists for elements of these types.",
    failing=instruction("tgather", "16x32xi8", "16x32xi8", "16x32xi32"),
    passing=_INDEX,
    on="a2a3 a5",
)
def tile_gather_takes_the_element_type(op: TGatherOp, know: Facts) -> Violations:
    """Index form: the destination's element type is one that the target gathers."""
    if op.form == "index":
        yield from not_taken(know, "dst", "tgather.index")


@rule(
    "PTO-B102",
    source="004, index-based gather, implementation checks",
    reason="The vector gather reads 32-bit offsets; A5 reads 16-bit ones too.",
    failing=instruction("tgather", "16x16xf32", "16x16xf32", "16x16xi16"),
    passing=_INDEX,
    on="a2a3",
)
def tile_gather_takes_the_index_type(op: TGatherOp, know: Facts) -> Violations:
    """Index form: the index type is i32 or u32, on A5 also i16 or u16."""
    if op.form == "index":
        yield from not_taken(know, "indices", "tgather.indices")


@rule(
    "PTO-B103",
    source="004, index-based gather, implementation checks",
    reason="A gather moves elements and converts nothing.",
    failing=instruction("tgather", "16x16xi32", "16x16xf32", "16x16xi32"),
    passing=_INDEX,
    on="a2a3 a5",
)
def tile_gather_keeps_the_element_type(op: TGatherOp, know: Facts) -> Violations:
    """Index form: destination and source have one element type."""
    dst, src = know.tile("dst"), know.tile("src")
    if op.form == "index" and dst.element is not src.element:
        yield mismatch("element type of dst", dst.element_name, f"{src.element_name}, as src", slot="dst")


@rule(
    "PTO-B104",
    source="004, index-based gather, implementation checks",
    reason="The offsets are read one after the other, without gaps between rows.",
    failing=instruction("tgather", "16x16xf32", "16x16xf32", "16x24xi32, valid=16x16"),
    passing=_INDEX,
    on="a2a3 a5",
)
def tile_gather_index_is_full(op: TGatherOp, know: Facts) -> Violations:
    """Index form: the index tile's valid columns equal its Cols."""
    if op.form == "index":
        idx = know.tile("indices")
        if idx.valid_cols not in (idx.cols, DYNAMIC):
            yield mismatch("valid columns of the index", idx.valid_cols, idx.cols, slot="indices")


@rule(
    "PTO-B105",
    source="004, index-based and mask-pattern gather, implementation checks",
    reason="The results are stored one after the other, without gaps between rows.",
    failing=instruction("tgather", "16x16xf32, valid=16x8", "16x16xf32", "16x8xi32"),
    passing=_INDEX,
    on="a2a3 a5",
)
def tile_gather_destination_is_full(op: TGatherOp, know: Facts) -> Violations:
    """Index and mask form: the destination's valid columns equal its Cols."""
    dst = know.tile("dst")
    checked = op.form == "mask" or (op.form == "index" and know.target.facts.get("index gathers are full"))
    if checked and dst.valid_cols not in (dst.cols, DYNAMIC):
        yield mismatch("valid columns of the destination", dst.valid_cols, dst.cols, slot="dst")


@rule(
    "PTO-B106",
    source="004; D19",
    reason="The gather works in the unified buffer.",
    failing=instruction("tgather", "16x16xf32", "mat, 16x16xf32", "16x16xi32"),
    passing=_INDEX,
    on="cpu a2a3 a5",
)
def tile_gather_tiles_are_vec(op: TGatherOp, know: Facts) -> Violations:
    """Destination, source and index are vector tiles (loc=vec)."""
    slots = ("dst", "src", "indices") if op.form == "index" else ("dst", "src")
    return not_in_vec(know, *slots)


@rule(
    "PTO-B107",
    source="public TGATHER page and header, A2/A3",
    reason="The byte offsets that the instruction computes go to the scratch tile.",
    failing=(
        ".arg %s : !pto.tile_buf<vec, 16x16xf16>\n.arg %i : !pto.tile_buf<vec, 16x16xi32>\n"
        ".arg %t : !pto.tile_buf<vec, 16x16xf16>\n.arg %d : !pto.tile_buf<vec, 16x16xf16>\n"
        "pto.tgather ins(%s, %i, %t : !pto.tile_buf<vec, 16x16xf16>, !pto.tile_buf<vec, 16x16xi32>, "
        "!pto.tile_buf<vec, 16x16xf16>) outs(%d : !pto.tile_buf<vec, 16x16xf16>)"
    ),
    passing=(
        ".arg %s : !pto.tile_buf<vec, 16x16xf16>\n.arg %i : !pto.tile_buf<vec, 16x16xi32>\n"
        ".arg %t : !pto.tile_buf<vec, 16x16xi32>\n.arg %d : !pto.tile_buf<vec, 16x16xf16>\n"
        "pto.tgather ins(%s, %i, %t : !pto.tile_buf<vec, 16x16xf16>, !pto.tile_buf<vec, 16x16xi32>, "
        "!pto.tile_buf<vec, 16x16xi32>) outs(%d : !pto.tile_buf<vec, 16x16xf16>)"
    ),
    on="a2a3",
)
def tile_gather_scratch_is_like_the_index(op: TGatherOp, know: Facts) -> Violations:
    """Index form on A2/A3: the scratch tile has the index tile's element type and valid shape."""
    if op.form != "index" or op.tmp is None:
        return
    tmp, idx = know.tile("tmp"), know.tile("indices")
    if tmp.element is not idx.element:
        yield mismatch("element type of tmp", tmp.element_name, f"{idx.element_name}, as indices", slot="tmp")
    if not fits(tmp.valid, idx.valid):
        found, required = shape_str(tmp.valid), f"{shape_str(idx.valid)}, as indices"
        yield mismatch("valid shape of tmp", found, required, slot="tmp")


# --- mask form -----------------------------------------------------------------------------------


@rule(
    "PTO-B111",
    source="004, mask-pattern gather, implementation checks",
    reason="The squeeze of a vector by a pattern exists for these element sizes.",
    failing=_mask("16x32xi8", "16x64xi8"),
    passing=_MASK,
    on="a2a3",
)
def mask_gather_takes_the_element_type(op: TGatherOp, know: Facts) -> Violations:
    """Mask form: source and destination types are in the target's list (2 and 4 bytes, on A5 also 1)."""
    if op.form == "mask":
        yield from not_taken(know, "src", "tgather.mask")
        yield from not_taken(know, "dst", "tgather.mask")


@rule(
    "PTO-B112",
    source="004, mask-pattern gather, implementation checks",
    reason="The pattern counts elements along a row.",
    failing=_mask("16x16xf32, blayout=col_major", "16x32xf32"),
    passing=_MASK,
    on="cpu a2a3 a5",
)
def mask_gather_is_row_major(op: TGatherOp, know: Facts) -> Violations:
    """Mask form: destination and source are row_major."""
    if op.form == "mask":
        yield from not_row_major(know, "dst", "src")


@rule(
    "PTO-B113",
    source="004, mask-pattern gather, implementation checks",
    reason="Elements are moved as bytes of one size.",
    failing=_mask("16x32xf16", "16x32xf32"),
    passing=_mask("16x16xi32", "16x32xf32"),
    on="cpu a2a3 a5",
)
def mask_gather_keeps_the_element_size(op: TGatherOp, know: Facts) -> Violations:
    """Mask form: destination and source elements have one size."""
    dst, src = know.tile("dst"), know.tile("src")
    if op.form == "mask" and dst.size != src.size:
        found, required = f"{dst.element_name}, {dst.size} bytes", f"{src.size} bytes, as src"
        yield mismatch("element size of dst", found, required, slot="dst")


# --- compare form --------------------------------------------------------------------------------


@rule(
    "PTO-B121",
    source="public TGATHER page, compare form",
    reason="The simulator has no compare form.",
    failing=_COMPARE,
    passing=_INDEX,
    on="cpu",
)
def cpu_has_no_compare_gather(op: TGatherOp, know: Facts) -> Violations:
    """The CPU simulator has the index and the mask form only."""
    if op.form == "compare":
        yield Violation("form: found compare, required index or mask", part="statement")


@rule(
    "PTO-B122",
    source="public TGATHER page, compare form",
    reason="The compare unit takes these types.",
    failing=_compare("16x16xi32", "16x16xbf16", scalar="bf16"),
    passing=_COMPARE,
    on="a2a3 a5",
)
def compare_gather_takes_the_source_type(op: TGatherOp, know: Facts) -> Violations:
    """Compare form: the source's element type is one that the target compares."""
    if op.form == "compare":
        yield from not_taken(know, "src", "tgather.compare")


@rule(
    "PTO-B123",
    source="public TGATHER page, compare form",
    reason="The results are positions.",
    failing=_compare("16x16xf32", "16x16xf32"),
    passing=_COMPARE,
    on="a2a3 a5",
)
def compare_gather_gives_positions(op: TGatherOp, know: Facts) -> Violations:
    """Compare form: the destination's element type is i32 or u32."""
    if op.form == "compare":
        yield from not_taken(know, "dst", "tgather.compare.dst")


@rule(
    "PTO-B124",
    source="public TGATHER page, compare form",
    reason="Only these comparisons are implemented; A2/A3 compares integers for equality only.",
    failing=_compare("16x16xi32", "16x16xf32", "lt"),
    passing=_compare("16x16xi32", "16x16xf32", "eq"),
    on="a2a3 a5",
)
def compare_gather_has_the_mode(op: TGatherOp, know: Facts) -> Violations:
    """Compare form: cmpMode is gt or eq, and on A2/A3 i32 goes with eq."""
    if op.form != "compare":
        return
    mode = CmpMode.EQ if op.cmp_mode is None else op.cmp_mode.data
    legal = [CmpMode.GT, CmpMode.EQ]
    if know.target.facts.get("integer compare is eq") and know.tile("src").element.is_integer:
        legal = [CmpMode.EQ]
    if mode not in legal:
        required = " or ".join(m.value for m in legal)
        yield mismatch("cmpMode", mode.value, required, field="cmpMode")


# --- TGATHERB ------------------------------------------------------------------------------------

_BLOCKS = instruction("tgatherb", "16x64xf32", "16x64xf32", "16x8xu32")


@rule(
    "PTO-B201",
    source="public TGATHERB page",
    reason="Blocks are moved as elements of 1, 2 or 4 bytes.",
    failing=instruction("tgatherb", "16x64xi64", "16x64xi64", "16x16xu32"),
    passing=_BLOCKS,
    on="a2a3 a5",
)
def block_gather_takes_the_element_type(op: TGatherBOp, know: Facts) -> Violations:
    """TGATHERB takes elements of 1, 2 or 4 bytes."""
    return not_taken(know, "dst", "tgatherb")


@rule(
    "PTO-B202",
    source="public TGATHERB page",
    reason="Offsets are read as 32 unsigned bits.",
    failing=instruction("tgatherb", "16x64xf32", "16x64xf32", "16x16xu16"),
    passing=_BLOCKS,
    on="cpu a2a3 a5",
)
def block_gather_offsets_are_32_bits(op: TGatherBOp, know: Facts) -> Violations:
    """The offset tile's elements have 4 bytes."""
    offsets = know.tile("offsets")
    if offsets.size != 4:
        yield mismatch("offset element type", offsets.element_name, "ui32 or i32", slot="offsets")


@rule(
    "PTO-B203",
    source="public TGATHERB page",
    reason="A block lies along a row.",
    failing=instruction("tgatherb", "64x16xf32, blayout=col_major", "16x64xf32", "64x8xu32"),
    passing=_BLOCKS,
    on="cpu a2a3",
)
def block_gather_destination_is_row_major(op: TGatherBOp, know: Facts) -> Violations:
    """The destination is row_major."""
    return not_row_major(know, "dst")


@rule(
    "PTO-B204",
    source="public TGATHERB page",
    reason="Every block of 32 bytes has an offset of its own.",
    failing=instruction("tgatherb", "16x128xf32", "16x64xf32", "16x8xu32"),
    passing=_BLOCKS,
    on="cpu a2a3 a5",
)
def block_gather_has_an_offset_for_each_block(op: TGatherBOp, know: Facts) -> Violations:
    """The offset tile has one column for each 32 bytes of a destination row, and as many rows."""
    dst, offsets = know.tile("dst"), know.tile("offsets")
    if DYNAMIC in (*dst.valid, *offsets.valid):
        return
    blocks = -(-dst.valid_cols * dst.size // C0_BYTES)
    if offsets.valid_cols < blocks or offsets.valid_rows < dst.valid_rows:
        found = f"{offsets.valid_rows}x{offsets.valid_cols}"
        yield mismatch(
            "valid shape of the offsets", found, f"at least {dst.valid_rows}x{blocks}", slot="offsets"
        )


@rule(
    "PTO-B205",
    source="public TGATHERB and TSCATTER pages",
    reason="Both work in the unified buffer.",
    failing=instruction("tgatherb", "16x64xf32", "mat, 16x64xf32", "16x8xu32"),
    passing=_BLOCKS,
    on="cpu a2a3 a5",
)
def block_gather_and_scatter_tiles_are_vec(op: TGatherBOp | TScatterOp, know: Facts) -> Violations:
    """All tiles of TGATHERB and TSCATTER are vector tiles (loc=vec)."""
    return not_in_vec(know, "dst", "src", "offsets" if isinstance(op, TGatherBOp) else "idx")


# --- TSCATTER ------------------------------------------------------------------------------------

_SCATTER = instruction("tscatter", "16x16xf32", "16x16xf32", "16x16xi32")


@rule(
    "PTO-B301",
    source="public TSCATTER page",
    reason="The scatter is instantiated for these types only.",
    failing=instruction("tscatter", "16x16xi64", "16x16xi64", "16x16xi32"),
    passing=_SCATTER,
    on="a2a3",
)
def tile_scatter_takes_the_element_type(op: TScatterOp, know: Facts) -> Violations:
    """The element type is one that the target's TSCATTER takes."""
    return not_taken(know, "dst", "tscatter")


@rule(
    "PTO-B302",
    source="public TSCATTER page",
    reason="Data and indices run through vector lanes of one width.",
    failing=instruction("tscatter", "16x16xf32", "16x16xf32", "16x16xi16"),
    passing=instruction("tscatter", "16x16xf16", "16x16xf16", "16x16xi16"),
    on="a2a3 a5",
)
def tile_scatter_index_has_the_width_of_the_data(op: TScatterOp, know: Facts) -> Violations:
    """Index elements have 4 bytes for data of 4 or 8 bytes, and 2 bytes for data of 1 or 2."""
    dst, idx = know.tile("dst"), know.tile("idx")
    required = 4 if dst.size >= 4 else 2
    if idx.size != required:
        found = f"{idx.element_name}, {idx.size} bytes"
        what = f"index element size for {dst.element_name}"
        yield mismatch(what, found, f"{required} bytes", slot="idx")
