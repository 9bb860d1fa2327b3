"""Asynchronous transfers of A5."""

from __future__ import annotations

from ptoas.targets.shared.asynchronous import Engine, asynchronous
from ptoas.targets.specs import LOADED

ROWS = asynchronous(LOADED, Engine())
