"""Channels of A5: slots in the consumer's memory, or in global memory."""

from __future__ import annotations

from ptoas.targets.channel_model import A5_MODEL
from ptoas.targets.row import Rows
from ptoas.targets.shared.channel import channel_rows

ROWS: Rows = channel_rows(A5_MODEL)
