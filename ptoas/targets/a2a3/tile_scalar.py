"""Arithmetic of A2/A3 with a scalar: often the scalar is spread over the destination first."""

from __future__ import annotations

from ptoas.dialects.pto import tile_scalar as s
from ptoas.targets.a2a3.elementwise import (
    BITS,
    FLOATS,
    FOUR,
    ROUNDED_QUOTIENT,
    SCALAR_LOOP,
    THROUGH_F32,
    power,
    precise,
)
from ptoas.targets.row import Forms, Rows, Scratch
from ptoas.targets.rules.elementwise import (
    scratch_has_the_elements_of_the_destination,
    shift_is_less_than_the_width,
    sum_has_the_type_of_the_product,
)
from ptoas.targets.rules.scratch import scratch_is_valid_for_a_row
from ptoas.targets.shared import elementwise as f
from ptoas.targets.shared import scratch
from ptoas.targets.specs import ROW_MAJOR, tile

IN_PLACE_MULTIPLIES = "multiplies in place"
"""A quotient that replaces its dividend is the product with the rounded reciprocal."""

SPREAD = f.SCALAR.override(no_alias=(("dst", "src"),))
"""The scalar is written to the destination before the source is read."""

DIVISION = precise(f.SCALAR, "Div").of(FOUR)
REMAINDER = f.SCALAR.override(
    scratch={"tmp": Scratch(scratch.one_row)},
    no_alias=f.no_alias("src"),
    model=ROUNDED_QUOTIENT,
    rules=(scratch_is_valid_for_a_row,),
    source="device header of A2/A3, TREMS",
)


ROWS: Rows = {
    **f.SCALAR.each(
        {
            **dict.fromkeys((s.TAddSOp, s.TSubSOp, s.TMulSOp, s.TMaxSOp, s.TMinSOp), FOUR),
            s.TLReluOp: FLOATS,
        }
    ),
    # Integers are divided one by one, floats by vectors (pto/npu/a2a3/TDivS.hpp header: TDivs_naive and
    # TSDiv_naive, TBinSInstr).
    s.TDivSOp: Forms(
        f.division,
        {
            "integers": DIVISION.override(pipe=SCALAR_LOOP),
            "tile / scalar": DIVISION.override(model=IN_PLACE_MULTIPLIES),
            "scalar / tile": DIVISION.override(no_alias=(("dst", "src"),)),
        },
    ),
    **SPREAD.each(dict.fromkeys((s.TAndSOp, s.TOrSOp), BITS)),
    s.TXorSOp: SPREAD.override(
        tiles={"tmp": tile(None, ROW_MAJOR)},
        scratch={"tmp": scratch.like("dst")},
        no_alias=f.no_alias("src"),
        rules=(scratch_has_the_elements_of_the_destination,),
    ).of(BITS),
    **f.SCALAR.override(rules=(shift_is_less_than_the_width,)).each(
        dict.fromkeys((s.TShlSOp, s.TShrSOp), "i16 u16 i32 u32")
    ),
    s.TRemSOp: f.by_element(
        REMAINDER.of("i32 f32", clobbers=("src",), model=THROUGH_F32), REMAINDER.of("i32 f32")
    ),
    s.TFmodSOp: SPREAD.of("f32", model=ROUNDED_QUOTIENT),
    s.TPowSOp: power(f.SCALAR, f.SCALAR_SCRATCH, "src"),
    s.TAxpyOp: f.AXPY.of(FLOATS, rules=(sum_has_the_type_of_the_product,), model=f.PRODUCT_OF_DST),
    s.TAddSCOp: f.ADD_SC.of(FOUR),
    s.TSubSCOp: f.SUB_SC.of(FOUR),
}
