"""Collectives of the simulator: ranks are pointers of one process."""

from __future__ import annotations

from ptoas.targets.cpu.elementwise import ARITHMETIC
from ptoas.targets.shared.comm import collectives
from ptoas.targets.specs import LOADED

ROWS = collectives(LOADED, ARITHMETIC, ccu=False)
