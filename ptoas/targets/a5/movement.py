"""Copies between the memories of A5."""

from __future__ import annotations

from dataclasses import replace

from ptoas.dialects.pto import movement as d
from ptoas.targets.a5.memory import PLAIN, SCALED
from ptoas.targets.row import Call, Rows
from ptoas.targets.rules import movement as m
from ptoas.targets.rules.fixpipe import part_is_made_of_blocks
from ptoas.targets.shared.fixpipe import Cube, moves
from ptoas.targets.shared.movement import (
    BOXES,
    CONCAT,
    EXTRACT,
    MOVE,
    TRANSPOSE,
    FillModel,
    fill_pad,
    move,
)
from ptoas.targets.specs import FLOAT4, FLOAT8, HIF8, NINE, ROW_MAJOR, SCALE, elements, tile

MOVED = (*NINE, *FLOAT8, *HIF8, *SCALE)
PARTS = elements("i8 i32 f16 bf16 f32 f8e4m3 f8e5m2 hif8 f8E8M0 f4E1M2x2 f4E2M1x2")
"""Types that textract and tinsert copy within the unified buffer."""
MADE = elements("i8 ui8 i32 f16 bf16 f32 f8e4m3 f8e5m2 hif8")
"""Types for which tmov makes boxes there."""
WAYS = {"mat": "left right bias scaling scale_left scale_right", "vec": "vec mat", "acc": "vec mat"}
EXTRACTED = {**WAYS, "mat": "left right scale_left scale_right"}
INSERTED = {"vec": "vec mat", "acc": "vec mat"}
LAYOUTS = {
    "mat left": "nz-* zn-* row-*",
    "mat right": "nz-* zn-*",
    "mat scale_left": "zz-*",
    "mat scale_right": "nn-*",
    "acc mat": "*-nz *-nz8 *-nz16 *-nd *-dn",
    "acc vec": "*-nd *-nz *-nz8 *-nz16 *-dn",
    "vec mat": "nz-nz nd-nd",
    "vec vec": "nd-nd dn-dn nd-nz nd-zn zn-zn zz-zz",
}
# A part of an accumulator is not cut into blocks of 8 columns, and goes to plain rows in vec alone.
OF_A_PART = {**LAYOUTS, "acc mat": "*-nz *-nz16", "acc vec": "*-nd"}
INTO_A_PART = {**LAYOUTS, "acc mat": "*-nz *-nz8 *-nz16", "vec mat": "nz-nz nd-nd zn-zn zz-zz"}

CUBE = Cube(
    types=(*elements("i8 f16 bf16 f32 f8E8M0 f4E1M2x2 f4E2M1x2"), *FLOAT8, *HIF8),
    plain=PLAIN,
    scaled=SCALED,
    bias={"i32": "i32", "f32": "f32", "f16": "f32", "bf16": "f32"},
    scaling={"i64": "i64", "ui64": "ui64"},
    ways=WAYS,
    layouts=LAYOUTS,
    squares="dst",
)

BLOCKS = (m.part_is_inside_the_tile, part_is_made_of_blocks)
PART = EXTRACT.of(PARTS).override(rules=(m.part_is_no_larger,))

ROWS: Rows = {
    d.TMovOp: move(
        moves("TMOV", MOVE.of((*MOVED, *FLOAT4), call=Call(by_rows=True)), CUBE, made=MADE), BOXES
    ),
    # Vectors alone, in every overload (pto/npu/a5/TFillPad.hpp, TTrans.hpp and TConcat.hpp).
    d.TFillPadOp: fill_pad(MOVED, FillModel()),
    d.TTransOp: TRANSPOSE.override(
        tiles={"src": tile(None, ROW_MAJOR, aligned=True), "dst": tile(MOVED, ROW_MAJOR, aligned=True)},
        no_alias=(("dst", "src"),),
    ),
    d.TConcatOp: CONCAT.of(NINE).override(rules=(m.concatenation_is_as_wide_as_its_parts,)),
    d.TExtractOp: moves(
        "TEXTRACT", PART, replace(CUBE, ways=EXTRACTED, layouts=OF_A_PART), *BLOCKS, at="row col"
    ),
    d.TInsertOp: moves(
        "TINSERT", PART, replace(CUBE, ways=INSERTED, layouts=INTO_A_PART), *BLOCKS, at="row col"
    ),
}
