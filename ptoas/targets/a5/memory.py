"""Loads, stores and prints of A5; L1 has no way out to global memory."""

from __future__ import annotations

from ptoas.dialects.pto.memory import TLoadOp, TPrefetchOp, TPrintOp, TStoreOp
from ptoas.targets.row import Rows
from ptoas.targets.rules import memory as m
from ptoas.targets.rules.fixpipe import accumulator_is_converted
from ptoas.targets.rules.move_layouts import load_makes_blocks_of_512_bytes
from ptoas.targets.shared.memory import load, prefetch, printing, store
from ptoas.targets.specs import LOADED, elements

PLAIN = {"f32": "f16 bf16 f32", "i32": "i32"}
SCALED = {"f32": "i8 ui8 hif8 f16 bf16 f8E4M3FN f32", "i32": "i8 ui8 f16 bf16"}
"""Result types of accumulators without a scale, and with one, for every destination."""

ROWS: Rows = {
    TLoadOp: load(LOADED, dn_to_nz=True).override(
        rules=(
            m.contiguous_dimension_has_no_gaps,
            m.load_of_64_bits_is_plain(any_pad=False),
            load_makes_blocks_of_512_bytes,
            m.load_makes_fractals_of_two_dimensions(zn=False),
        )
    ),
    TStoreOp: store(
        LOADED,
        "vec acc",
        m.contiguous_dimension_has_no_gaps,
        m.store_atomic_takes_the_element_type(types=elements("i8 i16 i32 f16 bf16 f32")),
        m.store_of_an_accumulator_is_a_matrix,
        accumulator_is_converted(plain=PLAIN, scaled=SCALED),
    ),
    TPrefetchOp: prefetch(LOADED),
    TPrintOp: printing("vec acc"),
}
