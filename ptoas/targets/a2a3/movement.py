"""Copies between the memories of A2/A3: blocks of 32 bytes."""

from __future__ import annotations

from ptoas.dialects.pto import movement as d
from ptoas.dialects.pto.element_types import element_size
from ptoas.dialects.pto.types import TileType
from ptoas.targets.facts import Facts
from ptoas.targets.families import (
    BLOCK,
    CONCAT,
    CONCAT_COUNTED,
    EXTRACT,
    INSERT,
    MOVE,
    TRANSPOSE,
    FillModel,
    fill_pad,
)
from ptoas.targets.row import Rows, Scratch
from ptoas.targets.rules import movement as m
from ptoas.targets.rules.elementwise import move_has_a_way
from ptoas.targets.specs import NINE

WAYS = {"mat": "left right bias scaling", "vec": "vec", "acc": "mat"}


def _transposed(know: Facts) -> TileType:
    """Squares are transposed through a tile like the source, and single elements by way of one block."""
    src, dst = know.tile("src").type, know.tile("dst").type
    size = element_size(src.element_type)
    blocks, rest = divmod(src.cols * size, BLOCK)
    if dst.cols % (32 if size == 1 else 16) == 0 and rest == 0 and blocks <= 255:
        return TileType.of(src.element_type, src.rows, src.cols)
    return TileType.of(src.element_type, 1, BLOCK // size)


ROWS: Rows = {
    # The copy moves whole blocks of the physical tile.
    d.TMovOp: MOVE.of(NINE, shape={"src": "R C", "dst": "R C"}).but(rules=(move_has_a_way(ways=WAYS),)),
    d.TFillPadOp: fill_pad(NINE, FillModel(keeps_bursts=True)),
    d.TTransOp: TRANSPOSE.of(NINE, ignores=(), scratch={"tmp": Scratch(_transposed)}),
    d.TConcatOp: CONCAT.of(NINE).but(rules=(m.concatenation_fits,)),
    d.TConcatIdxOp: CONCAT_COUNTED.of(NINE),
    d.TExtractOp: EXTRACT.of(NINE).but(rules=(m.part_starts_at_a_block,)),
    d.TInsertOp: INSERT.of(NINE).but(rules=(m.part_starts_at_a_block,)),
}
