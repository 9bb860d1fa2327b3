"""Collectives of A5, which has a collective unit."""

from __future__ import annotations

from ptoas.targets.a5.elementwise import ADDED
from ptoas.targets.shared.comm import collectives
from ptoas.targets.specs import LOADED

ROWS = collectives(LOADED, ADDED, ccu=True)
