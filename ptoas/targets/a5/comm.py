"""Collectives of A5, which has a collective unit."""

from __future__ import annotations

from ptoas.targets.a5.elementwise import ADDED
from ptoas.targets.shared.comm import collectives

ROWS = collectives(ADDED, ccu=True)
