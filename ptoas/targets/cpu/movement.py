"""Copies between tiles on the simulator: any bytes, between any memories."""

from __future__ import annotations

from ptoas.dialects.pto import movement as d
from ptoas.targets.cpu.memory import PLAIN, SCALED
from ptoas.targets.row import Row, Rows
from ptoas.targets.rules import movement as m
from ptoas.targets.rules.elementwise import valid_extents_are_open_in_both
from ptoas.targets.shared.fixpipe import Cube, moves
from ptoas.targets.shared.movement import (
    CONCAT,
    EXTRACT,
    MOVE,
    TRANSPOSE,
    FillModel,
    fill_pad,
    move,
    no_boxes,
)
from ptoas.targets.specs import ANY, LOADED, NINE, SCALE, T, tile

INSIDE = m.part_is_inside_the_tile(of_valid=True)
PART = Row(tiles={"dst": tile(T), "src": tile()}, rules=(INSIDE,), pipe=EXTRACT.pipe)

CUBE = Cube(
    types=LOADED,
    plain=PLAIN,
    scaled=SCALED,
    bias={"i32": "i32", "f32": "f32", "f16": "f32", "bf16": "f32"},
    scaling={"i64": "i64", "ui64": "ui64"},
    simulated=True,
)

ROWS: Rows = {
    d.TMovOp: move(
        moves("TMOV", MOVE.of(LOADED), CUBE),
        no_boxes("the simulator declares the call that reorders exponents and has no body for it"),
    ),
    d.TFillPadOp: fill_pad(NINE, FillModel(whole=True)),
    d.TTransOp: TRANSPOSE.override(
        tiles={"src": tile(), "dst": tile((*ANY, *SCALE))},
        rules=(valid_extents_are_open_in_both,),
    ),
    d.TConcatOp: CONCAT.of(NINE).override(rules=(m.concatenation_is_as_wide_as_its_parts,)),
    d.TExtractOp: moves("TEXTRACT", PART.of(LOADED), CUBE, INSIDE, at="row col"),
    d.TInsertOp: moves("TINSERT", PART.of(LOADED), CUBE, INSIDE, at="row col"),
}
