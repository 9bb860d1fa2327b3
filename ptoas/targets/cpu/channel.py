"""Channels of the simulator: slots in host memory, tiles only."""

from __future__ import annotations

from ptoas.targets.channel_model import CPU_MODEL
from ptoas.targets.row import Rows
from ptoas.targets.shared.channel import channel_rows

ROWS: Rows = channel_rows(CPU_MODEL)
