"""Copies between tiles on the simulator: any bytes, between any memories."""

from __future__ import annotations

from ptoas.dialects.pto.movement import TMovOp
from ptoas.targets.families import MOVE
from ptoas.targets.row import Rows
from ptoas.targets.specs import ANY

ROWS: Rows = {TMovOp: MOVE.of(ANY)}
