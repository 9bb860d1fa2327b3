"""Channels of A2/A3: slots in global memory, which a pop copies."""

from __future__ import annotations

from ptoas.targets.row import Rows
from ptoas.targets.shared.channel import channel_rows
from ptoas.targets.shared.channel_model import A2A3_MODEL

ROWS: Rows = channel_rows(A2A3_MODEL)
