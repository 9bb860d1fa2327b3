"""Arithmetic of A5 with a scalar."""

from __future__ import annotations

from ptoas.dialects.pto import tile_scalar as s
from ptoas.dialects.pto.constraints import AnyTile
from ptoas.dialects.pto.element_types import BY_TYPE
from ptoas.targets.a5.elementwise import (
    ADDED,
    BITS,
    DIVIDED,
    FLOATS,
    MULTIPLIED,
    ROUNDED_QUOTIENT,
    SHIFTED,
    power,
)
from ptoas.targets.pipes import Pipe, Pipes, S, V
from ptoas.targets.row import Rows
from ptoas.targets.rules.elementwise import shift_is_less_than_the_width, sum_has_the_type_of_the_product
from ptoas.targets.shared import elementwise as f

SCALAR_LOOP = Pipes(S, before=((V, S),))
"""A loop of the scalar pipe that waits for vectors, and that no vector waits for."""


def _division(op: s.TDivSOp) -> Pipe | Pipes:
    element = BY_TYPE[AnyTile().element_of(op.src.type)]
    return SCALAR_LOOP if element.is_integer and element.size < 8 else V


SHIFT = f.shifted(f.SCALAR.override(rules=(shift_is_less_than_the_width,)).of(SHIFTED))

ROWS: Rows = {
    **f.SCALAR.each(
        {
            **dict.fromkeys((s.TAddSOp, s.TSubSOp, s.TMaxSOp, s.TMinSOp), ADDED),
            **dict.fromkeys((s.TAndSOp, s.TOrSOp), BITS),
            s.TMulSOp: MULTIPLIED,
            s.TLReluOp: FLOATS,
        }
    ),
    s.TShlSOp: SHIFT,
    s.TShrSOp: SHIFT,
    s.TDivSOp: f.divided(f.precise(f.SCALAR, "Div").of(DIVIDED, pipe=_division)),
    s.TXorSOp: f.SCALAR_SCRATCH.of(BITS),
    s.TRemSOp: f.divided(f.SCALAR_SCRATCH.of(DIVIDED, model=ROUNDED_QUOTIENT)),
    s.TFmodSOp: f.SCALAR.of("i16 u16 i32 u32 f16 f32", model=ROUNDED_QUOTIENT),
    s.TPowSOp: power(f.SCALAR_SCRATCH),
    s.TAxpyOp: f.AXPY.of(FLOATS, rules=(sum_has_the_type_of_the_product,), model=f.ROUNDED_ONCE),
    s.TAddSCOp: f.ADD_SC.of(ADDED),
    s.TSubSCOp: f.SUB_SC.of(ADDED),
}
