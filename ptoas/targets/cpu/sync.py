"""Synchronisation on the simulator: one thread does all in order."""

from __future__ import annotations

from ptoas.targets.row import Rows
from ptoas.targets.shared.sync import without_tokens

ROWS: Rows = without_tokens("the simulator has no tokens of buffers")
