"""Copies between tiles on the simulator: any bytes, between any memories."""

from __future__ import annotations

from ptoas.dialects.pto import movement as d
from ptoas.targets.families import (
    CONCAT,
    CONCAT_COUNTED,
    EXTRACT,
    MOVE,
    TRANSPOSE,
    FillModel,
    fill_pad,
)
from ptoas.targets.row import Row, Rows
from ptoas.targets.rules import movement as m
from ptoas.targets.specs import ANY, NINE, T, tile

PART = Row(tiles={"dst": tile(T), "src": tile()}, rules=(m.part_is_inside(of_valid=True),), pipe=EXTRACT.pipe)

ROWS: Rows = {
    d.TMovOp: MOVE.of(ANY),
    d.TFillPadOp: fill_pad(NINE, FillModel(whole=True)),
    d.TTransOp: TRANSPOSE.but(tiles={"src": tile(), "dst": tile(ANY)}),
    d.TConcatOp: CONCAT.of(NINE).but(rules=(m.concatenation_is_as_wide_as_its_parts,)),
    d.TConcatIdxOp: CONCAT_COUNTED.of(NINE),
    d.TExtractOp: PART.of(ANY),
    d.TInsertOp: PART.of(ANY),
}
