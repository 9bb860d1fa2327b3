"""Synchronisation of A2/A3."""

from __future__ import annotations

from ptoas.targets.row import Rows
from ptoas.targets.shared.sync import without_tokens

ROWS: Rows = without_tokens("tokens of buffers came with A5; use set_flag and wait_flag")
