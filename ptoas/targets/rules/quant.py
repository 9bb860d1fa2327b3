"""Rules of conversion and quantisation: pairs of types, and matching extents."""

from __future__ import annotations

from ptoas.analysis.knowledge import TileFacts, shape_str
from ptoas.dialects.pto.enums import MxGroupAxis
from ptoas.dialects.pto.quant import TQuantMxOp
from ptoas.dialects.pto.types import DYNAMIC
from ptoas.targets.facts import Facts
from ptoas.targets.relation import Relation, constraint
from ptoas.targets.rule import Violations, mismatch, rule
from ptoas.targets.rules.examples import instruction


@constraint(
    "PTO-E311",
    Relation(
        "dst.element in pairs[src.element]",
        message="no conversion from {src.element} to {found}; {src.element} converts to {expected}",
    ),
    source="public TCVT page, Constraints",
    reason="Each conversion is an instruction of its own; other conversions take two steps.",
    failing=instruction("tcvt", "16x32xi64", "16x32xf16"),
    passing=instruction("tcvt", "16x32xf16", "16x32xf32"),
    on="a2a3 a5",
)
def conversion_exists() -> None:
    """The target must support the conversion from the source's element type to the destination's."""


@constraint(
    "PTO-Q101",
    Relation("dst.valid_rows == src.valid_rows, as $src"),
    Relation("dst.valid_cols == src.valid_cols * 2", when="src.kind == pairs and dst.kind != pairs"),
    Relation("dst.valid_cols == src.valid_cols // 2", when="src.kind != pairs and dst.kind == pairs"),
    Relation("src.valid_cols % 2", when="src.kind != pairs and dst.kind == pairs"),
    source="public TCVT page; PTOAS tcvt: verifier",
    reason="A pair holds two neighbours of a row.",
    failing=instruction("tcvt", "16x32xf4E2M1x2", "16x32xbf16"),
    passing=instruction("tcvt", "16x32xf4E2M1x2", "16x64xbf16"),
)
def pairs_are_half_as_wide() -> None:
    """If one tile holds pairs, the other must have the same valid rows and twice the valid columns."""


_SCALES = "16x1xf32"


@constraint(
    "PTO-Q102",
    "offset.type == SCALES.type, as ${slot}",
    source="headers of TQUANT and TDEQUANT: one template parameter for both tiles",
    reason="The library's call takes both tiles as one C++ type.",
    failing=instruction("tdequant", "16x32xf32", "16x32xi8", _SCALES, "16x8xf32, valid=16x1"),
    passing=instruction("tdequant", "16x32xf32", "16x32xi8", _SCALES, _SCALES),
)
def offsets_have_the_type_of_the_scales() -> None:
    """The tile of offsets must have the type of the tile of scales."""


# --- blocks --------------------------------------------------------------------------------------

BLOCK = 32
"""Numbers that share a scale."""


@rule(
    "PTO-Q111",
    source="public TQUANT and TQUANT_DN pages; PTOAS tquant.mx: verifier",
    reason="A scale belongs to 32 neighbours; interleaving makes pairs of the exponents of two blocks.",
)
def quantised_blocks_are_whole(op: TQuantMxOp, know: Facts) -> Violations:
    """Along grpAxis the source must have a multiple of 32 valid numbers, with interleave of 64; on cpu also
    physically, and all of them must be valid."""
    at = 0 if op.axis is MxGroupAxis.Axis0 else 1
    step = 2 * BLOCK if op.is_interleaved else BLOCK
    src, word = know.tile("src"), ("rows", "columns")[at]
    valid, physical = src.valid[at], src.type.shape[at]
    if valid != DYNAMIC and (valid % step or not valid):
        yield mismatch(f"valid {word} of $src", valid, f"a multiple of {step}", slot="src")
    elif know.model == "whole tiles" and valid not in (DYNAMIC, physical):
        yield mismatch(f"valid {word} of $src", valid, f"{physical}, all of them", slot="src")


@rule(
    "PTO-Q112",
    source="PTOAS tquant.mx: verifier; TQuant.hpp",
    reason="Each number has one code, two codes of fp4 share a byte, and codes have the pitch of the "
    "numbers.",
)
def codes_have_the_shape_of_the_numbers(op: TQuantMxOp, know: Facts) -> Violations:
    """The destination must have the valid rows and columns of the source, half the columns for fp4; along
    axis1, and for fp4, also its physical columns."""
    src, dst = know.tile("src"), know.tile("dst")
    pack = 2 if op.makes_pairs else 1
    rows, cols = src.valid
    required = (rows, cols if cols == DYNAMIC else cols // pack)
    pairs = zip(dst.valid, required, strict=True)
    if any(DYNAMIC not in pair and pair[0] != pair[1] for pair in pairs):
        yield mismatch("valid shape of $dst", shape_str(dst.valid), shape_str(required), slot="dst")
    elif (op.makes_pairs or op.axis is MxGroupAxis.Axis1) and dst.type.cols * pack != src.type.cols:
        yield mismatch("columns of $dst", dst.type.cols, src.type.cols // pack, slot="dst")


@rule(
    "PTO-Q113",
    source="PTOAS tquant.mx: verifier; public TQUANT and TQUANT_DN pages",
    reason="There is one exponent, one maximum and one scale per block.",
)
def block_results_have_the_shape_of_the_blocks(op: TQuantMxOp, know: Facts) -> Violations:
    """Exponents, maxima and scales must have the shape of the blocks, along axis1 also as one row;
    interleaved exponents must have half the rows and twice the columns."""
    rows, cols = know.tile("src").valid
    if DYNAMIC in (rows, cols):
        return
    down = op.axis is MxGroupAxis.Axis0
    groups = (rows // BLOCK, cols) if down else (rows, cols // BLOCK)
    for slot in ("exp", "max", "scaling"):
        shape = groups
        if slot == "exp" and op.is_interleaved:
            shape = (groups[0] // 2, 2 * groups[1])
        found = know.tile(slot).valid
        flat = (1, groups[0] * groups[1])
        legal = [shape] if down or (slot == "exp" and know.model == "whole tiles") else [shape, flat]
        if DYNAMIC not in found and found not in legal:
            required = " or ".join(map(shape_str, legal))
            yield mismatch(f"valid shape of ${slot}", shape_str(found), required, slot=slot)


@rule(
    "PTO-Q114",
    source="PTOAS tquant.mx: verifier; TQuant.hpp: stores of whole vectors, and flat views of the tiles",
    reason="The header ignores the pitch of these tiles, or uses that of the source.",
)
def block_results_have_no_gaps(op: TQuantMxOp, know: Facts, simulated: bool = False) -> Violations:
    """Along axis1, on cpu along both axes, maxima and scales must be stored without gaps. On A5, exponents in
    one row need a source without gaps; along axis0 all three need the source's physical columns,
    interleaved exponents twice as many in whole blocks of 32 bytes; scales in one row need space for whole
    vectors."""
    src = know.tile("src")
    exp = know.tile("exp").type
    if op.axis is MxGroupAxis.Axis0 and not simulated:
        for slot in ("exp", "max", "scaling"):
            cols = know.tile(slot).type.cols
            wide = -(-2 * src.type.cols // 32) * 32 if slot == "exp" and op.is_interleaved else src.type.cols
            if cols != wide:
                yield mismatch(f"columns of ${slot}", cols, wide, slot=slot)
        return
    for slot in ("max", "scaling"):
        tile = know.tile(slot)
        if tile.valid[0] != 1 and tile.valid[1] not in (DYNAMIC, tile.type.cols):
            yield mismatch(f"columns of ${slot}", tile.type.cols, tile.valid[1], slot=slot)
    if simulated or exp.rows != 1 or DYNAMIC in src.valid:
        return
    if src.type.cols != src.valid[1]:
        yield mismatch("columns of $src", src.type.cols, f"{src.valid[1]}, the valid ones", slot="src")
    least, found = _vectors(src), know.tile("scaling").type.size_bytes
    if found < least:
        yield mismatch("size of $scaling", f"{found} bytes", f"at least {least} bytes", slot="scaling")


def _vectors(src: TileFacts) -> int:
    """Bytes of the scales of all blocks in whole vectors; of many numbers of f32 each is stored twice."""
    (rows, cols), all_numbers = src.valid, src.type.rows * src.type.cols
    groups = rows * cols // BLOCK
    if src.size == 4:
        twice = all_numbers > 1024 and all_numbers % 256 == 0 and rows * src.type.cols % 256 == 0
        return -(-groups * (2 if twice else 1) // 64) * 256
    return -(-groups // 128) * 256


@constraint(
    "PTO-Q115",
    Relation("quant_type == MXFP8", what="numbers with exponents in boxes"),
    Relation("storeMode == nz"),
    Relation("src.valid_rows % 16", fix=""),
    Relation("src.valid_cols % 64", fix=""),
    source="header of the simulator, TQUANT with VecStoreMode",
    reason="Exponents are stored in boxes of 16 rows and 2 columns.",
)
def exponents_fill_boxes() -> None:
    """Exponents in box order need fp8, `nz`, and a multiple of 16 rows and 64 columns."""


@constraint(
    "PTO-V143",
    "exp_zz.body == exp.body, as $exp",
    Relation(f"exp.cols == src.valid_cols // {BLOCK}, as many as blocks", fix="", when="exp.rows > 1"),
    source="header of the simulator, TQUANT with VecStoreMode: one type, and row 0 read to its end",
    reason="The library's call takes both tiles as one C++ type, and reads exponents across row ends.",
)
def exponents_in_boxes_have_one_type_and_no_gaps() -> None:
    """Exponents in boxes must have the type of the other exponents, and rows without gaps."""
