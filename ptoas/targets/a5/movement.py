"""Copies between the memories of A5."""

from __future__ import annotations

from ptoas.dialects.pto import movement as d
from ptoas.targets.families import (
    CONCAT,
    CONCAT_COUNTED,
    EXTRACT,
    INSERT,
    MOVE,
    TRANSPOSE,
    FillModel,
    fill_pad,
)
from ptoas.targets.row import Rows
from ptoas.targets.rules import movement as m
from ptoas.targets.rules.elementwise import move_has_a_way
from ptoas.targets.specs import FLOAT8, HIF8, NINE, ROW_MAJOR, tile

MOVED = (*NINE, *FLOAT8, *HIF8)
WAYS = {"mat": "left right bias scaling scale_left scale_right", "vec": "vec mat", "acc": "vec mat"}

ROWS: Rows = {
    d.TMovOp: MOVE.of(MOVED).but(rules=(move_has_a_way(ways=WAYS),)),
    d.TFillPadOp: fill_pad(MOVED, FillModel()),
    d.TTransOp: TRANSPOSE.but(
        tiles={"src": tile(None, ROW_MAJOR, aligned=True), "dst": tile(MOVED, ROW_MAJOR, aligned=True)}
    ),
    d.TConcatOp: CONCAT.of(NINE).but(rules=(m.concatenation_is_as_wide_as_its_parts,)),
    d.TConcatIdxOp: CONCAT_COUNTED.of(NINE),
    d.TExtractOp: EXTRACT.of(MOVED),
    d.TInsertOp: INSERT.of(MOVED),
}
