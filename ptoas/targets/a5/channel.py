"""Channels of A5: slots in the consumer's memory, or in global memory."""

from __future__ import annotations

from ptoas.targets.row import Rows
from ptoas.targets.shared.channel import channel_rows
from ptoas.targets.shared.channel_model import A5_MODEL

ROWS: Rows = channel_rows(A5_MODEL)
