"""Comparing and selecting on the simulator."""

from __future__ import annotations

from ptoas.dialects.pto import compare as c
from ptoas.dialects.pto.element_types import element_size
from ptoas.targets.cpu.elementwise import ARITHMETIC
from ptoas.targets.row import Forms, Rows
from ptoas.targets.rules.compare import mask_columns_are_its_bytes
from ptoas.targets.shared.compare import COMPARE, COMPARE_SCALAR, SELECT, SELECT_SCALAR
from ptoas.targets.specs import NINE, tile

SAME = {"dst": "R C", "src0 src1": "R C"}

ROWS: Rows = {
    # The mask tile is cleared as a whole first.
    c.TCmpOp: Forms(
        lambda op: element_size(op.destination.type.element_type) == 4,
        {
            False: COMPARE.of("i32 f16 f32", model="clears").override(tiles={"dst": tile("u8")}),
            True: COMPARE.of(NINE, model="clears").override(tiles={"dst": tile("u32")}),
        },
    ),
    # `eq` and `ne` take numbers for equal that differ by less than 1e-9.
    c.TCmpSOp: COMPARE_SCALAR.of(ARITHMETIC, model="clears").override(rules=(mask_columns_are_its_bytes,)),
    # One C++ type for the three tiles.
    c.TSelOp: SELECT.of(ARITHMETIC, shape=SAME).override(
        tiles={"mask": tile("i8 u8")}, rules=(mask_columns_are_its_bytes,)
    ),
    c.TSelSOp: SELECT_SCALAR.of(ARITHMETIC),
}
