"""Copies between the memories of A2/A3."""

from __future__ import annotations

from ptoas.dialects.pto.movement import TMovOp
from ptoas.targets.families import MOVE
from ptoas.targets.row import Rows
from ptoas.targets.rules.elementwise import move_has_a_way
from ptoas.targets.specs import NINE

WAYS = {"mat": "left right bias scaling", "vec": "vec", "acc": "mat"}

ROWS: Rows = {
    # The copy moves whole blocks of the physical tile.
    TMovOp: MOVE.of(NINE, shape={"src": "R C", "dst": "R C"}).but(rules=(move_has_a_way(ways=WAYS),))
}
