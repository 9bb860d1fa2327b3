"""Channels of the simulator: slots in host memory, tiles only."""

from __future__ import annotations

from ptoas.targets.row import Rows
from ptoas.targets.shared.channel import channel_rows
from ptoas.targets.shared.channel_model import CPU_MODEL

ROWS: Rows = channel_rows(CPU_MODEL)
