"""Asynchronous transfers of the simulator, which copies at once."""

from __future__ import annotations

from ptoas.targets.shared.asynchronous import Engine, asynchronous
from ptoas.targets.specs import LOADED

ROWS = asynchronous(LOADED, Engine(at_once=True))
