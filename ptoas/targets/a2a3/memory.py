"""Loads, stores and prints of A2/A3: bursts are counted in 12 bits, fractals are made of matrices."""

from __future__ import annotations

from ptoas.dialects.pto.memory import TLoadOp, TPrefetchOp, TPrintOp, TStoreOp
from ptoas.targets.row import Rows
from ptoas.targets.rules import memory as m
from ptoas.targets.rules.fixpipe import accumulator_is_converted
from ptoas.targets.rules.move_layouts import load_makes_blocks_of_512_bytes
from ptoas.targets.shared.memory import load, prefetch, printing, store
from ptoas.targets.specs import NINE, WIDE, elements

ROWS: Rows = {
    TLoadOp: load((*NINE, *WIDE)).override(
        rules=(
            m.contiguous_dimension_has_no_gaps,
            m.load_of_64_bits_is_plain,
            m.load_has_few_bursts,
            load_makes_blocks_of_512_bytes,
            m.load_makes_fractals_of_two_dimensions,
        )
    ),
    TStoreOp: store(
        (*NINE, *WIDE),
        "vec mat acc",
        m.contiguous_dimension_has_no_gaps,
        m.single_line_is_stored_without_gaps,
        m.store_atomic_takes_the_element_type(types=elements("i8 i16 i32 f16 bf16 f32")),
        m.store_of_an_accumulator_is_a_matrix,
        m.store_of_64_bits_is_plain,
        m.store_has_few_bursts,
        accumulator_is_converted(
            plain={"f32": "f32 f16 bf16", "i32": "i32"}, scaled={"f32": "i8 ui8", "i32": "i8 ui8 f16"}
        ),
    ),
    TPrefetchOp: prefetch((*NINE, *WIDE)),
    TPrintOp: printing("vec mat acc"),
}
