"""Loads, stores and prints of the simulator."""

from __future__ import annotations

from ptoas.dialects.pto.memory import TLoadOp, TPrefetchOp, TPrintOp, TStoreOp
from ptoas.targets.row import Rows
from ptoas.targets.rules import memory as m
from ptoas.targets.rules.fixpipe import accumulator_is_converted
from ptoas.targets.shared.memory import PRINT, load, prefetch, store
from ptoas.targets.specs import LOADED, NINE, WIDE

PLAIN = {"f32": "f32 f16 bf16", "i32": "i32"}
SCALED = {"f32": "i8 ui8 f16 bf16", "i32": "i8 ui8 f16 bf16 i16"}
"""Result types of accumulators without a scale, and with one, for every destination."""

ROWS: Rows = {
    TLoadOp: load(LOADED, empty=True).override(rules=(m.load_makes_fractals_of_two_dimensions,)),
    TStoreOp: store(
        LOADED,
        "vec mat acc",
        m.store_atomic_takes_the_element_type(types=(*NINE, *WIDE)),
        accumulator_is_converted(plain=PLAIN, scaled=SCALED),
        empty=True,
    ),
    TPrefetchOp: prefetch(LOADED),
    TPrintOp: PRINT.override(rules=(m.simulator_prints_tiles,), ignores=("tmp",)),
}
