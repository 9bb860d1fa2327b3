"""Loads, stores and prints of the simulator."""

from __future__ import annotations

from ptoas.dialects.pto.memory import TLoadOp, TPrintOp, TStoreOp
from ptoas.targets.row import Rows
from ptoas.targets.rules import memory as m
from ptoas.targets.shared.memory import PRINT, load, store
from ptoas.targets.specs import ANY, NINE, WIDE

ROWS: Rows = {
    TLoadOp: load(ANY, empty=True),
    TStoreOp: store(ANY, "vec mat acc", empty=True).but(
        rules=(m.store_atomic_takes_the_element_type(types=(*NINE, *WIDE)),)
    ),
    TPrintOp: PRINT.but(rules=(m.simulator_prints_tiles,)),
}
