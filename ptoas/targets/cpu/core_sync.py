"""Synchronisation of cores on the simulator: it knows channels, and no counters."""

from __future__ import annotations

from ptoas.targets.row import Rows
from ptoas.targets.shared.core_sync import without_counters

ROWS: Rows = without_counters("the simulator's cores have no counters; use a channel")
