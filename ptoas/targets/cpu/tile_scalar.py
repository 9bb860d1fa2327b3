"""Arithmetic of the simulator with a scalar."""

from __future__ import annotations

from ptoas.dialects.pto import tile_scalar as s
from ptoas.targets.cpu.elementwise import ARITHMETIC, FLOATS, INTEGERS
from ptoas.targets.row import Rows
from ptoas.targets.rules.elementwise import (
    scratch_has_the_type_of_the_destination,
    shift_is_less_than_the_width,
    sum_has_the_type_of_the_product,
    tiles_have_one_type,
)
from ptoas.targets.shared import elementwise as f
from ptoas.targets.shared import scratch

# The header has one template parameter for the destination and the scratch tile.
SCRATCH = f.SCALAR.override(
    ignores=("tmp",), scratch={"tmp": scratch.like("dst")}, rules=(scratch_has_the_type_of_the_destination,)
)

LAST_STEP = (tiles_have_one_type(slots="src1"),)
"""The last step is TADD."""

ROWS: Rows = {
    **f.SCALAR.each(
        {
            **dict.fromkeys((s.TAddSOp, s.TSubSOp, s.TMulSOp, s.TMaxSOp, s.TMinSOp, s.TFmodSOp), ARITHMETIC),
            **dict.fromkeys((s.TAndSOp, s.TOrSOp), INTEGERS),
            s.TLReluOp: FLOATS,
        }
    ),
    **f.SCALAR.override(rules=(shift_is_less_than_the_width,)).each(
        dict.fromkeys((s.TShlSOp, s.TShrSOp), INTEGERS)
    ),
    s.TDivSOp: f.precise(f.SCALAR, "Div").of(ARITHMETIC),
    s.TXorSOp: SCRATCH.of(INTEGERS),
    s.TRemSOp: SCRATCH.of(ARITHMETIC),
    s.TPowSOp: f.precise(f.SCALAR_SCRATCH, "Pow").of(ARITHMETIC),
    s.TAxpyOp: f.AXPY.of(ARITHMETIC, rules=(sum_has_the_type_of_the_product,)),
    s.TAddSCOp: f.ADD_SC.of(ARITHMETIC).override(rules=LAST_STEP),
    s.TSubSCOp: f.SUB_SC.of(ARITHMETIC).override(rules=LAST_STEP),
}
