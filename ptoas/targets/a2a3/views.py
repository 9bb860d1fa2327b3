"""Views and tiles of A2/A3: not every memory exists."""

from __future__ import annotations

from ptoas.dialects.pto.views import AllocTileOp
from ptoas.targets.row import with_rules
from ptoas.targets.rules import tiles as v
from ptoas.targets.shared import views

ROWS = with_rules(views.ROWS, {AllocTileOp: (v.tile_memory_exists,)})
