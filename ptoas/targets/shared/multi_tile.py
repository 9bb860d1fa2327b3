"""Several tiles under one name: they are taken apart before anything runs."""

from __future__ import annotations

from ptoas.dialects.pto.multi_tile import AllocMultiTileOp, MultiTileGetOp
from ptoas.targets.row import Row, Rows
from ptoas.targets.rules.multi_tile import tile_is_one_of_several

ROWS: Rows = {AllocMultiTileOp: Row(), MultiTileGetOp: Row(rules=(tile_is_one_of_several,))}
