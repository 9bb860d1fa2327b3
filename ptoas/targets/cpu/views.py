"""Tiles of the simulator: its headers compare the types of two names for one tile."""

from __future__ import annotations

from ptoas.dialects.pto.views import BitcastOp, TReshapeOp
from ptoas.targets.row import with_rules
from ptoas.targets.rules.aliases import simulator_reshapes_within_a_kind
from ptoas.targets.shared import views

ROWS = with_rules(views.ROWS, dict.fromkeys((TReshapeOp, BitcastOp), (simulator_reshapes_within_a_kind,)))
