"""Copies between the memories of A5."""

from __future__ import annotations

from ptoas.dialects.pto.movement import TMovOp
from ptoas.targets.families import MOVE
from ptoas.targets.row import Rows
from ptoas.targets.rules.elementwise import move_has_a_way
from ptoas.targets.specs import FLOAT8, HIF8, NINE

WAYS = {"mat": "left right bias scaling scale_left scale_right", "vec": "vec mat", "acc": "vec mat"}

ROWS: Rows = {TMovOp: MOVE.of((*NINE, *FLOAT8, *HIF8)).but(rules=(move_has_a_way(ways=WAYS),))}
