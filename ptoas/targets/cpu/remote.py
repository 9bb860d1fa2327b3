"""Transfers and signals of the simulator: ranks are pointers of one process."""

from __future__ import annotations

from ptoas.targets.shared.remote import transfers
from ptoas.targets.specs import LOADED, NINE, WIDE

ROWS = transfers(LOADED, (*NINE, *WIDE))
