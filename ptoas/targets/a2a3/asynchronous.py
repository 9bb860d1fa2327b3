"""Asynchronous transfers of A2/A3."""

from __future__ import annotations

from ptoas.targets.shared.asynchronous import Engine, asynchronous
from ptoas.targets.specs import NINE, WIDE

ROWS = asynchronous((*NINE, *WIDE), Engine())
